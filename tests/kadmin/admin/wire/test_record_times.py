"""Times of records: is it the first one that a consumer would get next?"""

import pytest

from cluster.formats.record_batch import HEADER_LAYOUT, NO_TIMESTAMP, parse_header
from kadmin.admin.wire.record_times import first_time
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
    assert expected == first_time(records, offset)
