"""Requests to coordinators: which broker is asked, which again, and why is there no answer?"""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from cluster.model.ids import BrokerId
from kadmin.admin.wire import coordinators
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.coordinators import Coordinators
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.settings.brokers import BrokerSettings

LOADING, NOT_COORDINATOR, DENIED = 14, 16, 30


class Brokers(WireConnection):
    """Brokers that know one round of coordinators after the other; the last one stays."""

    def __init__(self, *rounds: dict[str, int], version: int = 4) -> None:
        super().__init__(SimpleNamespace(), BrokerSettings(bootstrap="b:9092", timeout_s=10))
        self.rounds = list(rounds)
        self.version = version
        self.asked: list[list[str]] = []

    def version_of(self, request: type) -> int:
        return self.version

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        known = self.rounds.pop(0) if len(self.rounds) > 1 else self.rounds[0]
        names = request.coordinator_keys or [request.key]
        self.asked.append(list(names))
        found = [
            SimpleNamespace(key=name, node_id=known[name], error_code=0)
            if known.get(name, -1) >= 0
            else SimpleNamespace(key=name, node_id=-1, error_code=DENIED)
            for name in names
        ]
        first = found[0]
        return SimpleNamespace(
            coordinators=found, node_id=first.node_id, error_code=first.error_code
        )


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinators, "PAUSE_S", 0.0)


def names_of(broker: BrokerId, names: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    return ((name, 0, f"{name} of {broker}") for name in names)


@pytest.mark.parametrize(("version", "asked"), [(4, [["a", "b", "c"]]), (3, [["a"], ["b"], ["c"]])])
def test_coordinators_are_found_in_one_request_where_brokers_can(
    version: int, asked: list[list[str]]
) -> None:
    brokers = Brokers({"a": 1, "b": 2, "c": 1}, version=version)
    known = Coordinators(brokers)

    answers = known.ask(["c", "a", "b"], names_of)
    known.ask(["a"], names_of)

    assert {"a": "a of 1", "b": "b of 2", "c": "c of 1"} == answers.found
    assert {} == answers.unanswered
    # And each is found once.
    assert asked == brokers.asked


@pytest.mark.parametrize("code", [LOADING, NOT_COORDINATOR])
def test_a_coordinator_that_has_moved_or_loads_is_looked_for_again(code: int) -> None:
    brokers = Brokers({"a": 1, "b": 1}, {"a": 2, "b": 1})

    answers = Coordinators(brokers).ask(
        ["a", "b"],
        lambda broker, names: [
            (name, code if (name, broker) == ("a", 1) else 0, int(broker)) for name in names
        ],
    )

    assert {"a": 2, "b": 1} == answers.found
    assert [["a", "b"], ["a"]] == brokers.asked


def test_a_group_without_an_answer_has_a_reason() -> None:
    def ask(broker: BrokerId, names: Sequence[str]) -> list[tuple[str, int, None]]:
        if broker == 2:
            raise BrokersUnreachable("b:9092", "no answer")
        return [(name, DENIED if name == "denied" else LOADING, None) for name in names]

    found = {"silent": 2, "denied": 1, "loading": 1}
    answers = Coordinators(Brokers(found)).ask([*found, "hidden"], ask)

    assert {} == answers.found
    assert {"silent", "denied", "loading", "hidden"} == answers.unanswered.keys()
    assert "no answer" == answers.unanswered["silent"]


def test_nothing_asked_is_nothing_answered() -> None:
    brokers = Brokers({})

    assert {} == Coordinators(brokers).ask([], names_of).found
    assert [] == brokers.asked
