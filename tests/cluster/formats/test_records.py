"""Records of every message format and codec."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.record_batch import CorruptBatchError, parse_header
from cluster.formats.records import KeyAndValue, Record, keys_and_values, plain_record, records_of
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import START_MS, batch, batch_around, of_pairs

VALUES = (b"one", b"", b"three" * 40)
LOG_APPEND_TIME = 0x08


def read(content: bytes, size_max: int = 2**20) -> list[Record]:
    return list(records_of(content, parse_header(content), size_max))


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "xerial", "lz4", "zstd"])
def test_records_of_magic_2_are_read(codec: str) -> None:
    content = bytes(batch(VALUES, base_offset=7, codec=codec, sequence=2**31 - 2, producer_id=1))

    assert [
        Record(7 + n, START_MS + n, None, value, sequence=sequence)
        for n, (value, sequence) in enumerate(zip(VALUES, (2**31 - 2, 2**31 - 1, 0), strict=True))
    ] == read(content)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", ["gzip", "snappy", "xerial", "lz4"])
def test_wrapped_messages_get_their_offsets_in_the_log(magic: int, codec: str) -> None:
    content = wrapper(VALUES, base_offset=40, codec=codec, magic=magic)

    found = read(content)

    times = [START_MS + n if magic == 1 else -1 for n in range(3)]
    assert list(zip((40, 41, 42), times, VALUES, strict=True)) == [
        (record.offset, record.timestamp, record.value) for record in found
    ]
    assert [b"0", b"1", b"2"] == [record.key for record in found]
    assert all(record.is_valid and record.checksum is not None for record in found)


def test_a_message_alone_is_its_record() -> None:
    (record,) = read(message(None, offset=9, key=b"gone", magic=0))

    assert (9, -1, b"gone", None) == record[:4]


def test_lz4_of_magic_0_is_read_with_the_checksum_that_kafka_wrote_then() -> None:
    old = wrapper(VALUES, codec="lz4", magic=0, has_old_checksum=True)

    assert list(VALUES) == [record.value for record in read(old)]


def test_lz4_of_magic_1_has_to_have_the_right_one() -> None:
    with pytest.raises(CorruptBatchError):
        read(wrapper(VALUES, codec="lz4", magic=1, has_old_checksum=True))


def test_wrapped_messages_take_over_the_time_at_which_the_broker_appended() -> None:
    found = read(wrapper(VALUES, attributes=LOG_APPEND_TIME))

    assert [START_MS + 2] * 3 == [record.timestamp for record in found]


@pytest.mark.parametrize("content", [batch(VALUES), wrapper(VALUES), message(b"value")])
def test_records_that_are_cut_off_anywhere_are_corrupt(content: bytes) -> None:
    header = parse_header(content)
    whole = read(bytes(content))

    for size in range(61, len(content)):
        with pytest.raises(CorruptBatchError):
            assert len(list(records_of(bytes(content[:size]), header))) < len(whole)


def test_keys_of_headers_that_are_no_text_are_read_as_they_are() -> None:
    # As brokers store them and clients read them; length, three zeros, no key, no value, a header.
    body = b"\x14\0\0\0\1\1\2\2\xb6\2v"

    (record,) = read(bytes(batch_around(body, 1)))

    assert ((b"\xb6", b"v"),) == record.headers


def test_bytes_behind_the_last_record_are_corrupt() -> None:
    with pytest.raises(CorruptBatchError, match="left behind"):
        read(bytes(batch_around(bytes(batch(VALUES)[61:]) + b"x", 3)))


def test_records_do_not_unpack_to_more_than_they_may() -> None:
    with pytest.raises(CorruptBatchError, match="more than 100 bytes"):
        read(bytes(batch([b"x" * 1000], codec="gzip")), size_max=100)


def both(content: bytes) -> tuple[list[KeyAndValue] | None, list[KeyAndValue] | None]:
    """Keys and values by either way of reading; None where the batch is corrupt."""
    found: list[list[KeyAndValue] | None] = []
    for read_all in (
        lambda header: [(one.key, one.value) for one in records_of(content, header)],
        lambda header: list(keys_and_values(content, header)),
    ):
        try:
            found.append(read_all(parse_header(content)))
        except CorruptBatchError:
            found.append(None)
    return found[0], found[1]


@pytest.mark.parametrize(
    "content",
    [
        *(batch(VALUES, codec=codec) for codec in ("none", "gzip", "zstd")),
        wrapper(VALUES),
        message(b"value"),
        message(None, key=b"gone", magic=0),
        of_pairs([(b"k" * size, b"v" * size) for size in (0, 1, 63, 64, 8000, 8191, 9000)], 0),
        of_pairs([(b"k", None), (None, b"v"), (None, None)], 0),
        of_pairs([(b"k", b"v")] * 8200, 0),
        batch(VALUES, times=[START_MS, START_MS + 63, START_MS + 64]),
    ],
)
def test_keys_and_values_are_those_of_the_records(content: bytes) -> None:
    expected, found = both(bytes(content))

    assert expected is not None
    assert expected == found


RECORDS = st.tuples(st.none() | st.binary(max_size=70), st.none() | st.binary(max_size=70))


@given(st.lists(RECORDS, min_size=1, max_size=4), st.data())
def test_keys_and_values_of_damaged_batches_are_those_of_their_records(
    records: list[KeyAndValue], data: st.DataObject
) -> None:
    content = of_pairs(records, 0)
    at = data.draw(st.integers(61, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))

    expected, found = both(bytes(content))

    assert expected == found


def test_what_coordinators_write_is_plain() -> None:
    content = bytes(of_pairs([(b"k" * 90, b"v" * 24), (b"k" * 20, None)], 0))

    first = plain_record(content, 61)

    assert first is not None
    assert (b"k" * 20, None, len(content)) == plain_record(content, first[2])
