"""Gates: reasons not to begin a move, each of which can be left open by its name.

Before a run begins, one closed gate refuses all of it; later it holds back the moves that it is
about, until the reason is gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition
from kadmin.errors import RefusedError
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.moves import Move, move_of, move_risks
from kadmin.plan.reassignment.moves import MovePlan as AskedMoves
from kadmin.plan.reassignment.status import active_partitions
from kadmin.plan.reassignment.targets import Target
from kadmin.plan.risks import RiskKind, min_isr_in
from kadmin.plan.supervision.standing import Standing
from kadmin.wording import amount, counted, first_listed, listed

if TYPE_CHECKING:
    from kadmin.plan.supervision.view import View


class Gate(StrEnum):
    STALE_PLAN = "stale-plan"
    """A topic, or the rack of a broker, was changed since the plan was made, though the replicas
    are as planned from."""
    UNSEEN_RUNS = "unseen-runs"
    """Runs are kept elsewhere, too, and cannot be read: one may be under way."""
    OTHER_MOVES = "other-moves"
    """Partitions that are not in the plan are being moved."""
    TARGET_DOWN = "target-down"
    """A broker that is to get a replica is not alive: the move cannot end."""
    OFFLINE = "offline"
    """A partition has no leader, from which its new replicas could copy."""
    MIN_ISR = "min-isr"
    """A partition has fewer replicas in sync than min.insync.replicas, now or as planned."""
    RACKS = "racks"
    """A partition would be on fewer racks than it could be, and is not already."""
    DISK_ROOM = "disk-room"
    """A disk has no room for what is copied to it while the old replicas are still there."""


HINT: Final = "mend it and run again; or leave the gate open with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A gate that is closed, and the *partitions* that it holds back; all where there are none."""

    gate: Gate
    text: str
    partitions: tuple[TopicPartition, ...] = ()

    def __str__(self) -> str:
        names = f": {first_listed(self.partitions)}" if self.partitions else ""
        return f"{self.gate}: {self.text}{names}"


class GatesClosed(RefusedError):
    """A run that does not begin; *closed* are all gates that keep it from that."""

    def __init__(self, closed: Sequence[Closed]) -> None:
        names = dict.fromkeys(each.gate for each in closed)
        overrides = " ".join(f"--override {gate}" for gate in names)
        super().__init__(
            f"not begun, {counted(len(names), 'gate')} closed: {listed(closed, '; ')}",
            hint=f"{HINT} {overrides}",
        )
        self.closed = tuple(closed)


def closed_before(
    moves: Sequence[PlannedMove],
    view: "View",
    overrides: frozenset[Gate],
    racks: Mapping[BrokerId, str | None],
) -> list[Closed]:
    """Return the gates that keep a run of *moves* from beginning; *view* has all topics, *racks*
    the brokers as they were planned for."""
    standings = view.standings(tuple(moves))
    todo = [move for move in moves if standings[move.partition] is Standing.BEFORE]
    found = [
        *stale(todo, view),
        *other_racks(todo, view, racks),
        *others(moves, view),
        *held_back(todo, view),
        *peak(todo, view),
    ]
    return [each for each in found if each.gate not in overrides]


def stale(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    versions = {name: topic.assignment.zk_version for name, topic in view.snapshot.topics.items()}
    changed = tuple(
        move.partition
        for move in moves
        # Brokers show no versions.
        if move.zk_version is not None
        and versions[move.partition.topic] not in (move.zk_version, NEVER_READ)
    )
    if changed:
        text = "the topics of these were changed since the plan was made"
        yield Closed(gate=Gate.STALE_PLAN, text=text, partitions=changed)


def other_racks(
    moves: Sequence[PlannedMove], view: "View", racks: Mapping[BrokerId, str | None]
) -> Iterator[Closed]:
    now = {broker: each.rack for broker, each in view.snapshot.brokers.items()}
    changed = [broker for broker, rack in racks.items() if rack and now.get(broker, rack) != rack]
    touched = tuple(
        move.partition for move in moves if not {*move.replicas, *move.target}.isdisjoint(changed)
    )
    if touched:
        text = f"the racks of brokers were changed since the plan was made: {first_listed(changed)}"
        yield Closed(gate=Gate.STALE_PLAN, text=text)


def others(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    mine = {move.partition for move in moves}
    moving = tuple(each for each in active_partitions(view.snapshot) if each not in mine)
    if moving:
        text = "others are being moved"
        yield Closed(gate=Gate.OTHER_MOVES, text=text, partitions=moving)


def held_back(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    """Return the gates that are closed for some of *moves* as the cluster is now."""
    yield from targets_down(moves, view)
    without = tuple(move.partition for move in moves if lacks_leader(move, view))
    if without:
        yield Closed(gate=Gate.OFFLINE, text="without a leader", partitions=without)
    few = tuple(move.partition for move in moves if is_below_min_isr(move, view))
    if few:
        text = "fewer replicas in sync than min.insync.replicas"
        yield Closed(gate=Gate.MIN_ISR, text=text, partitions=few)
    yield from planned_risks(moves, view)


def targets_down(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    by_broker: dict[BrokerId, list[TopicPartition]] = {}
    for move in moves:
        for broker in move.target:
            if broker not in view.live:
                by_broker.setdefault(broker, []).append(move.partition)
    for broker, partitions in sorted(by_broker.items()):
        text = f"broker {broker} is not alive"
        yield Closed(gate=Gate.TARGET_DOWN, text=text, partitions=tuple(partitions))


def lacks_leader(move: PlannedMove, view: "View") -> bool:
    state = view.state(move.partition)
    return state is None or state.leader < 0


def is_below_min_isr(move: PlannedMove, view: "View") -> bool:
    state = view.state(move.partition)
    if state is None or state.leader < 0:
        return False  # Another gate has it.
    topic = view.snapshot.topics[move.partition.topic]
    configs = (topic.config.values, view.snapshot.broker_defaults.values)
    return len(state.isr) < min_isr_in(configs, 1)


def planned_risks(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    """Return what would be worse once *moves* are done."""
    crowded: list[TopicPartition] = []
    for risk in move_risks(view.snapshot, asked_moves(moves, view)):
        partitions = [TopicPartition(risk.topic, number) for number in risk.partitions]
        if risk.kind is RiskKind.FEWER_RACKS:
            crowded += partitions
        elif risk.kind is RiskKind.TOO_FEW_REPLICAS:
            yield Closed(gate=Gate.MIN_ISR, text=risk.text, partitions=tuple(partitions))
    if crowded:
        text = "these would be on fewer racks than there are replicas"
        yield Closed(gate=Gate.RACKS, text=text, partitions=tuple(crowded))


def peak(moves: Sequence[PlannedMove], view: "View") -> Iterator[Closed]:
    """Return the brokers with less room than what they get is larger than what they give away, or
    than the largest of it."""
    coming: dict[BrokerId, list[int]] = {}
    going: dict[BrokerId, int] = {}
    for move in moves:
        size = move.size_bytes or 0
        for broker in move.adding:
            coming.setdefault(broker, []).append(size)
        for broker in move.removing:
            going[broker] = going.get(broker, 0) + size
    for broker, sizes in sorted(coming.items()):
        needed = max(max(sizes), sum(sizes) - going.get(broker, 0))
        room = view.rooms.get(broker)
        if room is not None and needed > room:
            text = f"broker {broker} has {amount(room)} free and needs {amount(needed)}"
            yield Closed(gate=Gate.DISK_ROOM, text=text)


def has_room(move: PlannedMove, rooms: Mapping[BrokerId, int]) -> bool:
    """Return whether each broker that is to get a replica has *rooms* for it now."""
    size = move.size_bytes or 0
    return all(size <= rooms.get(broker, size) for broker in move.adding)


def asked_moves(moves: Sequence[PlannedMove], view: "View") -> AskedMoves:
    made: tuple[Move, ...] = tuple(
        move_of(view.snapshot, move.partition, Target(move.target)) for move in moves
    )
    topics = {move.partition.topic: None for move in moves}
    before = {name: view.snapshot.topics[name].assignment for name in topics}
    return AskedMoves(moves=made, before=before)
