"""The topics as they stand in ZooKeeper: `kadmin.admin.ports.TopicAdmin`, by reads and writes of
znodes.

Who only lists topics imports nothing else.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kadmin.admin.zookeeper.topic_names import read_topic_names

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.answers import TopicNames, TopicsOfId
    from kadmin.admin.ports import Fence, Outcome, Remaining
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.plan.select import TopicSelection
    from kadmin.plan.topics import TopicPlan


class ZooKeeperTopics:
    """The `TopicAdmin` of a ZooKeeper session."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection

    def names(self) -> "TopicNames":
        return read_topic_names(self.connection)

    def topics_of_id(self, topic_id: str) -> "TopicsOfId":
        from kadmin.admin.zookeeper.topic_ids import find_topics_of_id

        return find_topics_of_id(self.connection, topic_id)

    def snapshot(
        self, selection: "TopicSelection", *, with_states: bool = True, with_topics: bool = True
    ) -> "ClusterSnapshot":
        from kadmin.admin.zookeeper.snapshot import read_snapshot

        return read_snapshot(
            self.connection, selection, with_states=with_states, with_topics=with_topics
        )

    def default_counts(self) -> None:
        """Brokers have these in their own files."""

    def fence(self) -> "Fence":
        from kadmin.admin.zookeeper.transaction import read_fence

        return read_fence(self.connection)

    def write(self, fence: "Fence", plan: "TopicPlan") -> "Outcome":
        from kadmin.admin.zookeeper.topic_writes import write_topic

        return write_topic(self.connection, fence, plan)

    def without_leader(self, partitions: "Sequence[TopicPartition]") -> "Remaining[TopicPartition]":
        from kadmin.admin.zookeeper.topic_writes import without_leader

        return without_leader(self.connection, partitions)

    def not_deleted(self, topics: Sequence[str]) -> "Remaining[str]":
        from kadmin.admin.zookeeper.topic_writes import not_deleted

        return not_deleted(self.connection, topics)
