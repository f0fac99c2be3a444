"""What brokers do not tell this user is named, and the rest is shown."""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import (
    ClusterAuthorizationFailedError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from kafka.protocol.admin import DescribeConfigsRequest, ListPartitionReassignmentsRequest

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.admin.wire.attempts import Attempts
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.errors import BrokersDenied
from kadmin.admin.wire.snapshot import read_topics
from kadmin.admin.wire.wire_configs import WireConfigs
from kadmin.admin.wire.wire_topics import WireTopics
from kadmin.arguments.topics import TopicSelection
from kadmin.budget import Budget
from kadmin.settings.brokers import BrokerSettings

NO_CLUSTER = ClusterAuthorizationFailedError.errno
NO_TOPIC = TopicAuthorizationFailedError.errno


class Brokers(WireConnection):
    """Brokers with the topics a and b, and the errors with which they answer."""

    def __init__(
        self, *, cluster: int = 0, topics: dict[str, int], configs: dict[str, int]
    ) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.cluster_error = cluster
        self.topic_errors = topics
        self.config_errors = configs

    @property
    def broker_version(self) -> tuple[int, ...]:
        return (3, 9)

    def serves(self, request: Any) -> bool:
        return request in (DescribeConfigsRequest, ListPartitionReassignmentsRequest)

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        part = {"partition_index": 0, "replica_nodes": [1], "leader_id": 1, "isr_nodes": [1]}
        return {
            "brokers": [{"node_id": 1, "host": "h", "port": 9092}],
            "controller_id": 1,
            "topics": [
                {"name": name, "error_code": code, "partitions": [] if code else [part]}
                for name in topics
                for code in [self.topic_errors.get(name, 0)]
            ],
        }

    def ask_controller(self, request: object) -> Any:
        return SimpleNamespace(error_code=self.cluster_error, topics=[])

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        results = [
            SimpleNamespace(
                error_code=self.config_errors.get(name, 0), resource_name=name, configs=[]
            )
            for _, name, _ in request.resources
        ]
        return SimpleNamespace(results=results)


@pytest.mark.parametrize(
    ("brokers", "shown", "told"),
    [
        (Brokers(topics={}, configs={}), ["a", "b"], []),
        (
            Brokers(cluster=NO_CLUSTER, topics={}, configs={}),
            ["a", "b"],
            ["which replicas are added and removed may not be read by this user"],
        ),
        (
            Brokers(topics={}, configs={"b": NO_TOPIC}),
            ["a", "b"],
            ["the configs of topic 'b' may not be read by this user"],
        ),
        (
            Brokers(cluster=NO_CLUSTER, topics={}, configs={"a": NO_TOPIC, "b": NO_TOPIC}),
            ["a", "b"],
            [
                "which replicas are added and removed may not be read by this user",
                "the configs of 2 topics may not be read by this user",
            ],
        ),
        (
            Brokers(topics={"a": NO_TOPIC}, configs={}),
            ["b"],
            ["topic 'a' may not be read by this user"],
        ),
        (Brokers(topics={"a": UnknownTopicOrPartitionError.errno}, configs={}), ["b"], []),
    ],
)
def test_what_may_not_be_read_is_a_fault_beside_the_rest(
    brokers: Brokers, shown: list[str], told: list[str]
) -> None:
    snapshot = WireTopics(brokers).snapshot(TopicSelection(wanted=("a", "b")))

    assert (shown, told) == (list(snapshot.topics), list(map(str, snapshot.faults)))
    assert all(topic.states for topic in snapshot.topics.values())


def test_where_nothing_may_be_read_the_refusal_is_the_answer() -> None:
    brokers = Brokers(topics={"a": NO_TOPIC, "b": NO_TOPIC}, configs={})

    with pytest.raises(TopicAuthorizationFailedError):
        WireTopics(brokers).snapshot(TopicSelection(wanted=("a", "b")))


def entities(kind: EntityKind, *names: str | None) -> list[ConfigEntity]:
    return [ConfigEntity(Entity(kind, name)) for name in names]


@pytest.mark.parametrize(
    ("asked", "configs", "told", "hidden"),
    [
        (entities(EntityKind.TOPICS, "a", "b"), {"b": NO_TOPIC}, ["a"], ["b"]),
        (entities(EntityKind.BROKERS, None, "1"), {"1": NO_CLUSTER}, [None], ["1"]),
        (entities(EntityKind.BROKERS, None, "1"), {"": NO_CLUSTER}, ["1"], [None]),
    ],
)
def test_configs_that_may_not_be_read_are_faults_beside_the_rest(
    asked: list[ConfigEntity],
    configs: dict[str, int],
    told: list[str | None],
    hidden: list[str | None],
) -> None:
    admin = WireConfigs(Brokers(topics={}, configs=configs), lambda _: None)
    subjects_hidden = [subjects.config(each) for each in asked if each.root.name in hidden]

    for found, faults in (admin.read(asked), admin.read_all(asked)):
        assert told == [entity.root.name for entity in found]
        assert subjects_hidden == [fault.subject for fault in faults]


def test_where_no_config_may_be_read_the_refusal_is_the_answer() -> None:
    brokers = Brokers(topics={}, configs={"a": NO_TOPIC, "b": NO_TOPIC})

    with pytest.raises(TopicAuthorizationFailedError, match="configs of topic 'a'"):
        WireConfigs(brokers, lambda _: None).read(entities(EntityKind.TOPICS, "a", "b"))


def test_who_may_not_see_a_topic_may_be_told_its_configs() -> None:
    admin = WireConfigs(Brokers(topics={"a": NO_TOPIC}, configs={}), lambda _: None)

    assert ("a", "b") == admin.known_names(["a", "b"])


def test_a_topic_that_may_not_be_read_is_left_out_where_that_is_told_and_else_refused() -> None:
    brokers = Brokers(topics={"a": NO_TOPIC}, configs={})
    left_out: list[str] = []

    selection = TopicSelection(wanted=("a", "b"))
    snapshot = read_topics(brokers, selection, lambda fault: left_out.append(str(fault)))

    assert ["b"] == list(snapshot.topics)
    assert ["topic 'a' may not be read by this user"] == left_out
    with pytest.raises(TopicAuthorizationFailedError, match="topic 'a' may not be read"):
        read_topics(brokers, selection)


@pytest.mark.parametrize(
    ("error", "is_hidden"),
    [
        (ClusterAuthorizationFailedError("log directories of broker 1"), True),
        (TopicAuthorizationFailedError("configs"), True),
        (BrokersDenied("b:9092", "no login"), True),
        (NotServed("b:9092", "configs", "1.1"), False),
        (UnknownTopicOrPartitionError("t"), False),
    ],
)
def test_what_may_not_be_asked_is_apart_from_what_is_not_answered(
    error: Exception, is_hidden: bool
) -> None:
    attempts = Attempts(Budget(10))

    def fail() -> None:
        raise error

    attempts.ask("log directories", fail)

    gaps, hidden = len(attempts.gaps), len(attempts.hidden)
    assert ((0, 1) if is_hidden else (1, 0)) == (gaps, hidden)
    assert all(text.startswith("log directories: ") for text in (*attempts.gaps, *attempts.hidden))
