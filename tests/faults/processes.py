"""Brokers that are killed, stopped in order, or stand still."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.faults.plan import Fault, Members, Role

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill(Fault):
    """As `kill -9` does; with *is_back* it is started again at once, into whatever is wrong."""

    is_back: bool = False

    def __str__(self) -> str:
        return self.named("kill -9") + (", started again at once" if self.is_back else "")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.kill(one)
        if self.is_back:
            cluster.start_brokers(brokers, amid_faults=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Fault):
    """A controlled shutdown, which goes on while other faults come."""

    def __str__(self) -> str:
        return self.named("controlled shutdown")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.ask_to_stop(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze(Fault):
    """It stands still, and goes on later as if nothing had been."""

    def __str__(self) -> str:
        return self.named("freeze")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.freeze(one)


def kill(lots: Random, members: Members) -> Fault:
    return Kill(brokers=(members.target(lots),))


def kill_and_start(lots: Random, members: Members) -> Fault:
    return Kill(brokers=(members.target(lots),), is_back=True)


def kill_controller(lots: Random, members: Members) -> Fault:
    return Kill(brokers=(Role.CONTROLLER,))


def kill_two(lots: Random, members: Members) -> Fault:
    return Kill(brokers=members.targets(lots, 2))


def stop(lots: Random, members: Members) -> Fault:
    return Stop(brokers=(members.target(lots),))


def freeze(lots: Random, members: Members) -> Fault:
    return Freeze(brokers=(members.target(lots),))


def freeze_controller(lots: Random, members: Members) -> Fault:
    return Freeze(brokers=(Role.CONTROLLER,))
