"""The replication of a cluster: which partitions lack a leader or a replica, and by how much.

Judged by the snapshot, and by the log end offsets that brokers returned.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.health import Finding, PartitionView, judge_topic

ANY_MIN_ISR: Final = 1
"""What stops producers is not asked here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication:
    """How many partitions there are, and those of them that lack something: unavailable ones
    before others, each by topic and id."""

    count: int
    lacking: tuple[PartitionView, ...]


def judge_replication(snapshot: ClusterSnapshot) -> Replication:
    """Find the partitions of *snapshot* that are unavailable or under-replicated."""
    views = [
        view
        for topic in snapshot.topics.values()
        for view in judge_topic(snapshot, topic, ANY_MIN_ISR)
    ]
    unavailable = [view for view in views if is_unavailable(view)]
    others = [view for view in views if is_under_replicated(view) and not is_unavailable(view)]
    return Replication(count=len(views), lacking=(*unavailable, *others))


def is_unavailable(view: PartitionView) -> bool:
    return Finding.UNAVAILABLE in view.findings


def is_under_replicated(view: PartitionView) -> bool:
    return Finding.UNDER_REPLICATED in view.findings


def replicas_out(view: PartitionView) -> tuple[BrokerId, ...]:
    """Return the replicas that are not in the ISR, in the order of the replica set."""
    return tuple(each for each in dict.fromkeys(view.assignment.replicas) if each not in view.isr)


def to_be_asked(replication: Replication) -> dict[BrokerId, list[TopicPartition]]:
    """Return the brokers whose log end offsets show the lags: leaders, and replicas out
    of the ISR."""
    asked: dict[BrokerId, list[TopicPartition]] = {}
    for view in replication.lacking:
        if view.leader is not None and is_under_replicated(view):
            for broker_id in (view.leader, *replicas_out(view)):
                partition = TopicPartition(view.topic, view.partition)
                asked.setdefault(broker_id, []).append(partition)
    return asked


def lags_of(
    view: PartitionView, log_ends: Mapping[BrokerId, Mapping[TopicPartition, int]]
) -> dict[BrokerId, int | None]:
    """Return how many records each replica that is out of the ISR is behind the leader.

    None where one of the two did not return its log end offset.  A replica that has more than its
    leader, which it is about to drop, is not behind: 0.
    """
    partition = TopicPartition(view.topic, view.partition)

    def end_at(broker_id: BrokerId | None) -> int | None:
        return None if broker_id is None else log_ends.get(broker_id, {}).get(partition)

    lags: dict[BrokerId, int | None] = {}
    leader_end = end_at(view.leader)
    for broker_id in replicas_out(view):
        end = end_at(broker_id)
        if leader_end is None or end is None:
            lags[broker_id] = None
        else:
            lags[broker_id] = max(0, leader_end - end)
    return lags
