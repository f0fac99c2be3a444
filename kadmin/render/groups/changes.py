"""Planned and finished changes of groups: how do they look?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.arguments.group_offsets_file import offset_lines
from kadmin.plan.groups.changes import (
    GroupDeletionPlan,
    OffsetDeletionPlan,
    OffsetMove,
    ResetPlan,
)
from kadmin.render.fields import csv_rows
from kadmin.render.groups.lines import aligned
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.render.visible import visible
from kadmin.wording import counted, span

RESET_COLUMNS: Final = (
    *("group", "topic", "partition", "outcome", "current_offset", "new_offset"),
    *("log_start_offset", "log_end_offset", "records_skipped", "records_again", "span_ms"),
    "reason",
)
DELETION_COLUMNS: Final = ("group", "topic", "partition", "offset", "outcome", "reason")
HEADS: Final = ("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")
WIDTHS: Final = (30, 30, 10, 15)
STATUS_HEADS: Final = ("TOPIC", "PARTITION", "STATUS")
STATUS_WIDTHS: Final = (30, 15, 15)

Failed = Mapping[str, str]
"""What was not done, by what names it, with the reason."""


def reset_document(
    plans: Sequence[ResetPlan], failed: Failed, now_ms: int, *, is_dry_run: bool
) -> Document:
    """New offsets; the lines are those of kafka-consumer-groups, without what failed."""

    def records() -> Iterator[dict[str, object]]:
        for plan in plans:
            for move in plan.moves:
                yield move_record(plan, move, failed, now_ms, is_dry_run=is_dry_run)

    return Document(
        schema="kadmin.groups.reset/1",
        body=lambda: {"dry_run": is_dry_run, "partitions": list(records())},
        columns=RESET_COLUMNS,
        rows=lambda: csv_rows(records(), RESET_COLUMNS),
        lines=lambda: reset_lines(plans, failed),
    )


def migration_document(
    plans: Sequence[ResetPlan],
    sources: Mapping[str, str],
    failed: Failed,
    now_ms: int,
    *,
    is_dry_run: bool,
) -> Document:
    """Offsets that groups got from those of *sources*, by the group that got them."""
    columns = ("from_group", *RESET_COLUMNS)

    def records() -> Iterator[dict[str, object]]:
        for plan in plans:
            for move in plan.moves:
                found = move_record(plan, move, failed, now_ms, is_dry_run=is_dry_run)
                if found["outcome"] == "reset":
                    found["outcome"] = "migrated"
                yield {"from_group": sources[plan.group], **found}

    return Document(
        schema="kadmin.groups.migrate-offsets/1",
        body=lambda: {"dry_run": is_dry_run, "partitions": list(records())},
        columns=columns,
        rows=lambda: csv_rows(records(), columns),
        lines=lambda: reset_lines(plans, failed),
    )


def move_record(
    plan: ResetPlan, move: OffsetMove, failed: Failed, now_ms: int, *, is_dry_run: bool
) -> dict[str, object]:
    reason = failed.get(f"{plan.group}: {move.partition}")
    if reason is not None:
        outcome = "failed"
    elif not move.is_change:
        outcome = "unchanged"
    else:
        outcome = "planned" if is_dry_run else "reset"
    return {
        "group": plan.group,
        "topic": move.partition.topic,
        "partition": move.partition.partition,
        "outcome": outcome,
        "current_offset": move.before,
        "new_offset": move.after,
        "log_start_offset": move.start,
        "log_end_offset": move.end,
        "records_skipped": move.skipped_count,
        "records_again": move.again_count,
        "span_ms": move.span_ms(now_ms),
        "reason": reason,
    }


def reset_lines(plans: Sequence[ResetPlan], failed: Failed) -> Iterator[str]:
    rows = [
        (plan.group, move.partition.topic, move.partition.partition, move.after)
        for plan in plans
        for move in plan.moves
        if f"{plan.group}: {move.partition}" not in failed
    ]
    if rows:
        yield ""
        yield from aligned(HEADS, rows, WIDTHS)


def export_lines(plans: Sequence[ResetPlan], *, with_groups: bool) -> Iterator[str]:
    """The new offsets in the form that --from-file takes."""
    for plan in plans:
        yield from offset_lines(
            plan.group if with_groups else None,
            ((move.partition, move.after) for move in plan.moves),
        )


def reset_plan_lines(
    plan: ResetPlan, now_ms: int, limit: int | None = PLAN_LINES_MAX
) -> Iterator[str]:
    """*plan* before it is carried out, no more than *limit* partitions of it; None for all."""
    changes = plan.changes
    skipped = sum(move.skipped_count for move in changes)
    again = sum(move.again_count for move in changes)
    words = [
        *([f"{counted(skipped, 'record')} skipped"] if skipped else []),
        *([f"{counted(again, 'record')} read again"] if again else []),
    ]
    left = len(plan.moves) - len(changes)
    already = f"; {counted(left, 'partition')} already there" if left else ""
    what = f": {', '.join(words)}" if words else ""
    which = f"{counted(len(changes), 'partition')} of group '{visible(plan.group)}'"
    yield f"plan: reset {which}{what}{already}"
    yield from item_lines(changes, lambda move: move_text(move, now_ms), limit)


def move_text(move: OffsetMove, now_ms: int) -> str:
    """`orders-0: 5 -> 2: 3 records again, 12 min back`."""
    before = "nothing" if move.before is None else f"{move.before}"
    where = ""
    if move.after == move.end:
        where = " (the end)"
    elif move.after == move.start:
        where = " (the start)"
    effect = effect_text(move, now_ms)
    return f"{move.partition}: {before} -> {move.after}{where}{effect}"


def effect_text(move: OffsetMove, now_ms: int) -> str:
    span_ms = move.span_ms(now_ms)
    length = "" if not span_ms else f", {span(span_ms / 1000)}"
    if move.skipped_count:
        return f": skips {counted(move.skipped_count, 'record')}{length}"
    if move.again_count:
        return f": reads {counted(move.again_count, 'record')} again{length}"
    return ""


def offset_deletion_document(
    plans: Sequence[OffsetDeletionPlan], failed: Failed, *, is_dry_run: bool
) -> Document:
    """Deleted offsets; the lines are those of kafka-consumer-groups."""

    def records() -> Iterator[dict[str, object]]:
        for plan in plans:
            for each, offset in plan.offsets.items():
                yield deletion_record(
                    plan.group, each, offset, failed, f"{plan.group}: {each}", is_dry_run=is_dry_run
                )

    return Document(
        schema="kadmin.groups.delete-offsets/1",
        body=lambda: {"dry_run": is_dry_run, "partitions": list(records())},
        columns=DELETION_COLUMNS,
        rows=lambda: csv_rows(records(), DELETION_COLUMNS),
        lines=lambda: (
            (line for plan in plans for line in offset_deletion_plan_lines(plan, None))
            if is_dry_run
            else offset_deletion_lines(plans, failed)
        ),
    )


def deletion_record(
    group: str,
    partition: TopicPartition,
    offset: int,
    failed: Failed,
    name: str,
    *,
    is_dry_run: bool,
) -> dict[str, object]:
    done = "planned" if is_dry_run else "deleted"
    return {
        "group": group,
        "topic": partition.topic,
        "partition": partition.partition,
        "offset": offset,
        "outcome": "failed" if name in failed else done,
        "reason": failed.get(name),
    }


def offset_deletion_lines(plans: Sequence[OffsetDeletionPlan], failed: Failed) -> Iterator[str]:
    for plan in plans:
        name = visible(plan.group)
        topics = ", ".join(dict.fromkeys(each.topic for each in plan.offsets))
        statuses = {each: failed.get(f"{plan.group}: {each}", "") for each in plan.offsets}
        if any(statuses.values()):
            yield "Encounter some partition level error, see the follow-up details:"
        else:
            yield f"Request succeed for deleting offsets with topic {topics} group {name}"
        yield ""
        yield from aligned(
            STATUS_HEADS,
            (
                (each.topic, each.partition, f"Error: {reason}" if reason else "Successful")
                for each, reason in statuses.items()
            ),
            STATUS_WIDTHS,
        )


def offset_deletion_plan_lines(
    plan: OffsetDeletionPlan, limit: int | None = PLAN_LINES_MAX
) -> Iterator[str]:
    which = f"{counted(len(plan.offsets), 'committed offset')} of group '{visible(plan.group)}'"
    yield f"plan: delete {which}"
    yield from item_lines(list(plan.offsets.items()), lambda pair: f"{pair[0]}: {pair[1]}", limit)


def group_deletion_document(
    plans: Sequence[GroupDeletionPlan], failed: Failed, *, is_dry_run: bool
) -> Document:
    """Deleted groups; the lines are those of kafka-consumer-groups."""

    def records() -> Iterator[dict[str, object]]:
        done = "planned" if is_dry_run else "deleted"
        for plan in plans:
            for name, offsets in plan.offsets.items():
                yield {
                    "group": name,
                    "offset_count": len(offsets),
                    "outcome": "failed" if name in failed else done,
                    "reason": failed.get(name),
                }

    columns = ("group", "offset_count", "outcome", "reason")
    return Document(
        schema="kadmin.groups.delete/1",
        body=lambda: {"dry_run": is_dry_run, "groups": list(records())},
        columns=columns,
        rows=lambda: csv_rows(records(), columns),
        lines=lambda: (
            (line for plan in plans for line in group_deletion_plan_lines(plan, None))
            if is_dry_run
            else group_deletion_lines(plans, failed)
        ),
    )


def group_deletion_lines(plans: Sequence[GroupDeletionPlan], failed: Failed) -> Iterator[str]:
    names = [name for plan in plans for name in plan.groups]
    deleted = ", ".join(f"'{visible(name)}'" for name in names if name not in failed)
    if not failed:
        yield f"Deletion of requested consumer groups ({deleted}) was successful."
        return
    yield "Error: Deletion of some consumer groups failed:"
    for name in names:
        if name in failed:
            yield f"* Group '{visible(name)}' could not be deleted due to: {visible(failed[name])}"
    if deleted:
        yield ""
        yield f"These consumer groups were deleted successfully: {deleted}"


def group_deletion_plan_lines(
    plan: GroupDeletionPlan, limit: int | None = PLAN_LINES_MAX
) -> Iterator[str]:
    count = sum(map(len, plan.offsets.values()))
    yield (
        f"plan: delete {counted(len(plan.offsets), 'group')}"
        f" with {counted(count, 'committed offset')}"
    )
    yield from item_lines(
        list(plan.offsets.items()),
        lambda pair: f"{visible(pair[0])}: {counted(len(pair[1]), 'committed offset')}",
        limit,
    )
