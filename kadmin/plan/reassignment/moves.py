"""Moves: what has to be copied, dropped and led elsewhere, and may it be?

Pure: a snapshot and targets in, moves or a refusal out, which names all that is wrong.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment, TopicAssignment
from kadmin.errors import RefusedError
from kadmin.plan.reassignment.dir_moves import DirMove, Replica
from kadmin.plan.reassignment.status import active_partitions, heading_of
from kadmin.plan.reassignment.targets import Target, Targets, UnfitTargets, in_order
from kadmin.plan.risks import Risk, as_judged, known_racks, merged, new_risks
from kadmin.wording import counted, first_listed, listed, verb_of

SHOWN_MAX: Final = 5
"""So many of the partitions that move anyway are named: nothing is wrong with them."""

THERE_HINT: Final = (
    "'kadmin topics --describe' shows what partitions there are, 'kadmin brokers --list' who is"
    " alive"
)


class AlreadyMoving(RefusedError):
    """There is a reassignment already; Kafka's words, since scripts look for them.

    *is_in_znode* where it was asked of ZooKeeper, which then has no room for another request.
    *lacks_controller* where there is no controller that could carry it out.
    """

    def __init__(
        self,
        partitions: Sequence[TopicPartition],
        *,
        is_in_znode: bool,
        lacks_controller: bool = False,
    ) -> None:
        shown = first_listed(partitions)
        verb = verb_of(partitions, "is")
        way = " and --bootstrap-server HOST:PORT, from Kafka 2.4 on," if is_in_znode else ""
        nobody = ", and there is no controller" if lacks_controller else ""
        super().__init__(
            "cannot execute because there is an existing partition assignment: "
            f"{counted(len(partitions), 'partition')} {verb} being reassigned: {shown}{nobody}",
            hint="'kadmin reassign --list' shows it, and --cancel --topic NAME undoes it"
            if lacks_controller
            else "'kadmin reassign --list' shows it; wait until --verify finds it done, or add"
            f" --additional{way} to begin another one beside it",
        )
        self.partitions = tuple(partitions)


class StaleRequest(RefusedError):
    """ZooKeeper has room for one request, and that names *partitions* that are not there."""

    def __init__(
        self, partitions: Sequence[TopicPartition], moving: Collection[TopicPartition]
    ) -> None:
        super().__init__(
            f"{stale_text(partitions)}, and ZooKeeper has room for no other request:"
            f" {first_listed(partitions)}",
            hint=f"'{stale_command(partitions, moving)}' removes it",
        )
        self.partitions = tuple(partitions)


def stale_text(partitions: Sequence[TopicPartition]) -> str:
    """Return what is wrong with a request for *partitions* that are not there."""
    verb = verb_of(partitions, "is")
    return (
        f"a reassignment was asked for of {counted(len(partitions), 'partition')} that {verb} not"
        " there"
    )


def stale_command(
    partitions: Sequence[TopicPartition], others: Collection[TopicPartition] = ()
) -> str:
    """Return what takes some of them out of the request, and nothing of *others*, which may move.

    One topic is named at a time; where each of theirs has others, a file has to be written.
    """
    kept = {each.topic for each in others}
    topic = next((each.topic for each in partitions if each.topic not in kept), None)
    if topic is None:
        return "kadmin reassign --cancel --reassignment-json-file FILE-WITH-THESE-ALONE"
    return f"kadmin reassign --cancel --topic {topic}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One partition, from *before* to *target*.

    *leader* leads it now, None for no broker, and may change later.  *heading* are the replicas
    that it is being moved to already; empty where nothing moves.  *named* is the order in which a
    file has the replicas of a cancelled move's *target*; empty where it has others.
    """

    partition: TopicPartition
    before: PartitionAssignment
    target: Target
    leader: BrokerId | None = field(compare=False)
    heading: tuple[BrokerId, ...] = ()
    named: tuple[BrokerId, ...] = ()

    @property
    def sources(self) -> tuple[BrokerId, ...]:
        """Those who have it already, and not as part of a move that is under way."""
        return self.before.origin

    @property
    def adding(self) -> tuple[BrokerId, ...]:
        return tuple(b for b in self.target.replicas if b not in self.before.replicas)

    @property
    def removing(self) -> tuple[BrokerId, ...]:
        replicas = dict.fromkeys(self.before.replicas)
        return tuple(b for b in replicas if b not in self.target.replicas)

    @property
    def destinations(self) -> tuple[BrokerId, ...]:
        """Those who have to copy it, or go on with it."""
        return tuple(b for b in self.target.replicas if b not in self.sources)

    @property
    def incomplete(self) -> tuple[BrokerId, ...]:
        """Those who may lack something of it.

        Where its topic does not say who is being added, as before Kafka 2.4, any of those that it
        is being moved to.
        """
        is_known = self.before.is_reassigning or not self.heading
        return self.destinations if is_known else self.target.replicas

    @property
    def is_asked(self) -> bool:
        """Return whether the move still has to be requested: it is neither done nor in progress."""
        if self.heading:
            return self.heading != self.target.replicas
        return self.before.replicas != self.target.replicas

    @property
    def moves_leader(self) -> bool:
        """Whether its leader has to go; another may be elected later, too."""
        return self.leader is not None and self.leader in self.removing


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """How a request in ZooKeeper is taken back: the controller *resigning* has to resign, so
    that the next one reads what is asked for now; None where it is read without.

    *dropped* is what just leaves the request, with its targets: no controller has begun it, or ever
    will.
    """

    resigning: BrokerId | None
    dropped: Mapping[TopicPartition, tuple[BrokerId, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan:
    """*moves* in order; *before* are their topics as they were read, so that a writer can detect
    changes.

    A *withdrawal* if *moves* cancel what was requested in ZooKeeper.

    *dir_moves* are those of replicas, also of such that are to come, to log directories that they
    are not being moved to yet; brokers carry them out when the controller has been asked for
    *moves*.

    The same moves are the same plan, whatever else has changed of their topics.
    """

    moves: tuple[Move, ...]
    before: Mapping[str, TopicAssignment] = field(compare=False)
    dir_moves: tuple[DirMove, ...] = field(default=(), compare=False)
    withdrawal: Withdrawal | None = None

    @property
    def asked(self) -> tuple[Move, ...]:
        """Those that the controller has to be asked for."""
        return tuple(move for move in self.moves if move.is_asked)

    @property
    def dropped(self) -> Mapping[TopicPartition, tuple[BrokerId, ...]]:
        """What only leaves the request in ZooKeeper."""
        return {} if self.withdrawal is None else self.withdrawal.dropped

    @property
    def resigning(self) -> BrokerId | None:
        """The controller that is to resign."""
        return None if self.withdrawal is None else self.withdrawal.resigning

    @property
    def is_empty(self) -> bool:
        return not (self.moves or self.dir_moves or self.dropped)

    @property
    def targets(self) -> dict[TopicPartition, Target]:
        return {move.partition: move.target for move in self.moves}

    @property
    def current(self) -> dict[TopicPartition, Target]:
        """What takes all of it back: the replicas of now, of a move under way those before it.

        Nothing can be given back to a partition that had none.
        """
        return {
            move.partition: Target(tuple(dict.fromkeys(move.before.origin)))
            for move in self.moves
            if move.before.origin
        }

    @property
    def added(self) -> dict[BrokerId, int]:
        """How many replicas each broker gets, in order of id."""
        counts = Counter(broker for move in self.moves for broker in move.adding)
        return dict(sorted(counts.items()))

    @property
    def removed(self) -> dict[BrokerId, int]:
        """How many replicas each broker loses, in order of id."""
        counts = Counter(broker for move in self.moves for broker in move.removing)
        return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedMoves:
    """What of *plan* was asked for, the throttles that were set, and the rollback file."""

    plan: MovePlan
    partitions: Sequence[TopicPartition]
    replicas: Sequence[Replica]
    rate: int | None
    dir_rate: int | None
    rollback_file: str | None


def plan_moves(snapshot: ClusterSnapshot, targets: Targets, *, is_additional: bool) -> MovePlan:
    """Plan to move partitions to *targets*.

    *snapshot* holds all topics and their states.  *is_additional* allows it while others move.

    Raises:
        AlreadyMoving: there is a reassignment.
        StaleRequest: ZooKeeper has no room for what would be asked.
        UnfitTargets: partitions or brokers that are not there.
    """
    active = active_partitions(snapshot)
    if active and not is_additional:
        raise AlreadyMoving(
            active,
            is_in_znode=bool(snapshot.moving),
            lacks_controller=snapshot.lacks_controller,
        )
    problems = list(cluster_problems(snapshot, targets))
    if problems:
        raise UnfitTargets(problems, THERE_HINT)
    moves = tuple(
        move_of(snapshot, partition, target) for partition, target in in_order(targets).items()
    )
    if snapshot.stale_moves and any(move.is_asked for move in moves):
        raise StaleRequest(sorted(snapshot.stale_moves), snapshot.moving)
    names = sorted({partition.topic for partition in targets})
    return MovePlan(moves=moves, before={name: snapshot.topics[name].assignment for name in names})


def move_risks(snapshot: ClusterSnapshot, plan: MovePlan) -> tuple[Risk, ...]:
    """Return the risks that the topics of *plan*, which *snapshot* has with their configs, would
    have when all of it is done."""
    targets: dict[str, dict[int, tuple[BrokerId, ...]]] = {}
    for move in plan.asked:
        of_topic = targets.setdefault(move.partition.topic, {})
        of_topic[move.partition.partition] = move.target.replicas
    racks = known_racks(snapshot.brokers)
    found: list[Risk] = []
    for name, layout in targets.items():
        before = as_judged(snapshot, snapshot.topics[name])
        found += new_risks(before, replace(before, layout={**before.layout, **layout}), racks)
    return merged(found)


def running_moves(snapshot: ClusterSnapshot) -> list[Move]:
    """Return all that is being moved in *snapshot*, in order; a partition that is gone is left
    out."""
    return [
        move_of(snapshot, partition, Target(heading_of(snapshot, partition, part)))
        for partition in active_partitions(snapshot)
        if (part := part_of(snapshot, partition)) is not None
    ]


def plan_cancellation(snapshot: ClusterSnapshot, targets: Targets) -> MovePlan:
    """Plan that those partitions of *targets* that are moved, wherever to, go back to what they
    had before; of the others none is in the plan.

    The order of before is in no znode: controllers leave the replicas as they stand in the list
    of all, which begins with the target.
    """
    moves = tuple(
        replace(
            move,
            target=Target(origin := move.before.origin),
            named=named if set(named := targets[move.partition].replicas) == set(origin) else (),
        )
        for move in running_moves(snapshot)
        if move.partition in targets
    )
    names = sorted({move.partition.topic for move in moves})
    return MovePlan(moves=moves, before={name: snapshot.topics[name].assignment for name in names})


def only_reorders(snapshot: ClusterSnapshot, targets: Targets) -> bool:
    """Return whether *targets*, once nothing of them moves and all that does is given up, name
    replicas that are there, at most in another order."""
    parts = {partition: part_of(snapshot, partition) for partition in targets}
    return all(
        part is not None and set(part.origin) == set(targets[partition].replicas)
        for partition, part in parts.items()
    )


def part_of(snapshot: ClusterSnapshot, partition: TopicPartition) -> PartitionAssignment | None:
    topic = snapshot.topics.get(partition.topic)
    return None if topic is None else topic.assignment.partitions.get(partition.partition)


def move_of(snapshot: ClusterSnapshot, partition: TopicPartition, target: Target) -> Move:
    """Return the move of *partition*, which is there, to *target*."""
    topic = snapshot.topics[partition.topic]
    state = topic.states.get(partition.partition)
    before = topic.assignment.partitions[partition.partition]
    return Move(
        partition=partition,
        before=before,
        target=target,
        leader=None if state is None or state.leader < 0 else state.leader,
        heading=heading_of(snapshot, partition, before),
    )


def cluster_problems(snapshot: ClusterSnapshot, targets: Targets) -> Iterator[str]:
    """Return what of *targets* the cluster does not have, each with all its partitions."""
    unknown = [partition for partition in targets if part_of(snapshot, partition) is None]
    if unknown:
        yield f"the proposed assignment contains non-existent partitions: {listed(unknown)}"
    marked = [
        partition
        for partition in targets
        if (topic := snapshot.topics.get(partition.topic)) is not None
        and topic.is_marked_for_deletion
    ]
    if marked:
        yield f"the topics of these partitions are marked for deletion: {listed(marked)}"
    by_broker: dict[BrokerId, list[TopicPartition]] = {}
    for partition, target in targets.items():
        for broker in target.replicas:
            if broker not in snapshot.brokers:
                by_broker.setdefault(broker, []).append(partition)
    if by_broker:
        brokers = listed(f"{b} (of {first_listed(by_broker[b])})" for b in sorted(by_broker))
        yield f"the proposed assignment contains non-existent brokerIDs: {brokers}"
