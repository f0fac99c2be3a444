"""Messages of magic 0 and 1 hold what the batches held that they were made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.batch_building import build_compressed_batch
from cluster.formats.compression import Codec
from cluster.formats.message_building import NotConvertible, build_message_set, down_converted
from cluster.formats.record_batch import (
    LOG_APPEND_TIME,
    CorruptBatchError,
    checksum_matches,
    parse_header,
    stamp,
    stamp_log_append_time,
    whole_batches,
)
from cluster.formats.records import Record, records_of
from cluster.model.ids import LeaderEpoch
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import START_MS, batch, batch_around, gzipped, marker

OLD_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)

# Snappy and LZ4 are packed in blocks, of which some have several.
large = st.binary(min_size=1, max_size=9).map(lambda some: some * 9000)
texts = st.none() | st.binary(max_size=200) | large
timestamps = st.just(-1) | st.integers(0, 2**63 - 1)
contents = st.lists(st.tuples(timestamps, texts, texts), min_size=1, max_size=8)


def read(content: bytes) -> list[Record]:
    """The records of all messages in *content*, whose checksums are right."""
    records: list[Record] = []
    for position, header in whole_batches(content):
        assert checksum_matches(content, header, position)
        records += records_of(content[position : position + header.size], header)
    assert all(record.is_valid for record in records)
    return records


def stamped(content: bytearray, base_offset: int) -> bytes:
    stamp(content, parse_header(content), base_offset, LeaderEpoch(0))
    return bytes(content)


@given(contents, st.sampled_from(OLD_CODECS), st.sampled_from([0, 1]), st.integers(0, 2**62))
def test_what_is_converted_reads_the_same(
    content: list[tuple[int, bytes | None, bytes | None]], codec: Codec, magic: int, offset: int
) -> None:
    whole = stamped(build_compressed_batch(content, codec), offset)

    converted = down_converted(whole, parse_header(whole), magic, offset)

    assert [
        (offset + number, timestamp if magic == 1 else -1, key, value)
        for number, (timestamp, key, value) in enumerate(content)
    ] == [record[:4] for record in read(converted)]
    headers = [header for _, header in whole_batches(converted)]
    assert {magic} == {header.magic for header in headers}
    assert (1 if codec else len(content)) == len(headers)


@pytest.mark.parametrize("codec", OLD_CODECS)
@pytest.mark.parametrize("magic", [0, 1])
def test_gaps_between_offsets_stay(codec: Codec, magic: int) -> None:
    records = [Record(offset, START_MS, b"key", b"value") for offset in (7, 9, 40)]

    converted = build_message_set(records, magic, codec)

    assert [7, 9, 40] == [record.offset for record in read(converted)]


def test_messages_of_magic_1_become_such_of_magic_0() -> None:
    whole = wrapper([b"one", b"two"], base_offset=40, codec="gzip")

    (first, second) = read(down_converted(whole, parse_header(whole), 0, 40))

    assert (40, -1, b"0", b"one") == first[:4]
    assert (41, -1, b"1", b"two") == second[:4]


@pytest.mark.parametrize("content", [message(b"v", magic=0), wrapper([b"v"], magic=1)])
def test_what_is_understood_stays_as_it_is(content: bytes) -> None:
    assert content == down_converted(content, parse_header(content), 1, 0)


def test_only_compressed_batches_have_records_before_the_offset() -> None:
    plain, packed = bytes(batch(3)), bytes(batch(3, codec="gzip"))

    assert [2] == [one.offset for one in read(down_converted(plain, parse_header(plain), 1, 2))]
    whole = read(down_converted(packed, parse_header(packed), 1, 2))
    assert [0, 1, 2] == [one.offset for one in whole]
    assert b"" == down_converted(plain, parse_header(plain), 1, 3)


def test_the_brokers_time_is_that_of_all_messages() -> None:
    content = batch(2, codec="gzip")
    header = stamp_log_append_time(content, parse_header(content), START_MS + 99)

    converted = down_converted(bytes(content), header, 1, 0)

    assert [START_MS + 99] * 2 == [record.timestamp for record in read(converted)]
    assert parse_header(converted).attributes == LOG_APPEND_TIME | Codec.GZIP


def test_an_offset_that_no_message_can_have_is_damage() -> None:
    # Within magic 1 offsets count from that of the wrapper less the last one within.
    inner = message(b"a") + message(b"b", offset=2**63 - 1)
    whole = message(gzipped(inner), offset=2**63 - 1, attributes=Codec.GZIP)
    content = bytearray(whole)
    content[:8] = (-(2**63)).to_bytes(8, signed=True)

    with pytest.raises(CorruptBatchError):
        down_converted(bytes(content), parse_header(content), 0, 0)


def test_headers_are_dropped() -> None:
    # Length, three zeros, no key, no value, a header.
    whole = bytes(batch_around(b"\x14\0\0\0\1\1\2\2k\2v", 1))
    assert records_of(whole, parse_header(whole)).__next__().headers

    (record,) = read(down_converted(whole, parse_header(whole), 1, 0))

    assert () == record.headers


def test_markers_of_transactions_are_left_out() -> None:
    content = bytes(marker(7, 3, is_abort=False))

    assert b"" == down_converted(content, parse_header(content), 1, 0)


@pytest.mark.parametrize("magic", [0, 1])
def test_zstd_is_not_converted(magic: int) -> None:
    content = bytes(batch(3, codec="zstd"))

    with pytest.raises(NotConvertible):
        down_converted(content, parse_header(content), magic, 0)
