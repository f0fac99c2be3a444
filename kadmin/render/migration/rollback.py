"""The way back from a migration: is it open, in which order, and which write does it need?"""

from collections.abc import Iterator, Sequence
from typing import Final

from kadmin.plan.migration.rollback import Fix, RollbackReport, stranded_text
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.wording import counted_by_topic

COLUMNS: Final = (
    *("phase", "safe", "blockers", "steps", "stranded", "newest_epoch", "controller_epoch", "fix"),
)


def rollback_document(report: RollbackReport) -> Document:
    return Document(
        schema="kadmin.migration.rollback-check/1",
        body=lambda: record(report),
        columns=COLUMNS,
        rows=lambda: csv_rows([record(report)], COLUMNS, "; "),
        lines=lambda: lines(report),
    )


def record(report: RollbackReport) -> dict[str, object]:
    return {
        "phase": report.phase.value,
        "safe": report.is_safe,
        "blockers": list(report.blockers),
        "steps": list(report.steps),
        "stranded": list(map(str, report.stranded)),
        "newest_epoch": report.newest_epoch,
        "controller_epoch": report.controller_epoch,
        "fix": [] if report.fix is None else report.fix.lines(),
    }


def lines(report: RollbackReport) -> Iterator[str]:
    yield f"{report.phase}: a rollback is {'possible' if report.is_safe else 'not possible now'}"
    for text in report.blockers:
        yield f"not now: {text}"
    stranded = stranded_text(report)
    if stranded is not None:
        yield f"CRITICAL: {stranded}: {counted_by_topic(report.stranded)}"
    for number, step in enumerate(report.steps, start=1):
        yield f"{number}. {step}"
    if report.fix is not None:
        yield "--fix writes, in one transaction:"
        yield from (f"  {line}" for line in report.fix.lines())


def fix_document(plans: Sequence[Fix], *, is_dry_run: bool) -> Document:
    def changes() -> list[str]:
        return [line for plan in plans for line in plan.lines()]

    return Document(
        schema="kadmin.migration.fix/1",
        body=lambda: {"dry_run": is_dry_run, "changes": changes()},
        columns=("change",),
        rows=lambda: ((line,) for line in changes()),
        lines=lambda: (f"{'would ' if is_dry_run else ''}{line}" for line in changes()),
    )
