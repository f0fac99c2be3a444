"""The walk over the batches of a segment."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.batch_walk import WINDOW_SIZE, Walk, first_header
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import batch
from tests.kadmin.segments.sources import Bytes

BATCHES = (
    message(b"old", offset=0, magic=0),
    wrapper([b"a", b"b"], base_offset=1),
    bytes(batch(3, base_offset=3, codec="zstd")),
    bytes(batch(2, base_offset=6)),
)
CONTENT = b"".join(BATCHES)
STARTS = tuple(sum(map(len, BATCHES[:number])) for number in range(5))


def walked(content: bytes) -> tuple[list[tuple[int, bool]], Walk]:
    walk = Walk(Bytes(content), len(content))
    return [(batch.position, batch.is_valid) for batch in walk], walk


def test_batches_of_all_formats_follow_each_other() -> None:
    found, walk = walked(CONTENT)

    assert [(at, True) for at in STARTS[:-1]] == found
    assert 0 == walk.tail.size


@given(st.integers(0, len(CONTENT) - 1), st.integers(0, 7))
def test_a_flipped_bit_is_noticed_in_its_batch_or_moves_what_no_checksum_covers(
    at: int, bit: int
) -> None:
    flipped = bytearray(CONTENT)
    flipped[at] ^= 1 << bit
    number = max(n for n in range(4) if STARTS[n] <= at)
    within = at - STARTS[number]

    found, walk = walked(bytes(flipped))

    assert [(start, True) for start in STARTS[:number]] == found[:number]
    is_covered = within >= 16 and not (number >= 2 and within == 16)
    if is_covered:
        assert [(STARTS[number], False)] == found[number : number + 1]
        assert [(start, True) for start in STARTS[number + 1 : 4]] == found[number + 1 :]
    elif within >= 12 and number < 2:
        assert (STARTS[number], False) == found[number]  # The checksum itself.
    elif 8 <= within < 12:
        assert found != [(start, True) for start in STARTS[:-1]] or walk.tail.size > 0


def test_a_segment_that_is_cut_off_anywhere_ends_with_its_last_whole_batch() -> None:
    for size in range(len(CONTENT)):
        found, walk = walked(CONTENT[:size])

        whole = [start for start, end in pairwise(STARTS) if end <= size]
        assert [(start, True) for start in whole] == found, size
        left = size - (STARTS[len(whole)] if len(whole) < 4 else size)
        assert left == walk.tail.size, size
        assert walk.tail.is_torn or left == 0, size


def test_a_length_that_cannot_be_ends_the_walk_without_much_reading() -> None:
    source = Bytes(BATCHES[3] + struct.pack(">qi", 8, 2**31 - 1) + bytes(200))

    walk = Walk(source, source.size)

    assert 1 == len(list(walk))
    assert len(BATCHES[3]) == walk.tail.position
    assert max(source.read_sizes) <= WINDOW_SIZE


def test_a_batch_of_an_unknown_format_is_passed_over_where_another_follows() -> None:
    content = bytearray(CONTENT)
    content[STARTS[2] + 16] = 77

    found, walk = walked(bytes(content))

    assert [True, True, False, True] == [is_valid for _, is_valid in found]
    assert 0 == walk.tail.size


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_large_batch_is_checked_piece_by_piece(is_damaged: bool) -> None:
    large = batch([b"x" * (3 * WINDOW_SIZE)])
    if is_damaged:
        large[2 * WINDOW_SIZE] ^= 1
    source = Bytes(bytes(large) + BATCHES[3])

    walk = Walk(source, source.size)

    assert [not is_damaged, True] == [batch.is_valid for batch in walk]
    assert max(source.read_sizes) <= WINDOW_SIZE


def test_the_content_of_a_batch_is_all_its_bytes() -> None:
    walk = Walk(Bytes(CONTENT), len(CONTENT))

    assert list(BATCHES) == [walk.content(batch) for batch in walk]


def test_a_batch_is_looked_up_by_its_position() -> None:
    source = Bytes(CONTENT)

    assert first_header(source, STARTS[2] + 1, source.size) is None
    assert first_header(source, -1, source.size) is None
    assert first_header(source, len(CONTENT), source.size) is None
    assert first_header(source, 0, 10) is None
