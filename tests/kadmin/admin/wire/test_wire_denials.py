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

from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.wire_topics import WireTopics
from kadmin.plan.select import TopicSelection
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

    def ask(self, request: Any, broker: int | None = None) -> Any:
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
