"""Clocks that are set while a broker runs: forward or back, by seconds up to a year."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from tests.faults.plan import Fault, Members, Target

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster

STEPS_S: Final = (5, 30, 600, 3600, 86_400, 31_536_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Fault):
    """The wall clock of one broker is set; when all heals, it is right again.

    Nobody is out because of it.
    """

    target: Target
    by_s: int

    def __str__(self) -> str:
        return f"clock of {self.target} by {self.by_s:+} s"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        cluster.machines[cluster.resolve(self.target)].step_clock(self.by_s)


def step(lots: Random, members: Members) -> Fault:
    by_s = lots.choice(STEPS_S) * lots.choice((1, -1))
    return Step(target=members.target(lots), by_s=by_s)
