"""Groups of KIP-848: are they described by a request of their own, and what if brokers lack it?"""

from types import SimpleNamespace
from typing import Any, Final

import pytest
from kafka.protocol.admin import DescribeGroupsRequest

from cluster.model.ids import TopicPartition
from kadmin.admin.wire import coordinators
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from kadmin.admin.wire.wire_groups import WireGroups
from kadmin.plan.groups.group import DEAD, EMPTY, STABLE
from kadmin.settings.brokers import BrokerSettings

NOT_FOUND, LOADING, UNSUPPORTED = 69, 14, 35

ANSWER: Final = bytes.fromhex(
    "000000000a004500076d6f6465726e01000000000000000001018000000000004500046f6c640100000000000000"
    "0001018000000000004500056e6f6e6501000000000000000001018000000000004500076d6f6465726e01000000"
    "000000000001018000000000004500046f6c6401000000000000000001018000000000004500056e6f6e65010000"
    "00000000000001018000000000000000076d6f6465726e07537461626c65000000010000000108756e69666f726d"
    "0217347332764f6b3747515f43565535352d68482d496c51046f6e650000000001077265616465720b2f3132372e"
    "302e302e3102076f7264657273010244a2b664ec48440f866cef34c461a99c076f72646572730200000000000002"
    "44a2b664ec48440f866cef34c461a99c076f726465727302000000000000008000000000004500046f6c64010000"
    "00000000000001018000000000004500056e6f6e650100000000000000000101800000000000"
)
"""What Kafka 3.9.1 answers about `modern`, `old` and `none`, of which it has the first as such."""


def about(name: str, code: int) -> Any:
    return SimpleNamespace(
        group_id=name, error_code=code, group_state="", assignor_name="", members=[]
    )


class Broker(WireConnection):
    """The only broker; it is a coordinator of groups of KIP-848, if it has an *answer* for them."""

    def __init__(self, answer: Any) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.answer = answer
        self.asked: list[list[str]] = []

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        return {"brokers": [{"node_id": 1, "host": "b", "port": 9092}]}

    def version_of(self, request: type) -> int | None:
        is_unknown = self.answer is None and request is ConsumerGroupDescribeRequest
        return None if is_unknown else 4

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        if isinstance(request, ConsumerGroupDescribeRequest):
            self.asked.append(list(request.group_ids))
            return self.answer
        if isinstance(request, DescribeGroupsRequest):
            groups = [
                SimpleNamespace(
                    group_id=name,
                    error_code=0 if name != "none" else NOT_FOUND,
                    group_state=EMPTY if name == "old" else DEAD,
                    protocol_data="",
                    protocol_type="",
                    members=[],
                )
                for name in request.groups
            ]
            return SimpleNamespace(groups=groups)
        found = [
            SimpleNamespace(key=name, node_id=1, error_code=0) for name in request.coordinator_keys
        ]
        return SimpleNamespace(coordinators=found)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinators, "PAUSE_S", 0.0)


def test_what_seems_dead_is_described_by_its_own_request() -> None:
    broker = Broker(ConsumerGroupDescribeResponse.decode(ANSWER, version=0))

    answers = WireGroups(broker).describe(["modern", "old", "none"])

    assert [["modern", "none"]] == broker.asked
    assert {} == answers.unanswered
    states = {name: group.state for name, group in answers.found.items()}
    assert {"modern": STABLE, "old": EMPTY, "none": DEAD} == states
    modern = answers.found["modern"]
    (member,) = modern.members
    assert modern.coordinator is not None
    assert ("uniform", "consumer", 1) == (
        modern.assignor,
        modern.protocol_type,
        modern.coordinator.id,
    )
    assert ("reader", "one", "/127.0.0.1", (TopicPartition("orders", 0),)) == (
        member.client_id,
        member.instance_id,
        member.host,
        member.assigned,
    )


@pytest.mark.parametrize(
    ("codes", "is_told"),
    [(None, True), ([NOT_FOUND], True), ([UNSUPPORTED], True), ([LOADING], False)],
)
def test_a_group_is_dead_where_no_coordinator_has_it(
    codes: list[int] | None, is_told: bool
) -> None:
    answer = None if codes is None else SimpleNamespace(groups=[about("none", codes[0])])

    answers = WireGroups(Broker(answer)).describe(["none"])

    assert ({"none": DEAD} if is_told else {}) == {
        name: group.state for name, group in answers.found.items()
    }
    assert is_told == (answers.unanswered == {})
