"""Partitions that fare alike in a scenario: one of each kind is simulated, and stands for all.

The controller decides on each partition alone, by the order of its brokers, by that of their ids,
and by which of them live, fail or start, but by no id as such.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.stages import Stage

Brokers: TypeAlias = tuple[BrokerId, ...]


class Member(NamedTuple):
    """A partition, the *sample* that is simulated for it, and the brokers of both, in which those
    at one place fare alike."""

    partition: TopicPartition
    sample: TopicPartition
    brokers: Brokers
    sample_brokers: Brokers


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The samples as *cluster*, what happens to them as *scenario*, and all *members* in order."""

    cluster: ClusterSnapshot
    scenario: Scenario
    members: tuple[Member, ...]


def samples_of(cluster: ClusterSnapshot, scenario: Scenario) -> Samples:
    members = tuple(members_of(cluster, scenario))
    samples = {member.sample for member in members}
    others = {member.partition for member in members} - samples
    topics = {}
    for name, topic in cluster.topics.items():
        partitions = {
            number: assignment
            for number, assignment in topic.assignment.partitions.items()
            if TopicPartition(name, number) in samples
        }
        if partitions:
            topics[name] = replace(
                topic,
                assignment=replace(topic.assignment, partitions=partitions),
                states={key: state for key, state in topic.states.items() if key in partitions},
            )
    return Samples(
        cluster=replace(cluster, topics=topics, moving=without(cluster.moving, others)),
        scenario=replace(scenario, targets=without(scenario.targets, others)),
        members=members,
    )


def without(
    targets: Mapping[TopicPartition, Brokers], others: set[TopicPartition]
) -> dict[TopicPartition, Brokers]:
    return {partition: target for partition, target in targets.items() if partition not in others}


def members_of(cluster: ClusterSnapshot, scenario: Scenario) -> Iterator[Member]:
    """Return each partition of *cluster* with its sample, the first one that fares alike."""
    samples: dict[object, tuple[TopicPartition, Brokers]] = {}
    fates = dict.fromkeys(cluster.brokers, "live")
    fates |= dict.fromkeys(scenario.added, "added") | dict.fromkeys(scenario.killed, "killed")
    for name, topic in cluster.topics.items():
        unclean = topic.config.values.get(UNCLEAN_LEADER_ELECTION)
        for number, assignment in topic.assignment.partitions.items():
            partition, state = TopicPartition(name, number), topic.states.get(number)
            lists = (
                *assignment,
                () if state is None else (state.leader, *state.isr),
                cluster.moving.get(partition),
                scenario.targets.get(partition),
            )
            # A controller leaves states of a later one alone.
            rest = None if state is None else (state.leader_recovery_state, state.controller_epoch)
            brokers, pattern = pattern_of(lists, fates)
            sample = samples.setdefault((unclean, rest, pattern), (partition, brokers))
            yield Member(partition, sample[0], brokers, sample[1])


def pattern_of(
    lists: Iterable[Brokers | None], fates: Mapping[BrokerId, str]
) -> tuple[Brokers, object]:
    """Return the brokers of *lists*, each once, and what is left of *lists* without their ids."""
    places: dict[BrokerId, int] = {NO_LEADER: 0}
    numbered = tuple(
        None if each is None else tuple([places.setdefault(broker, len(places)) for broker in each])
        for each in lists
    )
    order = tuple([place for _, place in sorted(places.items(), key=itemgetter(0))])
    return tuple(places), (numbered, order, tuple(map(fates.get, places)))


def spread(stages: Iterable[Stage], members: Iterable[Member]) -> Iterator[Stage]:
    """Return *stages* of the samples as those of all *members*.

    What stays the same from one stage to the next is the same object, as it is for the samples.
    """
    members = tuple(members)
    old = new = Stage({}, {}, frozenset())
    old_all = Stage({}, {}, frozenset())
    for new in stages:
        assignments: dict[TopicPartition, PartitionAssignment] = {}
        states: dict[TopicPartition, PartitionState] = {}
        for partition, sample, brokers, sample_brokers in members:
            names = None if partition == sample else dict(zip(sample_brokers, brokers, strict=True))
            assignment, state = new.assignments[sample], new.states.get(sample)
            if assignment is old.assignments.get(sample):
                assignments[partition] = old_all.assignments[partition]
            else:
                assignments[partition] = renamed(assignment, names)
            if state is None:
                continue
            if state is old.states.get(sample):
                states[partition] = old_all.states[partition]
            else:
                states[partition] = renamed_state(state, names)
        old, old_all = new, Stage(assignments, states, new.live)
        yield old_all


def renamed(
    assignment: PartitionAssignment, names: Mapping[BrokerId, BrokerId] | None
) -> PartitionAssignment:
    if names is None:
        return assignment
    return PartitionAssignment(*(tuple([names[each] for each in part]) for part in assignment))


def renamed_state(
    state: PartitionState, names: Mapping[BrokerId, BrokerId] | None
) -> PartitionState:
    if names is None:
        return state
    isr = tuple([names[each] for each in state.isr])
    return state._replace(leader=names[state.leader], isr=isr)
