"""Elections by brokers: which can be asked for what, and what do their answers mean?

Brokers that answer in earnest are asked in `tests/kadmin/cli/test_elect_by_brokers.py`.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import ClusterAuthorizationFailedError
from kafka.protocol.admin import DescribeQuorumRequest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed
from kadmin.admin.ports import Partly, Remaining
from kadmin.admin.wire import connection
from kadmin.admin.wire.connection import NoController, NotServed, WireConnection
from kadmin.admin.wire.outcomes import NO_FENCE, AnswerLost, Refused
from kadmin.admin.wire.wire_elections import WireElections
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, Prospect
from kadmin.settings.brokers import BrokerSettings

PREFERRED, UNCLEAN = ElectionType.PREFERRED, ElectionType.UNCLEAN
T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
NOT_CONTROLLER, DENIED, NOT_NEEDED, TIMED_OUT, NOT_AVAILABLE = 41, 31, 84, 7, 80


class Brokers(WireConnection):
    """Brokers of a release, which answer as they are told to."""

    def __init__(self, release: tuple[int, ...] = (3, 9), *, serves: bool = True) -> None:
        super().__init__(
            SimpleNamespace(elect_leaders=self.elect_leaders),
            BrokerSettings(bootstrap="b:9092", timeout_s=10),
        )
        self.release = release
        self.is_served = serves
        self.asked: list[tuple[Any, ...]] = []
        self.answer: Callable[[], Any] = lambda: response({})
        self.ends: dict[int, dict[TopicPartition, int]] = {}
        self.told: dict[str, Any] = {}

    @property
    def broker_version(self) -> tuple[int, ...]:
        return self.release

    def serves(self, request: type) -> bool:
        return self.is_served and request is not DescribeQuorumRequest

    def elect_leaders(
        self, kind: int, partitions: dict[str, list[int]], *, timeout_ms: int, raise_errors: bool
    ) -> Any:
        self.asked.append((int(kind), partitions, timeout_ms))
        assert not raise_errors
        return self.answer()

    def ask_all(self, requests: Mapping[BrokerId, Any]) -> tuple[dict[BrokerId, Any], Any]:
        asked = {broker: request for broker, request in requests.items() if broker in self.ends}
        return {broker: self.told_ends(broker, request) for broker, request in asked.items()}, {}

    def told_ends(self, broker: int, request: Any) -> Any:
        assert request.replica_id == -2
        return SimpleNamespace(
            topics=[
                SimpleNamespace(
                    name=topic.name,
                    partitions=[
                        self.end(broker, topic.name, one.partition_index)
                        for one in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def end(self, broker: int, topic: str, number: int) -> Any:
        found = self.ends[broker].get(TopicPartition(topic, number))
        return SimpleNamespace(
            partition_index=number,
            error_code=6 if found is None else 0,
            offset=-1 if found is None else found,
        )

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        self.asked.append((tuple(topics), broker))
        return self.told


def response(codes: dict[TopicPartition, tuple[int, str | None]], top: int = 0) -> Any:
    return SimpleNamespace(
        error_code=top,
        replica_election_results=[
            SimpleNamespace(
                topic=part.topic,
                partition_result=[
                    SimpleNamespace(
                        partition_id=part.partition, error_code=code, error_message=message
                    )
                ],
            )
            for part, (code, message) in codes.items()
        ],
    )


def election(part: TopicPartition, prospect: Prospect = Prospect.MOVES) -> PartitionElection:
    return PartitionElection(
        partition=part, prospect=prospect, leader=BrokerId(1), elected=BrokerId(0)
    )


PLAN = ElectionPlan(
    kind=PREFERRED,
    elections=(election(T0), election(T1), election(U0), election(T0, Prospect.VALID)),
)


def test_old_brokers_are_told_from_those_that_elect() -> None:
    with pytest.raises(NotServed, match=r"do not serve elections; Kafka does from 2\.2 on") as old:
        WireElections(Brokers((2, 1), serves=False), PREFERRED)
    with pytest.raises(NotServed, match=r"unclean elections; Kafka does from 2\.4 on") as older:
        WireElections(Brokers((2, 3)), UNCLEAN)
    WireElections(Brokers((2, 3)), PREFERRED)
    WireElections(Brokers((2, 4)), UNCLEAN)

    assert old.value.hint is not None
    assert "kadmin elect --zookeeper" in old.value.hint
    assert older.value.hint is not None
    assert "unclean.leader.election.enable=true" in older.value.hint


def test_those_that_move_are_asked_for_in_half_of_the_time() -> None:
    brokers = Brokers()

    assert Committed() == WireElections(brokers, PREFERRED).write(NO_FENCE, PLAN)
    assert [(0, {"t": [0, 1], "u": [0]}, 5000)] == brokers.asked


def test_nobody_is_asked_where_nothing_moves() -> None:
    brokers = Brokers()
    still = ElectionPlan(kind=UNCLEAN, elections=(election(T0, Prospect.VALID),))

    assert Committed() == WireElections(brokers, UNCLEAN).write(NO_FENCE, still)
    assert [] == brokers.asked


def test_refusals_are_told_by_partition_and_news_are_left_to_a_later_look() -> None:
    brokers = Brokers()
    brokers.answer = lambda: response(
        {T0: (NOT_AVAILABLE, "Failed to elect"), T1: (NOT_NEEDED, None), U0: (TIMED_OUT, None)}
    )

    assert Partly({T0: "Failed to elect"}) == WireElections(brokers, PREFERRED).write(
        NO_FENCE, PLAN
    )
    brokers.answer = lambda: response({T0: (NOT_AVAILABLE, None)})
    wordless = WireElections(brokers, PREFERRED).write(NO_FENCE, PLAN)
    assert isinstance(wordless, Partly)
    assert "preferred leader" in wordless.refused[T0]


def test_a_request_that_is_refused_as_a_whole_is_no_outcome_of_partitions() -> None:
    brokers = Brokers()
    elections = WireElections(brokers, PREFERRED)
    brokers.answer = lambda: response({}, top=DENIED)
    with pytest.raises(ClusterAuthorizationFailedError, match="elect 3 leaders"):
        elections.write(NO_FENCE, PLAN)
    brokers.answer = lambda: response({}, top=42)
    with pytest.raises(Refused, match="refuse to elect 3 leaders"):
        elections.write(NO_FENCE, PLAN)
    brokers.answer = lambda: response({}, top=TIMED_OUT)
    with pytest.raises(AnswerLost, match="in part"):
        elections.write(NO_FENCE, PLAN)

    def without_controller() -> Any:
        raise RuntimeError("Failed to find active controller id!")

    brokers.answer = without_controller
    with pytest.raises(NoController):
        elections.write(NO_FENCE, PLAN)


def test_brokers_before_2_4_answer_for_partitions_alone() -> None:
    brokers = Brokers((2, 3))
    answer = response({T0: (NOT_AVAILABLE, "no")})
    del answer.error_code
    brokers.answer = lambda: answer

    assert Partly({T0: "no"}) == WireElections(brokers, PREFERRED).write(NO_FENCE, PLAN)


def test_logs_end_where_their_brokers_say_if_they_do() -> None:
    brokers = Brokers()
    brokers.ends = {1: {T0: 5, U0: 9}, 2: {T0: 7}}
    one, two, dead = BrokerId(1), BrokerId(2), BrokerId(3)

    found = WireElections(brokers, UNCLEAN).end_offsets(
        {T0: [one, two, dead], T1: [two], U0: [one]}
    )

    assert {T0: {1: 5, 2: 7}, U0: {1: 9}} == found


def test_those_without_another_leader_are_left() -> None:
    brokers = Brokers()
    brokers.told = {
        "controller_id": -1,
        "topics": [
            {
                "name": "t",
                "partitions": [
                    {"partition_index": 0, "leader_id": 0},
                    {"partition_index": 1, "leader_id": 1},
                ],
            }
        ],
    }

    left = WireElections(brokers, PREFERRED).not_elected(PLAN.elections[:3])

    assert Remaining(items=list(PLAN.elections[1:3]), has_controller=False) == left
    assert [(("t", "u"), None)] == brokers.asked


def test_always_the_same_broker_tells_who_leads() -> None:
    brokers = Brokers()
    brokers.told = {"brokers": [], "controller_id": 2, "topics": []}
    elections = WireElections(brokers, PREFERRED)

    elections.snapshot(TopicSelection(wanted=("t",)))
    elections.not_elected(PLAN.elections[:1])
    brokers.told |= {"controller_id": 1}
    elections.snapshot(TopicSelection(wanted=("t",)))
    elections.snapshot(TopicSelection(wanted=("t",)))

    assert [((), None), *((("t",), 2) for _ in range(4))] == brokers.asked


def test_who_has_just_started_and_knows_no_controller_is_not_asked_for_leaders() -> None:
    class Starting(Brokers):
        def metadata(self, topics: Any, broker: int | None = None) -> Any:
            told = super().metadata(topics, broker)
            return told | {"controller_id": -1} if len(self.asked) < 3 else told

    brokers = Starting()
    brokers.told = {"brokers": [], "controller_id": 2, "topics": []}

    WireElections(brokers, PREFERRED).snapshot(TopicSelection(wanted=("t",)))

    assert [((), None)] * 3 + [(("t",), 2)] == brokers.asked


def test_without_a_controller_any_broker_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSE_S", 0)
    brokers = Brokers()
    brokers.told = {"brokers": [], "controller_id": -1, "topics": []}

    WireElections(brokers, PREFERRED).snapshot(TopicSelection(wanted=("t",)))

    assert (("t",), None) == brokers.asked[-1]
