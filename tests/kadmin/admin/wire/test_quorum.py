"""On KRaft: is the controller the leader of the quorum, whatever broker Metadata names, and who
follows it?"""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import ClusterAuthorizationFailedError, KafkaTimeoutError
from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse

from cluster.model.controller import Controller, Feature, Quorum, QuorumReplica
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import EligibleLeaders
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.quorum import read_eligible_leaders
from kadmin.admin.wire.snapshot import read_snapshot, with_owner, with_quorum
from kadmin.plan.api_versions import BrokerApis, Versions
from kadmin.plan.health import judge_loads
from kadmin.render.brokers import broker_state
from kadmin.render.controller import controller_document
from kadmin.settings.brokers import BrokerSettings

ANY_BROKER = 1
DENIED = ClusterAuthorizationFailedError.errno


class Brokers(WireConnection):
    """Two brokers, of which Metadata names the first as the controller; *quorum* is what they
    answer about it, None where they have none, and *cluster* what they answer to DescribeCluster,
    None before version 2."""

    def __init__(self, quorum: Any, cluster: Any = None) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.quorum = quorum
        self.cluster = cluster

    def serves(self, request: Any) -> bool:
        return request is DescribeQuorumRequest and self.quorum is not None

    def version_of(self, request: Any) -> int | None:
        assert request is DescribeClusterRequest
        return 1 if self.cluster is None else 2

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        brokers = [{"node_id": number, "host": "h", "port": 9092} for number in (1, 2)]
        return {"brokers": brokers, "controller_id": ANY_BROKER, "topics": []}

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        if isinstance(request, DescribeClusterRequest):
            assert request.include_fenced_brokers
            return self.cluster
        if isinstance(request, ApiVersionsRequest):
            return FEATURES
        [topic] = request.topics
        assert ("__cluster_metadata", 0) == (topic.topic_name, topic.partitions[0].partition_index)
        if isinstance(self.quorum, Exception):
            raise self.quorum
        return self.quorum


FEATURES = ApiVersionsResponse(
    supported_features=[
        ApiVersionsResponse.SupportedFeatureKey(name=name, min_version=0, max_version=level)
        for name, level in (("metadata.version", 27), ("kraft.version", 1))
    ],
    finalized_features=[
        ApiVersionsResponse.FinalizedFeatureKey(
            name="metadata.version", max_version_level=21, min_version_level=21
        )
    ],
)


class Migrating(Brokers):
    """Two brokers of 3.9, of which the first is over ZooKeeper, and answered, and the second is on
    KRaft where there is a *quorum*."""

    broker_version = (3, 9)

    def serves(self, request: Any) -> bool:
        return request in (ApiVersionsRequest, DescribeConfigsRequest)

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        if not isinstance(request, DescribeConfigsRequest):
            assert broker == 2
            return super().ask(request, broker)
        result = DescribeConfigsResponse.DescribeConfigsResult
        mode = result.DescribeConfigsResourceResult(
            name="zookeeper.metadata.migration.enable", value="true"
        )
        return DescribeConfigsResponse(
            results=[result(error_code=0, resource_name=str(broker), configs=[mode])]
        )

    def ask_all(self, requests: Any) -> Any:
        own = [] if self.quorum is None else [api_version(DescribeQuorumRequest.API_KEY)]
        keys: dict[int, list[Any]] = {1: [], 2: own}
        found = {each: ApiVersionsResponse(error_code=0, api_keys=keys[each]) for each in requests}
        return found, {}


def api_version(key: int) -> Any:
    return ApiVersionsResponse.ApiVersion(api_key=key, min_version=0, max_version=2)


def test_in_a_migration_a_broker_on_kraft_is_asked_who_the_controller_is() -> None:
    brokers = Migrating(quorum(3000, 1))

    snapshot = with_owner(brokers, read_snapshot(brokers, None))

    assert Controller(broker_id=BrokerId(3000), kraft_controller_epoch=1) == snapshot.controller
    assert (3000, ()) == (snapshot.quorum and snapshot.quorum.leader_id, snapshot.faults)


def test_what_the_brokers_serve_shows_who_knows_the_quorum() -> None:
    brokers = Migrating(quorum(3000, 1))
    snapshot = read_snapshot(brokers, None)
    over_zookeeper: BrokerApis = {BrokerId(1): {}, BrokerId(2): {}}
    mixed = {**over_zookeeper, BrokerId(2): {DescribeQuorumRequest.API_KEY: Versions(0, 2)}}

    found = with_quorum(brokers, snapshot, mixed)

    assert 3000 == (found.controller and found.controller.broker_id)
    assert snapshot == with_quorum(brokers, snapshot, over_zookeeper)


def test_brokers_in_migration_mode_do_not_know_who_the_controller_is() -> None:
    brokers = Migrating(None)

    snapshot = with_owner(brokers, read_snapshot(brokers, None))

    assert (None, False) == (snapshot.controller, snapshot.lacks_controller)
    assert ["ask ZooKeeper" in fault.reason for fault in snapshot.faults] == [True]


def test_a_feature_that_is_not_finalized_is_at_level_0() -> None:
    snapshot = read_snapshot(Brokers(quorum(2, 7)), None)

    assert snapshot.features == (
        Feature(name="kraft.version", level=0, supported_min=0, supported_max=1),
        Feature(name="metadata.version", level=21, supported_min=0, supported_max=27),
    )
    assert list(controller_document(snapshot).lines())[1:] == [
        "\tFeature: kraft.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1"
        "\tFinalizedVersionLevel: 0",
        "\tFeature: metadata.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 4.1-IV1"
        "\tFinalizedVersionLevel: 3.9-IV0",
    ]


def state(node: int, end: int, fetched_ms: int = -1, caught_up_ms: int = -1) -> Any:
    return DescribeQuorumResponse.TopicData.PartitionData.ReplicaState(
        replica_id=node,
        log_end_offset=end,
        last_fetch_timestamp=fetched_ms,
        last_caught_up_timestamp=caught_up_ms,
    )


def quorum(
    leader: int = -1,
    epoch: int = 0,
    *,
    code: int = 0,
    part_code: int = 0,
    voters: tuple[Any, ...] = (),
    observers: tuple[Any, ...] = (),
    nodes: tuple[Any, ...] = (),
) -> Any:
    topic = DescribeQuorumResponse.TopicData
    part = topic.PartitionData(
        partition_index=0,
        error_code=part_code,
        error_message=None,
        leader_id=leader,
        leader_epoch=epoch,
        high_watermark=9,
        current_voters=list(voters),
        observers=list(observers),
    )
    parts = [topic(topic_name="__cluster_metadata", partitions=[part])]
    return DescribeQuorumResponse(
        error_code=code, error_message=None, topics=parts, nodes=list(nodes)
    )


@pytest.mark.parametrize(
    ("answer", "controller"),
    [
        (None, Controller(broker_id=BrokerId(ANY_BROKER))),
        (quorum(2, 7), Controller(broker_id=BrokerId(2), kraft_controller_epoch=7)),
        (quorum(3000, 1), Controller(broker_id=BrokerId(3000), kraft_controller_epoch=1)),
        (quorum(0, 4), Controller(broker_id=BrokerId(0), kraft_controller_epoch=4)),
        (quorum(), None),
    ],
)
def test_the_leader_of_the_quorum_is_the_controller(
    answer: Any, controller: Controller | None
) -> None:
    snapshot = read_snapshot(Brokers(answer), None)

    assert (controller, ()) == (snapshot.controller, snapshot.faults)
    assert {1, 2} == judge_loads(snapshot).keys()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (quorum(code=DENIED), "may not be read by this user"),
        (quorum(part_code=DENIED), "may not be read by this user"),
        (KafkaTimeoutError(), "not known from the brokers: the controllers do not answer"),
    ],
)
def test_no_broker_is_taken_for_the_controller_where_the_quorum_is_not_told(
    answer: Any, why: str
) -> None:
    snapshot = read_snapshot(Brokers(answer), None)

    assert snapshot.controller is None
    assert not snapshot.lacks_controller
    assert [why] == [fault.reason for fault in snapshot.faults]


def node(number: int, port: int) -> Any:
    listener = DescribeQuorumResponse.Node.Listener(name="CONTROLLER", host="c", port=port)
    return DescribeQuorumResponse.Node(node_id=number, listeners=[listener])


WHOLE = quorum(
    3000,
    5,
    voters=(state(3001, 8, 900, 700), state(3000, 9, -1, 1000)),
    observers=(state(2, -1), state(1, 9, 999, 999)),
    nodes=(node(3000, 9093), node(3001, 9094)),
)


def test_the_quorum_is_its_voters_and_observers_as_the_leader_knows_them() -> None:
    found = read_snapshot(Brokers(WHOLE), None).quorum

    expected = Quorum(
        leader_id=BrokerId(3000),
        leader_epoch=5,
        high_watermark=9,
        replicas=(
            replica(3000, 9, None, 1000, ("CONTROLLER://c:9093",), is_voter=True),
            replica(3001, 8, 900, 700, ("CONTROLLER://c:9094",), is_voter=True),
            replica(1, 9, 999, 999),
            replica(2, -1),
        ),
    )
    assert expected == found
    assert expected.now_ms == 1000
    assert [0, 1, 0, None] == [expected.lag(each) for each in expected.replicas]


def replica(
    number: int,
    end: int,
    fetched_ms: int | None = None,
    caught_up_ms: int | None = None,
    endpoints: tuple[str, ...] = (),
    *,
    is_voter: bool = False,
) -> QuorumReplica:
    return QuorumReplica(
        node_id=BrokerId(number),
        is_voter=is_voter,
        log_end_offset=end,
        last_fetch_ms=fetched_ms,
        last_caught_up_ms=caught_up_ms,
        endpoints=endpoints,
    )


@pytest.mark.parametrize(
    ("told", "fenced"),
    [
        ({}, {3}),
        ({"error_code": DENIED}, set()),
    ],
)
def test_brokers_that_a_controller_has_fenced_are_known_and_not_live(
    told: dict[str, Any], fenced: set[int]
) -> None:
    broker = DescribeClusterResponse.DescribeClusterBroker
    brokers = [
        broker(broker_id=number, host="h", port=9092, is_fenced=number == 3) for number in (1, 2, 3)
    ]
    cluster = DescribeClusterResponse(**{"error_code": 0, "brokers": brokers, **told})

    snapshot = read_snapshot(Brokers(quorum(1, 1), cluster), None)

    assert fenced == snapshot.fenced
    assert {1, 2} | fenced == judge_loads(snapshot).keys()
    assert {1: "live", 2: "live", 3: "fenced" if fenced else "dead"} == {
        number: broker_state(snapshot, BrokerId(number)) for number in (1, 2, 3)
    }


def lines_of(brokers: Brokers) -> list[str]:
    """Return the lines of the controller and of its quorum."""
    found = controller_document(read_snapshot(brokers, None)).lines()
    return [line for line in found if "Feature:" not in line]


def test_a_controller_that_is_no_broker_is_shown_with_its_epoch_and_its_quorum() -> None:
    lines = lines_of(Brokers(WHOLE))

    assert [
        "Controller: 3000\tEndpoints: CONTROLLER://c:9093\tEpoch: 5\tSince: unknown\tOwner: kraft",
        "\tNode: 3000\tRole: leader\tEndpoints: CONTROLLER://c:9093\tLogEndOffset: 9\tLag: 0"
        "\tLastFetch: none\tLastCaughtUp: 1970-01-01T00:00:01.000+00:00",
        "\tNode: 3001\tRole: voter\tEndpoints: CONTROLLER://c:9094\tLogEndOffset: 8\tLag: 1"
        "\tLastFetch: 1970-01-01T00:00:00.900+00:00\tLastCaughtUp: 1970-01-01T00:00:00.700+00:00",
        "\tNode: 1\tRole: observer\tEndpoints: unknown\tLogEndOffset: 9\tLag: 0"
        "\tLastFetch: 1970-01-01T00:00:00.999+00:00\tLastCaughtUp: 1970-01-01T00:00:00.999+00:00",
        "\tNode: 2\tRole: observer\tEndpoints: unknown\tLogEndOffset: unknown\tLag: unknown"
        "\tLastFetch: unknown\tLastCaughtUp: unknown",
    ] == lines


def test_a_controller_of_which_no_address_is_known_is_no_broker() -> None:
    (line,) = lines_of(Brokers(quorum(3000, 5)))

    assert "Controller: 3000\tEndpoints: no broker\tEpoch: 5\tSince: unknown\tOwner: kraft" == line


class Eligible(WireConnection):
    """A broker that answers with a page for each partition of `one`: brokers 1 and 2 may lead
    partition 0."""

    def __init__(self) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=10))

    def serves(self, request: Any) -> bool:
        return request is DescribeTopicPartitionsRequest

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        assert ["one"] == [each.name for each in request.topics]
        response = DescribeTopicPartitionsResponse
        topic = response.DescribeTopicPartitionsResponseTopic
        part = topic.DescribeTopicPartitionsResponsePartition
        number = 0 if request.cursor is None else request.cursor.partition_index
        eligible = {0: [1, 2], 1: [], 2: None}[number]
        parts = [
            part(
                partition_index=number,
                eligible_leader_replicas=eligible,
                last_known_elr=None if eligible is None else [3],
            )
        ]
        cursor = response.Cursor(topic_name="one", partition_index=number + 1)
        return response(
            topics=[topic(name="one", partitions=parts)],
            next_cursor=cursor if number < 2 else None,
        )


def test_eligible_leaders_are_read_page_by_page() -> None:
    found = read_eligible_leaders(Eligible(), ["one"])

    leaders, last_known = (BrokerId(1), BrokerId(2)), (BrokerId(3),)
    assert {
        TopicPartition("one", 0): EligibleLeaders(leaders, last_known),
        TopicPartition("one", 1): EligibleLeaders((), last_known),
        TopicPartition("one", 2): EligibleLeaders(),
    } == found
