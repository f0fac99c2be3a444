"""Waiting for reassignments: however long it takes, and whoever does not answer meanwhile."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import RefusedError, UnreachableError
from kadmin.execute import reassign_wait
from kadmin.execute.reassign_wait import wait_until_moved
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.plan.reassignment.targets import Target, Targets
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
    dirs: list[LogDirs | None] = field(default_factory=list)
    """What brokers tell when they are asked; nothing when it is over."""
    wanted: Targets = field(default_factory=lambda: WANTED)
    throttle: int | None = None

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

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs | None:
        return self.dirs.pop(0) if self.dirs else None

    def wait(self) -> None:
        wait_until_moved(self.connect, lambda _: self.wanted, self.said.append, self.throttle)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reassign_wait, "POLL_MAX_S", 0.0)
    monkeypatch.setattr(reassign_wait, "SILENCE_MAX_S", 0.0)


def test_it_is_told_how_far_it_is_and_what_it_waits_for() -> None:
    world = World([BOTH, ONE, ONE, NONE])

    world.wait()

    still, going, stuck, end = world.said
    # A look later one is there, but the state that was asked for is that of then.
    assert still.startswith("0 of 2 partitions done, 2 moving; t-0: ")
    assert going.startswith("1 of 2 partitions done, 1 moving; about ")
    assert going.endswith(" s left")
    assert stuck.startswith("1 of 2 partitions done, 1 moving; u-0: ")
    assert end == "2 of 2 partitions done"
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


def dirs_of(broker: int, **sizes: int) -> LogDirs:
    """t-0 on *broker* by directory; what is in `b` is being copied from `a`."""
    return {
        BrokerId(broker): [
            LogDir(
                path=f"/{name}",
                replicas=(
                    ReplicaLog(
                        partition=TopicPartition("t", 0),
                        size_bytes=size,
                        lag_records=0,
                        is_future=name == "b",
                    ),
                ),
            )
            for name, size in sizes.items()
        ]
    }


@pytest.mark.parametrize(
    ("throttle", "moves", "stands_still"),
    [
        (None, "4.0 MiB left, 512.0 KiB/s, about 8 s", "4.0 MiB left; t-0: "),
        # A burst at the beginning promises nothing.
        (
            100 << 10,
            "4.0 MiB left, 512.0 KiB/s, about 41 s",
            "4.0 MiB left, at least 41 s at the throttle; t-0: ",
        ),
        (
            1 << 20,
            "4.0 MiB left, 512.0 KiB/s, about 8 s",
            "4.0 MiB left, at least 4 s at the throttle; t-0: ",
        ),
    ],
)
def test_bytes_and_their_rate_are_told_where_brokers_tell_sizes(
    monkeypatch: pytest.MonkeyPatch, throttle: int | None, moves: str, stands_still: str
) -> None:
    seconds = count(0.0)
    clock = SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _: None)
    monkeypatch.setattr(reassign_wait, "time", clock)
    one = cluster(brokers("0 1 2"), topic("t", "1,2,0", adding="2", removing="0"))
    done = cluster(brokers("0 1 2"), topic("t", "1,2"))
    sizes = [{**dirs_of(1, a=5 << 20), **dirs_of(2, a=copied << 20)} for copied in (0, 1, 1)]
    world = World([one, one, one, done], dirs=[*sizes], wanted=targets("t-0:1,2"))
    world.throttle = throttle

    world.wait()

    # Weighed at the first look, and whenever it is told: the clock here goes on by 1 s when asked.
    assert f"0 of 1 partitions done, 1 moving; {moves}" == world.said[0]
    # What stands still says why.
    assert world.said[1].startswith(f"0 of 1 partitions done, 1 moving; {stands_still}")


def test_a_replica_that_changes_its_directory_is_waited_for() -> None:
    there = cluster(brokers("0 1 2"), topic("t", "1"))
    wanted = {TopicPartition("t", 0): Target((BrokerId(1),), ("/b",))}
    gone = {BrokerId(1): [LogDir(path="/b", replicas=dirs_of(1, a=9)[BrokerId(1)][0].replicas)]}
    world = World([there] * 3, dirs=[dirs_of(1, a=9, b=3), dirs_of(1, a=9, b=6), gone])
    world.wanted = wanted

    world.wait()

    assert ["0 of 1 moves done, 1 moving; 6 B left"] == [
        said.split(", about")[0] for said in world.said[:1]
    ]
    assert 3 == len(world.said)
    assert "1 of 1 moves done" == world.said[-1]
