"""Metrics of a cluster: how do they look?"""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final

from kadmin.plan.metrics.measures import Unit
from kadmin.plan.metrics.report import EndpointRow, MeasureRow, MetricsReport
from kadmin.render.output import Document
from kadmin.wording import amount, span

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from kadmin.render.tables import Shown

COLUMNS: Final = ("metric", "broker", "value", "unit", "age_s")
BARS: Final = "▁▂▃▄▅▆▇█"
LONGEST: Final = 1e18
"""What is larger has too many digits for a column."""

Histories = Mapping[str, Sequence[float | None]]


def metrics_document(report: MetricsReport, histories: Histories | None = None) -> Document:
    """Return the measures of *report*; rows are of one broker each, after one of the cluster
    without a broker.  With *histories* a terminal shows how the cluster's numbers went."""
    return Document(
        schema="kadmin.metrics/1",
        body=lambda: {
            "endpoints": [endpoint_record(each) for each in report.endpoints],
            "metrics": [measure_record(row) for row in report.rows],
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(report),
        lines=lambda: metrics_lines(report),
        pretty=(lambda: metrics_table(report, histories or {})) if report.rows else None,
    )


def endpoint_record(each: EndpointRow) -> dict[str, object]:
    return {
        "broker": each.name,
        "url": each.url,
        "age_s": rounded(each.age_s),
        "problem": each.problem,
    }


def measure_record(row: MeasureRow) -> dict[str, object]:
    return {
        "metric": row.title,
        "unit": str(row.unit),
        "value": rounded(row.value),
        "brokers": {name: rounded(number) for name, number in row.by_broker.items()},
        "age_s": rounded(row.age_s),
        "is_wanted": row.is_wanted,
    }


def csv_rows(report: MetricsReport) -> Iterator[tuple[object, ...]]:
    ages = {each.name: each.age_s for each in report.endpoints}
    for row in report.rows:
        if row.value is not None:
            yield row.title, None, rounded(row.value), row.unit, rounded(row.age_s)
        for name, number in row.by_broker.items():
            if number is not None:
                yield row.title, name, rounded(number), row.unit, rounded(ages[name])


def metrics_lines(report: MetricsReport) -> Iterator[str]:
    for row in report.rows:
        brokers = "".join(
            f"\t{name}={number_text(number, row.unit)}" for name, number in row.by_broker.items()
        )
        age = "" if row.age_s is None else f"\tage={row.age_s:.1f}s"
        value = f"\t{number_text(row.value, row.unit)}" if row.is_combined else ""
        yield f"{row.title}{value}{brokers}{age}"


def metrics_table(report: MetricsReport, histories: Histories) -> "RenderableType":
    from kadmin.render.tables import Shown, table_of

    is_combined = any(row.is_combined for row in report.rows)
    has_history = any(len(history) > 1 for history in histories.values())
    columns: list[Shown[MeasureRow] | None] = [
        Shown("metric", lambda row: row.title, least=24),
        Shown("cluster", value_cell, right=True) if is_combined else None,
        Shown("lately", lambda row: sparkline(histories.get(row.title, ())), worth=1)
        if has_history
        else None,
        *(broker_column(each.name) for each in report.endpoints),
        Shown("age", lambda row: age_text(row.age_s), right=True),
    ]
    return table_of(report.rows, *columns)


def broker_column(name: str) -> "Shown[MeasureRow]":
    from kadmin.render.tables import Shown

    return Shown(
        name,
        lambda row: number_text(row.by_broker[name], row.unit),
        right=True,
        worth=2,
    )


def value_cell(row: MeasureRow) -> "Text":
    from rich.text import Text

    return Text(number_text(row.value, row.unit), "bold" if row.is_wanted else "bold red")


def age_text(age_s: float | None) -> str:
    return "-" if age_s is None else span(age_s)


def number_text(number: float | None, unit: Unit) -> str:
    """Return *number* in a form for eyes: no more digits than are of use."""
    if number is None or not isfinite(number):
        return "-"
    if abs(number) >= LONGEST:
        return f"{number:.3g}{'' if unit is Unit.COUNT else f' {unit}'}"
    if unit is Unit.SHARE:
        return f"{100 * number:.1f} %"
    if unit in (Unit.BYTES, Unit.BYTES_PER_SECOND):
        return amount(number) + ("/s" if unit is Unit.BYTES_PER_SECOND else "")
    digits = f"{number:,.0f}" if number == int(number) or abs(number) >= 1000 else f"{number:,.3g}"
    return f"{digits}{'' if unit is Unit.COUNT else ' ' * (unit is not Unit.PER_SECOND) + unit}"


def rounded(number: float | None) -> float | int | None:
    """Return *number* as JSON shows it: whole ones as such, others with six places."""
    if number is None or not isfinite(number):
        return None
    return int(number) if number == int(number) else round(number, 6)


def sparkline(history: Sequence[float | None]) -> str:
    """Return a bar for each number, from the least to the largest; a gap where none is known."""
    # Halves: the difference of two numbers may be too large.
    halves = [None if n is None or not isfinite(n) else n / 2 for n in history]
    known = [half for half in halves if half is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    whole = high - low if high > low else 1.0
    top = len(BARS) - 1
    return "".join(
        " " if half is None else BARS[round(top * ((half - low) / whole))] for half in halves
    )
