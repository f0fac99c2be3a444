"""Offsets of partitions: how do they look?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kadmin.plan.offsets import OffsetReport, PartitionOffset, moment_text
from kadmin.plan.wording import counted
from kadmin.render.brokers import time_text
from kadmin.render.output import Document

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("topic", "partition", "offset", "timestamp_ms", "end_offset", "count")

TABLE_ROWS_MAX: Final = 2_000
"""Above that a terminal gets plain lines, too: nobody reads such a table, and it takes long."""


def offsets_document(report: OffsetReport) -> Document:
    """The offsets of *report*; the lines are those of kafka-get-offsets, with what was counted."""
    is_long = len(report.offsets) > TABLE_ROWS_MAX
    return Document(
        schema="kadmin.offsets/1",
        body=lambda: {
            "time": moment_text(report.time),
            "partitions": [record(each) for each in report.offsets],
            "count": report.total,
            "hidden_partitions": len(report.hidden),
            "untold": [
                {"topic": each.topic, "partition": each.partition, "reason": reason}
                for each, reason in report.untold.items()
            ],
        },
        columns=COLUMNS,
        rows=lambda: (tuple(record(each).values()) for each in report.offsets),
        lines=lambda: lines(report),
        pretty=None if is_long else lambda: pretty(report),
    )


def record(each: PartitionOffset) -> dict[str, object]:
    return {
        "topic": each.partition.topic,
        "partition": each.partition.partition,
        "offset": each.found.offset,
        "timestamp_ms": each.found.timestamp_ms,
        "end_offset": each.end,
        "count": each.count,
    }


def lines(report: OffsetReport) -> Iterator[str]:
    for each in report.offsets:
        place = f"{each.partition.topic}:{each.partition.partition}"
        if report.is_counted:
            offset = "" if each.found.offset is None else each.found.offset
            yield f"{place}:{offset}:{each.end}:{each.count}"
        elif each.found.offset is not None:
            yield f"{place}:{each.found.offset}"


def pretty(report: OffsetReport) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import FittedTable

    has_times = any(each.found.timestamp_ms is not None for each in report.offsets)
    table = FittedTable()
    table.add_column("topic", least=24)
    table.add_column("partition", justify="right")
    table.add_column(
        moment_text(report.time) if report.time < 0 else "offset",
        justify="right",
        worth=4 if report.is_counted else None,
    )
    if has_times:
        table.add_column("record of (UTC)", worth=1)
    if report.is_counted:
        table.add_column("end", justify="right", worth=2)
        table.add_column("offsets", justify="right")
    if report.untold:
        table.add_column("why", least=20, worth=3)
    # Of whom nobody told comes first: a short terminal shows no more.
    for partition, reason in report.untold.items():
        between = ["-"] * (table.column_count - 3)
        table.add_row(partition.topic, str(partition.partition), *between, Text(reason, "bold red"))
    for each in report.offsets:
        cells = [each.partition.topic, str(each.partition.partition), cell(each.found.offset)]
        if has_times:
            shown = time_text(each.found.timestamp_ms) or "-"
            cells.append(shown.removesuffix("+00:00").replace("T", " "))
        if report.is_counted:
            cells += [cell(each.end), cell(each.count)]
        if report.untold:
            cells.append("")
        table.add_row(*cells)
    return table


def cell(number: int | None) -> str:
    return "-" if number is None else str(number)


def total_line(report: OffsetReport) -> str:
    partitions = counted(len(report.offsets) + len(report.hidden), "partition")
    return f"{report.total} offsets in {partitions}"


def hidden_line(report: OffsetReport) -> str:
    return f"{counted(len(report.hidden), 'partition')} not shown"
