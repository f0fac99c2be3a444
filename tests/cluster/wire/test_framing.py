"""Streams of bytes cut into frames, however they arrive, without trust in announced sizes."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.wire.errors import FrameSizeError
from cluster.wire.framing import CHUNK_SIZE, EARNED_BY, FrameReader

SIZE_MAX = 10_000_000


def framed(content: bytes) -> bytes:
    return len(content).to_bytes(4) + content


def feed(reader: FrameReader, data: bytes) -> int:
    """Hand over as much of *data* as the reader has asked for."""
    space = reader.space()
    count = min(len(space), len(data))
    space[:count] = data[:count]
    reader.received(count)
    return count


def taken(reader: FrameReader) -> bytes | None:
    frame = reader.next_frame()
    return None if frame is None else bytes(frame)


def frames_of(reader: FrameReader, stream: bytes, pieces: list[int]) -> list[bytes]:
    """Feed the stream in pieces of the given sizes, again and again; each frame as it was lent."""
    frames = []
    position = turn = 0
    while position < len(stream):
        piece = pieces[turn % len(pieces)]
        turn += 1
        position += feed(reader, stream[position : position + piece])
        while (frame := taken(reader)) is not None:
            frames.append(frame)
    return frames


content = st.binary(max_size=40) | st.integers(0, 3 * CHUNK_SIZE).map(lambda n: b"x" * n)


@given(st.lists(content, max_size=8), st.lists(st.integers(1, 2 * CHUNK_SIZE), min_size=1))
def test_frames_come_out_as_they_went_in_whatever_the_pieces(
    contents: list[bytes], pieces: list[int]
) -> None:
    reader = FrameReader(SIZE_MAX)
    large_pieces = [piece + 999 for piece in pieces]

    assert frames_of(reader, b"".join(map(framed, contents)), large_pieces) == contents
    assert reader.buffered_bytes == 0


@pytest.mark.parametrize("size", [0, 1, 100])
def test_a_frame_that_comes_alone_is_there_before_it_is_received(size: int) -> None:
    reader = FrameReader(100)
    stream = framed(b"x" * size)
    reader.space()[: len(stream)] = stream

    lone = reader.lone_frame(len(stream))
    assert lone is not None
    assert bytes(lone) == b"x" * size
    assert reader.buffered_bytes == 0
    assert feed(reader, stream) == len(stream)
    assert taken(reader) == bytes(lone)


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        b"\0\0\0",
        framed(b"xx")[:-1],
        framed(b"xx") + b"\0",
        framed(b"") + framed(b""),
        framed(b"x" * 101),
        b"\xff\xff\xff\xff",
    ],
)
def test_anything_else_is_no_lone_frame(stream: bytes) -> None:
    reader = FrameReader(100)
    reader.space()[: len(stream)] = stream

    assert reader.lone_frame(len(stream)) is None


@pytest.mark.parametrize("before", [b"\0", framed(b"x")[:-1], framed(b"x") + b"\0"])
def test_behind_other_bytes_no_frame_is_alone(before: bytes) -> None:
    reader = FrameReader(100)
    feed(reader, before)
    taken(reader)
    reader.space()[:5] = framed(b"x")

    assert reader.lone_frame(5) is None


@given(st.lists(st.binary(max_size=5), max_size=6), st.lists(st.integers(1, 7), min_size=1))
def test_tiny_pieces_cut_sizes_as_well(contents: list[bytes], pieces: list[int]) -> None:
    reader = FrameReader(SIZE_MAX)

    assert frames_of(reader, b"".join(map(framed, contents)), pieces) == contents


@pytest.mark.parametrize("grown", [0, 10 * CHUNK_SIZE])
def test_a_frame_stays_as_it_is_while_more_arrives(grown: int) -> None:
    reader = FrameReader(SIZE_MAX)
    frames_of(reader, framed(b"z" * grown), [SIZE_MAX])
    feed(reader, framed(b"first") + framed(b"second"))
    first = reader.next_frame()
    assert first is not None
    more = b"y" * 11 * CHUNK_SIZE
    rest = framed(more)
    while rest:
        rest = rest[feed(reader, rest) :]

    assert bytes(first) == b"first"
    assert taken(reader) == b"second"
    assert taken(reader) == more
    assert reader.next_frame() is None


def test_a_frame_can_be_written_to() -> None:
    reader = FrameReader(SIZE_MAX)
    feed(reader, framed(b"stamp"))
    frame = reader.next_frame()
    assert frame is not None

    frame[0] = ord("S")

    assert bytes(frame) == b"Stamp"


@pytest.mark.parametrize("size", [-1, -(2**31), SIZE_MAX + 1, 2**31 - 1])
def test_a_size_out_of_bounds_is_refused_with_both_numbers(size: int) -> None:
    reader = FrameReader(SIZE_MAX)
    feed(reader, size.to_bytes(4, signed=True))

    with pytest.raises(FrameSizeError, match=f"frame of {size} bytes, where 0 to {SIZE_MAX}"):
        reader.next_frame()


def test_the_largest_and_the_smallest_frame_are_allowed() -> None:
    reader = FrameReader(100)

    assert frames_of(reader, framed(b"z" * 100) + framed(b""), [1000]) == [b"z" * 100, b""]


def test_memory_grows_with_what_came_and_not_with_what_was_announced() -> None:
    tracemalloc.start()
    try:
        readers = [FrameReader(2**31 - 1) for _ in range(10)]
        for reader in readers:
            feed(reader, (2**31 - 1).to_bytes(4) + b"little")
            assert reader.next_frame() is None
            reader.space()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10 * 4 * CHUNK_SIZE


def test_of_a_large_frame_no_byte_of_the_next_is_asked_for() -> None:
    reader = FrameReader(SIZE_MAX)
    size = 20 * CHUNK_SIZE
    frames_of(reader, framed(b"a" * size), [SIZE_MAX])
    feed(reader, framed(b"b" * size)[:CHUNK_SIZE])
    assert reader.next_frame() is None

    assert reader.missing_bytes == 4 + size - CHUNK_SIZE
    assert len(reader.space()) == reader.missing_bytes


def test_a_very_large_frame_is_received_into_its_place() -> None:
    reader = FrameReader(SIZE_MAX)
    content = bytes(range(256)) * (SIZE_MAX // 300)
    whole = framed(content)
    buffers = set()
    for position in range(0, len(whole), CHUNK_SIZE):
        piece = whole[position : position + CHUNK_SIZE]
        assert len(piece) == feed(reader, piece)
        if position > 3 * EARNED_BY:
            buffers.add(id(reader._buffer))
        frame = reader.next_frame()

    assert frame is not None
    assert content == bytes(frame)
    # It is not copied once it has earned its place, and gives that back when it is asked to.
    assert 1 == len(buffers)
    reader.release()
    reader.trim()
    assert CHUNK_SIZE == len(reader._buffer)
    assert content == bytes(frame)


def test_what_a_large_frame_needed_is_given_back_once_nothing_lies_in_it() -> None:
    reader = FrameReader(SIZE_MAX)
    size = 20 * CHUNK_SIZE
    tracemalloc.start()
    try:
        assert len(frames_of(reader, framed(b"a" * size), [SIZE_MAX])) == 1
        held, _ = tracemalloc.get_traced_memory()
        reader.trim()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held - left > size - 2 * CHUNK_SIZE
    assert frames_of(reader, framed(b"again"), [100]) == [b"again"]


def test_bytes_that_came_are_kept_when_memory_is_asked_back() -> None:
    reader = FrameReader(SIZE_MAX)
    stream = framed(b"c" * 3 * CHUNK_SIZE)
    position = 0
    while position < len(stream) - 10:
        position += feed(reader, stream[position : len(stream) - 10])
        assert reader.next_frame() is None
    reader.trim()
    feed(reader, stream[-10:])
    frame = reader.next_frame()
    assert frame is not None
    reader.trim()

    assert bytes(frame) == stream[4:]
