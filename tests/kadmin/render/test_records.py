"""Can the line that tells of many records be read at any size and speed?"""

import pytest

from kadmin.render.records import ProducedView, consumed_line, produced_line


def produced(p99_ms: float | None) -> str:
    return produced_line(
        ProducedView(
            topic="t",
            delivered=5_000,
            failed=1,
            in_doubt=1,
            bytes=23_890,
            seconds=12.59,
            p50_ms=None if p99_ms is None else 6.02,
            p99_ms=p99_ms,
        )
    )


@pytest.mark.parametrize(
    ("p99_ms", "text"),
    [(50.21, "50.2 ms"), (999.0, "999 ms"), (999.9, "1.0 s"), (10_700, "10.7 s")],
)
def test_latencies_are_plain_numbers_in_a_fitting_unit(p99_ms: float, text: str) -> None:
    assert (
        "produced 5,000 records, 23.9 kB in 12.59 s: 397 records/s, 1.9 kB/s;"
        f" delivered in 6.02 ms (p50), {text} (p99); 1 record failed,"
        " 1 may be in the topic"
    ) == produced(p99_ms)


def test_latencies_that_nobody_measured_are_left_out() -> None:
    assert produced(None).endswith("1.9 kB/s; 1 record failed, 1 may be in the topic")


@pytest.mark.parametrize(
    ("records", "size_bytes", "seconds", "text"),
    [
        (1, 5, 0.1, "consumed 1 record, 5 B in 0.10 s: 10 records/s, 50 B/s"),
        (1_000, 2_893, 0.5, "consumed 1,000 records, 2.9 kB in 0.50 s: 2,000 records/s, 5.8 kB/s"),
        (9, 3_600_000, 3.6, "consumed 9 records, 3.60 MB in 3.60 s: 2 records/s, 1.00 MB/s"),
        (
            9,
            4_200_000_000,
            2,
            "consumed 9 records, 4,200.00 MB in 2.00 s: 4 records/s, 2,100.00 MB/s",
        ),
        (0, 0, 0.55, "consumed 0 records, 0 B in 0.55 s"),
        (0, 0, 0, "consumed 0 records, 0 B"),
    ],
)
def test_sizes_are_told_in_the_unit_that_leaves_something_to_see(
    records: int, size_bytes: int, seconds: float, text: str
) -> None:
    assert text == consumed_line(records, size_bytes, seconds)
