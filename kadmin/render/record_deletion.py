"""Planned and finished deletions of records: how do they look?"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from kadmin.plan.record_deletion import DeletionPlan, DeletionResult, RecordDeletion, Result
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.wording import counted

COLUMNS: Final = (
    *("topic", "partition", "outcome", "start_offset", "before_offset", "end_offset"),
    *("records", "low_watermark", "reason"),
)


def planned_document(plans: Sequence[DeletionPlan]) -> Document:
    """Return the *plans* of a dry run; as text their lines."""
    return document(
        is_dry_run=True,
        bodies=lambda: (
            body(each, "planned" if each.count else Result.NOTHING.value, None, "")
            for plan in plans
            for each in plan.deletions
        ),
        lines=lambda: (line for plan in plans for line in plan_lines(plan, limit=None)),
    )


def result_document(results: Sequence[DeletionResult]) -> Document:
    """Return what has come of deletions; the lines are those of kafka-delete-records."""
    return document(
        is_dry_run=False,
        bodies=lambda: (
            body(each.deletion, each.result.value, each.low_watermark, each.reason)
            for each in results
        ),
        lines=lambda: result_lines(results),
    )


def document(
    *,
    is_dry_run: bool,
    bodies: Callable[[], Iterable[dict[str, object]]],
    lines: Callable[[], Iterable[str]],
) -> Document:
    return Document(
        schema="kadmin.delete-records/1",
        body=lambda: {"dry_run": is_dry_run, "partitions": list(bodies())},
        columns=COLUMNS,
        rows=lambda: csv_rows(bodies(), COLUMNS),
        lines=lines,
    )


def body(
    deletion: RecordDeletion, outcome: str, low_watermark: int | None, reason: str
) -> dict[str, object]:
    return {
        "topic": deletion.partition.topic,
        "partition": deletion.partition.partition,
        "outcome": outcome,
        "start_offset": deletion.start,
        "before_offset": deletion.before,
        "end_offset": deletion.end,
        "records": deletion.count,
        "low_watermark": low_watermark,
        "reason": reason or None,
    }


def result_lines(results: Sequence[DeletionResult]) -> Iterator[str]:
    if not results:
        return
    yield "Executing records delete operation"
    yield "Records delete operation completed:"
    for each in results:
        name = each.deletion.partition
        if each.result in (Result.FAILED, Result.PENDING):
            yield f"partition: {name}\terror: {each.reason}"
        else:
            shown = "unknown" if each.low_watermark is None else each.low_watermark
            yield f"partition: {name}\tlow_watermark: {shown}"


def plan_lines(plan: DeletionPlan, limit: int | None = PLAN_LINES_MAX) -> Iterator[str]:
    """Return *plan* before it is carried out, no more than *limit* partitions of it; None for
    all."""
    gone_count = len(plan.deletions) - len(plan.deleting)
    gone = f"; of {counted(gone_count, 'partition')} they are already deleted" if gone_count else ""
    yield (
        f"plan: delete {counted(plan.count, 'record')} of"
        f" {counted(len(plan.deleting), 'partition')}{gone}"
    )
    # First what will happen: that must not be cut off behind what will not.
    shown = sorted(plan.deletions, key=lambda each: each.count == 0)
    yield from item_lines(shown, lambda each: f"{each.partition}: {prospect_text(each)}", limit)


def prospect_text(deletion: RecordDeletion) -> str:
    if deletion.count == 0:
        return f"it begins at offset {deletion.start}, and nothing is before {deletion.before}"
    going = (
        f"records {deletion.start} to {deletion.before - 1}, {counted(deletion.count, 'record')}"
    )
    if deletion.kept_count == 0:
        return f"{going}: all that it has"
    return f"{going}; {deletion.kept_count:,} stay"
