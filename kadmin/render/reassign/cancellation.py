"""Reassignments that are given up: how do they look, before and afterwards?"""

from collections.abc import Iterator, Sequence

from cluster.model.ids import TopicPartition
from kadmin.plan.reassignment.dir_moves import DirMove, Replica
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.render.reassign.moves import (
    clearing_lines,
    ids_text,
    move_document,
    name_of,
    throttles_body,
)
from kadmin.wording import counted, listed


def cancellation_lines(plan: MovePlan, limit: int | None = PLAN_LINES_MAX) -> Iterator[str]:
    """Return *plan* of what is given up, before it is; *limit* None names all."""
    asked, dirs = plan.asked, plan.dir_moves
    if asked or not (dirs or plan.dropped):
        yield (
            f"plan: {len(asked)} "
            + (
                "move is cancelled; its partition keeps"
                if len(asked) == 1
                else "moves are cancelled; their partitions keep"
            )
            + " the previous replicas, in this order"
        )
    yield from item_lines(asked, given_up_text, limit)
    already = len(plan.moves) - len(asked)
    if already and plan.withdrawal is not None:
        yield f"  {already} more {'is' if already == 1 else 'are'} already moving back"
    if plan.dropped:
        count = len(plan.dropped)
        yield (
            f"plan: {counted(count, 'partition')} {'leaves' if count == 1 else 'leave'} the request"
            f" in ZooKeeper, which no controller takes up: {listed(sorted(plan.dropped))}"
        )
    resigning = plan.resigning
    if resigning is not None:
        yield (
            f"  broker {resigning} resigns as the controller, and the next one reads that all this"
            " goes back; from Kafka 2.4 on, brokers need no election for it (--bootstrap-server)"
        )
    if dirs:
        yield (
            f"plan: {len(dirs)} {'replica stays' if len(dirs) == 1 else 'replicas stay'} in the"
            " previous log directory"
        )
    yield from item_lines(dirs, given_up_dir_text, limit)


def given_up_text(move: Move) -> str:
    left = move.target.replicas
    text = f"{move.partition}: {ids_text(move.before.replicas)} -> {ids_text(left)}"
    if not move.named and len(left) > 1:
        return f"{text}, perhaps in another order than before"
    if move.named in ((), left):
        return text
    text += f", where the file has {ids_text(move.named)}"
    if move.named[0] == left[0]:
        return text
    return f"{text}: the preferred leader is {left[0]}, no longer {move.named[0]}"


def given_up_dir_text(move: DirMove) -> str:
    return f"{move.replica}: {move.future} -> {move.target}"


def cancelled_document(
    plan: MovePlan,
    cancelled: Sequence[TopicPartition],
    cancelled_dirs: Sequence[Replica],
    throttles: ThrottlesNow | None,
    *,
    is_dry_run: bool,
) -> Document:
    """Return what of *plan* was given up, or in a dry run would be."""
    missing = "planned" if is_dry_run else "not cancelled"
    outcomes = {move.partition: missing for move in plan.asked}
    dir_outcomes = {move.replica: missing for move in plan.dir_moves}
    return move_document(
        plan,
        schema="kadmin.reassign.cancel/1",
        outcomes=outcomes | dict.fromkeys(cancelled, "cancelled"),
        dir_outcomes=dir_outcomes | dict.fromkeys(cancelled_dirs, "cancelled"),
        more={
            "dry_run": is_dry_run,
            "controller_resigns": plan.resigning,
            "removed": [
                {
                    **name_of(partition),
                    "target": list(target),
                    "outcome": "cancelled" if partition in cancelled else missing,
                }
                for partition, target in sorted(plan.dropped.items())
            ],
            "throttles": None if throttles is None else throttles_body(throttles),
        },
        lines=lambda: (
            cancellation_lines(plan, limit=None)
            if is_dry_run and not plan.is_empty
            else cancelled_lines(plan, cancelled, cancelled_dirs, throttles)
        ),
    )


def cancelled_lines(
    plan: MovePlan,
    cancelled: Sequence[TopicPartition],
    cancelled_dirs: Sequence[Replica],
    throttles: ThrottlesNow | None,
) -> Iterator[str]:
    if plan.is_empty:
        yield "None of the specified partition reassignments are active."
    elif cancelled:
        plural = "" if len(cancelled) == 1 else "s"
        names = ",".join(map(str, cancelled))
        yield f"Successfully cancelled partition reassignment{plural} for: {names}"
    if cancelled_dirs:
        plural = "" if len(cancelled_dirs) == 1 else "s"
        names = ",".join(map(str, cancelled_dirs))
        yield f"Successfully cancelled log directory move{plural} for: {names}"
    yield from clearing_lines(throttles)
