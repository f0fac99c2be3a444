"""A plan of moves for a goal: the layout of a cluster in, a plan out.

Equal layouts and requests have equal plans.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves import goals, relief
from kadmin.plan.moves.goals import Reached
from kadmin.plan.moves.kafka_layout import propose_as_kafka
from kadmin.plan.moves.layout import ClusterLayout
from kadmin.plan.moves.order import ordered
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove
from kadmin.plan.moves.request import By, Goal, Request
from kadmin.plan.moves.scene import Scene
from kadmin.plan.risks import is_crowded
from kadmin.wording import amount, counted_partitions, first_listed

Reaching: TypeAlias = Callable[[Scene], Reached]

REACHING: Final[Mapping[Goal, Reaching]] = {
    Goal.BALANCE: goals.balance,
    Goal.DRAIN: goals.drain,
    Goal.ADD: goals.add,
    Goal.REPLACE: goals.replace_brokers,
    Goal.REPLICATION_FACTOR: goals.replication_factor,
    Goal.RACKS: goals.racks,
    Goal.RELIEVE: relief.relieve,
}
"""What chooses the brokers of each partition; `LEADERS` chooses none, and `KAFKA` their order,
too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A *plan*, and what an operator should know of it."""

    plan: MovePlan
    notes: tuple[str, ...]


def make_plan(layout: ClusterLayout, request: Request, *, tool_version: str, now_ms: int) -> Made:
    """Plan to reach what *request* asks for.

    Raises:
        NoSuchBroker, NoSuchTopic, DeadBrokers: it names what is not there.
        Impossible: no plan reaches it.
        SizesUnknown, RacksUnknown: brokers do not report what it takes.
    """
    scene = Scene(layout, request)
    reached = Reached(chosen={}, lower_bound=0, lower_bound_bytes=0)
    if request.goal is Goal.KAFKA:
        targets, reached = propose_as_kafka(scene)
    else:
        if request.goal is Goal.BALANCE and request.by is By.BYTES:
            reached = relief.balance_bytes(scene)
        elif request.goal is not Goal.LEADERS:
            reached = REACHING[request.goal](scene)
        targets = ordered(
            scene, reached.chosen, all_leaders=request.goal in (Goal.BALANCE, Goal.LEADERS)
        )
    moves = tuple(
        planned(layout, partition, target) for partition, target in sorted(targets.items())
    )
    note_lost_racks(scene, moves)
    note_overfull(scene, moves)
    note_few_bytes(scene, moves)
    moved = sum(len(move.adding) for move in moves)
    sizes_known = all(move.size_bytes is not None for move in moves if move.adding)
    moved_bytes = sum(len(move.adding) * (move.size_bytes or 0) for move in moves)
    counts_bytes = request.goal is Goal.RELIEVE or request.by is By.BYTES
    return Made(
        plan=MovePlan(
            tool_version=tool_version,
            cluster_id=layout.cluster_id,
            planned_at_ms=now_ms,
            goal=str(request.goal),
            arguments=request.arguments(),
            moved_replicas=moved,
            lower_bound=reached.lower_bound,
            moved_bytes=moved_bytes if sizes_known else None,
            lower_bound_bytes=reached.lower_bound_bytes if sizes_known else None,
            is_optimal=(
                moved_bytes == reached.lower_bound_bytes
                if counts_bytes
                else moved == reached.lower_bound
            ),
            brokers=layout.brokers,
            moves=moves,
        ),
        notes=tuple(scene.notes),
    )


def planned(
    layout: ClusterLayout, partition: TopicPartition, target: tuple[BrokerId, ...]
) -> PlannedMove:
    placed = layout.partitions[partition]
    return PlannedMove(
        partition=partition,
        replicas=placed.replicas,
        target=target,
        zk_version=placed.zk_version,
        size_bytes=placed.size_bytes,
    )


def note_overfull(scene: Scene, moves: Sequence[PlannedMove]) -> None:
    """Note which brokers hold more than they may, also afterwards: nothing moves for that but in
    `balance`, and not what the plan may not move."""
    most = scene.request.max_replicas
    if most is None:
        return
    loads = Counter(scene.layout.loads)
    for move in moves:
        loads.update(move.adding)
        loads.subtract(move.removing)
    over = [f"broker {each} ({loads[each]})" for each in sorted(scene.racks) if loads[each] > most]
    if over:
        scene.notes.append(f"with more than {most} replicas still: {first_listed(over)}")


def note_few_bytes(scene: Scene, moves: Sequence[PlannedMove]) -> None:
    """Note where new brokers get their share of the replicas, and not half of that of the bytes:
    of all replicas, the small ones move."""
    layout, new = scene.layout, set(scene.request.brokers)
    if scene.request.goal is not Goal.ADD or not layout.knows_sizes:
        return
    after = {partition: each.replicas for partition, each in layout.partitions.items()}
    after |= {move.partition: move.target for move in moves}
    held: Counter[BrokerId] = Counter()
    for partition, brokers in after.items():
        held.update(dict.fromkeys(brokers, layout.partitions[partition].size_bytes or 0))
    share = held.total() * len(new) / len(scene.racks)
    got = sum(held[broker] for broker in new)
    if 2 * got < share:
        scene.notes.append(
            f"the new brokers hold {amount(got)} then, where an even share is {amount(int(share))}:"
            " replicas are counted, and the small ones move; --goal balance --by bytes counts bytes"
        )


def note_lost_racks(scene: Scene, moves: Sequence[PlannedMove]) -> None:
    """Note which partitions are on fewer racks afterwards, though they keep their number of
    replicas: where the last broker of a rack goes, or a broker of another rack comes."""
    brokers = scene.layout.brokers
    racks = {b: rack for b, rack in brokers.items() if rack} if scene.layout.knows_racks else {}

    def count(replicas: tuple[BrokerId, ...]) -> int:
        return len({brokers[b] for b in replicas if b in brokers})

    crowded = [
        move.partition
        for move in moves
        if len(move.target) >= len(move.replicas)
        and (
            count(move.target) < count(move.replicas)
            # A dead broker may have been alone in its rack.
            or is_crowded(move.target, racks) > is_crowded(move.replicas, racks)
        )
    ]
    if crowded:
        scene.notes.append(f"on fewer racks than before: {counted_partitions(crowded)}")
