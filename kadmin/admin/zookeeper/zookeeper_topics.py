"""The topics as they stand in ZooKeeper: `kadmin.admin.ports.TopicAdmin`, by reads and writes of
znodes.

Who only lists topics imports nothing else.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cluster.model.ids import BrokerId
from kadmin.admin.zookeeper.topic_names import read_topic_names

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.answers import TopicNames, TopicsOfId
    from kadmin.admin.ports import Fence, Outcome, Remaining
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.topics import TopicPlan


class ZooKeeperTopics:
    """The `TopicAdmin` of a ZooKeeper session."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        self.cluster = connection.settings.connect

    def names(self, wanted: "Sequence[str]" = ()) -> "TopicNames":
        return self.connection.read(read_topic_names(self.cluster, wanted))

    def broker_ids(self) -> "Sequence[BrokerId]":
        from cluster.zk import paths
        from cluster.zk.steps import read_children

        names = self.connection.read(read_children(paths.BROKER_IDS))
        return sorted(BrokerId(int(name)) for name in names if name.isdecimal())

    def topics_of_id(self, topic_id: str) -> "TopicsOfId":
        from kadmin.admin.zookeeper.topic_ids import find_topics_of_id

        return self.connection.read(find_topics_of_id(self.cluster, topic_id))

    def snapshot(
        self, selection: "TopicSelection", *, with_states: bool = True, with_topics: bool = True
    ) -> "ClusterSnapshot":
        from kadmin.admin.zookeeper.snapshot import read_snapshot

        return self.connection.read(
            read_snapshot(self.cluster, selection, with_states=with_states, with_topics=with_topics)
        )

    def default_min_isr(self) -> None:
        """Return None: a default that is not dynamic is in the brokers' own files."""

    def default_counts(self) -> None:
        """Return None: brokers have these in their own files."""

    def with_refusals(self, snapshot: "ClusterSnapshot") -> "ClusterSnapshot":
        """Return *snapshot* as it is: registrations have the refusals."""
        return snapshot

    def with_eligible_leaders(self, snapshot: "ClusterSnapshot") -> "ClusterSnapshot":
        """Return *snapshot* as it is: only KRaft has them."""
        return snapshot

    def fence(self) -> "Fence":
        from kadmin.admin.zookeeper.transaction import read_fence

        return read_fence(self.connection)

    def write(self, fence: "Fence", plan: "TopicPlan") -> "Outcome":
        from kadmin.admin.zookeeper.topic_writes import write_topic

        return write_topic(self.connection, fence, plan)

    def without_leader(self, partitions: "Sequence[TopicPartition]") -> "Remaining[TopicPartition]":
        from kadmin.admin.zookeeper.topic_writes import without_leader

        self.connection.budget.renew()
        return self.connection.read(without_leader(partitions))

    def not_deleted(self, topics: Sequence[str]) -> "Remaining[str]":
        from kadmin.admin.zookeeper.topic_writes import not_deleted

        self.connection.budget.renew()
        return self.connection.read(not_deleted(topics))
