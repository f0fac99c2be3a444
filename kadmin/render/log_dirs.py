"""Log directories of brokers: how do they look?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from kadmin.plan.log_dirs import LogDir, LogDirs
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document
from kadmin.render.visible import visible_json
from kadmin.reports.log_dir_usage import (
    Grouping,
    Place,
    Usage,
    UsageReport,
)
from kadmin.wording import amount, counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from kadmin.render.tables import Cell, FittedTable, Forms

SUBJECTS: Final = {
    Grouping.BROKER: ("broker",),
    Grouping.DIR: ("broker", "log_dir"),
    Grouping.TOPIC: ("topic",),
    Grouping.PARTITION: ("topic", "partition"),
    Grouping.REPLICA: ("topic", "partition", "broker", "log_dir", "is_future"),
}
"""What a row is about, before what lies there."""

OF_LOGS: Final = ("replicas", "size_bytes", "lag_max", "future_replicas")
OF_DISKS: Final = ("log_dirs", "offline_log_dirs", "total_bytes", "usable_bytes")

WITH_DISKS: Final = (Grouping.BROKER, Grouping.DIR)

PATH_WIDTH: Final = 20
"""Paths that are longer are broken before columns are left out."""

FREE_LOW_PERCENT: Final = 20
FREE_BAD_PERCENT: Final = 10

EXCEPTIONS: Final = {
    ErrorCode.KAFKA_STORAGE_ERROR: "org.apache.kafka.common.errors.KafkaStorageException",
}
"""What kafka-log-dirs calls the error of a directory."""


def usage_document(report: UsageReport) -> Document:
    """Return the rows of *report*; as lines, tabs between `Name: value`."""
    columns = columns_of(report.grouping)
    return Document(
        schema="kadmin.log-dirs/1",
        body=lambda: {
            "by": report.grouping.value,
            "rows": [
                {name: cell for name, cell in record(row).items() if name in columns}
                for row in report.rows
            ],
            "hidden_rows": report.hidden_count,
            "total": {name: record(report.total)[name] for name in (*OF_LOGS, *OF_DISKS)},
            "silent_brokers": list(report.silent),
            "dead_brokers": list(report.dead),
        },
        columns=columns,
        rows=lambda: csv_rows(map(record, report.rows), columns),
        lines=lambda: (line(row, columns) for row in report.rows),
        pretty=lambda: pretty(report),
    )


def kafka_document(report: UsageReport, log_dirs: LogDirs) -> Document:
    """Return the same, but with the lines of kafka-log-dirs where plain text is wanted."""
    return replace(usage_document(report), lines=lambda: kafka_lines(log_dirs))


def columns_of(grouping: Grouping) -> tuple[str, ...]:
    subjects = SUBJECTS[grouping]
    if grouping is Grouping.REPLICA:
        return (*subjects, "size_bytes", "lag_max")
    if grouping in WITH_DISKS:
        return (*subjects, *OF_LOGS, *OF_DISKS)
    return (*subjects, *OF_LOGS)


def record(row: Usage) -> dict[str, object]:
    place: Place = row.place
    return {
        "broker": place.broker,
        "log_dir": place.path,
        "topic": place.topic,
        "partition": place.partition,
        "is_future": place.is_future,
        "replicas": row.replica_count,
        "size_bytes": row.size_bytes,
        "lag_max": row.lag_records,
        "future_replicas": row.future_count,
        "log_dirs": row.dir_count,
        "offline_log_dirs": row.offline_count,
        "total_bytes": row.total_bytes,
        "usable_bytes": row.usable_bytes,
    }


def line(row: Usage, columns: Sequence[str]) -> str:
    """Return one row in the form of Kafka's describe lines."""
    cells = record(row)
    return line_of({name: text_of(cells[name]) for name in columns})


def text_of(cell: object) -> str:
    if cell is None:
        return "unknown"
    return ("true" if cell else "false") if isinstance(cell, bool) else str(cell)


def kafka_lines(log_dirs: LogDirs) -> Iterator[str]:
    """Return what kafka-log-dirs prints."""
    import json

    brokers = ",".join(map(str, log_dirs))
    yield "Querying brokers for log directories information"
    yield f"Received log directory information from brokers {brokers}"
    body = {
        "version": 1,
        "brokers": [
            {"broker": broker, "logDirs": [kafka_body(directory) for directory in directories]}
            for broker, directories in log_dirs.items()
        ],
    }
    yield visible_json(json.dumps(body, ensure_ascii=False, separators=(",", ":")))


def kafka_body(directory: LogDir) -> dict[str, object]:
    code = directory.error_code
    return {
        "logDir": directory.path,
        "error": None if code == ErrorCode.NONE else EXCEPTIONS.get(ErrorCode(code), str(code)),
        "partitions": [
            {
                "partition": str(log.partition),
                "size": log.size_bytes,
                "offsetLag": log.lag_records,
                "isFuture": log.is_future,
            }
            for log in directory.replicas
        ],
    }


def pretty(report: UsageReport) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import shortened_paths

    paths = shortened_paths(row.place.path for row in report.rows if row.place.path is not None)
    shortest = max((forms.forms[-1].cell_len for forms in paths.values()), default=0)
    table = empty_table(report.grouping, path_width=min(PATH_WIDTH, shortest))
    if report.grouping in WITH_DISKS:
        for broker, why in absent(report):
            between = [""] * (table.column_count - 2)
            table.add_row(str(broker), *between, Text(why, "bold red"))
    for row in report.rows:
        table.add_row(*table_cells(row, report.grouping, paths))
    return table


def empty_table(grouping: Grouping, *, path_width: int = PATH_WIDTH) -> "FittedTable":
    """Make a table without rows; paths are broken down to *path_width* before columns
    are left out."""
    from kadmin.render.tables import FittedTable

    table = FittedTable()
    for name in SUBJECTS[grouping]:
        heading = name.replace("_", " ")
        if name in ("partition", "broker"):
            table.add_column(heading, justify="right")
        elif name == "log_dir":
            # Nothing that a replica is looked for by.
            is_spare = grouping is Grouping.REPLICA
            table.add_column(heading, least=path_width, worth=1 if is_spare else None)
        elif name != "is_future":
            table.add_column(heading, least=32)
    if grouping is Grouping.BROKER:
        table.add_column("dirs", justify="right", worth=1)
    if grouping is not Grouping.REPLICA:
        table.add_column("replicas", justify="right", worth=2)
    table.add_column("size", justify="right")
    table.add_column("lag", justify="right", worth=3)
    if grouping in WITH_DISKS:
        table.add_column("free", justify="right", worth=4)
    table.add_column("")
    return table


def table_cells(row: Usage, grouping: Grouping, paths: "Mapping[str, Forms]") -> "list[Cell]":
    place = row.place
    cells: list[Cell] = [
        str(cell) for cell in (place.topic, place.partition, place.broker) if cell is not None
    ]
    if place.path is not None:
        cells.append(paths[place.path])
    if grouping is Grouping.BROKER:
        cells.append(str(row.dir_count))
    if grouping is not Grouping.REPLICA:
        cells.append(str(row.replica_count))
    is_unknown = grouping in WITH_DISKS and row.offline_count == row.dir_count
    cells.append("-" if is_unknown else amount(row.size_bytes))
    cells.append("-" if is_unknown else str(row.lag_records))
    if grouping in WITH_DISKS:
        cells.append(free_text(row))
    return [*cells, remark(row)]


def absent(report: UsageReport) -> list[tuple[BrokerId, str]]:
    """Return the brokers of whose directories nothing is known, each with the reason."""
    return sorted(
        [(broker, "dead") for broker in report.dead]
        + [(broker, "no answer") for broker in report.silent]
    )


def free_text(row: Usage) -> "Text":
    from rich.text import Text

    if row.usable_bytes is None or not row.total_bytes:
        return Text("-")
    percent = 100 * row.usable_bytes // row.total_bytes
    return Text(
        f"{amount(row.usable_bytes)} {percent:>3}%",
        "bold red"
        if percent < FREE_BAD_PERCENT
        else "yellow"
        if percent < FREE_LOW_PERCENT
        else "",
    )


def remark(row: Usage) -> "Text":
    from rich.text import Text

    parts = []
    if row.offline_count:
        parts.append("offline" if row.dir_count == 1 else f"{row.offline_count} offline")
    if row.future_count:
        parts.append("future" if row.place.is_future else f"{row.future_count} future")
    return Text(", ".join(parts), style="bold red" if row.offline_count else "yellow")


def total_line(report: UsageReport) -> str:
    total = report.total
    return (
        f"{counted(total.replica_count, 'replica')}, {amount(total.size_bytes)}, in"
        f" {total.dir_count} log {'directory' if total.dir_count == 1 else 'directories'}"
        + (f"; {total.offline_count} offline" if total.offline_count else "")
        + (f"; {counted(report.hidden_count, 'row')} not shown" if report.hidden_count else "")
    )
