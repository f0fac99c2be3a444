"""Reassignments that are proposed, planned, asked for, verified or going on: how do they look?

Lines are those of Kafka's kafka-reassign-partitions where it has some.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from cluster.model.config_entity import ConfigEntity, EntityKind
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.arguments.reassignment_files import targets_text
from kadmin.plan.entity_options import options_of
from kadmin.plan.reassignment.dir_moves import DirMove, Replica
from kadmin.plan.reassignment.generate import Proposal
from kadmin.plan.reassignment.moves import (
    Move,
    MovePlan,
    StartedMoves,
    stale_command,
    stale_text,
)
from kadmin.plan.reassignment.sizes import (
    Ends,
    Sizes,
    bytes_left,
    copied_by_broker,
    copied_text,
    lags,
)
from kadmin.plan.reassignment.status import PartitionProgress
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.wording import abridged, amount, counted

if TYPE_CHECKING:
    from rich.console import RenderableType

OF_DIR: Final = ("broker", "log_dir")
"""Columns of a replica that is to be in the log directory *target*, and is in another."""

MOVE_COLUMNS: Final = (
    "topic", "partition", "outcome", "replicas", "target", "adding", "removing", *OF_DIR,
)  # fmt: skip
VERIFY_COLUMNS: Final = ("topic", "partition", "state", "replicas", "target", *OF_DIR)
LIST_COLUMNS: Final = (
    "topic", "partition", "replicas", "adding", "removing", "target", "bytes_left", "lag_records",
    *OF_DIR,
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


def plan_lines(
    plan: MovePlan, sizes: Sizes, limit: int | None = PLAN_LINES_MAX, *, rate: int | None = None
) -> Iterator[str]:
    """Return *plan* before it is carried out, no more than *limit* partitions of it; None for all.

    *rate* is the throttle that it is to get, in bytes per s at each broker.
    """
    asked = plan.asked
    leaders = sum(move.moves_leader for move in asked)
    if asked or not plan.dir_moves:
        yield (
            f"plan: {len(asked)} {'partition gets' if len(asked) == 1 else 'partitions get'} other"
            f" replicas, {leaders} of them with another leader{copied_text(asked, sizes, rate)}"
        )
    still = len(plan.moves) - len(asked)
    if still:
        yield f"  {still} more have theirs already, or are being moved"
    added, removed, copied = plan.added, plan.removed, copied_by_broker(asked, sizes)
    for broker in sorted(added.keys() | removed.keys()):
        yield (
            f"  broker {broker}: {counted(added.get(broker, 0), 'replica')} added,"
            f" {removed.get(broker, 0)} removed"
            + (f", {amount(copied[broker])} to copy there" if broker in copied else "")
        )
    # The largest first: they take the longest, and only the first are shown before a question.
    largest = sorted(asked, key=lambda move: -(bytes_left(move, sizes) or 0))
    yield from item_lines(largest, move_text, limit)
    dirs = plan.dir_moves
    if dirs:
        left = sum(move.bytes_left for move in dirs)
        yield (
            f"plan: {len(dirs)} {'replica goes' if len(dirs) == 1 else 'replicas go'} to log"
            f" directories that are asked for, {amount(left)} to copy there"
        )
    yield from item_lines(dirs, dir_text, limit)


def dir_text(move: DirMove) -> str:
    return f"{move.replica}: {'to come' if move.path is None else move.path} -> {move.target}"


def move_text(move: Move) -> str:
    leader = f", leadership moves off broker {move.leader}" if move.moves_leader else ""
    return (
        f"{move.partition}: {ids_text(move.before.replicas)} ->"
        f" {ids_text(move.target.replicas)}{leader}"
    )


def planned_document(plan: MovePlan, sizes: Sizes, rate: int | None) -> Document:
    """Return the plan of a dry run; as text its lines."""
    return move_document(
        plan,
        outcomes={move.partition: "planned" for move in plan.asked},
        dir_outcomes={move.replica: "planned" for move in plan.dir_moves},
        more={"dry_run": True, "rollback_file": None, **throttle_body(None, None)},
        lines=lambda: plan_lines(plan, sizes, limit=None, rate=rate),
    )


def started_document(started: StartedMoves) -> Document:
    """Return what was asked for."""
    plan, partitions = started.plan, started.partitions
    outcomes = {move.partition: "not started" for move in plan.asked}
    dir_outcomes = {move.replica: "not started" for move in plan.dir_moves}
    begun = [move for move in plan.dir_moves if move.replica in started.replicas]
    rates = (started.rate, started.dir_rate)
    return move_document(
        plan,
        outcomes=outcomes | dict.fromkeys(partitions, "started"),
        dir_outcomes=dir_outcomes | dict.fromkeys(started.replicas, "started"),
        more={
            "dry_run": False,
            "rollback_file": started.rollback_file,
            **throttle_body(*rates),
        },
        lines=lambda: started_lines(partitions, begun, *rates),
        screen=lambda: started_lines(partitions, begun, *rates, abridged),
    )


def throttle_body(rate: int | None, dir_rate: int | None) -> dict[str, object]:
    return {"throttle": rate, "log_dirs_throttle": dir_rate}


def joined(partitions: Sequence[TopicPartition]) -> str:
    return ",".join(map(str, partitions))


def started_lines(
    started: Sequence[TopicPartition],
    begun: Sequence[DirMove],
    rate: int | None,
    dir_rate: int | None,
    names: Callable[[Sequence[TopicPartition]], str] = joined,
) -> Iterator[str]:
    """Return the lines of Kafka's tool, which names all partitions; *names* may shorten them."""
    if rate is not None or dir_rate is not None:
        yield (
            "Warning: You must run --verify periodically, until the reassignment completes, to"
            " ensure the throttle is removed."
        )
    if rate is not None:
        yield f"The inter-broker throttle limit was set to {rate} B/s"
    if dir_rate is not None:
        yield f"The replica-alter-dir throttle limit was set to {dir_rate} B/s"
    if started:
        plural = "" if len(started) == 1 else "s"
        yield f"Successfully started partition reassignment{plural} for {names(started)}"
    for move in begun:
        partition, broker = move.replica.partition, move.replica.broker
        yield (
            f"Successfully started moving log directory to {move.target} for replica {partition}"
            f" with broker {broker}"
        )


def move_document(
    plan: MovePlan,
    *,
    schema: str = "kadmin.reassign.execute/1",
    outcomes: Mapping[TopicPartition, str],
    dir_outcomes: Mapping[Replica, str],
    more: Mapping[str, object],
    lines: Callable[[], Iterable[str]],
    screen: Callable[[], Iterable[str]] | None = None,
) -> Document:
    def moves() -> list[dict[str, object]]:
        return [
            {
                **name_of(move.partition),
                "outcome": outcomes.get(move.partition, "moving" if move.heading else "done"),
                "replicas": list(move.before.replicas),
                "target": list(move.target.replicas),
                "adding": list(move.adding),
                "removing": list(move.removing),
            }
            for move in plan.moves
        ]

    def replicas() -> list[dict[str, object]]:
        return [
            {**dir_body(move), "outcome": dir_outcomes[move.replica]} for move in plan.dir_moves
        ]

    return Document(
        schema=schema,
        body=lambda: {**more, "partitions": moves(), "log_dirs": replicas()},
        columns=MOVE_COLUMNS,
        rows=lambda: csv_rows([*moves(), *replicas()], MOVE_COLUMNS, ","),
        lines=lines,
        screen=screen,
    )


def name_of(partition: TopicPartition) -> dict[str, object]:
    return {"topic": partition.topic, "partition": partition.partition}


def dir_body(move: DirMove) -> dict[str, object]:
    return {
        **name_of(move.replica.partition),
        "broker": move.replica.broker,
        "log_dir": move.path,
        "target": move.target,
        "heading": move.future,
        "bytes_left": move.bytes_left,
    }


def verify_document(
    judged: Sequence[PartitionProgress],
    dirs: Sequence[DirMove],
    throttles: ThrottlesNow | None,
) -> Document:
    def partitions() -> list[dict[str, object]]:
        return [
            {
                **name_of(each.partition),
                "state": each.progress.value,
                "replicas": list(each.replicas),
                "target": list(each.target),
            }
            for each in judged
        ]

    def replicas() -> list[dict[str, object]]:
        return [{**dir_body(each), "state": each.progress.value} for each in dirs]

    return Document(
        schema="kadmin.reassign.verify/1",
        body=lambda: {
            "partitions": partitions(),
            "log_dirs": replicas(),
            "throttles": None if throttles is None else throttles_body(throttles),
        },
        columns=VERIFY_COLUMNS,
        rows=lambda: csv_rows([*partitions(), *replicas()], VERIFY_COLUMNS, ","),
        lines=lambda: verify_lines(judged, dirs, throttles),
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
    judged: Sequence[PartitionProgress],
    dirs: Sequence[DirMove],
    throttles: ThrottlesNow | None,
) -> Iterator[str]:
    yield "Status of partition reassignment:"
    yield from map(str, judged)
    yield from map(str, dirs)
    yield from clearing_lines(throttles)


def clearing_lines(throttles: ThrottlesNow | None) -> Iterator[str]:
    """Return what was taken away; None where nothing was."""
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
    """Return what an operator's own throttles are again."""
    for entity, values in throttles.restored.items():
        for key, value in values.items():
            yield f"{thing(entity)} has {key}={value} again, as before"


def throttle_warnings(throttles: ThrottlesNow) -> Iterator[str]:
    """Warn of throttles that no journal has, each with the command that removes it.

    A throttle that was restored is the operator's.  ZooKeeper and brokers have separate journals,
    and for brokers each user has one.
    """
    is_any_left = False
    for entity, found in throttles.foreign.items():
        keys = [key for key in found if key not in throttles.restored.get(entity, {})]
        if keys:
            is_any_left = True
            yield (
                f"{thing(entity)} is throttled, and not by a reassignment that is known here; to"
                f" remove that: kadmin configs --alter {options_of(entity)} --delete-config"
                f" {','.join(keys)}"
            )
    if is_any_left:
        yield (
            "if a reassignment set that which was begun the other way (--zookeeper or"
            " --bootstrap-server), or by another user, its --verify, run so, removes it instead and"
            " puts back what an operator had set before"
        )


def thing(entity: ConfigEntity) -> str:
    """Return one topic or broker in a sentence."""
    name = entity.root.name
    return f"broker {name}" if entity.kind is EntityKind.BROKERS else f"topic '{name}'"


def list_document(
    moves: Sequence[Move],
    dirs: Sequence[DirMove],
    sizes: Sizes,
    ends: Ends,
    stale: Mapping[TopicPartition, tuple[BrokerId, ...]] = MappingProxyType({}),
) -> Document:
    """Return all that is being moved; *stale* is asked for of partitions that are not there."""

    def partitions() -> list[dict[str, object]]:
        return [
            {
                **name_of(move.partition),
                "replicas": list(move.before.replicas),
                "adding": list(move.destinations),
                "removing": list(move.removing),
                "target": list(move.target.replicas),
                "bytes_left": bytes_left(move, sizes),
                "lag_records": lag(move, ends),
                "lags": [
                    {"broker": broker, "lag_records": behind}
                    for broker, behind in lags(move, ends).items()
                ],
            }
            for move in moves
        ]

    def replicas() -> list[dict[str, object]]:
        return [{**dir_body(move), "lag_records": move.lag_records} for move in dirs]

    return Document(
        schema="kadmin.reassign.list/1",
        body=lambda: {
            "partitions": partitions(),
            "log_dirs": replicas(),
            "not_there": [
                {**name_of(partition), "target": list(target)}
                for partition, target in sorted(stale.items())
            ],
        },
        columns=LIST_COLUMNS,
        rows=lambda: csv_rows([*partitions(), *replicas()], LIST_COLUMNS, ","),
        lines=lambda: list_lines(moves, dirs, sizes, ends, stale),
        pretty=(lambda: list_tables(moves, dirs, sizes, ends)) if moves or dirs else None,
    )


def list_total(
    moves: Sequence[Move], dirs: Sequence[DirMove], sizes: Sizes, *, ended: int = 0
) -> str:
    """Describe how much moves in all, and how much is left to copy, as far as brokers report sizes.

    *ended* were seen moving, and do not move any more.
    """
    counts = [counted(len(moves), "partition")] if moves else []
    counts += [f"{counted(len(dirs), 'replica')} between log directories"] if dirs else []
    known = [left for move in moves if (left := bytes_left(move, sizes)) is not None]
    known += [move.bytes_left for move in dirs]
    text = f"moving: {', '.join(counts) or 'nothing'}"
    least = "at least " if len(known) < len(moves) + len(dirs) else ""
    text += f"; {least}{amount(sum(known))} left" if known else ""
    return f"{text}; {ended:,} ended since this watch began" if ended else text


def list_tables(
    moves: Sequence[Move], dirs: Sequence[DirMove], sizes: Sizes, ends: Ends
) -> "RenderableType":
    from kadmin.render.reassign import moves_table as reassign_list

    return reassign_list.list_tables(moves, dirs, sizes, ends)


def list_warnings(
    stale: Mapping[TopicPartition, tuple[BrokerId, ...]],
    moving: Collection[TopicPartition],
    *,
    lacks_controller: bool,
) -> Iterator[str]:
    """Return what keeps things from going on: *stale* requests beside those that are *moving*."""
    if lacks_controller:
        yield "there is no controller: nothing goes on"
    if stale:
        partitions = sorted(stale)
        yield (
            f"{stale_text(partitions)}: {abridged(partitions)};"
            f" '{stale_command(partitions, moving)}' removes it"
        )


def list_lines(
    moves: Sequence[Move],
    dirs: Sequence[DirMove],
    sizes: Sizes,
    ends: Ends,
    stale: Mapping[TopicPartition, tuple[BrokerId, ...]] = MappingProxyType({}),
) -> Iterator[str]:
    if moves:
        yield "Current partition reassignments:"
    else:
        yield "No partition reassignments found."
    for move in moves:
        line = f"{move.partition}: replicas: {ids_text(move.before.replicas)}."
        if move.destinations:
            line += f" adding: {ids_text(move.destinations)}."
        if move.removing:
            line += f" removing: {ids_text(move.removing)}."
        yield line + left_text(bytes_left(move, sizes), lag(move, ends))
    if dirs:
        yield "Current log directory moves:"
    for each in dirs:
        left = left_text(each.bytes_left, each.lag_records)
        yield f"{each.replica}: {each.path} -> {each.target}.{left}"
    if stale:
        yield "Asked for, and not there:"
    for partition, target in sorted(stale.items()):
        yield f"{partition}: target: {ids_text(target)}."


def lag(move: Move, ends: Ends) -> int | None:
    """Return the largest lag of the replicas to come; None where none is known."""
    return max(lags(move, ends).values(), default=None)


def left_text(left_bytes: int | None, lag_records: int | None) -> str:
    """Return what there is to do still, as far as it is known."""
    left = "" if left_bytes is None else f" left: {amount(left_bytes)}."
    return left if lag_records is None else f"{left} lag: {counted(lag_records, 'record')}."


def ids_text(ids: Sequence[BrokerId]) -> str:
    return ",".join(map(str, ids))
