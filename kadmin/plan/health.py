"""The health of a partition, judged by the snapshot alone.

The caller decides what to show.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from cluster.model import fault as subjects
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import LISTS_MAX, RECOVERED, PartitionAssignment, PartitionState
from kadmin.plan.risks import min_isr_in


class Finding(StrEnum):
    """One thing about a partition that an operator would want to know, worst first."""

    NO_STATE = "no state yet"
    STATE_UNREADABLE = "state unreadable"
    """The state cannot be read: whether the partition is healthy is unknown."""
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    """A broker that has a replica reports that it does not serve it."""
    UNDER_MIN_ISR = "under min ISR"
    UNDER_REPLICATED = "under-replicated"
    NO_REPLICAS = "no replicas"
    STRANGERS = "no replica in the ISR"
    """Brokers that hold no replica are in its ISR, or lead it; JSON and CSV have this name."""
    REPEATED_REPLICAS = "replica named twice"
    CONTROLLER_EPOCH_AHEAD = "controller epoch ahead"
    """The controller epoch of its state is above the current one: no leader is elected for it."""
    AT_MIN_ISR = "at min ISR"
    NON_PREFERRED_LEADER = "leader not preferred"
    REASSIGNING = "reassigning"
    RECOVERING = "leader recovering"


BAD_FINDINGS: Final = frozenset(
    {
        Finding.UNAVAILABLE,
        Finding.REFUSED,
        Finding.UNDER_MIN_ISR,
        Finding.UNDER_REPLICATED,
        Finding.NO_STATE,
        Finding.STATE_UNREADABLE,
        Finding.NO_REPLICAS,
        Finding.STRANGERS,
        Finding.REPEATED_REPLICAS,
        Finding.CONTROLLER_EPOCH_AHEAD,
    }
)


NOBODY: Final[Mapping[BrokerId, str]] = MappingProxyType({})

CONTROLLER_EPOCH_MAX: Final = 2**31 - 1
"""No state is ahead of it: for a cluster whose controller epoch is not known."""


class PartitionView(NamedTuple):
    """A partition with its state and the findings on it; *state* is None before its first leader.

    *min_isr* is the number below which a write with acks=all is refused.  *leaderless_since_ms* is
    when it lost its leader, None where it has one or the time is unknown.  A tuple for the reason
    of `PartitionState`.
    """

    topic: str
    partition: int
    assignment: PartitionAssignment
    state: PartitionState | None
    min_isr: int
    findings: tuple[Finding, ...]
    leaderless_since_ms: int | None = None
    refused_by: Mapping[BrokerId, str] = NOBODY
    """The brokers that should serve it and do not, each with its reason."""

    @property
    def leader(self) -> BrokerId | None:
        """The leader, None when there is none."""
        if self.state is None or self.state.leader == NO_LEADER:
            return None
        return self.state.leader

    @property
    def isr(self) -> tuple[BrokerId, ...]:
        return self.state.isr if self.state is not None else ()

    @property
    def isr_members(self) -> frozenset[BrokerId]:
        """Who of the ISR has a replica: only they count for min ISR."""
        return members_of(self.assignment.replicas, self.isr)

    @property
    def non_replicas(self) -> tuple[BrokerId, ...]:
        """The brokers that its state names and that are to have no replica, in order of id."""
        return () if self.state is None else non_replicas_in(self.assignment, self.state)


def judge_topic(
    snapshot: ClusterSnapshot, topic: TopicSnapshot, default_min_isr: int
) -> list[PartitionView]:
    """Judge every partition of *topic*, in order of their ids.

    *default_min_isr* counts where neither the topic nor the brokers' dynamic default sets it.
    """
    min_isr = min_isr_of(topic, snapshot, default_min_isr)
    brokers = snapshot.live
    damaged = {fault.subject for fault in snapshot.faults}
    refusals = refusals_in(snapshot)
    known = snapshot.controller_epoch
    newest = CONTROLLER_EPOCH_MAX if known is None else known.epoch
    views = []
    for partition, assignment in topic.assignment.partitions.items():
        state = topic.states.get(partition)
        findings: tuple[Finding, ...] = ()
        if (
            state is None
            and damaged
            and subjects.partition_state(TopicPartition(topic.name, partition)) in damaged
        ):
            findings = (Finding.STATE_UNREADABLE, *damage_in(assignment, None))
        elif state is None or not is_sound(assignment, state, brokers, min_isr, newest):
            findings = tuple(judge(assignment, state, brokers, min_isr, newest))
        since_ms = topic.leaderless_since_ms.get(partition)
        refused_by = NOBODY
        if refusals:
            refused_by = refusals.get(TopicPartition(topic.name, partition), NOBODY)
        if refused_by:
            findings = tuple(with_refusal(findings, state, refused_by))
        views.append(
            PartitionView(
                topic.name, partition, assignment, state, min_isr, findings, since_ms, refused_by
            )
        )
    return views


def refusals_in(snapshot: ClusterSnapshot) -> dict[TopicPartition, dict[BrokerId, str]]:
    """Return the partitions that live brokers say that they do not serve, with their reasons."""
    found: dict[TopicPartition, dict[BrokerId, str]] = {}
    for broker, registered in snapshot.brokers.items():
        for partition, reason in registered.refused.items():
            found.setdefault(partition, {})[broker] = reason
    return found


def with_refusal(
    findings: Iterable[Finding], state: PartitionState | None, refused_by: Mapping[BrokerId, str]
) -> Iterable[Finding]:
    """Return *findings* of a partition that brokers refuse: without a leader that serves it, it
    is unavailable."""
    found = {Finding.REFUSED, *findings}
    if state is not None and state.leader in refused_by:
        found.add(Finding.UNAVAILABLE)
    return (finding for finding in Finding if finding in found)


@lru_cache(LISTS_MAX)
def members_of(replicas: tuple[BrokerId, ...], isr: tuple[BrokerId, ...]) -> frozenset[BrokerId]:
    """Return the members of *isr* that are *replicas*, each once; few pairs, each of many
    partitions."""
    return frozenset(replicas).intersection(isr)


@lru_cache(LISTS_MAX)
def is_same_set(replicas: tuple[BrokerId, ...], isr: tuple[BrokerId, ...]) -> bool:
    """Return whether both name the same brokers, each once."""
    return len(replicas) == len(isr) == len(members_of(replicas, isr))


def non_replicas_in(assignment: PartitionAssignment, state: PartitionState) -> tuple[BrokerId, ...]:
    named = {state.leader, *state.isr} - {NO_LEADER}
    return tuple(sorted(named.difference(assignment.replicas)))


def needed_brokers(view: PartitionView, brokers: Container[BrokerId]) -> tuple[BrokerId, ...]:
    """Return the brokers of which one must come back for the partition to have a leader without
    loss.

    Those are its ISR, if it has no live leader and all of them are dead; none otherwise: where one
    is alive, the controller elects it.
    """
    if view.leader in brokers or any(replica in brokers for replica in view.isr):
        return ()
    return view.isr


def is_sound(
    assignment: PartitionAssignment,
    state: PartitionState,
    brokers: Container[BrokerId],
    min_isr: int,
    newest: int,
) -> bool:
    """Return whether `judge` would find nothing; most partitions are so, and this is much
    quicker."""
    replicas, adding, removing = assignment
    return (
        min_isr < len(state.isr)
        and is_same_set(replicas, state.isr)
        and state.leader == replicas[0]
        and state.leader in brokers
        and state.controller_epoch <= newest
        and not adding
        and not removing
        and state.leader_recovery_state == RECOVERED
    )


def judge(
    assignment: PartitionAssignment,
    state: PartitionState | None,
    brokers: Container[BrokerId],
    min_isr: int,
    newest: int,
) -> Iterable[Finding]:
    """Return the findings of one partition, worst first.

    *newest* is the epoch of the last controller.

    As Kafka's tools have it: under-replicated when replicas are out of the ISR, not counting those
    that a reassignment adds, unavailable without a leader that is alive, under min ISR also without
    a leader, at min ISR with or without one.
    Kafka's tools count entries of lists; here the members of sets count, whatever stands there.
    """
    isr_size = 0 if state is None else len(members_of(assignment.replicas, state.isr))
    replica_count = len(set(assignment.replicas) - set(assignment.adding))
    has_leader = state is not None and state.leader != NO_LEADER
    if state is None:
        yield Finding.NO_STATE
    if state is None or state.leader not in brokers:
        yield Finding.UNAVAILABLE
    if not has_leader or isr_size < min_isr:
        yield Finding.UNDER_MIN_ISR
    if isr_size < replica_count:
        yield Finding.UNDER_REPLICATED
    yield from damage_in(assignment, state)
    if state is not None and state.controller_epoch > newest:
        yield Finding.CONTROLLER_EPOCH_AHEAD
    if isr_size == min_isr:
        yield Finding.AT_MIN_ISR
    if state is not None and has_leader and state.leader != assignment.preferred_leader:
        yield Finding.NON_PREFERRED_LEADER
    if assignment.is_reassigning:
        yield Finding.REASSIGNING
    if state is not None and state.leader_recovery_state != RECOVERED:
        yield Finding.RECOVERING


def damage_in(assignment: PartitionAssignment, state: PartitionState | None) -> Iterable[Finding]:
    """Return what no controller would have written."""
    if not assignment.replicas:
        yield Finding.NO_REPLICAS
    if state is not None and non_replicas_in(assignment, state):
        yield Finding.STRANGERS
    if len(set(assignment.replicas)) < len(assignment.replicas):
        yield Finding.REPEATED_REPLICAS


def min_isr_of(topic: TopicSnapshot, snapshot: ClusterSnapshot, default: int) -> int:
    return min_isr_in((topic.config.values, snapshot.broker_defaults.values), default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How many replicas, leaders and preferred leaders a broker has.

    Skews are in percent over the mean, rounded: of replicas among all brokers that have or could
    have some, of leaders among the live ones; 0 when the mean is 0.  They are None where there is
    no broker to compare with.
    """

    replicas: int
    leaders: int
    preferred_leaders: int
    replica_skew_percent: int | None
    leader_skew_percent: int | None


def judge_loads(snapshot: ClusterSnapshot) -> dict[BrokerId, Load]:
    """Return the load of every broker that is registered, and of every dead one that still has
    replicas."""
    replicas: Counter[BrokerId] = Counter()
    leaders: Counter[BrokerId] = Counter()
    preferred: Counter[BrokerId] = Counter()
    for topic in snapshot.topics.values():
        for partition in topic.assignment.partitions.values():
            replicas.update(set(partition.replicas))
            preferred[partition.preferred_leader] += 1
        leaders.update(state.leader for state in topic.states.values())
    brokers = sorted((snapshot.brokers.keys() | snapshot.fenced | replicas.keys()) - {NO_LEADER})
    live = len(snapshot.brokers)
    return {
        broker: Load(
            replicas=replicas[broker],
            leaders=leaders[broker],
            preferred_leaders=preferred[broker],
            replica_skew_percent=skew_percent(replicas[broker], replicas.total(), len(brokers)),
            leader_skew_percent=skew_percent(
                leaders[broker], leaders.total() - leaders[NO_LEADER], live
            ),
        )
        for broker in brokers
    }


def skew_percent(count: int, total: int, brokers: int) -> int | None:
    if brokers < 2:
        return None
    return round(100 * (count * brokers - total) / total) if total else 0
