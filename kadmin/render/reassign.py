"""Reassignments that are proposed, planned, asked for, verified or going on: how do they look?

Lines are those of Kafka's kafka-reassign-partitions where it has some.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from cluster.model.config_entity import ConfigEntity, EntityKind
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.entities import options_of
from kadmin.plan.reassignment.files import targets_text
from kadmin.plan.reassignment.generate import Proposal
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.reassignment.status import PartitionProgress
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.render.quantities import amount

Sizes: TypeAlias = Mapping[TopicPartition, Mapping[BrokerId, int]]

MOVE_COLUMNS: Final = ("topic", "partition", "outcome", "replicas", "target", "adding", "removing")
VERIFY_COLUMNS: Final = ("topic", "partition", "state", "replicas", "target")
LIST_COLUMNS: Final = (
    "topic", "partition", "replicas", "adding", "removing", "target", "bytes_left",
)  # fmt: skip


def proposal_document(proposal: Proposal) -> Document:
    both = (("current", proposal.current), ("proposed", proposal.proposed))
    return Document(
        schema="kadmin.reassign.generate/1",
        body=lambda: {name: json.loads(targets_text(targets)) for name, targets in both},
        columns=("assignment", "topic", "partition", "replicas"),
        rows=lambda: (
            (name, partition.topic, partition.partition, ids_text(target.replicas))
            for name, targets in both
            for partition, target in targets.items()
        ),
        lines=lambda: (
            "Current partition replica assignment",
            targets_text(proposal.current),
            "",
            "Proposed partition reassignment configuration",
            targets_text(proposal.proposed),
        ),
    )


def proposal_warnings(proposal: Proposal) -> Iterator[str]:
    if proposal.left_out:
        yield f"not alive, and left out of the proposal: {ids_text(proposal.left_out)}"
    if proposal.uneven_topics:
        yield (
            "partitions with different numbers of replicas, which would all get as many as the"
            f" first: {', '.join(proposal.uneven_topics)}"
        )


def preface_lines(current: Targets) -> Iterator[str]:
    yield "Current partition replica assignment"
    yield ""
    yield targets_text(current)
    yield ""
    yield "Save this to use as the --reassignment-json-file option during rollback"


def plan_lines(plan: MovePlan, sizes: Sizes, limit: int | None = PLAN_LINES_MAX) -> Iterator[str]:
    """*plan* before it is carried out, no more than *limit* partitions of it; None for all."""
    asked = plan.asked
    leaders = sum(move.moves_leader for move in asked)
    yield (
        f"plan: {len(asked)} {'partition gets' if len(asked) == 1 else 'partitions get'} other"
        f" replicas, {leaders} of them with another leader{copied_text(asked, sizes)}"
    )
    still = len(plan.moves) - len(asked)
    if still:
        yield f"  {still} more have theirs already, or are on their way"
    added, removed = plan.added, plan.removed
    for broker in sorted(added.keys() | removed.keys()):
        yield (
            f"  broker {broker}: {added.get(broker, 0)} replicas added,"
            f" {removed.get(broker, 0)} removed"
        )
    yield from item_lines(asked, move_text, limit)


def move_text(move: Move) -> str:
    leader = f", leader {move.leader} has to go" if move.moves_leader else ""
    return (
        f"{move.partition}: {ids_text(move.before.replicas)} ->"
        f" {ids_text(move.target.replicas)}{leader}"
    )


def copied_text(moves: Sequence[Move], sizes: Sizes) -> str:
    """How much has to be copied, where brokers tell."""
    if not any(move.partition in sizes for move in moves):
        return ""
    return f", {amount(sum(bytes_left(move, sizes) or 0 for move in moves))} to copy"


def bytes_left(move: Move, sizes: Sizes) -> int | None:
    """What the replicas to come lack; None where nobody tells."""
    known = sizes.get(move.partition)
    if not known:
        return None
    whole = max((known.get(broker, 0) for broker in move.sources), default=0)
    return sum(max(0, whole - known.get(broker, 0)) for broker in move.destinations)


def planned_document(plan: MovePlan, sizes: Sizes) -> Document:
    """The plan of a dry run; as text its lines."""
    return move_document(
        plan,
        outcomes={move.partition: "planned" for move in plan.asked},
        more={"dry_run": True, "rollback_file": None, "throttle": None},
        lines=lambda: plan_lines(plan, sizes, limit=None),
    )


def started_document(
    plan: MovePlan,
    started: Sequence[TopicPartition],
    *,
    rate: int | None,
    rollback_file: str | None,
) -> Document:
    """What of *plan* was asked for; *rate* is the throttle that was set, in bytes per s."""
    outcomes = {move.partition: "not started" for move in plan.asked}
    return move_document(
        plan,
        outcomes=outcomes | dict.fromkeys(started, "started"),
        more={"dry_run": False, "rollback_file": rollback_file, "throttle": rate},
        lines=lambda: started_lines(started, rate),
    )


def started_lines(started: Sequence[TopicPartition], rate: int | None) -> Iterator[str]:
    if rate is not None:
        yield (
            "Warning: You must run --verify periodically, until the reassignment completes, to"
            " ensure the throttle is removed."
        )
        yield f"The inter-broker throttle limit was set to {rate} B/s"
    if started:
        plural = "" if len(started) == 1 else "s"
        names = ",".join(map(str, started))
        yield f"Successfully started partition reassignment{plural} for {names}"


def cancellation_lines(plan: MovePlan, limit: int | None = PLAN_LINES_MAX) -> Iterator[str]:
    """*plan* of what is given up, before it is; *limit* None names all."""
    yield (
        f"plan: {len(plan.asked)} {'move is' if len(plan.asked) == 1 else 'moves are'} given up,"
        " and the replicas of before stay"
    )
    yield from item_lines(plan.asked, given_up_text, limit)


def given_up_text(move: Move) -> str:
    return f"{move.partition}: {ids_text(move.before.replicas)} -> {ids_text(move.target.replicas)}"


def cancelled_document(
    plan: MovePlan,
    cancelled: Sequence[TopicPartition],
    throttles: ThrottlesNow | None,
    *,
    is_dry_run: bool,
) -> Document:
    """What of *plan* was given up, or in a dry run would be."""
    missing = "planned" if is_dry_run else "not cancelled"
    outcomes = {move.partition: missing for move in plan.asked}
    return move_document(
        plan,
        schema="kadmin.reassign.cancel/1",
        outcomes=outcomes | dict.fromkeys(cancelled, "cancelled"),
        more={
            "dry_run": is_dry_run,
            "throttles": None if throttles is None else throttles_body(throttles),
        },
        lines=lambda: (
            cancellation_lines(plan, limit=None)
            if is_dry_run and plan.moves
            else cancelled_lines(plan, cancelled, throttles)
        ),
    )


def cancelled_lines(
    plan: MovePlan, cancelled: Sequence[TopicPartition], throttles: ThrottlesNow | None
) -> Iterator[str]:
    if not plan.moves:
        yield "None of the specified partition reassignments are active."
    elif cancelled:
        plural = "" if len(cancelled) == 1 else "s"
        names = ",".join(map(str, cancelled))
        yield f"Successfully cancelled partition reassignment{plural} for: {names}"
    yield from clearing_lines(throttles)


def move_document(
    plan: MovePlan,
    *,
    schema: str = "kadmin.reassign.execute/1",
    outcomes: Mapping[TopicPartition, str],
    more: Mapping[str, object],
    lines: Callable[[], Iterable[str]],
) -> Document:
    def outcome_of(move: Move) -> str:
        return outcomes.get(move.partition, "moving" if move.heading else "done")

    return Document(
        schema=schema,
        body=lambda: {
            **more,
            "partitions": [
                {
                    "topic": move.partition.topic,
                    "partition": move.partition.partition,
                    "outcome": outcome_of(move),
                    "replicas": list(move.before.replicas),
                    "target": list(move.target.replicas),
                    "adding": list(move.adding),
                    "removing": list(move.removing),
                }
                for move in plan.moves
            ],
        },
        columns=MOVE_COLUMNS,
        rows=lambda: (
            (
                move.partition.topic,
                move.partition.partition,
                outcome_of(move),
                *map(
                    ids_text,
                    (move.before.replicas, move.target.replicas, move.adding, move.removing),
                ),
            )
            for move in plan.moves
        ),
        lines=lines,
    )


def verify_document(
    judged: Sequence[PartitionProgress], throttles: ThrottlesNow | None
) -> Document:
    return Document(
        schema="kadmin.reassign.verify/1",
        body=lambda: {
            "partitions": [
                {
                    "topic": each.partition.topic,
                    "partition": each.partition.partition,
                    "state": each.progress.value,
                    "replicas": list(each.replicas),
                    "target": list(each.target),
                }
                for each in judged
            ],
            "throttles": None if throttles is None else throttles_body(throttles),
        },
        columns=VERIFY_COLUMNS,
        rows=lambda: (
            (
                each.partition.topic,
                each.partition.partition,
                each.progress.value,
                ids_text(each.replicas),
                ids_text(each.target),
            )
            for each in judged
        ),
        lines=lambda: verify_lines(judged, throttles),
    )


def throttles_body(throttles: ThrottlesNow) -> dict[str, object]:
    return {
        "cleared": [entity_body(entity) for entity in throttles.cleared],
        "restored": [
            {**entity_body(entity), "configs": dict(values)}
            for entity, values in throttles.restored.items()
            if values
        ],
        "foreign": [
            {**entity_body(entity), "configs": list(keys)}
            for entity, keys in throttles.foreign.items()
        ],
    }


def entity_body(entity: ConfigEntity) -> dict[str, object]:
    return {"entity_type": str(entity.kind), "entity_name": entity.root.name}


def verify_lines(
    judged: Sequence[PartitionProgress], throttles: ThrottlesNow | None
) -> Iterator[str]:
    yield "Status of partition reassignment:"
    yield from map(str, judged)
    yield from clearing_lines(throttles)


def clearing_lines(throttles: ThrottlesNow | None) -> Iterator[str]:
    """What was taken away; None where nothing was."""
    if throttles is None:
        return
    for kind, level, noun in (
        (EntityKind.BROKERS, "broker", "broker"),
        (EntityKind.TOPICS, "topic", "topic"),
    ):
        names = [str(entity.root.name) for entity in throttles.cleared if entity.kind is kind]
        if names:
            plural = "" if len(names) == 1 else "s"
            yield f"Clearing {level}-level throttles on {noun}{plural} {','.join(names)}"


def throttle_notes(throttles: ThrottlesNow) -> Iterator[str]:
    """What an operator's own throttles are again."""
    for entity, values in throttles.restored.items():
        for key, value in values.items():
            yield f"{entity} has {key}={value} again, as before"


def throttle_warnings(throttles: ThrottlesNow) -> Iterator[str]:
    """Throttles that nobody owns, each with the command that removes it."""
    for entity, keys in throttles.foreign.items():
        yield (
            f"{entity} is throttled, and not by a reassignment that is known here; to remove that:"
            f" kadmin configs --alter {options_of(entity)} --delete-config {','.join(keys)}"
        )


def list_document(moves: Sequence[Move], sizes: Sizes) -> Document:
    return Document(
        schema="kadmin.reassign.list/1",
        body=lambda: {
            "partitions": [
                {
                    "topic": move.partition.topic,
                    "partition": move.partition.partition,
                    "replicas": list(move.before.replicas),
                    "adding": list(move.destinations),
                    "removing": list(move.removing),
                    "target": list(move.target.replicas),
                    "bytes_left": bytes_left(move, sizes),
                }
                for move in moves
            ]
        },
        columns=LIST_COLUMNS,
        rows=lambda: (
            (
                move.partition.topic,
                move.partition.partition,
                *map(
                    ids_text,
                    (
                        move.before.replicas,
                        move.destinations,
                        move.removing,
                        move.target.replicas,
                    ),
                ),
                bytes_left(move, sizes),
            )
            for move in moves
        ),
        lines=lambda: list_lines(moves, sizes),
    )


def list_lines(moves: Sequence[Move], sizes: Sizes) -> Iterator[str]:
    if not moves:
        yield "No partition reassignments found."
        return
    yield "Current partition reassignments:"
    for move in moves:
        line = f"{move.partition}: replicas: {ids_text(move.before.replicas)}."
        if move.destinations:
            line += f" adding: {ids_text(move.destinations)}."
        if move.removing:
            line += f" removing: {ids_text(move.removing)}."
        left = bytes_left(move, sizes)
        yield line if left is None else f"{line} left: {amount(left)}."


def ids_text(ids: Sequence[BrokerId]) -> str:
    return ",".join(map(str, ids))
