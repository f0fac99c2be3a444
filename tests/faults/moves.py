"""Reassignments of the trial's partitions, which other faults meet on their way."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar, Final

from tests.faults.plan import Fault, Members

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster

TOPIC: Final = "trial"
PARTITIONS: Final = 6
REPLICAS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassign(Fault):
    """Other replicas for some partitions, or the same in another order."""

    comes_first: ClassVar[bool] = True
    replicas: tuple[tuple[int, tuple[int, ...]], ...]
    """Of each partition that moves."""

    def __str__(self) -> str:
        moves = (f"{index} to {','.join(map(str, to))}" for index, to in self.replicas)
        return f"reassignment: {'; '.join(moves)}"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        cluster.reassign(TOPIC, dict(self.replicas))


def reassign(lots: Random, members: Members) -> Fault:
    indexes = sorted(lots.sample(range(PARTITIONS), lots.randint(1, PARTITIONS)))
    replicas = tuple((index, tuple(lots.sample(members.brokers, REPLICAS))) for index in indexes)
    return Reassign(replicas=replicas)
