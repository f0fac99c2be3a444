"""Times of records: is it the first one that a consumer would get next?"""

import pytest

from cluster.formats.record_batch import HEADER_LAYOUT, NO_TIMESTAMP, parse_header
from kadmin.admin.wire.record_times import SIZE_MAX, SIZE_MIN, Search, first_times
from tests.cluster.storage.batches import of_pairs

CONTROL = 0x20


def batch(base: int, count: int, time_ms: int, attributes: int = 0) -> bytes:
    made = of_pairs([(None, b"v")] * count, time_ms)
    fields = parse_header(made)._replace(base_offset=base, attributes=attributes)
    HEADER_LAYOUT.pack_into(made, 0, *fields)
    return bytes(made)


FIRST, LATER, MARKER = batch(10, 3, 1_000), batch(20, 2, 2_000), batch(13, 1, 1_500, CONTROL)


@pytest.mark.parametrize(
    ("records", "offset", "expected"),
    [
        (FIRST, 10, (10, 1_000)),
        (FIRST, 12, (12, 1_000)),
        # Compaction has removed what was at 15: the next one is what a consumer gets.
        (FIRST + LATER, 15, (15, 2_000)),
        (FIRST + MARKER + LATER, 13, (14, 2_000)),
        # Nothing but a marker: whoever asks looks further behind it.
        (MARKER, 13, (14, None)),
        (LATER[:-1], 20, (20, None)),
        (FIRST + LATER[:-1], 13, (13, None)),
        (b"", 7, (7, None)),
        (b"no batch, but long enough to be looked at as one" * 2, 7, (7, None)),
        (batch(0, 1, NO_TIMESTAMP), 0, (0, NO_TIMESTAMP)),
    ],
)
def test_the_first_record_that_is_not_before_an_offset(
    records: bytes, offset: int, expected: tuple[int, int | None]
) -> None:
    next_offset, time_ms = expected
    times = [] if time_ms is None else [time_ms]

    assert (next_offset, times) == first_times(records, offset, [offset])


def test_one_fetch_answers_all_offsets_that_it_covers() -> None:
    search = Search([40, 21, 15, 12, 10])

    search.take(99, FIRST + LATER)

    assert {10: 1_000, 12: 1_000, 15: 2_000, 21: 2_000} == search.times
    assert ([40], 40, 2 * SIZE_MIN) == (search.left, search.at, search.size)
    search.take(99, batch(40, 1, 3_000))
    assert ([], 3_000, SIZE_MIN) == (search.left, search.times[40], search.size)


def test_a_fetch_goes_on_behind_markers_and_ends_with_the_log() -> None:
    search = Search([30, 13])

    search.take(31, MARKER)
    assert ([30, 13], 14) == (search.left, search.at)
    search.take(31, batch(14, 17, 1_000, CONTROL))

    assert {13: None, 30: None} == search.times
    assert [] == search.left


def test_a_batch_that_is_too_large_is_fetched_alone_and_then_given_up() -> None:
    search = Search([20, 10])

    looks = []
    while 10 in search.left:
        looks.append((search.at, search.size, search.request_count))
        search.take(30, b"")

    assert [(10, SIZE_MIN, 250), (10, SIZE_MAX, 8), (10, SIZE_MAX, 1)] == looks
    assert ([20], 20, SIZE_MIN, {}) == (search.left, search.at, search.size, search.times)
