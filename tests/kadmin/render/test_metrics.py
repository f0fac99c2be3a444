"""Metrics on a terminal and in other forms."""

import pytest

from kadmin.plan.metrics.measures import Unit
from kadmin.plan.metrics.report import EndpointRow, MeasureRow, MetricsReport
from kadmin.render.metrics import metrics_document, number_text, rounded, sparkline
from kadmin.render.output import Output
from tests.kadmin.render.terminal import FakeTerminal

REPORT = MetricsReport(
    endpoints=(
        EndpointRow(name="1", url="http://b1/metrics", age_s=0.5, problem=None),
        EndpointRow(name="2", url="http://b2/metrics", age_s=None, problem="connection refused"),
    ),
    rows=(
        MeasureRow(
            title="bytes in",
            unit=Unit.BYTES_PER_SECOND,
            value=2048.0,
            by_broker={"1": 2048.0, "2": None},
            age_s=0.5,
            is_combined=True,
            is_wanted=True,
        ),
        MeasureRow(
            title="partitions",
            unit=Unit.COUNT,
            value=None,
            by_broker={"1": None, "2": None},
            age_s=None,
            is_combined=True,
            is_wanted=True,
        ),
    ),
)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (None, Unit.COUNT, "-"),
        (0, Unit.COUNT, "0"),
        (12345.6, Unit.COUNT, "12,346"),
        (0.98765, Unit.SHARE, "98.8 %"),
        (1536, Unit.BYTES, "1.5 KiB"),
        (1536, Unit.BYTES_PER_SECOND, "1.5 KiB/s"),
        (2.5, Unit.PER_SECOND, "2.5/s"),
        (3.14159, Unit.MS, "3.14 ms"),
        (7, Unit.RECORDS, "7 records"),
        (float("nan"), Unit.MS, "-"),
        (float("inf"), Unit.COUNT, "-"),
        (1e300, Unit.COUNT, "1e+300"),
        (-1e300, Unit.BYTES_PER_SECOND, "-1e+300 B/s"),
    ],
)
def test_numbers_have_no_more_digits_than_are_of_use(
    number: float | None, unit: Unit, text: str
) -> None:
    assert text == number_text(number, unit)


@pytest.mark.parametrize(
    ("number", "expected"),
    [(None, None), (float("nan"), None), (float("-inf"), None), (3.0, 3), (0.12345678, 0.123457)],
)
def test_numbers_in_json_are_finite(number: float | None, expected: float | None) -> None:
    assert expected == rounded(number)


@pytest.mark.parametrize(
    ("history", "line"),
    [
        ((), ""),
        ((None,), ""),
        ((5,), "▁"),
        ((0, None, 7, 3.5), "▁ █▅"),
        ((2, 2), "▁▁"),
        ((1, float("nan"), 2, float("inf"), float("-inf")), "▁ █  "),
        ((float("nan"),), ""),
        ((-1.7e308, 1.7e308), "▁█"),
    ],
)
def test_a_sparkline_goes_from_the_least_to_the_largest(
    history: tuple[float | None, ...], line: str
) -> None:
    assert line == sparkline(history)


def test_lines_have_all_brokers() -> None:
    assert ["bytes in\t2.0 KiB/s\t1=2.0 KiB/s\t2=-\tage=0.5s", "partitions\t-\t1=-\t2=-"] == list(
        metrics_document(REPORT).lines()
    )


def test_a_terminal_shows_a_table_and_how_numbers_went(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    stdout = FakeTerminal()

    Output(stdout=stdout, color=False).show(
        metrics_document(REPORT, {"bytes in": (1024.0, 2048.0), "partitions": (None, None)})
    )

    head, _, first, second = (line.split() for line in stdout.getvalue().splitlines())
    assert ["metric", "cluster", "lately", "1", "2", "age"] == head
    assert ["bytes", "in", "2.0", "KiB/s", "▁█", "2.0", "KiB/s", "-", "0", "s"] == first
    assert ["partitions", "-", "-", "-", "-"] == second


def test_csv_has_a_row_for_each_number_that_is_known() -> None:
    assert [
        ("bytes in", None, 2048, "B/s", 0.5),
        ("bytes in", "1", 2048, "B/s", 0.5),
    ] == list(metrics_document(REPORT).rows())


def test_json_names_endpoints_that_did_not_answer() -> None:
    body = metrics_document(REPORT).body()

    assert {
        "broker": "2",
        "url": "http://b2/metrics",
        "age_s": None,
        "problem": "connection refused",
    } in body["endpoints"]  # type: ignore[operator]
