"""Topics that are created, grow or are deleted by hand, and what the controller does then.

Deletion by request is in `deletion`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from cluster.controller import partitions, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.election import Strategy
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import Procedure, fenced
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.coordination import reads, writes
from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed
from cluster.model.topic import TopicAssignment
from cluster.model.topic_name import topic_name_problem
from cluster.statechange.line import Level
from cluster.zk.requests import Refused

VERSION_WITH_IDS: Final = 3


def refresh_topics(active: ActiveController) -> Procedure[tuple[str, ...]]:
    """Add new topics and forget those that are gone; returns all existing topics.

    A topic whose node was removed by hand is only forgotten: its replicas stay where they are.
    """
    context = active.context
    topics = yield from reads.read_topics()
    there = frozenset(nameable(active, topics))
    gone = tuple(topic for topic in context.topics if topic not in there)
    requested = tuple(topic for topic in gone if topic in context.topics_to_be_deleted)
    for topic in gone:
        context.forget_topic(topic)
        active.note(f"topic={topic} forgotten: its znode is gone", Level.WARN)
    if requested:
        yield from fenced(writes.delete_deletion_requests(active.fence, requested))
    new = tuple(topic for topic in topics if topic in there and topic not in context.topics)
    yield from take_up(active, new)
    return topics


def refresh_written(active: ActiveController, topics: tuple[str, ...]) -> Procedure[None]:
    """Add the new partitions of *topics*; of a topic that is to be deleted, undo the addition.

    Only reassignment changes the replicas of known partitions, so those in the node are ignored.  A
    node that is written between the read and its processing here is read again: the read has armed
    its watch.
    """
    read = yield from reads.read_assignments(active.client, topics)
    for topic, assignment in read.items():
        yield from absorb(active, topic, assignment)


def absorb(active: ActiveController, topic: str, assignment: TopicAssignment) -> Procedure[None]:
    """Process the content of the node of *topic*; see `refresh_written`."""
    context = active.context
    known = context.topics.get(topic)
    if known is not None and is_another(known, assignment):
        active.note(f"topic={topic} was removed and made again: its id is another")
        context.forget_topic(topic)
        known = None
    if known is None:
        yield from take_up(active, (topic,))
    elif topic not in context.topics_to_be_deleted:
        yield from on_new_partitions(active, context.set_topic(topic, assignment))
    elif assignment.partitions.keys() - known.partitions.keys():
        restored = replace(assignment, partitions=known.partitions)
        active.note(f"topic={topic} gets no new partitions: it is being deleted", Level.WARN)
        # After a conflict the node has been written again, which causes another event.
        result = yield from fenced(writes.write_assignment(active.fence, topic, restored))
        if isinstance(result, Committed):
            context.topics[topic] = replace(restored, zk_version=result.zk_version)
    else:
        context.topics[topic] = replace(known, zk_version=assignment.zk_version)


def nameable(active: ActiveController, topics: tuple[str, ...]) -> tuple[str, ...]:
    """Those of *topics*, all existing ones, that have valid names; the others are ignored.

    Brokers could turn an invalid name into another path on their disks.  Each is logged once.
    """
    problems = {topic: topic_name_problem(topic) for topic in topics}
    refused = {topic: problem for topic, problem in problems.items() if problem is not None}
    known = active.context.refused_topics
    for topic, problem in refused.items():
        if topic not in known:
            active.note(f"topic={topic!r} is left alone: {problem}; remove its znode", Level.ERROR)
    active.context.refused_topics = dict.fromkeys(refused)
    return tuple(topic for topic in topics if topic not in refused)


def is_another(known: TopicAssignment, read: TopicAssignment) -> bool:
    """Whether two nodes of one name are two topics; False where an id is missing."""
    return None not in (known.topic_id, read.topic_id) and known.topic_id != read.topic_id


def take_up(active: ActiveController, topics: tuple[str, ...]) -> Procedure[None]:
    """Start *topics*; those that are gone already, or are damaged, are left out."""
    added = yield from learn(active, topics)
    yield from on_new_partitions(active, added)


def learn(
    active: ActiveController, topics: tuple[str, ...]
) -> Procedure[tuple[TopicPartition, ...]]:
    """Read the assignments of *topics* and give ids to those that have none; returns their
    partitions.
    """
    read = yield from reads.read_assignments(active.client, topics)
    added: list[TopicPartition] = []
    for topic, assignment in read.items():
        if assignment.topic_id is None and active.config.gives_topic_ids:
            with_id = yield from _give_id(active, topic, assignment)
            if with_id is not None:
                added += active.context.set_topic(topic, with_id)
        else:
            added += active.context.set_topic(topic, assignment)
    return tuple(added)


def _give_id(
    active: ActiveController, topic: str, assignment: TopicAssignment
) -> Procedure[TopicAssignment | None]:
    """*assignment* with an id, as then stored in ZooKeeper; None when the topic is gone.

    Written before the topic is published: two controllers in a row would publish two ids.
    """
    while True:
        version = max(assignment.version, VERSION_WITH_IDS)
        with_id = replace(assignment, topic_id=active.new_topic_id(), version=version)
        result = yield from fenced(writes.write_assignment(active.fence, topic, with_id))
        if isinstance(result, Committed):
            return replace(with_id, zk_version=result.zk_version)
        if isinstance(result, Refused):
            return assignment
        # Another writer changed the node; or this one did, and its answer was lost.
        read = yield from reads.read_assignments(active.client, (topic,))
        if topic not in read or read[topic].topic_id is not None:
            return read.get(topic)
        assignment = read[topic]


def on_new_partitions(active: ActiveController, added: Sequence[TopicPartition]) -> Procedure[None]:
    """Start partitions whose replicas have just become known; very many go in turns."""
    context = active.context
    # Kafka's order.  Replicas are new before their partition has a state: made new afterwards, each
    # would be ordered to join a partition that has a leader already.
    partitions.make_new(active, added)
    replicas.make_new(active, _replicas_of(active, added))
    context.to_be_started |= dict.fromkeys(added)
    yield from start_some(active)


def start_some(active: ActiveController) -> Procedure[None]:
    """Give the next of the new partitions their first leaders.

    What happened since they became known counts: replicas of brokers that have gone are Offline and
    stay so, and a topic that is being deleted gets no leaders.
    """
    context = active.context
    turn = tuple(islice(context.to_be_started, active.config.partitions_in_a_turn))
    for partition in turn:
        del context.to_be_started[partition]
    new = [p for p in turn if context.partition_status(p) is PartitionStatus.NEW]
    yield from partitions.bring_online(active, new, Strategy.OFFLINE)
    members = _replicas_of(active, new)
    yield from replicas.bring_online(
        active, [one for one in members if context.replica_status(one) is ReplicaStatus.NEW]
    )


def _replicas_of(
    active: ActiveController, several: Iterable[TopicPartition]
) -> tuple[Replica, ...]:
    return tuple(
        Replica(replica, partition)
        for partition in several
        for replica in active.context.assignments[partition].replicas
    )
