"""Codecs: frames that are damaged, and the checksum of an LZ4 frame's header."""

from contextlib import suppress

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.formats.compression import unpack, with_right_checksum, xxh32
from cluster.formats.record_batch import CorruptBatchError
from tests.cluster.storage.batches import CODECS, lz4_frame, xerial
from tests.support.examples import example_count


@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_snappy_frame_that_ends_within_a_length_is_corrupt(left: int) -> None:
    frame = xerial(b"some") + bytes(left)

    with pytest.raises(CorruptBatchError, match="ends within the length of a block"):
        unpack(memoryview(frame), CODECS["xerial"][0], 1000)


@settings(max_examples=example_count(300), deadline=None)
@given(
    st.sampled_from(sorted(CODECS)),
    st.binary(max_size=300),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 5), st.binary(max_size=5)), max_size=3),
)
def test_a_damaged_frame_raises_no_other_error(
    name: str, content: bytes, changes: list[tuple[int, int, bytes]]
) -> None:
    codec, pack = CODECS[name]
    frame = bytes(pack(content))
    for at, size, replacement in changes:
        frame = frame[:at] + replacement + frame[at + size :]

    with suppress(CorruptBatchError):
        unpack(memoryview(frame), codec, 1000)


@pytest.mark.parametrize(
    ("data", "expected"), [(b"", 0x02CC5D05), (b"a", 0x550D7456), (b"abc", 0x32D153FF)]
)
def test_the_hash_is_that_of_its_specification(data: bytes, expected: int) -> None:
    assert expected == xxh32(data)


@pytest.mark.parametrize("content_size", [None, 5])
def test_a_wrong_checksum_is_made_right_and_nothing_else_changes(content_size: int | None) -> None:
    frame = lz4_frame(b"hello")
    if content_size is not None:
        descriptor = bytes((frame[4] | 0x08, frame[5])) + content_size.to_bytes(8, "little")
        frame = frame[:4] + descriptor + bytes((xxh32(descriptor) >> 8 & 0xFF,)) + frame[7:]
    at = 6 if content_size is None else 14
    wrong = frame[:at] + bytes((frame[at] ^ 0x55,)) + frame[at + 1 :]

    assert frame == with_right_checksum(wrong)
    assert b"hello" == bytes(cramjam.lz4.decompress(with_right_checksum(wrong)))


@pytest.mark.parametrize("data", [b"", b"\x04\x22", b"no frame at all"])
def test_what_is_no_frame_stays_as_it_is(data: bytes) -> None:
    assert data == with_right_checksum(data)
