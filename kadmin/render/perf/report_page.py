"""The page of `kadmin perf report`: a plot and a table for each experiment, whole by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from statistics import median
from typing import Final

from kadmin.render.output import Document
from kadmin.render.perf.lines import MIB
from kadmin.render.perf.pictures import Chart, Series, svg

COLUMNS: Final = (
    *("experiment", "setting", "side", "records_per_s", "low", "high", "mb_per_s"),
    *("p50_ms", "p99_ms"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What producers or consumers reached in one setting; the rates of each round."""

    name: str
    records_per_s: tuple[float, ...]
    bytes_per_s: tuple[float, ...]
    p50_ms: float | None = None
    p99_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One setting of an experiment with its figures, and the commands that repeat it."""

    label: str
    sides: tuple[Side, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """An experiment; *unit* is `records/sec` or `MB/sec`."""

    name: str
    title: str
    x_name: str
    unit: str
    points: tuple[Measured, ...]


def report_page(facts: Sequence[tuple[str, str]], sections: Sequence[Section]) -> str:
    """Return the page, as HTML that loads nothing."""
    style = files(__package__).joinpath("report.css").read_text("utf-8")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
            " style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>kadmin perf report</title><style>{style}</style></head><body>",
            "<header><h1>How fast the cluster writes and reads</h1><dl>",
            *(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts),
            "</dl></header><main>",
            *(part for section in sections for part in section_parts(section)),
            "</main></body></html>",
            "",
        ]
    )


def section_parts(section: Section) -> Iterator[str]:
    yield f'<section id="{escape(section.name)}"><h2>{escape(section.title)}</h2>'
    yield svg([chart_of(section)], section.title)
    yield "<table><thead><tr>"
    names = (section.x_name, "", "records/sec", "range", "MB/sec", "p50 ms", "p99 ms")
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    yield "</tr></thead><tbody>"
    for point in section.points:
        for side in point.sides:
            cells = (
                point.label,
                side.name,
                f"{median(side.records_per_s):,.0f}",
                f"{min(side.records_per_s):,.0f} to {max(side.records_per_s):,.0f}",
                f"{median(side.bytes_per_s) / MIB:,.2f}",
                "" if side.p50_ms is None else f"{side.p50_ms:,.1f}",
                "" if side.p99_ms is None else f"{side.p99_ms:,.1f}",
            )
            yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    yield "</tbody></table><details><summary>Commands that repeat it</summary><pre>"
    yield escape("\n".join(line for point in section.points for line in point.commands))
    yield "</pre></details></section>"


def chart_of(section: Section) -> Chart:
    names = list(dict.fromkeys(side.name for point in section.points for side in point.sides))
    series = []
    for name in names:
        found = []
        for place, point in enumerate(section.points):
            for side in point.sides:
                if side.name == name:
                    found.append((float(place), shown_rate(section, side)))
        series.append(Series(name, found))
    return Chart(
        title=section.title,
        x_name=section.x_name,
        y_name=section.unit,
        series=series,
        labels=[point.label for point in section.points],
    )


def shown_rate(section: Section, side: Side) -> float:
    if section.unit == "MB/sec":
        return median(side.bytes_per_s) / MIB
    return median(side.records_per_s)


def report_document(facts: Sequence[tuple[str, str]], sections: Sequence[Section]) -> Document:
    """Return the figures of the page."""

    def rows() -> Iterator[tuple[object, ...]]:
        for section in sections:
            for point in section.points:
                for side in point.sides:
                    yield (section.name, point.label, side.name, *figures(side).values())

    def body() -> Mapping[str, object]:
        return {
            "machine": dict(facts),
            "experiments": [
                {
                    "experiment": section.name,
                    "points": [
                        {
                            "setting": point.label,
                            "commands": list(point.commands),
                            "sides": {side.name: figures(side) for side in point.sides},
                        }
                        for point in section.points
                    ],
                }
                for section in sections
            ],
        }

    def lines() -> Iterator[str]:
        for row in rows():
            experiment, setting, side, rate, low, high, mib, *_ = row
            yield (
                f"{experiment:14}{setting:>8}  {side:8}{rate:>14,.0f} records/sec"
                f" ({low:,.0f} to {high:,.0f})  {mib:,.2f} MB/sec"
            )

    return Document(
        schema="kadmin.perf.report/1", body=body, columns=COLUMNS, rows=rows, lines=lines
    )


def figures(side: Side) -> dict[str, float | None]:
    return {
        "records_per_s": round(median(side.records_per_s), 3),
        "low": round(min(side.records_per_s), 3),
        "high": round(max(side.records_per_s), 3),
        "mb_per_s": round(median(side.bytes_per_s) / MIB, 3),
        "p50_ms": side.p50_ms,
        "p99_ms": side.p99_ms,
    }
