"""Which faults come, and when: drawn from a seed as data, before anything runs.

A round is a few faults that are there at once, and then healed together.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster

SESSION_S: Final = 4
SHORT_S: Final = (0.2, 1.5)
"""Over before anybody's session is."""
LONG_S: Final = (1.3 * SESSION_S, 2 * SESSION_S)
APART_S: Final = (0, 2)
REST_S: Final = (0, 1)
CALM_S: Final = 2 * SESSION_S
"""After so long no session ends any more because of what was before."""
AT_ONCE: Final = (1, 2, 2, 3)
OUT_MAX: Final = 2
"""Of the three replicas of a partition, how many may be out while one loses what it remembers."""


class Role(StrEnum):
    """Who has it is found out when the fault begins."""

    CONTROLLER = "the controller"


Target = int | Role
"""A broker by its id or its role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Of whom faults are drawn."""

    brokers: tuple[int, ...]
    zookeepers: tuple[int, ...]

    def target(self, lots: Random) -> Target:
        """One broker; the controller more often than others."""
        targets: tuple[Target, ...] = (*self.brokers, Role.CONTROLLER)
        return lots.choice(targets)

    def targets(self, lots: Random, count: int) -> tuple[Target, ...]:
        return tuple(lots.sample(self.brokers, count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(ABC):
    """What goes wrong; its text says with whom."""

    brokers: tuple[Target, ...] = ()
    """Those that may be out because of it."""
    loses_power: ClassVar[bool] = False
    """Whether what was not synced may be gone."""
    comes_first: ClassVar[bool] = False
    """Whether it needs a cluster that is whole to begin with."""

    @abstractmethod
    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        """Let it happen to *brokers*, who now have the roles."""

    def named(self, text: str) -> str:
        """*text* and the brokers."""
        names = (one.value if isinstance(one, Role) else f"broker {one}" for one in self.brokers)
        return f"{text} of {' and '.join(names)}"


Kind = Callable[[Random, Members], Fault]
"""Draws a fault of a kind."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A fault, and how many seconds it comes after the one before it."""

    after_s: float
    fault: Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Faults in their order, for how long the last one is there before all of them are healed, and
    how long the cluster goes on whole before the first and after them.
    """

    calm_s: float
    faults: tuple[Begun, ...]
    lasts_s: float
    rests_s: float

    def __str__(self) -> str:
        return " + ".join(str(begun.fault) for begun in self.faults)


def rounds(
    seed: int, kinds: Sequence[Kind], members: Members, *, syncs_all: bool
) -> Iterator[Round]:
    """Draw rounds without end.

    *syncs_all* says whether a record is synced before it is acknowledged.  Where it is not, a
    machine that loses its power forgets what it has acknowledged, and another of the ISR has to
    remember: then only so many brokers are out at once.
    """
    lots = Random(f"faults {seed}")
    deck: list[Kind] = []
    while True:
        faults: list[Fault] = []
        count = lots.choice(AT_ONCE)
        while len(faults) < count:
            if not deck:
                # Every kind comes once before any comes again.
                deck = lots.sample(kinds, len(kinds))
            fault = deck.pop()(lots, members)
            if syncs_all or is_remembered([*faults, fault]):
                faults.append(fault)
        faults.sort(key=lambda fault: not fault.comes_first)
        # Who was out before is not in every ISR: then those that are must not forget.
        forgets = not syncs_all and any(fault.loses_power for fault in faults)
        yield Round(
            calm_s=CALM_S if forgets else 0,
            faults=tuple(Begun(tenths(lots, APART_S), fault) for fault in faults),
            lasts_s=tenths(lots, lots.choice((SHORT_S, LONG_S, LONG_S))),
            rests_s=tenths(lots, REST_S),
        )


def tenths(lots: Random, bounds: tuple[float, float]) -> float:
    return round(lots.uniform(*bounds), 1)


def is_remembered(faults: Sequence[Fault]) -> bool:
    """Whether some replica is left that forgets nothing while *faults* are there at once."""
    out = {broker for fault in faults for broker in fault.brokers}
    return len(out) <= OUT_MAX or not any(fault.loses_power for fault in faults)
