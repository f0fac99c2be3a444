"""The partitions of a cluster of this machine, as its status shows them.

They are read from ZooKeeper, and lags of under-replicated ones from brokers.  Never waits long: the
state of a server that does not answer at once is unknown.
"""

from typing import TYPE_CHECKING, Final

from kadmin.errors import KadminError
from kadmin.render.cluster.partitions import LackingPartition, PartitionsView

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId, TopicPartition
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.local.status import ClusterStatus
    from kadmin.plan.replication import Replication

ANSWER_TIMEOUT_S: Final = 2.0


def partitions_of(found: "ClusterStatus") -> PartitionsView | None:
    """Read the partitions of a cluster; None without brokers, or if its ZooKeepers do
    not answer."""
    if not found.brokers or not found.has_zookeeper:
        return None
    from kadmin.plan.replication import (
        is_unavailable,
        judge_replication,
        lags_of,
    )

    try:
        snapshot = read(found.zookeeper_connect)
    except KadminError:
        return None
    replication = judge_replication(snapshot)
    ends = ask_brokers(found, replication)
    return PartitionsView(
        count=replication.count,
        lacking=tuple(
            LackingPartition(
                topic=view.topic,
                partition=view.partition,
                leader=view.leader,
                replicas=view.assignment.replicas,
                isr=view.isr,
                is_unavailable=is_unavailable(view),
                lag={int(broker_id): lag for broker_id, lag in lags_of(view, ends).items()},
            )
            for view in replication.lacking
        ),
    )


def read(connect: str) -> "ClusterSnapshot":
    """Read the snapshot; raise KadminError where ZooKeeper does not answer in time, or knows no
    cluster."""
    from kadmin.admin.zookeeper.connection import connect as open_connection
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.arguments.topics import TopicSelection
    from kadmin.settings.resolve import ZooKeeperSettings

    settings = ZooKeeperSettings(connect=connect, timeout_s=ANSWER_TIMEOUT_S)
    with open_connection(settings) as connection:
        return ZooKeeperTopics(connection).snapshot(TopicSelection())


def ask_brokers(
    found: "ClusterStatus", replication: "Replication"
) -> "dict[BrokerId, dict[TopicPartition, int]]":
    """Return how far the logs of leaders and followers reach, at those brokers that serve."""
    from kadmin.plan.replication import to_be_asked

    asked = to_be_asked(replication)
    if not asked:
        return {}
    from kadmin.admin.wire.log_ends import log_ends

    serving = {broker.id: (found.address, broker.port) for broker in found.serving_brokers}
    return log_ends(
        {
            broker_id: (serving[broker_id], partitions)
            for broker_id, partitions in asked.items()
            if broker_id in serving
        },
        ANSWER_TIMEOUT_S,
    )
