"""Offsets of partitions: how do they look?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kadmin.arguments.moments import moment_text
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.reports.offsets import OffsetReport, PartitionOffset
from kadmin.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("topic", "partition", "offset", "timestamp_ms", "end_offset", "count")

TABLE_ROWS_MAX: Final = 2_000
"""Above that a terminal gets plain lines, too: such a table is not readable, and it takes long."""


def offsets_document(report: OffsetReport) -> Document:
    """Return the offsets of *report*; the lines are those of kafka-get-offsets, with what was
    counted."""
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
                for each, reason in report.unanswered.items()
            ],
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, report.offsets), COLUMNS),
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
    from kadmin.render.offsets.table import OffsetsTable

    return OffsetsTable(report)


def total_line(report: OffsetReport) -> str:
    partitions = counted(len(report.offsets) + len(report.hidden), "partition")
    return f"{report.total} offsets in {partitions}"


def hidden_line(report: OffsetReport) -> str:
    return f"{counted(len(report.hidden), 'partition')} not shown"
