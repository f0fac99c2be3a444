"""On KRaft, is the controller the leader of the quorum, whatever broker Metadata names?"""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import ClusterAuthorizationFailedError, KafkaTimeoutError
from kafka.protocol.admin import DescribeQuorumRequest, DescribeQuorumResponse

from cluster.model.controller import Controller
from cluster.model.ids import BrokerId
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.snapshot import read_snapshot
from kadmin.plan.health import judge_loads
from kadmin.render.controller import controller_document
from kadmin.settings.brokers import BrokerSettings

ANY_BROKER = 1
DENIED = ClusterAuthorizationFailedError.errno


class Brokers(WireConnection):
    """Two brokers, of which Metadata names the first as the controller; *quorum* is what they
    answer about it, None where they have none."""

    def __init__(self, quorum: Any) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.quorum = quorum

    def serves(self, request: Any) -> bool:
        return request is DescribeQuorumRequest and self.quorum is not None

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        brokers = [{"node_id": number, "host": "h", "port": 9092} for number in (1, 2)]
        return {"brokers": brokers, "controller_id": ANY_BROKER, "topics": []}

    def ask(self, request: Any, broker: int | None = None) -> Any:
        [topic] = request.topics
        assert ("__cluster_metadata", 0) == (topic.topic_name, topic.partitions[0].partition_index)
        if isinstance(self.quorum, Exception):
            raise self.quorum
        return self.quorum


def quorum(leader: int = -1, epoch: int = 0, *, code: int = 0, part_code: int = 0) -> Any:
    topic = DescribeQuorumResponse.TopicData
    part = topic.PartitionData(
        partition_index=0,
        error_code=part_code,
        error_message=None,
        leader_id=leader,
        leader_epoch=epoch,
        high_watermark=9,
        current_voters=[],
        observers=[],
    )
    parts = [topic(topic_name="__cluster_metadata", partitions=[part])]
    return DescribeQuorumResponse(error_code=code, error_message=None, topics=parts, nodes=[])


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
        (KafkaTimeoutError(), "not told by the brokers: no answer"),
    ],
)
def test_no_broker_is_taken_for_the_controller_where_the_quorum_is_not_told(
    answer: Any, why: str
) -> None:
    snapshot = read_snapshot(Brokers(answer), None)

    assert snapshot.controller is None
    assert not snapshot.lacks_controller
    assert [why] == [fault.reason for fault in snapshot.faults]


def test_a_controller_that_is_no_broker_is_shown_with_its_epoch() -> None:
    (line,) = controller_document(read_snapshot(Brokers(quorum(3000, 5)), None)).lines()

    assert "Controller: 3000\tEndpoints: no broker\tEpoch: 5\tSince: unknown\tOwner: kraft" == line
