"""ZooKeepers that are killed or stand still: one, or the majority."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.faults.plan import Fault, Members

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill(Fault):
    """As `kill -9` does."""

    zookeepers: tuple[int, ...]

    def __str__(self) -> str:
        return f"kill -9 of ZooKeeper {' and '.join(map(str, self.zookeepers))}"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for number in self.zookeepers:
            cluster.zookeepers[number].kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class KillLeader(Fault):
    """The one that leads the others."""

    def __str__(self) -> str:
        return "kill -9 of ZooKeeper's leader"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        cluster.zookeepers[cluster.zookeeper_leader()].kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze(Fault):
    """They stand still, and go on later."""

    zookeepers: tuple[int, ...]

    def __str__(self) -> str:
        return f"freeze of ZooKeeper {' and '.join(map(str, self.zookeepers))}"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for number in self.zookeepers:
            cluster.freeze_zookeeper(number)


def kill_leader(lots: Random, members: Members) -> Fault:
    return KillLeader()


def kill_majority(lots: Random, members: Members) -> Fault:
    return Kill(zookeepers=majority(lots, members))


def freeze_one(lots: Random, members: Members) -> Fault:
    return Freeze(zookeepers=(lots.choice(members.zookeepers),))


def freeze_majority(lots: Random, members: Members) -> Fault:
    return Freeze(zookeepers=majority(lots, members))


def majority(lots: Random, members: Members) -> tuple[int, ...]:
    count = len(members.zookeepers) // 2 + 1
    return tuple(sorted(lots.sample(members.zookeepers, count)))
