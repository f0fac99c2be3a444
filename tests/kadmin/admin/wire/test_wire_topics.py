"""Topics by brokers: what is made of one of which they do not tell, and that is in the way?

Brokers that answer in earnest are asked in `tests/interop/test_topics_by_wire.py`.
"""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import (
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.topic import PartitionAssignment, TopicAssignment
from kadmin.admin.answers import TopicNames
from kadmin.admin.ports import Remaining
from kadmin.admin.wire import wire_topics
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.outcomes import NO_FENCE
from kadmin.admin.wire.wire_topics import WireTopics
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.topics import CreatePlan
from kadmin.settings.brokers import BrokerSettings
from tests.kadmin.builders import brokers, cluster

PLAN = CreatePlan(
    name="t",
    assignment=TopicAssignment(partitions={0: PartitionAssignment((BrokerId(1),))}),
    configs={},
    placement=None,
)
SNAPSHOT = cluster(brokers("1"))
EXISTS = Conflict("topic 't'", ConflictKind.EXISTS)


class Brokers(WireConnection):
    """Brokers that have the topics *there*, tell of those *told*, and that let nobody make any
    without *rights*.  Each time that they are tried, *later* happens."""

    def __init__(self, there: set[str], told: set[str], *, rights: bool = True) -> None:
        super().__init__(
            SimpleNamespace(create_topics=self.create_topics),
            BrokerSettings(bootstrap="b:9092", timeout_s=10),
        )
        self.there = there
        self.told = told
        self.has_rights = rights
        self.tried_count = 0
        self.later = lambda: None

    @property
    def broker_version(self) -> tuple[int, ...]:
        return (3, 9)

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        unknown = UnknownTopicOrPartitionError.errno
        return {
            "brokers": [],
            "controller_id": 1,
            "topics": []
            if topics is None
            else [
                {
                    "name": name,
                    "error_code": 0 if name in self.told else unknown,
                    "partitions": [],
                }
                for name in topics
            ],
        }

    def create_topics(
        self, topics: dict[str, Any], *, validate_only: bool = False, raise_errors: bool
    ) -> Any:
        assert not raise_errors
        codes = {name: self.code_of(name) for name in topics}
        if validate_only:
            self.tried_count += 1
            self.later()
        return {"topics": [{"name": name, "error_code": code} for name, code in codes.items()]}

    def code_of(self, name: str) -> int:
        if not self.has_rights:
            return int(TopicAuthorizationFailedError.errno)
        return int(TopicAlreadyExistsError.errno) if name in self.there else 0


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_topics, "HEARD_WITHIN_S", 0.05)
    monkeypatch.setattr(wire_topics, "PAUSE_S", 0.01)


@pytest.fixture(autouse=True)
def without_reassignments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_topics, "told_reassignments", lambda _connection: ({}, ()))
    monkeypatch.setattr(wire_topics, "read_snapshot", lambda *_arguments, **_options: SNAPSHOT)


def test_a_topic_is_deleted_when_it_is_not_in_the_way_of_another_one() -> None:
    asked = Brokers({"told", "going"}, {"told"})

    left = WireTopics(asked).not_deleted(["gone", "going", "told"])

    assert Remaining(items=["going", "told"], has_controller=True) == left


def test_who_may_make_no_topics_takes_those_for_deleted_that_nobody_tells_of() -> None:
    asked = Brokers({"going"}, set(), rights=False)

    assert [] == WireTopics(asked).not_deleted(["going"]).items


def test_one_that_brokers_go_on_not_to_tell_of_is_being_deleted() -> None:
    topics = WireTopics(Brokers({"t"}, set()))

    assert EXISTS == topics.write(NO_FENCE, PLAN)
    assert TopicNames(names=("t",), marked_for_deletion=frozenset("t")) == topics.names()
    assert topics.snapshot(TopicSelection()).topics["t"].is_marked_for_deletion


def test_one_that_has_gone_meanwhile_or_was_just_made_is_planned_anew() -> None:
    gone, made = Brokers({"t"}, set()), Brokers({"t"}, set())
    gone.later = gone.there.clear
    made.later = lambda: made.told.add("t")

    for asked in (gone, made):
        topics = WireTopics(asked)
        assert EXISTS == topics.write(NO_FENCE, PLAN)
        assert {} == topics.snapshot(TopicSelection()).topics
    assert (2, 1) == (gone.tried_count, made.tried_count)
    assert Committed() == WireTopics(gone).write(NO_FENCE, PLAN)
