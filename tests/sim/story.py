"""A story of the simulator: its seed, which faults it has, and what is left out of it."""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from random import Random
from typing import Final, NamedTuple

from cluster.broker.broker import Broker
from cluster.broker.control.fences import ControllerFence, Sender
from cluster.controller.core import ControllerCore
from cluster.model.error_codes import ErrorCode

SEEDS_PER_TRACE: Final = 10
"""One story in so many has the TRACE lines of state-change.log too; they take their time."""


class Fault(Enum):
    """What can go wrong; each run has some of them."""

    CRASH = auto()
    FREEZE = auto()
    """A process stands still, and goes on later as if nothing had been."""
    MACHINE = auto()
    """With a process its machine stops, maybe amid a write: what was not flushed may be lost."""
    DISK = auto()
    """A log directory fails; its broker says so, and has it back when it starts again."""
    CORRUPTION = auto()
    """At a start the configs of some topics cannot be read, and their logs are not opened."""
    EXPIRY = auto()
    """A session ends while its process lives."""
    LATE_NEWS = auto()
    """The next session is there before the process hears that the last one has ended."""
    LOST_REPLY = auto()
    """A reply of ZooKeeper does not come back, whether the request has landed or not."""
    SLOW_ORDER = auto()
    """An order takes its time: the next controller may be faster."""
    LOST_FRAME = auto()
    """A request, or the answer to it, does not arrive."""
    FORCED_MOVE = auto()
    """An operator removes /controller."""
    REFUSAL = auto()
    """ZooKeeper refuses a read."""
    LATE_REMOVAL = auto()
    """A controller that resigns is slow to remove /controller: an operator was faster."""
    SLOW_PEER = auto()
    """What a broker asks another takes its time, up to more than it waits for the response."""
    CLOCK_STEP = auto()
    """The clock of a machine is set forward or back."""


class ObeysAnybody(ControllerFence):
    """Takes every order for one of the controller of now, and meant for this life."""

    __slots__ = ()

    def refusal(self, sender: Sender, request: str) -> ErrorCode:
        return ErrorCode.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fences:
    """What stands between a late writer and the cluster; tests take one out at a time."""

    state_versions: bool = True
    epoch_checks: bool = True
    removal_checks: bool = True
    orders: bool = True
    flushes: bool = True
    steady_clocks: bool = True
    settled_clocks: bool = True
    core: type[ControllerCore] = ControllerCore

    def take_out(self, broker: Broker) -> None:
        if not self.orders:
            # In place: services of the broker hold the fence itself.
            broker.fence.__class__ = ObeysAnybody


ALL_FENCES: Final = Fences()


class Plot(StrEnum):
    """What a story is about."""

    CLUSTER = "cluster"
    """Topics come and go, with all that operators and clients do; in the end all has to be well."""
    PARTITION = "partition"
    """One partition whose leaders and ISR change all the time: short, dense, and only safety."""


class Pace(NamedTuple):
    """How long things may take, in ms.  What goes from one process to another takes 1 to 10."""

    session_timeout_ms: int
    lag_max_ms: int
    peer_timeout_ms: int
    fetch_wait_ms: int
    fetch_backoff_ms: int
    retry_ms: int
    """Until a broker tries again to register."""
    rebalance_ms: int
    """How often the controller looks for leaders that are not the preferred ones."""
    down_ms: tuple[int, int]
    """For how long a broker is down, at least and at most."""
    frozen_ms: tuple[int, int]


PACES: Final = {
    Plot.CLUSTER: Pace(
        session_timeout_ms=2000,
        lag_max_ms=1500,
        peer_timeout_ms=1000,
        fetch_wait_ms=500,
        fetch_backoff_ms=100,
        retry_ms=300,
        rebalance_ms=4000,
        down_ms=(100, 4000),
        frozen_ms=(100, 5000),
    ),
    Plot.PARTITION: Pace(
        session_timeout_ms=150,
        lag_max_ms=40,
        peer_timeout_ms=120,
        fetch_wait_ms=30,
        fetch_backoff_ms=10,
        retry_ms=10,
        rebalance_ms=400,
        down_ms=(1, 200),
        frozen_ms=(1, 200),
    ),
}


class Story(NamedTuple):
    """One run: all that happens in it follows from its seed, but for what is left out.

    *without* names kinds of faults and acts, *skipped* single ones, as `MACHINE.b0#2`.
    """

    seed: int
    without: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    plot: Plot = Plot.CLUSTER

    @property
    def pace(self) -> Pace:
        return PACES[self.plot]

    def has(self, name: str) -> bool:
        return kind_of(name) not in self.without and name not in self.skipped


def kind_of(name: str) -> str:
    """The kind of a single fault or act: `CRASH` of `CRASH.b0#2`."""
    return name.partition("#")[0].partition(".")[0]


def faults_of(seed: int) -> frozenset[Fault]:
    """The faults that a story has which leaves nothing out."""
    random = Random(f"{seed} faults")
    return frozenset(fault for fault in Fault if random.random() < 0.5)
