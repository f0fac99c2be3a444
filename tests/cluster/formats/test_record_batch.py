"""Batch headers: real brokers' bytes, stamping, checksums, and bytes that are no batch."""

from struct import pack_into

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.record_batch import (
    HEADER_SIZE,
    SEQUENCE_MAX,
    BatchHeader,
    CorruptBatchError,
    checksum_matches,
    parse_header,
    sequence_after,
    stamp,
    stamp_log_append_time,
    whole_batches,
)
from cluster.model.error_codes import ErrorCode

# The marker of a committed transaction, as a Kafka 3.9.1 broker keeps it.
MARKER = bytes.fromhex(
    "00000000000001d1000000420000000002c30b0315003000000000000001a1fdd29321000001a1fd"
    "d2932100000000000000050000ffffffff000000012000000008000000010c00000000000000"
)
# One message of magic 0 and one of magic 1, as a Kafka 2.8.2 broker keeps them for old topics.
MAGIC_0 = bytes.fromhex("000000000000000000000017180443d30000000000026b30000000076e6f6e65203020")
MAGIC_1 = bytes.fromhex(
    "00000000000000000000001fa807519f0100000001a1fdd112ea000000026b30000000076e6f6e65203020"
)


def changed(batch: bytes | bytearray, form: str, position: int, value: int) -> bytearray:
    copy = bytearray(batch)
    pack_into(form, copy, position, value)
    return copy


def test_a_header_says_what_kafkas_own_dump_tool_says() -> None:
    header = parse_header(MARKER)

    assert header == BatchHeader(
        base_offset=465,
        length=66,
        leader_epoch=0,
        magic=2,
        crc=3272278805,
        attributes=0x30,
        last_offset_delta=0,
        base_timestamp=1795259798305,
        max_timestamp=1795259798305,
        producer_id=5,
        producer_epoch=0,
        base_sequence=-1,
        record_count=1,
    )
    assert header.size == len(MARKER)
    assert header.is_control
    assert header.is_transactional
    assert not header.is_log_append_time
    assert not header.has_delete_horizon
    assert header.last_sequence == -1
    assert (header.last_offset, header.next_offset, header.codec) == (465, 466, 0)
    assert checksum_matches(MARKER, header)


@pytest.mark.parametrize(
    ("message", "magic", "crc", "timestamp"),
    [(MAGIC_0, 0, 402932691, -1), (MAGIC_1, 1, 2819051935, 1795259699946)],
)
def test_old_messages_are_recognised_and_measured(
    message: bytes, magic: int, crc: int, timestamp: int
) -> None:
    header = parse_header(message)

    assert (header.magic, header.crc, header.size) == (magic, crc, len(message))
    assert (header.base_timestamp, header.max_timestamp) == (timestamp, timestamp)
    assert (header.base_offset, header.last_offset, header.record_count) == (0, 0, 1)
    assert (header.producer_id, header.base_sequence, header.leader_epoch) == (-1, -1, -1)
    assert checksum_matches(message, header)
    assert not checksum_matches(changed(message, ">B", 30, 0xFE), header)


def test_attribute_bits_of_old_messages_mean_only_what_they_meant_then() -> None:
    everything = changed(MAGIC_1, ">b", 17, 0x7C)
    oldest = changed(MAGIC_0, ">b", 17, 0x08)

    assert parse_header(everything).is_log_append_time
    assert not parse_header(everything).is_transactional
    assert not parse_header(everything).is_control
    assert not parse_header(everything).has_delete_horizon
    assert not parse_header(oldest).is_log_append_time


def test_an_old_message_is_parsed_the_same_alone_and_before_others() -> None:
    log = MAGIC_0 + MAGIC_1 + MARKER

    batches = list(whole_batches(log))

    assert [batch.position for batch in batches] == [0, 35, 78]
    assert [batch.header for batch in batches] == [
        parse_header(MAGIC_0),
        parse_header(MAGIC_1),
        parse_header(MARKER),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kept", range(len(MARKER)))
def test_batches_end_before_one_that_is_cut_off(kept: int) -> None:
    log = MARKER + MAGIC_0 + MARKER[:kept]

    assert [batch.position for batch in whole_batches(log)] == [0, len(MARKER)]


@pytest.mark.slow
@pytest.mark.parametrize("kept", range(HEADER_SIZE))
def test_a_header_that_is_cut_off_is_corrupt(kept: int) -> None:
    with pytest.raises(CorruptBatchError, match=f"only {kept} bytes"):
        parse_header(b"before" + MARKER[:kept], 6)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(changed(MARKER, ">i", 8, 48), id="length below a header's"),
        pytest.param(changed(MARKER, ">i", 8, 0), id="no length"),
        pytest.param(changed(MARKER, ">i", 8, -1), id="negative length"),
        pytest.param(changed(MARKER, ">i", 8, -(2**31)), id="lowest length"),
        pytest.param(changed(MARKER, ">b", 16, 3), id="magic of a release to come"),
        pytest.param(changed(MARKER, ">b", 16, -1), id="negative magic"),
        pytest.param(changed(MARKER, ">i", 23, -1), id="negative offset delta"),
        pytest.param(changed(MAGIC_0, ">i", 8, 13), id="length below a message's of magic 0"),
        pytest.param(changed(MAGIC_1, ">i", 8, 21), id="length below a message's of magic 1"),
        pytest.param(changed(MAGIC_1[:33], ">i", 8, 21), id="cut message of magic 1"),
    ],
)
def test_bytes_that_are_no_batch_are_named_with_their_place(bad: bytearray) -> None:
    with pytest.raises(CorruptBatchError) as caught:
        list(whole_batches(MARKER + bad))

    assert caught.value.position == len(MARKER)
    assert str(caught.value).startswith(f"batch at byte {len(MARKER)}: ")
    assert caught.value.error_code is ErrorCode.CORRUPT_MESSAGE


@pytest.mark.slow
@pytest.mark.parametrize("position", range(16, len(MARKER)))
def test_every_flipped_bit_behind_the_leader_epoch_is_noticed(position: int) -> None:
    for bit in range(8):
        flipped = bytearray(MARKER)
        flipped[position] ^= 1 << bit
        try:
            header = parse_header(flipped)
        except CorruptBatchError:
            continue
        assert not checksum_matches(flipped, header)


def test_a_batch_that_is_cut_off_has_no_checksum() -> None:
    assert not checksum_matches(MARKER[:-1], parse_header(MARKER))


@given(st.integers(0, 2**63 - 1), st.integers(-1, 2**31 - 1), st.binary(max_size=9))
def test_a_stamp_changes_offset_and_epoch_and_nothing_else(
    offset: int, epoch: int, before: bytes
) -> None:
    buffer = bytearray(before + MARKER)
    at = len(before)

    stamped = stamp(buffer, parse_header(buffer, at), offset, epoch, at)

    assert stamped == parse_header(buffer, at)
    assert (stamped.base_offset, stamped.leader_epoch) == (offset, epoch)
    assert checksum_matches(buffer, stamped, at)
    assert buffer[: at + 12] == before + offset.to_bytes(8) + MARKER[8:12]
    assert buffer[at + 16 :] == MARKER[16:]


@given(st.integers(0, 2**63 - 1), st.binary(max_size=9))
def test_log_append_time_is_set_with_a_checksum_that_fits(now_ms: int, before: bytes) -> None:
    buffer = bytearray(before + MARKER + MARKER)
    at = len(before)

    stamped = stamp_log_append_time(memoryview(buffer), parse_header(buffer, at), now_ms, at)

    assert stamped == parse_header(buffer, at)
    assert stamped == parse_header(MARKER)._replace(
        attributes=0x38, max_timestamp=now_ms, crc=stamped.crc
    )
    assert stamped.is_log_append_time
    assert checksum_matches(buffer, stamped, at)
    assert buffer[at + len(MARKER) :] == MARKER


def test_sequences_start_again_at_zero_behind_the_highest() -> None:
    batch = changed(changed(MARKER, ">i", 53, SEQUENCE_MAX - 1), ">i", 23, 3)

    assert sequence_after(SEQUENCE_MAX, 1) == 0
    assert sequence_after(5, 0) == 5
    assert parse_header(batch).last_sequence == 1


@given(st.binary(max_size=200))
def test_of_any_bytes_only_corrupt_batches_come(noise: bytes) -> None:
    try:
        batches = list(whole_batches(noise))
    except CorruptBatchError:
        return
    for position, header in batches:
        assert position + header.size <= len(noise)
