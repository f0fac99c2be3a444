"""A proposal for topics on given brokers, as `--generate` makes it.

Kafka's own algorithm: it begins anywhere and knows nothing of where the replicas are now, so it
moves most of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.placement import Racks
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.errors import RefusedError
from kadmin.plan.place import NotEnoughBrokers, drawn_placement, place
from kadmin.plan.reassignment.targets import Target, Targets
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.plan.topics import racks_of
from kadmin.wording import listed

Draw: TypeAlias = Callable[[], tuple[int, int]]
"""Draws two random numbers, of any size; asked once for each topic."""


class NoReplicas(RefusedError):
    """A partition that has no replicas, and is to say how many others get."""

    def __init__(self, partition: TopicPartition) -> None:
        super().__init__(
            f"{partition} has no replicas, which are to say how many its topic gets",
            hint="give it some: kadmin reassign --execute --topic"
            f" {partition.topic} --partitions {partition.partition} --replicas BROKER[,BROKER...]",
        )
        self.partition = partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """*current* is what the topics have, and what they get where the proposal is taken back.

    *left_out* are brokers that were asked for and are not alive.  *uneven_topics* have partitions
    with different numbers of replicas: they all get as many as the first.  What had no replicas is
    missing from *current*: nothing can be given back to it.
    """

    current: Targets
    proposed: Targets
    left_out: tuple[BrokerId, ...]
    uneven_topics: tuple[str, ...]


def propose(
    snapshot: ClusterSnapshot,
    topics: Sequence[str],
    brokers: Sequence[BrokerId],
    *,
    is_rack_aware: bool,
    draw: Draw,
) -> Proposal:
    """Propose replicas on *brokers* for all partitions of *topics*, which are named once each.

    Raises:
        NoSuchTopic: names all that are not there.
        NotEnoughBrokers: fewer of *brokers* are alive than a partition is to have replicas.
        NoReplicas: a first partition has none, so that the replication factor is unknown.
        MixedRacks: the replicas have no place.
    """
    missing = [name for name in topics if name not in snapshot.topics]
    if missing:
        raise NoSuchTopic(missing)
    alive = racks_of(
        {broker: found for broker, found in snapshot.brokers.items() if broker in set(brokers)}
    )
    left_out = tuple(broker for broker in brokers if broker not in alive)
    current: dict[TopicPartition, Target] = {}
    proposed: dict[TopicPartition, Target] = {}
    uneven = []
    for name in sorted(topics):
        topic = snapshot.topics[name]
        replicas = replicas_of(topic)
        current.update({each: target for each, target in replicas.items() if target.replicas})
        if len({len(set(target.replicas)) for target in replicas.values()}) > 1:
            uneven.append(name)
        try:
            proposed.update(proposal_for(topic, alive, is_rack_aware=is_rack_aware, draw=draw))
        except NotEnoughBrokers as error:
            if not left_out:
                raise
            message = f"{error.message}; not alive: {listed(left_out)}"
            raise NotEnoughBrokers(message, error.replication_factor, error.available) from error
    return Proposal(
        current=current,
        proposed=proposed,
        left_out=left_out,
        uneven_topics=tuple(uneven),
    )


def replicas_of(topic: TopicSnapshot) -> Mapping[TopicPartition, Target]:
    """Return what the partitions of *topic* have; of one that is being moved also what comes and
    goes."""
    return {
        TopicPartition(topic.name, number): Target(part.replicas)
        for number, part in topic.assignment.partitions.items()
    }


def proposal_for(
    topic: TopicSnapshot, racks: Racks, *, is_rack_aware: bool, draw: Draw
) -> Mapping[TopicPartition, Target]:
    partitions = topic.assignment.partitions
    if not partitions:
        return {}
    # While it is moved, a partition has more replicas than it is to have.
    number, first = next(iter(partitions.items()))
    factor = len(set(first.target))
    if not factor:
        raise NoReplicas(TopicPartition(topic.name, number))
    layout = place(
        racks,
        partition_count=len(partitions),
        replication_factor=factor,
        placement=drawn_placement(draw(), len(racks), is_rack_aware=is_rack_aware),
    )
    # Its partitions may be numbered with holes, which Kafka's tool closes by names of others.
    return {
        TopicPartition(topic.name, number): Target(replicas)
        for number, replicas in zip(partitions, layout.values(), strict=True)
    }
