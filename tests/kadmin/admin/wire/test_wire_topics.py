"""Topics by brokers: what is made of one of which they do not tell, and that is in the way?

Brokers that answer in earnest are asked in `tests/interop/test_topics_by_wire.py`.
"""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
from kafka.errors import (
    KafkaTimeoutError,
    RequestTimedOutError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.placement import Layout
from cluster.model.topic import PartitionAssignment, TopicAssignment
from kadmin.admin.answers import TopicNames
from kadmin.admin.ports import Remaining
from kadmin.admin.wire import wire_topics
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import TopicConfigs
from kadmin.admin.wire.outcomes import NO_FENCE, AnswerLost
from kadmin.admin.wire.wire_topics import WireTopics
from kadmin.arguments.topics import TopicSelection
from kadmin.budget import Budget
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan
from kadmin.settings.brokers import BrokerSettings
from tests.kadmin.builders import brokers, cluster

Change: TypeAlias = CreatePlan | AddPartitionsPlan | DeletePlan

PLAN = CreatePlan(
    name="t",
    assignment=TopicAssignment(partitions={0: PartitionAssignment((BrokerId(1),))}),
    configs={},
    placement=None,
)
BEFORE, AFTER = PLAN.layout, {**PLAN.layout, 1: (BrokerId(2),)}
GROWN = TopicAssignment(
    partitions={number: PartitionAssignment(replicas) for number, replicas in AFTER.items()}
)
ADDITION = AddPartitionsPlan(name="t", before=PLAN.assignment, after=GROWN, placement=None)
DELETION = DeletePlan(name="t", before=PLAN.assignment, is_already_marked=False)
MIN_2 = {"min.insync.replicas": "2"}
SNAPSHOT = cluster(brokers("1"))
EXISTS = Conflict("topic 't'", ConflictKind.EXISTS)


class Brokers(WireConnection):
    """Brokers that have the topics *there*, tell of those *told*, and that let nobody make any
    without *rights*.  Each time that they are tried, *later* happens."""

    def __init__(self, there: set[str], told: set[str], *, rights: bool = True) -> None:
        super().__init__(
            SimpleNamespace(
                create_topics=self.create_topics,
                create_partitions=self.loses_answer,
                delete_topics=self.loses_answer,
            ),
            BrokerSettings(bootstrap="b:9092", timeout_s=10),
        )
        self.there = there
        self.told = told
        self.has_rights = rights
        self.tried_count = 0
        self.later: Callable[[], object] = lambda: None
        self.others: set[str] = set()
        """Topics that are returned when all are asked for."""
        self.configs: dict[str, str] = {}
        """The configs of each topic that is told."""
        self.layout: Layout = {}
        """The replicas of each topic that is told."""
        self.codes: dict[str, int] = {}
        """What making a topic is answered with, where it is not what is there that decides."""
        self.shows: Callable[[], object] = lambda: None
        """What happens each time that topics are asked for."""

    @property
    def broker_version(self) -> tuple[int, ...]:
        return (3, 9)

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        unknown = UnknownTopicOrPartitionError.errno
        if topics:
            self.shows()
        return {
            "brokers": [],
            "controller_id": 1,
            "topics": [
                {
                    "name": name,
                    "error_code": 0 if name in self.told else unknown,
                    "partitions": [
                        {
                            "partition_index": number,
                            "leader_id": replicas[0],
                            "leader_epoch": 0,
                            "replica_nodes": list(replicas),
                            "isr_nodes": list(replicas),
                            "offline_replicas": [],
                        }
                        for number, replicas in self.layout.items()
                    ],
                }
                for name in (self.others if topics is None else topics)
            ],
        }

    def create_topics(
        self,
        topics: dict[str, Any],
        *,
        timeout_ms: int | None = None,
        validate_only: bool = False,
        raise_errors: bool,
    ) -> Any:
        assert not raise_errors
        codes = {name: self.code_of(name) for name in topics}
        if validate_only:
            self.tried_count += 1
            self.later()
        return {"topics": [{"name": name, "error_code": code} for name, code in codes.items()]}

    def loses_answer(self, *_asked: object, timeout_ms: int, raise_errors: bool) -> Any:
        raise KafkaTimeoutError

    def code_of(self, name: str) -> int:
        if not self.has_rights:
            return int(TopicAuthorizationFailedError.errno)
        return int(TopicAlreadyExistsError.errno) if name in self.there else self.codes.get(name, 0)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_topics, "HEARD_WITHIN_S", 0.05)
    monkeypatch.setattr(wire_topics, "PAUSE_S", 0.01)


@pytest.fixture(autouse=True)
def without_reassignments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_topics, "ongoing_reassignments", lambda _connection: ({}, ()))
    monkeypatch.setattr(wire_topics, "read_snapshot", lambda *_arguments, **_options: SNAPSHOT)


@pytest.fixture(autouse=True)
def with_configs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        wire_topics,
        "read_topic_configs",
        lambda asked, names: {
            name: TopicConfigs(overrides=asked.configs, inherited={})
            for name in names
            if name in asked.told
        },
    )


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


@pytest.mark.parametrize("looks", [1, 4])
@pytest.mark.parametrize(
    ("plan", "was", "became"),
    [(PLAN, {}, BEFORE), (ADDITION, BEFORE, AFTER), (DELETION, BEFORE, {})],
)
def test_a_change_whose_answer_was_lost_is_done_once_the_topic_shows_it(
    plan: Change, was: Layout, became: Layout, looks: int
) -> None:
    asked = asked_in_vain(was)
    left = looks

    def show() -> None:
        nonlocal left
        left -= 1
        if not left:
            asked.told, asked.layout = ({"t"} if became else set()), became

    asked.shows = show

    assert Committed() == WireTopics(asked).write(NO_FENCE, plan)
    assert left == 0


@pytest.mark.parametrize(
    ("plan", "layout"),
    [
        (PLAN, {}),
        # Somebody else's, of the same name.
        (PLAN, AFTER),
        (ADDITION, BEFORE),
        (ADDITION, {**AFTER, 2: (BrokerId(1),)}),
        (DELETION, BEFORE),
    ],
)
def test_a_change_whose_answer_was_lost_and_that_no_topic_shows_may_have_been_made(
    plan: Change, layout: Layout
) -> None:
    asked = asked_in_vain(layout)
    asked.budget = Budget(0.05)

    with pytest.raises(AnswerLost):
        WireTopics(asked).write(NO_FENCE, plan)


def test_a_controller_that_waits_for_a_new_topic_says_so_and_it_is_looked_for() -> None:
    asked = Brokers(set(), {"t"})
    asked.layout = PLAN.layout
    asked.codes["t"] = RequestTimedOutError.errno

    assert Committed() == WireTopics(asked).write(NO_FENCE, PLAN)


@pytest.mark.parametrize(
    ("wanted", "there", "is_made"),
    [({}, {}, True), (MIN_2, MIN_2, True), (MIN_2, {}, False), ({}, MIN_2, False)],
)
def test_a_topic_with_other_configs_is_not_the_one_whose_answer_was_lost(
    wanted: dict[str, str], there: dict[str, str], is_made: bool
) -> None:
    asked = asked_in_vain(PLAN.layout)
    asked.configs = there

    assert is_made == WireTopics(asked).shows(replace(PLAN, configs=wanted))


@pytest.mark.parametrize(
    ("others", "exists", "is_made"),
    [
        # It was elected a moment ago, or the deletion waits for a broker: nobody can tell which.
        (set(), True, False),
        (set(), False, True),
        ({"u"}, True, True),
    ],
)
def test_a_controller_that_returns_no_topics_at_all_has_deleted_none(
    others: set[str], exists: bool, is_made: bool
) -> None:
    asked = Brokers({"t"} if exists else set(), set())
    asked.others = others

    assert is_made == WireTopics(asked).shows(DELETION)


def asked_in_vain(layout: Layout) -> Brokers:
    """Brokers that answer no change, and that have "t" if it has a *layout*."""
    asked = Brokers(set(), {"t"} if layout else set())
    asked.others = {"u"}
    asked.layout = layout
    asked.client.create_topics = asked.loses_answer
    return asked
