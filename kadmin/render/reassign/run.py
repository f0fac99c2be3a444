"""Supervised runs of move plans: planned, going on, ended, listed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.supervision.events import (
    Advanced,
    Arrived,
    Begun,
    Ended,
    GivenUp,
    Notice,
    Refused,
    Throttled,
)
from kadmin.plan.supervision.gates import Closed
from kadmin.plan.supervision.progress import MoveProgress, RunProgress
from kadmin.plan.supervision.run import MoveRun, RunState
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.wording import abridged, amount, counted, second_text, span, verb_of, with_reasons

if TYPE_CHECKING:
    from rich.console import RenderableType

STATUS_COLUMNS: Final = (
    "topic", "partition", "state", "replicas", "target", "bytes_total", "bytes_left", "stall",
)  # fmt: skip
ELECTED_MAX: Final = 20
"""How many partitions a command names one by one."""
LIST_COLUMNS: Final = (
    "run", "state", "goal", "direction", "partitions", "by", "began_at_ms", "ended_at_ms",
    "supervisor", "reason",
)  # fmt: skip


def plan_lines(
    run: MoveRun,
    todo: Sequence[PlannedMove],
    closed: Sequence[Closed],
    limit: int | None = PLAN_LINES_MAX,
) -> Iterator[str]:
    """Return what *run* would do, no more than *limit* partitions of it; None for all."""
    sizes = [move.size_bytes for move in todo]
    copied = sum((move.size_bytes or 0) * len(move.adding) for move in todo)
    about = "" if None in sizes else f", {amount(copied)} to copy"
    yield f"plan: {counted(len(todo), 'partition')} to move for the goal {run.plan.goal}{about}"
    done = len(run.moves) - len(todo)
    if done:
        yield f"  {done} more {'has its' if done == 1 else 'have their'} planned replicas already"
    settings = run.settings
    total = settings.max_moves_total
    yield (
        f"  at most {settings.max_moves} at a broker"
        + ("" if total is None else f" and {total} in the cluster")
        + ("" if settings.rate is None else f", throttled to {amount(settings.rate)}/s")
        + (", which adapts to what brokers bear" if settings.is_adaptive else "")
    )
    # The largest first: they take the longest, and only the first are shown before a question.
    largest = sorted(todo, key=lambda move: -(move.size_bytes or 0))
    yield from item_lines(largest, move_text, limit)
    for gate in closed:
        yield f"  gate closed: {gate}"


def move_text(move: PlannedMove) -> str:
    size = "" if move.size_bytes is None else f", {amount(move.size_bytes)}"
    return f"{move.partition}: {ids(move.replicas)} -> {ids(move.target)}{size}"


def ids(brokers: Sequence[BrokerId]) -> str:
    return ",".join(map(str, brokers))


def planned_document(
    run: MoveRun, todo: Sequence[PlannedMove], closed: Sequence[Closed]
) -> Document:
    """Return the plan of a dry run."""
    return Document(
        schema="kadmin.reassign.run/1",
        body=lambda: {
            "dry_run": True,
            "gates_closed": [
                {"gate": str(gate.gate), "reason": gate.text, "partitions": names(gate.partitions)}
                for gate in closed
            ],
            "partitions": [partition_body(move) for move in todo],
        },
        columns=("topic", "partition", "replicas", "target"),
        rows=lambda: csv_rows(
            [partition_body(move) for move in todo],
            ("topic", "partition", "replicas", "target"),
            ",",
        ),
        lines=lambda: plan_lines(run, todo, closed, limit=None),
    )


def partition_body(move: PlannedMove) -> dict[str, object]:
    return {
        "topic": move.partition.topic,
        "partition": move.partition.partition,
        "replicas": list(move.replicas),
        "target": list(move.target),
    }


def names(partitions: Sequence[TopicPartition]) -> list[str]:
    return list(map(str, partitions))


# How far it is.


def status_document(progress: RunProgress) -> Document:
    """Return how far a run is; a table on terminals."""
    return Document(
        schema="kadmin.reassign.status/1",
        body=lambda: status_body(progress),
        columns=STATUS_COLUMNS,
        rows=lambda: csv_rows(partition_records(progress), STATUS_COLUMNS, ","),
        lines=lambda: status_lines(progress),
    )


def status_body(progress: RunProgress) -> dict[str, object]:
    return {
        **run_body(progress.run, progress.state),
        **advance_body(progress),
        "leader_not_preferred": names(progress.to_elect),
        "brokers": [
            {"broker": broker, "bytes_left": left}
            for broker, left in progress.left_by_broker.items()
        ],
        "stalls": [
            {
                "partition": None if stall.partition is None else str(stall.partition),
                "reason": stall.reason,
                "since_ms": stall.since_ms,
            }
            for stall in progress.stalls
        ],
        "partitions": list(partition_records(progress)),
    }


def run_body(run: MoveRun, state: RunState) -> dict[str, object]:
    return {
        "run": run.run_id,
        "state": str(state),
        "goal": run.plan.goal,
        "direction": str(run.goal),
        "partitions_total": len(run.moves),
        "by": run.by,
        "supervisor": run.supervisor or None,
        "began_at_ms": run.began_at_ms,
        "ended_at_ms": run.ended_at_ms,
        "reason": run.reason or None,
        "throttle": run.settings.rate,
        "max_moves": run.settings.max_moves,
        "max_moves_total": run.settings.max_moves_total,
        "overrides": sorted(map(str, run.settings.overrides)),
    }


def advance_body(progress: RunProgress) -> dict[str, object]:
    total, left = progress.bytes_total, progress.bytes_left
    return {
        "partitions_done": progress.arrived,
        "partitions_moving": len(progress.under_way),
        "bytes_total": total,
        "bytes_done": None if total is None or left is None else total - left,
        "rate": None if progress.rate is None else round(progress.rate),
        "seconds_left": None if progress.left_s is None else round(progress.left_s),
    }


def partition_records(progress: RunProgress) -> Iterator[dict[str, object]]:
    reasons = {stall.partition: stall.reason for stall in progress.stalls}
    for each in progress.moves:
        yield {
            **partition_body(each.move),
            "state": str(each.standing.value),
            "bytes_total": each.bytes_total,
            "bytes_left": each.bytes_left,
            "stall": reasons.get(each.move.partition),
        }


def status_lines(progress: RunProgress) -> Iterator[str]:
    run = progress.run
    ended = "" if run.ended_at_ms is None else f", ended {second_text(run.ended_at_ms)}"
    yield f"run {run.run_id} ({run.plan.goal}): {progress.state}, {run.goal}"
    yield f"  begun {second_text(run.began_at_ms)} by {run.by}{ended}"
    if run.reason:
        yield f"  {run.reason}"
    yield f"  {advance_text(progress)}"
    changed = len(progress.moves) - progress.arrived
    if progress.state in (RunState.DONE, RunState.ROLLED_BACK) and changed:
        verb = "was" if changed == 1 else "were"
        yield f"  {counted(changed, 'partition')} {verb} changed since it ended"
    if progress.to_elect:
        yield f"  {election_text(progress.to_elect)}"
    for broker, left in progress.left_by_broker.items():
        if left:
            yield f"  broker {broker}: {amount(left)} to copy there"
    stalls = [stall for stall in progress.stalls if stall.partition is None]
    for stall in stalls:
        yield f"  waits: {stall.reason}"
    yield from item_lines(progress.under_way, lambda each: under_way_text(each, progress), None)
    named = {each.move.partition for each in progress.under_way}
    held = [each for each in progress.stalls if each.partition not in {None, *named}]
    for stall in held[:PLAN_LINES_MAX]:
        yield f"  {stall}"


def election_text(partitions: Sequence[TopicPartition]) -> str:
    """Return how many *partitions* other brokers lead than the preferred ones, and the command that
    ends that."""
    topics = sorted({each.topic for each in partitions})
    options = "--all-topic-partitions"
    if len(topics) == 1 and len(partitions) <= ELECTED_MAX:
        numbers = ",".join(str(each.partition) for each in sorted(partitions))
        options = f"--topic {topics[0]} --partition {numbers}"
    led = f"{counted(len(partitions), 'partition')} {verb_of(partitions, 'is')}"
    return f"{led} not led by the preferred replica: 'kadmin elect {options}' changes that"


def under_way_text(each: MoveProgress, progress: RunProgress) -> str:
    move = each.move
    left = "" if each.bytes_left is None else f", {amount(each.bytes_left)} left"
    reasons = [stall.reason for stall in progress.stalls if stall.partition == move.partition]
    waits = f": {reasons[0]}" if reasons else ""
    return f"{move.partition} {each.standing.value}{left}{waits}"


def advance_text(progress: RunProgress) -> str:
    """Return `3 of 10 partitions done, 2 moving, 1.2 GiB of 4.0 GiB, 50.0 MiB/s, about 57 s`."""
    text = f"{progress.arrived:,} of {counted(len(progress.moves), 'partition')} done"
    if progress.under_way:
        text += f", {len(progress.under_way)} moving"
    total, left = progress.bytes_total, progress.bytes_left
    if total and left is not None:
        text += f", {amount(total - left)} of {amount(total)}"
    if progress.rate and left:
        text += f", {amount(progress.rate)}/s"
        if progress.left_s is not None:
            text += f", about {span(progress.left_s)} left"
    return text


# What happens.


def notice_body(notice: Notice) -> Mapping[str, object]:
    """Return *notice* as one JSON object, which bears its kind as *event*."""
    match notice:
        case Begun(partitions):
            return {"event": "begun", "partitions": names(partitions)}
        case GivenUp(partitions):
            return {"event": "given-up", "partitions": names(partitions)}
        case Arrived(partitions):
            return {"event": "arrived", "partitions": names(partitions)}
        case Refused(reasons):
            return {
                "event": "refused",
                "partitions": {str(each): reason for each, reason in reasons.items()},
            }
        case Throttled(rate, reason):
            return {"event": "throttle", "throttle": rate, "reason": reason}
        case Advanced(progress):
            stalls = [str(stall) for stall in progress.stalls]
            return {"event": "progress", **advance_body(progress), "stalls": stalls}
        case Ended(run, to_elect):
            left = names(to_elect)
            return {"event": "ended", **run_body(run, run.state), "leader_not_preferred": left}


def notice_json(notice: Notice, now_ms: int) -> str:
    return json.dumps({"at_ms": now_ms, **notice_body(notice)}, ensure_ascii=False)


def notice_text(notice: Notice) -> str:
    match notice:
        case Begun(partitions):
            return f"asked for: {abridged(partitions)}"
        case GivenUp(partitions):
            return f"cancelled: {abridged(partitions)}"
        case Arrived(partitions):
            return f"arrived: {abridged(partitions)}"
        case Refused(reasons):
            return f"the controller refuses: {with_reasons(sorted(reasons.items()))}"
        case Throttled(rate, reason):
            if rate is None:
                return f"throttles are {reason}"
            return f"throttle {amount(rate)}/s at each broker: {reason}"
        case Advanced(progress):
            waits = "".join(f"; {stall}" for stall in progress.stalls[:1])
            return f"{advance_text(progress)}{waits}"
        case Ended(run):
            why = f": {run.reason}" if run.reason else ""
            return f"run {run.run_id}: {run.state}{why}"


# All runs.


def runs_document(runs: Sequence[tuple[MoveRun, RunState]]) -> Document:
    def records() -> Iterator[dict[str, object]]:
        for run, state in runs:
            body = run_body(run, state)
            yield {
                "partitions": len(run.moves),
                **{key: body[key] for key in LIST_COLUMNS if key in body},
            }

    return Document(
        schema="kadmin.reassign.runs/1",
        body=lambda: {"runs": list(records())},
        columns=LIST_COLUMNS,
        rows=lambda: csv_rows(records(), LIST_COLUMNS),
        lines=lambda: runs_lines(runs),
        pretty=(lambda: runs_table(runs)) if runs else None,
    )


def runs_lines(runs: Sequence[tuple[MoveRun, RunState]]) -> Iterator[str]:
    for run, state in runs:
        why = f" ({run.reason})" if run.reason else ""
        yield (
            f"{run.run_id}\t{state}\t{counted(len(run.moves), 'partition')}\t{run.plan.goal}"
            f"\t{second_text(run.began_at_ms)}\t{run.by}{why}"
        )


def runs_table(runs: Sequence[tuple[MoveRun, RunState]]) -> "RenderableType":
    from kadmin.render.tables import Shown, table_of

    return table_of(
        runs,
        Shown("run", lambda row: row[0].run_id),
        Shown("state", lambda row: str(row[1])),
        Shown("partitions", lambda row: f"{len(row[0].moves):,}", right=True),
        Shown("goal", lambda row: row[0].plan.goal),
        Shown("begun", lambda row: second_text(row[0].began_at_ms), worth=1),
        Shown("by", lambda row: row[0].by, worth=2),
        Shown("reason", lambda row: row[0].reason, worth=3),
    )
