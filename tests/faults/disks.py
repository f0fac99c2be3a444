"""Disks of brokers that are full, gone, slow, or fail to sync."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar, Final

from tests.faults.plan import Fault, Members

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster

DISKS: Final = ("disk-0", "disk-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Full(Fault):
    """No file grows: a write ends in the middle, as where no space is left."""

    def __str__(self) -> str:
        return self.named("full log directories")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.fill_disks(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone(Fault):
    """Nothing is found where one of the log directories was."""

    disk: str

    def __str__(self) -> str:
        return self.named(f"{self.disk} is gone")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.fail_disk(one, self.disk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow(Fault):
    """Every sync takes its time."""

    sync_s: float

    def __str__(self) -> str:
        return self.named(f"syncs of {self.sync_s} s")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.machines[one].set_sync(lasts_s=self.sync_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedSync(Fault):
    """Every sync fails, and what it was for is gone when the machine runs anew."""

    loses_power: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.named("failing syncs")

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.fail_syncs(one, errno.EIO)


def full(lots: Random, members: Members) -> Fault:
    return Full(brokers=members.targets(lots, 1))


def gone(lots: Random, members: Members) -> Fault:
    return Gone(brokers=members.targets(lots, 1), disk=lots.choice(DISKS))


def slow_sync(lots: Random, members: Members) -> Fault:
    return Slow(brokers=members.targets(lots, 1), sync_s=lots.choice((0.05, 0.5, 3)))


def failed_sync(lots: Random, members: Members) -> Fault:
    return FailedSync(brokers=members.targets(lots, 1))
