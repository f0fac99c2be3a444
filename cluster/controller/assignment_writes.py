"""Assignments of partitions, written into the nodes of their topics, each node once.

A reassignment writes them as it begins and as it ends.  What else a node has stays in it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cluster.controller.active_controller import ActiveController
from cluster.controller.procedures import Procedure, require_fence
from cluster.controller.topics import absorb, is_another
from cluster.coordination import reads, writes
from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed
from cluster.model.topic import PartitionAssignment
from cluster.statechange.line import Level
from cluster.zk.requests import Refused

VERSION_WITH_MOVES: Final = 2
"""The first version of a topic's node that has the added and removed replicas."""
TOPICS_AT_ONCE_MAX: Final = 50
"""So many nodes of topics, which may be large, are written together."""


def write_assignments(
    active: ActiveController, wanted: Mapping[TopicPartition, PartitionAssignment]
) -> Procedure[dict[TopicPartition, None]]:
    """Write the replicas of partitions; returns those that are written: the others fail for good.

    A node's other content is kept: after a conflict it is read again.  That also adds partitions
    that another writer has added, as their own event would.
    """
    of_topics: dict[str, dict[int, PartitionAssignment]] = {}
    for (topic, number), assignment in wanted.items():
        of_topics.setdefault(topic, {})[number] = assignment
    names = tuple(of_topics)
    written: dict[TopicPartition, None] = {}
    for first in range(0, len(names), TOPICS_AT_ONCE_MAX):
        part = {name: of_topics[name] for name in names[first : first + TOPICS_AT_ONCE_MAX]}
        written |= yield from _write_topics(active, part)
    return {each: None for each in wanted if each in written}


def _write_topics(
    active: ActiveController, of_topics: Mapping[str, Mapping[int, PartitionAssignment]]
) -> Procedure[dict[TopicPartition, None]]:
    context = active.context
    written: dict[TopicPartition, None] = {}
    while of_topics:
        nodes = {
            topic: replace(
                known := context.topics[topic],
                partitions={**known.partitions, **changed},
                version=max(known.version, VERSION_WITH_MOVES),
            )
            for topic, changed in of_topics.items()
        }
        outcomes = yield from writes.write_assignments(active.fence, nodes)
        failed = {}
        for topic, outcome in outcomes.items():
            require_fence(outcome)
            if isinstance(outcome, Committed):
                context.topics[topic] = replace(nodes[topic], zk_version=outcome.zk_version)
                written |= {TopicPartition(topic, number): None for number in of_topics[topic]}
            else:
                failed[topic] = of_topics[topic]
        read = yield from reads.read_assignments(active.client, tuple(failed))
        of_topics = {}
        for topic, changed in failed.items():
            is_there = topic in read and not is_another(context.topics[topic], read[topic])
            is_refused = isinstance(outcomes[topic], Refused)
            if is_there and not is_refused:
                yield from absorb(active, topic, read[topic])
                of_topics[topic] = changed
            elif is_there and len(changed) > 1:
                # All of them may be too much for a node, and some of them not.
                for number, assignment in changed.items():
                    written |= yield from _write_topics(active, {topic: {number: assignment}})
            else:
                reason = "ZooKeeper refuses to write its topic" if is_there else "its topic is gone"
                for number in changed:
                    text = f"partition={TopicPartition(topic, number)} stays as it is: {reason}"
                    active.note(text, Level.ERROR)
    return written
