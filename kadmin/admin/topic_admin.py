"""What can be asked of topics and done to them, whoever is asked: ZooKeeper, or brokers?"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from kadmin.admin.zookeeper.topic_names import TopicNames, read_topic_names

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.admin.zookeeper.topic_ids import TopicsOfId
    from kadmin.admin.zookeeper.topic_writes import Waited
    from kadmin.admin.zookeeper.transaction import Fence, Outcome
    from kadmin.plan.config_plan import ConfigPlan
    from kadmin.plan.select import TopicSelection
    from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DefaultCounts, DeletePlan


class TopicAdmin(Protocol):
    """A connection to whoever knows the topics and changes them.

    A change is a plan under a fence, which was read before it.  What stands in its way comes back
    as an `Outcome`, and nothing was changed then.
    """

    def names(self) -> TopicNames:
        """The names of all topics."""

    def topics_of_id(self, topic_id: str) -> "TopicsOfId":
        """The topics whose id is *topic_id*, written as brokers write it."""

    def snapshot(
        self, selection: "TopicSelection", *, with_states: bool = True, with_topics: bool = True
    ) -> "ClusterSnapshot":
        """The brokers, the controller, and the topics of *selection* with configs and states.

        Without *with_states* the topics have none, without *with_topics* there are none at all.
        """

    def fence(self) -> "Fence":
        """What a change is made under; to be asked before it is planned."""

    def default_counts(self) -> "DefaultCounts | None":
        """What a topic gets that does not say how large it is; None where nobody knows."""

    def create(self, fence: "Fence", plan: "CreatePlan") -> "Outcome": ...

    def add_partitions(self, fence: "Fence", plan: "AddPartitionsPlan") -> "Outcome": ...

    def delete(self, fence: "Fence", plan: "DeletePlan") -> "Outcome": ...

    def alter_configs(self, fence: "Fence", plan: "ConfigPlan") -> "Outcome": ...

    def await_leaders(
        self, partitions: "Iterable[TopicPartition]", tell: Callable[[], None]
    ) -> "Waited":
        """Wait until every one of *partitions* has a leader, or the settings' timeout is over.

        *tell* is called once when it takes long.
        """

    def await_deletion(self, topics: Iterable[str], tell: Callable[[], None]) -> "Waited":
        """Wait until every one of *topics* is gone; else as `await_leaders`."""


class ZooKeeperTopics:
    """The topics as they stand in ZooKeeper; who only lists them imports nothing else."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection

    def names(self) -> TopicNames:
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

    def fence(self) -> "Fence":
        return self.connection.fence()

    def default_counts(self) -> None:
        """Brokers have these in their own files."""

    def create(self, fence: "Fence", plan: "CreatePlan") -> "Outcome":
        from kadmin.admin.zookeeper.topic_writes import create_topic

        return create_topic(self.connection, fence, plan)

    def add_partitions(self, fence: "Fence", plan: "AddPartitionsPlan") -> "Outcome":
        from kadmin.admin.zookeeper.topic_writes import add_partitions

        return add_partitions(self.connection, fence, plan)

    def delete(self, fence: "Fence", plan: "DeletePlan") -> "Outcome":
        from kadmin.admin.zookeeper.topic_writes import mark_for_deletion

        return mark_for_deletion(self.connection, fence, plan)

    def alter_configs(self, fence: "Fence", plan: "ConfigPlan") -> "Outcome":
        from kadmin.admin.zookeeper.config_writes import write_config

        return write_config(self.connection, fence, plan)

    def await_leaders(
        self, partitions: "Iterable[TopicPartition]", tell: Callable[[], None]
    ) -> "Waited":
        from kadmin.admin.zookeeper.topic_writes import await_leaders

        return await_leaders(self.connection, partitions, tell)

    def await_deletion(self, topics: Iterable[str], tell: Callable[[], None]) -> "Waited":
        from kadmin.admin.zookeeper.topic_writes import await_deletion

        return await_deletion(self.connection, topics, tell)
