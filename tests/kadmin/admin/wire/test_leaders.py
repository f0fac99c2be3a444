"""Questions to leaders: who is asked, who again, and what becomes of those that nobody tells?"""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire import leaders
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.leaders import ask_leaders, by_topic
from kadmin.settings.brokers import BrokerSettings

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
NOT_LEADER, DENIED = 6, 29


class Brokers(WireConnection):
    """Brokers that tell of one round of leaders after the other; the last one stays."""

    def __init__(self, *rounds: dict[TopicPartition, int]) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.rounds = list(rounds)

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        told = self.rounds.pop(0) if len(self.rounds) > 1 else self.rounds[0]
        return {
            "topics": [
                {
                    "name": part.topic,
                    "partitions": [{"partition_index": part.partition, "leader_id": leader}],
                }
                for part, leader in told.items()
            ]
        }


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaders, "PAUSE_S", 0.0)


def test_every_leader_is_asked_once_about_its_own() -> None:
    asked: list[tuple[int, list[TopicPartition]]] = []

    def ask(
        broker: BrokerId, partitions: Sequence[TopicPartition]
    ) -> Iterator[tuple[TopicPartition, int, str]]:
        asked.append((broker, list(partitions)))
        return ((each, 0, f"{each} of {broker}") for each in partitions)

    answers = ask_leaders(Brokers({T0: 1, T1: 2, U0: 1}), [U0, T1, T0], ask)

    assert [(1, [T0, U0]), (2, [T1])] == asked
    assert {T0: "t-0 of 1", T1: "t-1 of 2", U0: "u-0 of 1"} == answers.found
    assert {} == answers.unanswered


def test_who_is_no_leader_any_more_is_asked_for_again() -> None:
    moved = Brokers({T0: 1, T1: 1}, {T0: 2, T1: 1})

    answers = ask_leaders(
        moved,
        [T0, T1],
        lambda broker, parts: [
            (each, NOT_LEADER if (each, broker) == (T0, 1) else 0, int(broker)) for each in parts
        ],
    )

    assert {T0: 2, T1: 1} == answers.found
    assert {} == answers.unanswered


def test_what_cannot_be_told_has_a_reason() -> None:
    def ask(
        broker: BrokerId, partitions: Sequence[TopicPartition]
    ) -> list[tuple[TopicPartition, int, None]]:
        if broker == 2:
            raise BrokersUnreachable("b:9092", "broker 2: it is silent")
        return [(each, DENIED, None) for each in partitions]

    answers = ask_leaders(Brokers({T0: 1, T1: 2, U0: -1}), [T0, T1, U0], ask)

    assert {} == answers.found
    assert "broker 2: it is silent" == answers.unanswered[T1]
    assert "it has no leader" == answers.unanswered[U0]
    assert "not authorized" in answers.unanswered[T0]


def test_a_leader_that_never_is_one_is_given_up() -> None:
    rounds: list[int] = []

    def ask(
        broker: BrokerId, partitions: Sequence[TopicPartition]
    ) -> list[tuple[TopicPartition, int, None]]:
        rounds.append(broker)
        return [(each, NOT_LEADER, None) for each in partitions]

    answers = ask_leaders(Brokers({T0: 1}), [T0], ask)

    assert [1] * leaders.ROUNDS_MAX == rounds
    assert "not the leader" in answers.unanswered[T0]


def test_partitions_by_topic() -> None:
    assert {"t": [0, 1], "u": [0]} == by_topic([T0, T1, U0])


def test_leaders_that_are_known_are_looked_for_only_where_they_have_moved() -> None:
    asked: list[tuple[int, list[TopicPartition]]] = []

    def ask(
        broker: BrokerId, partitions: Sequence[TopicPartition]
    ) -> Iterator[tuple[TopicPartition, int, int]]:
        asked.append((broker, list(partitions)))
        moved = (T0, 1)
        return ((each, NOT_LEADER if (each, broker) == moved else 0, 0) for each in partitions)

    known = {T0: BrokerId(1), T1: BrokerId(1)}
    answers = ask_leaders(Brokers({T0: 2, T1: 2, U0: 2}), [T0, T1, U0], ask, known)

    assert [(1, [T0, T1]), (2, [T0])] == asked
    assert {T0: 0, T1: 0} == answers.found
    assert {U0: "it has no leader"} == answers.unanswered
