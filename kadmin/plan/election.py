"""Leader elections: which leaders would move, which cannot, and why?

Pure: a snapshot and partitions in, a plan out.  How many records an unclean election may cost is
known to brokers alone.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from cluster.model import fault as subjects
from cluster.model.fault import Subject
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState

BATCH_MAX: Final = 2_000
"""Partitions that are asked for at once.

So many fit into a znode whatever their topics are called, of which ZooKeeper takes 1 MB, and no
controller has to do more than that while a client waits for its answer.
"""


class ElectionType(StrEnum):
    """Kafka's words for `--election-type`."""

    PREFERRED = "preferred"
    UNCLEAN = "unclean"


NO_REPLICAS: Final = "it has no replicas"
NO_PARTITION: Final = "there is no such partition"


class Prospect(Enum):
    """What an election would do for a partition; the value is for an operator."""

    MOVES = "gets another leader"
    VALID = "has the leader already that it is to have"
    IMPOSSIBLE = "cannot get that leader"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionElection:
    """*leader* leads now and *elected* would lead; None means no broker.

    *reason* explains why an election is impossible.  *loses_records* where *elected* is not in the
    ISR: records that it has not copied are lost.  *isr* are the replicas that have all records, all
    dead in that case.
    """

    partition: TopicPartition
    prospect: Prospect
    leader: BrokerId | None = None
    elected: BrokerId | None = None
    reason: str = ""
    loses_records: bool = False
    isr: tuple[BrokerId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionPlan:
    """The elections that are requested at once, in order of partition; only those with a new leader
    are requested.

    *right_count* is how many more partitions were looked at, and have the right leader already.
    *end_offsets* has the log end offsets of the living replicas, by broker, where an election loses
    records; those that no broker returned are missing.
    """

    kind: ElectionType
    elections: tuple[PartitionElection, ...]
    right_count: int = field(default=0, compare=False)
    end_offsets: Mapping[TopicPartition, Mapping[BrokerId, int]] = field(
        default_factory=dict, compare=False
    )

    @property
    def moving(self) -> tuple[PartitionElection, ...]:
        return tuple(each for each in self.elections if each.prospect is Prospect.MOVES)

    @property
    def losing(self) -> tuple[PartitionElection, ...]:
        return tuple(each for each in self.elections if each.loses_records)


Judge: TypeAlias = Callable[
    [TopicPartition, PartitionAssignment, PartitionState, Container[BrokerId]], PartitionElection
]


def all_partitions(snapshot: ClusterSnapshot) -> Iterator[TopicPartition]:
    """Return those of all topics that are not about to go, but for those whose state is damaged."""
    damaged = {fault.subject for fault in snapshot.faults}
    for topic in snapshot.topics.values():
        if not topic.is_marked_for_deletion:
            for number in sorted(topic.assignment.partitions):
                partition = TopicPartition(topic.name, number)
                if state_subject(partition) not in damaged:
                    yield partition


def state_subject(partition: TopicPartition) -> Subject:
    """Return what a fault is about that hides the state of *partition*."""
    return subjects.partition_state(partition)


def plan_election(
    snapshot: ClusterSnapshot, kind: ElectionType, partitions: Iterable[TopicPartition]
) -> list[PartitionElection]:
    """Return what an election of *kind* would do for each of *partitions*, in their order.

    *snapshot* holds their topics with states.
    """
    judge = judge_preferred if kind is ElectionType.PREFERRED else judge_unclean
    return [election_of(snapshot, partition, judge) for partition in partitions]


def in_batches(
    elections: Sequence[PartitionElection],
) -> list[tuple[PartitionElection, ...]]:
    """Return *elections* in order of partition, of which no more than `BATCH_MAX` move in each
    batch.

    Those that do not move stand in the first batch, which there is even if it is empty.
    """
    ordered = sorted(elections, key=lambda election: election.partition)
    moving = [each for each in ordered if each.prospect is Prospect.MOVES]
    still = [each for each in ordered if each.prospect is not Prospect.MOVES]
    first = sorted([*still, *moving[:BATCH_MAX]], key=lambda election: election.partition)
    rest = range(BATCH_MAX, len(moving), BATCH_MAX)
    return [tuple(first), *(tuple(moving[start : start + BATCH_MAX]) for start in rest)]


def election_of(
    snapshot: ClusterSnapshot, partition: TopicPartition, judge: Judge
) -> PartitionElection:
    topic = snapshot.topics.get(partition.topic)
    reason = reason_against(topic, partition.partition)
    if reason is not None:
        return PartitionElection(partition=partition, prospect=Prospect.IMPOSSIBLE, reason=reason)
    assert topic is not None
    part = topic.assignment.partitions[partition.partition]
    return judge(partition, part, topic.states[partition.partition], snapshot.live)


def reason_against(topic: TopicSnapshot | None, number: int) -> str | None:
    """Return why there can be no election at all."""
    if topic is None or number not in topic.assignment.partitions:
        return NO_PARTITION
    if topic.is_marked_for_deletion:
        return "its topic is marked for deletion"
    if not topic.assignment.partitions[number].replicas:
        return NO_REPLICAS
    if number not in topic.states:
        return "no controller has taken it up yet"
    return None


def judge_preferred(
    partition: TopicPartition,
    part: PartitionAssignment,
    state: PartitionState,
    live: Container[BrokerId],
) -> PartitionElection:
    """Judge a preferred election: the first replica leads if it is alive and in the ISR.

    Source: Kafka's controller.
    """
    leader = known(state.leader)
    preferred = part.preferred_leader
    if leader == preferred and leader in live:
        return PartitionElection(
            partition=partition, prospect=Prospect.VALID, leader=leader, elected=leader
        )
    if preferred not in live:
        reason = f"broker {preferred}, its preferred leader, is not alive"
    elif preferred not in state.isr:
        reason = f"broker {preferred}, its preferred leader, is not in the ISR"
    else:
        return PartitionElection(
            partition=partition, prospect=Prospect.MOVES, leader=leader, elected=preferred
        )
    return PartitionElection(
        partition=partition, prospect=Prospect.IMPOSSIBLE, leader=leader, reason=reason
    )


def judge_unclean(
    partition: TopicPartition,
    part: PartitionAssignment,
    state: PartitionState,
    live: Container[BrokerId],
) -> PartitionElection:
    """Judge an unclean election: only a partition without a living leader gets one.

    A member of the ISR if one is alive, else the first replica that is, as Kafka's controller does.
    """
    leader = known(state.leader)
    if leader is not None and leader in live:
        return PartitionElection(
            partition=partition, prospect=Prospect.VALID, leader=leader, elected=leader
        )
    candidates = [broker for broker in part.replicas if broker in live]
    if not candidates:
        return PartitionElection(
            partition=partition,
            prospect=Prospect.IMPOSSIBLE,
            leader=leader,
            reason="none of its replicas is alive",
        )
    elected = next((broker for broker in candidates if broker in state.isr), candidates[0])
    return PartitionElection(
        partition=partition,
        prospect=Prospect.MOVES,
        leader=leader,
        elected=elected,
        loses_records=elected not in state.isr,
        isr=state.isr,
    )


def has_another_leader(election: PartitionElection, leader: BrokerId) -> bool:
    """Return whether *leader*, who leads now, is another one than when *election* was planned."""
    return known(leader) not in (None, election.leader)


def known(leader: BrokerId) -> BrokerId | None:
    """Return *leader*, unless it is one of the numbers that stand for none."""
    return None if leader < 0 else leader


def loss_warnings(plan: ElectionPlan) -> Iterator[str]:
    """Return what each election of *plan* may cost whose new leader is not in the ISR."""
    for election in plan.losing:
        assert election.elected is not None
        ends = dict(plan.end_offsets.get(election.partition, {}))
        end = ends.pop(election.elected, None)
        yield (
            f"{election.partition}: broker {election.elected} is not in the ISR;"
            " what it has not copied is lost"
            + ("" if end is None else f", and its log ends at offset {end}")
            + "".join(
                f"; that of broker {broker} ends at {other}{more_text(other, end)}"
                for broker, other in sorted(ends.items())
            )
            + dead_text(election)
        )


def dead_text(election: PartitionElection) -> str:
    """Name the dead replicas that have all records, and state that their number is unknown."""
    if not election.isr:
        return ""
    names = ", ".join(map(str, sorted(election.isr)))
    if len(election.isr) == 1:
        return f"; broker {names}, which has all of it, is dead, so how much more is not known"
    return f"; brokers {names}, which have all of it, are dead, so how much more is not known"


def more_text(other: int, end: int | None) -> str:
    if end is None or other <= end:
        return ""
    return f", {other - end} records further"
