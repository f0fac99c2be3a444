"""The differences between ZooKeeper and the metadata log of KRaft."""

from collections.abc import Iterator
from typing import Final

from kadmin.plan.migration.store_diff import StoreReport
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.wording import counted

COLUMNS: Final = ("thing", "property", "zookeeper", "kraft")
LINES_MAX: Final = 100
"""How many differences are shown as text; JSON and CSV have all."""


def diff_document(report: StoreReport, equal_since: str | None) -> Document:
    def differences() -> list[dict[str, object]]:
        return [
            {
                "thing": each.fact.thing,
                "property": each.fact.name,
                "zookeeper": each.zookeeper,
                "kraft": each.kraft,
            }
            for each in report.differences
        ]

    return Document(
        schema="kadmin.migration.diff/1",
        body=lambda: {
            "equal": report.is_equal,
            "compared": report.compared,
            "in_flight": report.in_flight,
            "behind": report.is_behind,
            "log_behind": report.is_log_behind,
            "written_offset": report.written_offset,
            "last_change_offset": report.last_change_offset,
            "end_offset": report.end_offset,
            "differences": differences(),
            "unreadable": [each.path for each in report.unreadable],
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(differences(), COLUMNS),
        lines=lambda: lines(report, equal_since),
    )


def lines(report: StoreReport, equal_since: str | None) -> Iterator[str]:
    if report.written_offset is not None and report.written_offset <= 0:
        # All of the cluster would be named as missing.
        yield "the controllers have not copied this cluster: kadmin migration status shows why"
        return
    if report.is_equal:
        since = "" if equal_since is None else f" since {equal_since}"
        yield f"equal{since}: {counted(report.compared, 'value')} compared"
    else:
        yield (
            f"{counted(len(report.differences), 'difference')} in"
            f" {counted(report.compared, 'value')}"
        )
    for each in report.differences[:LINES_MAX]:
        values = [
            "missing" if value is None else value or "none"
            for value in (each.zookeeper, each.kraft)
        ]
        yield f"  {each.fact.thing}: {each.fact.name}: ZooKeeper {values[0]}, KRaft {values[1]}"
    if len(report.differences) > LINES_MAX:
        yield f"  and {len(report.differences) - LINES_MAX} more: --output json has all"
    if report.in_flight:
        yield f"{counted(report.in_flight, 'difference')} more in one look of two: being written"
    for damage in report.unreadable:
        yield f"cannot be compared: {damage.path}: {damage.reason}"
    if report.written_offset is None:
        yield "no KRaft controller has written to this ZooKeeper: there is no /migration"
    else:
        ends = f"the log ends at {report.end_offset}"
        if report.is_behind:
            lag = "behind"
            ends = f"the last change in the log is at {report.last_change_offset}, {ends}"
        else:
            lag = "up to date"
        yield f"ZooKeeper is {lag}: written up to offset {report.written_offset}; {ends}"
    if report.is_log_behind:
        yield (
            "the log that was read ends before that: it is an earlier copy, or of a node that lags;"
            " what was written since then differs"
        )
