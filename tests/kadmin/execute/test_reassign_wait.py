"""Waiting for reassignments: however long it takes, and whoever does not answer meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import RefusedError, UnreachableError
from kadmin.execute import reassign_wait
from kadmin.execute.reassign_wait import wait_until_moved
from kadmin.plan.select import TopicSelection
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.reassignment.builders import targets

WANTED = targets("t-0:2,1", "u-0:2,1")
BOTH = cluster(
    brokers("0 1 2"),
    topic("t", "2,1,0", adding="2", removing="0"),
    topic("u", "2,1,0", adding="2", removing="0"),
)
ONE = cluster(brokers("0 1 2"), topic("t", "2,1"), topic("u", "2,1,0", adding="2", removing="0"))
NONE = cluster(brokers("0 1 2"), topic("t", "2,1"), topic("u", "2,1"))


@dataclass
class World:
    """What is seen at one look after the other: a cluster, or why there is no answer."""

    looks: list[ClusterSnapshot | Exception]
    connections: int = 0
    said: list[str] = field(default_factory=list)

    @contextmanager
    def connect(self) -> Iterator[Any]:
        self.connections += 1
        yield self

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_configs: bool = False
    ) -> ClusterSnapshot:
        # Who asks what it waits for sees the same once more.
        found = self.looks[0] if with_states else self.looks.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def wait(self) -> None:
        wait_until_moved(self.connect, lambda _: WANTED, self.said.append)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reassign_wait, "POLL_MAX_S", 0.0)
    monkeypatch.setattr(reassign_wait, "SILENCE_MAX_S", 0.0)


def test_it_is_told_how_far_it_is_and_what_it_waits_for() -> None:
    world = World([BOTH, ONE, ONE, NONE])

    world.wait()

    still, going, stuck = world.said
    # A look later one is there, but the state that was asked for is that of then.
    assert still.startswith("0 of 2 partitions are there, 2 are moving; t-0: ")
    assert going.startswith("1 of 2 partitions are there, 1 are moving; about ")
    assert going.endswith(" s left")
    assert stuck.startswith("1 of 2 partitions are there, 1 are moving; u-0: ")
    assert world.connections == 1


def test_nothing_is_told_of_what_is_done_at_once() -> None:
    world = World([NONE])

    world.wait()

    assert world.said == []


def test_who_does_not_answer_is_asked_again() -> None:
    silence = UnreachableError("cannot reach ZooKeeper")
    world = World([silence, silence, NONE])

    world.wait()

    assert world.said == ["cannot reach ZooKeeper; waiting on"] * 2
    assert world.connections == 3


def test_what_is_no_outage_is_no_reason_to_wait() -> None:
    with pytest.raises(RefusedError, match="damaged"):
        World([RefusedError("damaged")]).wait()


def test_waiting_is_quiet_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reassign_wait, "SILENCE_MAX_S", 60.0)
    world = World([BOTH, ONE, NONE])

    world.wait()

    assert world.said == []
