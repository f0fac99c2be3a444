"""What can be asked of topics and done to them over the wire?

The same questions and plans as over ZooKeeper.  Brokers take no fence: what they make of a plan
that is out of date is its outcome, and each request is carried out whole or not at all.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kafka.errors import UnknownTopicOrPartitionError

from cluster.model.ids import NO_LEADER, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.wire.alter_configs import alter_resource
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import read_brokers
from kadmin.admin.wire.outcomes import NO_FENCE, change_of, outcome
from kadmin.admin.wire.snapshot import known_topics, read_snapshot
from kadmin.admin.zookeeper.topic_ids import TopicsOfId
from kadmin.admin.zookeeper.topic_names import TopicNames
from kadmin.admin.zookeeper.topic_writes import POLL_FIRST_S, POLL_MAX_S, SILENCE_MAX_S, Waited
from kadmin.admin.zookeeper.transaction import Committed, Fence, Outcome
from kadmin.errors import KadminError
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.select import TopicSelection
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DefaultCounts, DeletePlan

OLDEST: Final = (2, 4)
"""The first release that tells of all that is shown, and changes single configs."""


class TooOld(KadminError):
    """The brokers do not know all the requests that this takes."""

    def __init__(self, version: tuple[int, ...]) -> None:
        super().__init__(
            f"brokers of release {'.'.join(map(str, version))} do not tell enough of topics:"
            f" that takes {'.'.join(map(str, OLDEST))} or later",
            hint="kadmin topics --zookeeper HOST:PORT works with every release",
        )


class WireTopics:
    """The topics as brokers tell them.

    Raises:
        TooOld: the brokers are older than 2.4.
    """

    def __init__(self, connection: WireConnection) -> None:
        if connection.broker_version < OLDEST:
            raise TooOld(connection.broker_version)
        self.connection = connection

    def names(self) -> TopicNames:
        """One that waits for its deletion is gone to the brokers."""
        told = known_topics(self.connection.metadata(None)["topics"])
        return TopicNames(
            names=tuple(sorted(topic.name for topic in told)), marked_for_deletion=frozenset()
        )

    def topics_of_id(self, topic_id: str) -> TopicsOfId:
        told = known_topics(self.connection.metadata(None)["topics"])
        names = sorted(topic.name for topic in told if topic.assignment.topic_id == topic_id)
        return TopicsOfId(names=tuple(names), faults=())

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_topics: bool = True
    ) -> ClusterSnapshot:
        # Metadata holds the states anyway.
        return read_snapshot(self.connection, selection if with_topics else None, with_configs=True)

    def fence(self) -> Fence:
        return NO_FENCE

    def default_counts(self) -> DefaultCounts:
        """Those of the controller, which counts in the place of whoever asks for a topic."""
        controller = str(self.connection.controller())
        told = read_brokers(self.connection, [controller])[controller]
        values = {config.name: config.value for config in told}
        return DefaultCounts(
            partition_count=int(values["num.partitions"]),
            replication_factor=int(values["default.replication.factor"]),
        )

    def create(self, fence: Fence, plan: CreatePlan) -> Outcome:
        topic = {
            "assignments": {number: list(replicas) for number, replicas in plan.layout.items()},
            "configs": dict(plan.configs),
        }
        what = f"create topic '{plan.name}'"
        with self.connection.asking_controller(), change_of(what):
            answer = self.connection.client.create_topics({plan.name: topic}, raise_errors=False)
        [told] = answer["topics"]
        return outcome(told["error_code"], what, f"topic '{plan.name}'", told.get("error_message"))

    def add_partitions(self, fence: Fence, plan: AddPartitionsPlan) -> Outcome:
        what = f"add partitions to topic '{plan.name}'"
        request = {
            "count": len(plan.after.partitions),
            "assignments": [list(replicas) for _, replicas in sorted(plan.added.items())],
        }
        with self.connection.asking_controller(), change_of(what):
            answer = self.connection.client.create_partitions(
                {plan.name: request}, raise_errors=False
            )
        [told] = answer.results
        return outcome(told.error_code, what, f"topic '{plan.name}'", told.error_message)

    def delete(self, fence: Fence, plan: DeletePlan) -> Outcome:
        what = f"delete topic '{plan.name}'"
        with self.connection.asking_controller(), change_of(what):
            answer = self.connection.client.delete_topics([plan.name], raise_errors=False)
        [told] = answer["topics"]
        return outcome(told["error_code"], what, f"topic '{plan.name}'", told.get("error_message"))

    def alter_configs(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        if not plan.changes:
            return Committed()
        what = f"change configs of {plan.entity}"
        with change_of(what):
            code, reason = alter_resource(self.connection, plan)
        return outcome(code, what, str(plan.entity), reason)

    def await_leaders(
        self, partitions: Iterable[TopicPartition], tell: Callable[[], None]
    ) -> Waited:
        return self.await_each(list(partitions), has_leader, tell)

    def await_deletion(self, topics: Iterable[str], tell: Callable[[], None]) -> Waited:
        wanted = [TopicPartition(topic, 0) for topic in topics]
        waited = self.await_each(wanted, lambda leaders, part: part.topic not in leaders, tell)
        return Waited(
            left=tuple(name.removesuffix("-0") for name in waited.left),
            has_controller=waited.has_controller,
        )

    def await_each(
        self,
        partitions: list[TopicPartition],
        is_done: Callable[[Mapping[str, Mapping[int, int]], TopicPartition], bool],
        tell: Callable[[], None],
    ) -> Waited:
        """Ask again and again for the leaders by topic and partition, until all *partitions* are
        done, the timeout is over, or there is no controller whose work it would be."""
        started = time.monotonic()
        deadline = started + self.connection.settings.timeout_s
        has_told = False
        left, pause_s = partitions, POLL_FIRST_S
        while True:
            told = self.connection.metadata(sorted({part.topic for part in left}))
            leaders = leaders_of(told["topics"])
            left = [part for part in left if not is_done(leaders, part)]
            has_controller = told["controller_id"] >= 0
            if not left or not has_controller or time.monotonic() >= deadline:
                return Waited(left=tuple(map(str, left)), has_controller=has_controller)
            if not has_told and time.monotonic() - started > SILENCE_MAX_S:
                tell()
                has_told = True
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, POLL_MAX_S)


def leaders_of(told: Iterable[Mapping[str, Any]]) -> dict[str, dict[int, int]]:
    return {
        topic["name"]: {part["partition_index"]: part["leader_id"] for part in topic["partitions"]}
        for topic in told
        if topic["error_code"] != UnknownTopicOrPartitionError.errno
    }


def has_leader(leaders: Mapping[str, Mapping[int, int]], part: TopicPartition) -> bool:
    return leaders.get(part.topic, {}).get(part.partition, NO_LEADER) != NO_LEADER
