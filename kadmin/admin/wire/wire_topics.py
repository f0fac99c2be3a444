"""The topics over Kafka's protocol: `kadmin.admin.ports.TopicAdmin`.

Brokers accept no fence: their answer decides about a plan that is out of date, and each request is
carried out whole or not at all.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from kafka.errors import (
    AuthorizationError,
    KafkaError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
)

from cluster.model.config_entity import NO_OVERRIDES
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import TopicAssignment
from cluster.model.topic_config_specs import MIN_ISR
from kadmin.admin.answers import TopicNames, TopicsOfId
from kadmin.admin.ports import Fence, Outcome, Remaining
from kadmin.admin.wire.alter_configs import alter_resource
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import read_brokers, read_topic_configs
from kadmin.admin.wire.outcomes import AnswerLost, outcome
from kadmin.admin.wire.quorum import read_eligible_leaders
from kadmin.admin.wire.refused_partitions import read_refused, refusing
from kadmin.admin.wire.snapshot import known_topics, ongoing_reassignments, read_snapshot
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import KadminError
from kadmin.plan.broker_names import hosts_of
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    DefaultCounts,
    DeletePlan,
    TopicPlan,
    layout_of,
)

OLDEST: Final = (2, 4)
"""The first release that returns all that is shown, and changes single configs."""

HEARD_WITHIN_S: Final = 1.0
"""A topic that exists, and that brokers leave out of metadata for so long, is being deleted."""

PAUSE_S: Final = 0.1


class TooOld(KadminError):
    """The brokers do not know all the requests that this takes."""

    def __init__(self, version: tuple[int, ...]) -> None:
        super().__init__(
            f"brokers of release {'.'.join(map(str, version))} do not return enough about topics:"
            f" that takes {'.'.join(map(str, OLDEST))} or later",
            hint="kadmin topics --zookeeper HOST:PORT works with every release",
        )


class WireTopics:
    """The `TopicAdmin` of a connection to brokers.

    Raises:
        TooOld: the brokers are older than 2.4.
    """

    def __init__(self, connection: WireConnection) -> None:
        if connection.broker_version < OLDEST:
            raise TooOld(connection.broker_version)
        self.connection = connection
        self.going: set[str] = set()
        """Topics that brokers leave out of metadata, and whose names cannot be used yet."""

    def names(self, wanted: Sequence[str] = ()) -> TopicNames:
        """Read the names; brokers leave out most topics that wait for their deletion."""
        names = {topic.name for topic in known_topics(self.connection.metadata(None)["topics"])}
        return TopicNames(
            names=tuple(sorted(names | self.going)),
            marked_for_deletion=frozenset(self.going - names),
        )

    def broker_ids(self) -> Sequence[BrokerId]:
        brokers = self.connection.metadata([])["brokers"]
        return sorted(BrokerId(broker["node_id"]) for broker in brokers)

    def topics_of_id(self, topic_id: str) -> TopicsOfId:
        topics = known_topics(self.connection.metadata(None)["topics"])
        names = sorted(topic.name for topic in topics if topic.assignment.topic_id == topic_id)
        return TopicsOfId(names=tuple(names), faults=())

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_topics: bool = True
    ) -> ClusterSnapshot:
        # Metadata holds the states anyway.
        if not with_topics:
            return read_snapshot(self.connection, None)
        ongoing, faults = ongoing_reassignments(self.connection)
        snapshot = read_snapshot(self.connection, selection, with_configs=True, ongoing=ongoing)
        return replace(
            snapshot,
            topics={**{name: gone(name) for name in self.going}, **snapshot.topics},
            faults=(*faults, *snapshot.faults),
        )

    def with_refusals(self, snapshot: ClusterSnapshot) -> ClusterSnapshot:
        hosts = hosts_of(snapshot.topics.values()) & snapshot.brokers.keys()
        try:
            refused = read_refused(self.connection, sorted(hosts))
        except AuthorizationError:
            # What this user may not hear is not asked for by name.
            return snapshot
        return replace(snapshot, brokers=refusing(snapshot.brokers, refused))

    def with_eligible_leaders(self, snapshot: ClusterSnapshot) -> ClusterSnapshot:
        return replace(snapshot, eligible=read_eligible_leaders(self.connection, snapshot.topics))

    def fence(self) -> Fence:
        return self.connection.fence()

    def default_counts(self) -> DefaultCounts:
        """Return the controller's defaults: it applies its own where a request has none."""
        controller = str(self.connection.controller())
        configs = read_brokers(self.connection, [controller])[controller]
        values = {config.name: config.value for config in configs}
        return DefaultCounts(
            partition_count=int(values["num.partitions"]),
            replication_factor=int(values["default.replication.factor"]),
        )

    def default_min_isr(self) -> int | None:
        """Return that of the controller; None where this user may not see it."""
        try:
            controller = str(self.connection.controller())
            configs = read_brokers(self.connection, [controller])[controller]
        except (AuthorizationError, KadminError):
            return None
        text = next((config.value for config in configs if config.name == MIN_ISR), None) or ""
        return int(text) if text.isascii() and text.isdigit() else None

    def write(self, fence: Fence, plan: TopicPlan) -> Outcome:
        """Write *plan*; where the answer is lost, the topic itself shows the outcome."""
        if isinstance(plan, ConfigPlan):
            return self.alter_configs(plan)
        try:
            return self.change(plan)
        except AnswerLost:
            if not self.comes_to_show(plan):
                raise
            return Committed()

    def change(self, plan: CreatePlan | AddPartitionsPlan | DeletePlan) -> Outcome:
        match plan:
            case CreatePlan():
                return self.create(plan)
            case AddPartitionsPlan():
                return self.add_partitions(plan)
            case DeletePlan():
                return self.delete(plan)

    def comes_to_show(self, plan: CreatePlan | AddPartitionsPlan | DeletePlan) -> bool:
        """Return whether the topic becomes what *plan* wants, in the time that is left."""
        while not self.shows(plan):
            if self.connection.budget.left_s() <= PAUSE_S:
                return False
            self.connection.budget.pause(PAUSE_S)
        return True

    def shows(self, plan: CreatePlan | AddPartitionsPlan | DeletePlan) -> bool:
        try:
            # Other brokers may know of old topics still, or not yet of any.
            controller = self.connection.controller()
            topics = known_topics(self.connection.metadata([plan.name], controller)["topics"])
            layouts = [layout_of(topic.assignment) for topic in topics]
            match plan:
                case CreatePlan():
                    return layouts == [plan.layout] and self.has_configs(plan)
                case AddPartitionsPlan():
                    return layouts == [layout_of(plan.after)]
                case DeletePlan():
                    return not layouts and self.knows_topics(plan.name, controller)
        except (KafkaError, KadminError):
            return False

    def has_configs(self, plan: CreatePlan) -> bool:
        """Return whether the topic has the configs of *plan*: another with the same replicas may
        not."""
        found = read_topic_configs(self.connection, [plan.name])
        return plan.name in found and found[plan.name].overrides == plan.configs

    def knows_topics(self, deleted: str, controller: int) -> bool:
        """Return whether *controller* returns no topic *deleted* because it is gone, and not
        because it was elected a moment ago and returns no topics yet."""
        return bool(self.connection.metadata(None, controller)["topics"]) or not self.hidden(
            [deleted]
        )

    @contextmanager
    def changing(self, what: str) -> Iterator[None]:
        """Ask the controller to do *what*; half of the time is left for a look at what came of it.

        The controller has half of the rest (`wait_ms`), so that it can say itself that it waits.
        """
        with (
            self.connection.asking_controller(),
            self.connection.changing(what),
            self.connection.budget.sharing(),
        ):
            yield

    @property
    def wait_ms(self) -> int:
        return self.connection.timeout_ms // 4

    def create(self, plan: CreatePlan) -> Outcome:
        topic = {
            "assignments": {number: list(replicas) for number, replicas in plan.layout.items()},
            "configs": dict(plan.configs),
        }
        what = f"create topic '{plan.name}'"
        with self.changing(what):
            answer = self.connection.client.create_topics(
                {plan.name: topic}, timeout_ms=self.wait_ms, raise_errors=False
            )
        [created] = answer["topics"]
        if created["error_code"] == TopicAlreadyExistsError.errno:
            self.look_for(plan.name)
        return outcome(
            created["error_code"], what, f"topic '{plan.name}'", created.get("error_message")
        )

    def look_for(self, topic: str) -> None:
        """Wait until *topic* is in the brokers' metadata or is gone; one that stays hidden is being
        deleted."""
        deadline = time.monotonic() + HEARD_WITHIN_S
        while self.hidden([topic]):
            if time.monotonic() >= deadline:
                self.going.add(topic)
                return
            time.sleep(PAUSE_S)

    def hidden(self, topics: Sequence[str]) -> list[str]:
        """Return those of *topics* that exist although brokers leave them out of metadata.

        Found by asking whether such topics can be created; a user who may not create any gets none.
        """
        leaders, _has_controller = self.leaders(topics)
        unknown = [topic for topic in topics if topic not in leaders]
        if not unknown:
            return []
        with self.connection.asking_controller():
            answer = self.connection.client.create_topics(
                {topic: {"num_partitions": 1, "replication_factor": 1} for topic in unknown},
                validate_only=True,
                raise_errors=False,
            )
        return [
            each["name"]
            for each in answer["topics"]
            if each["error_code"] == TopicAlreadyExistsError.errno
        ]

    def add_partitions(self, plan: AddPartitionsPlan) -> Outcome:
        what = f"add partitions to topic '{plan.name}'"
        request = {
            "count": len(plan.after.partitions),
            "assignments": [list(replicas) for _, replicas in sorted(plan.added.items())],
        }
        with self.changing(what):
            answer = self.connection.client.create_partitions(
                {plan.name: request}, timeout_ms=self.wait_ms, raise_errors=False
            )
        [result] = answer.results
        return outcome(result.error_code, what, f"topic '{plan.name}'", result.error_message)

    def delete(self, plan: DeletePlan) -> Outcome:
        what = f"delete topic '{plan.name}'"
        with self.changing(what):
            answer = self.connection.client.delete_topics(
                [plan.name], timeout_ms=self.wait_ms, raise_errors=False
            )
        [result] = answer["topics"]
        return outcome(
            result["error_code"], what, f"topic '{plan.name}'", result.get("error_message")
        )

    def alter_configs(self, plan: ConfigPlan) -> Outcome:
        if not plan.changes:
            return Committed()
        what = f"change configs of {plan.entity}"
        with self.connection.changing(what):
            code, reason = alter_resource(self.connection, plan)
        return outcome(code, what, str(plan.entity), reason)

    def without_leader(self, partitions: Sequence[TopicPartition]) -> Remaining[TopicPartition]:
        self.connection.budget.renew()
        leaders, has_controller = self.leaders({each.topic for each in partitions})
        return Remaining(
            items=[each for each in partitions if not has_leader(leaders, each)],
            has_controller=has_controller,
        )

    def not_deleted(self, topics: Sequence[str]) -> Remaining[str]:
        self.connection.budget.renew()
        leaders, has_controller = self.leaders(topics)
        there = {topic for topic in topics if topic in leaders}
        there.update(self.hidden([topic for topic in topics if topic not in there]))
        return Remaining(
            items=[topic for topic in topics if topic in there], has_controller=has_controller
        )

    def leaders(self, topics: Collection[str]) -> tuple[Mapping[str, Mapping[int, int]], bool]:
        """Return the leaders of those of *topics* that there are, by topic and partition, and
        whether there is a controller."""
        metadata = self.connection.metadata(sorted(topics))
        return leaders_of(metadata["topics"]), metadata["controller_id"] >= 0


def gone(name: str) -> TopicSnapshot:
    """Return a topic of which nothing is known but that it waits for the end of its deletion."""
    return TopicSnapshot(
        name=name,
        assignment=TopicAssignment(partitions={}),
        config=NO_OVERRIDES,
        states={},
        is_marked_for_deletion=True,
    )


def leaders_of(topics: Iterable[Mapping[str, Any]]) -> dict[str, dict[int, int]]:
    return {
        topic["name"]: {part["partition_index"]: part["leader_id"] for part in topic["partitions"]}
        for topic in topics
        if topic["error_code"] != UnknownTopicOrPartitionError.errno
    }


def has_leader(leaders: Mapping[str, Mapping[int, int]], part: TopicPartition) -> bool:
    return leaders.get(part.topic, {}).get(part.partition, NO_LEADER) != NO_LEADER
