"""Partitions that a scenario does not touch, which are counted and not simulated.

The controller decides on each partition alone, by its own replicas.
"""

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field, replace

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState
from kadmin.plan.reassignment.sizes import Sizes
from kadmin.simulation.scenario import Scenario


@dataclass(slots=True)
class Load:
    """How many partitions there are, and what brokers have of them; a replica counts once."""

    partition_count: int = 0
    replicas: Counter[BrokerId] = field(default_factory=Counter)
    leaders: Counter[BrokerId] = field(default_factory=Counter)
    size_bytes: Counter[BrokerId] = field(default_factory=Counter)

    def add(
        self,
        partition: TopicPartition,
        replicas: tuple[BrokerId, ...],
        leader: BrokerId | None,
        sizes: Sizes,
    ) -> None:
        self.partition_count += 1
        self.replicas.update(frozenset(replicas))
        if leader is not None:
            self.leaders[leader] += 1
        if partition in sizes:
            self.size_bytes.update(bytes_of(partition, replicas, sizes))


def divide(
    cluster: ClusterSnapshot, scenario: Scenario, sizes: Sizes
) -> tuple[ClusterSnapshot, Load]:
    """Return *cluster* with those partitions alone that *scenario* may touch, and the others."""
    others = Load()
    brokers = scenario.killed | scenario.added.keys()
    live = cluster.brokers.keys()
    topics = {}
    for name, topic in cluster.topics.items():
        touched: dict[int, PartitionAssignment] = {}
        for number, assignment in topic.assignment.partitions.items():
            partition, state = TopicPartition(name, number), topic.states.get(number)
            if (
                state is None
                or partition in scenario.targets
                or partition in cluster.moving
                or may_change(assignment, state, brokers, live)
            ):
                touched[number] = assignment
                continue
            others.add(partition, assignment.replicas, state.leader, sizes)
        if touched:
            states = {number: state for number, state in topic.states.items() if number in touched}
            topics[name] = replace(
                topic, assignment=replace(topic.assignment, partitions=touched), states=states
            )
    return replace(cluster, topics=topics), others


def may_change(
    assignment: PartitionAssignment,
    state: PartitionState,
    brokers: Set[BrokerId],
    live: Set[BrokerId],
) -> bool:
    """Return whether the controller has anything to do when *brokers* come or go."""
    return (
        state.leader not in live
        or assignment.is_reassigning
        or not brokers.isdisjoint(assignment.replicas)
        or not brokers.isdisjoint((state.leader, *state.isr))
    )


def bytes_of(
    partition: TopicPartition, replicas: tuple[BrokerId, ...], sizes: Sizes
) -> dict[BrokerId, int]:
    """Return the bytes of each of *replicas*: those of the largest one for a replica that is not
    there yet, and none where none is known."""
    known = sizes.get(partition)
    if not known:
        return {}
    most = max(known.values())
    return {replica: known.get(replica, most) for replica in replicas}
