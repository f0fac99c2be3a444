"""Offsets of partitions as a table, on a terminal of any width."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from kadmin.arguments.moments import moment_text
from kadmin.render.brokers import time_text
from kadmin.render.tables import COLUMN_GAP, Cell, FittedTable, Screen, width_of
from kadmin.render.visible import visible
from kadmin.reports.offsets import OffsetReport, PartitionOffset

TOPIC_WIDTH: Final = 24
"""Names up to that are never worth a line of their own."""

WHY_WIDTH: Final = 20

RECORD_TIME: Final = "record of (UTC)"
WHY: Final = "why"
TEXTS: Final = (RECORD_TIME, WHY)
"""The headings of columns of text, all others have numbers."""


@dataclass(frozen=True, slots=True)
class OffsetsTable:
    """The table of *report*.

    Where names leave no room for the rest, each stands once, in a line above its partitions.
    """

    report: OffsetReport

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = rows_of(self.report)
        names = [visible(name) for name, _ in rows]
        widest = max(map(width_of, names), default=0)
        widths = widths_of(self.report, [row for _, row in rows])
        total = widest + sum(COLUMN_GAP + width for width in widths)
        if widest <= TOPIC_WIDTH or total <= options.max_width:
            table = table_of(self.report, widths, has_topic=True)
            for name, row in rows:
                table.add_row(name, *row)
            yield Screen([table])
            return
        parts: list[RenderableType] = []
        headings = [heading for heading, _ in columns_of(self.report)]
        for name, group in groupby(rows, key=lambda each: each[0]):
            table = table_of(self.report, widths, has_topic=False, has_head=not parts)
            for _, row in group:
                # Rows without a head are as wide as those below it.
                table.add_row(*map(padded, row, headings, widths))
            parts += [Text(visible(name), "bold"), table]
        yield Screen(parts)


def columns_of(report: OffsetReport) -> list[tuple[str, int | None]]:
    """Return the headings after the topic, and what each column is worth."""
    offset = moment_text(report.time) if report.time < 0 else "offset"
    columns = [("partition", None), (offset, 4 if report.is_counted else None)]
    if has_times(report):
        columns.append((RECORD_TIME, 1))
    if report.is_counted:
        columns += [("end", 2), ("offsets", None)]
    if report.unanswered:
        columns.append((WHY, 3))
    return columns


def table_of(
    report: OffsetReport, widths: Sequence[int], *, has_topic: bool, has_head: bool = True
) -> FittedTable:
    """Return an empty one, whose columns after the topic are as wide as those of others of
    *widths*."""
    table = FittedTable(has_head=has_head)
    if has_topic:
        table.add_column("topic", least=TOPIC_WIDTH)
    for (heading, worth), width in zip(columns_of(report), widths, strict=True):
        is_text = heading in TEXTS
        table.add_column(
            heading if is_text else heading.rjust(width),
            justify="left" if is_text else "right",
            worth=worth,
            least=WHY_WIDTH if heading == WHY else None,
        )
    return table


def rows_of(report: OffsetReport) -> list[tuple[str, list[Cell]]]:
    """Return each topic with the cells after it.

    Partitions without an answer come first: a short terminal shows no more.
    """
    between = ["-"] * (len(columns_of(report)) - 2)
    rows: list[tuple[str, list[Cell]]] = [
        (each.topic, [str(each.partition), *between, Text(reason, "bold red")])
        for each, reason in report.unanswered.items()
    ]
    rows += [(each.partition.topic, cells_of(report, each)) for each in report.offsets]
    return rows


def cells_of(report: OffsetReport, each: PartitionOffset) -> list[Cell]:
    cells: list[Cell] = [str(each.partition.partition), cell(each.found.offset)]
    if has_times(report):
        shown = time_text(each.found.timestamp_ms) or "-"
        cells.append(shown.removesuffix("+00:00").replace("T", " "))
    if report.is_counted:
        cells += [cell(each.end), cell(each.count)]
    if report.unanswered:
        cells.append("")
    return cells


def padded(cell: Cell, heading: str, width: int) -> Cell:
    if not isinstance(cell, str) or not cell:
        return cell
    return cell.ljust(width) if heading in TEXTS else cell.rjust(width)


def widths_of(report: OffsetReport, rows: Sequence[Sequence[Cell]]) -> list[int]:
    headings = [heading for heading, _ in columns_of(report)]
    return [
        max(width_of(heading), *(width_of(row[number]) for row in rows), 0)
        for number, heading in enumerate(headings)
    ]


def has_times(report: OffsetReport) -> bool:
    return any(each.found.timestamp_ms is not None for each in report.offsets)


def cell(number: int | None) -> str:
    return "-" if number is None else str(number)
