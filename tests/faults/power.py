"""Machines of brokers that lose their power, and with it what they have not synced."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from tests.faults.plan import Fault, Members, Role
from tests.faults.undo import Loss

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster

MIXED = tuple(Loss)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLoss(Fault):
    """They end without a word to anybody, and the disk keeps of each file what *losses* leave."""

    loses_power: ClassVar[bool] = True
    losses: tuple[Loss, ...]
    seed: int

    def __str__(self) -> str:
        what = "whole or in part" if len(self.losses) > 1 else self.losses[0].value
        return f"{self.named('power loss')}, what was not synced is {what}"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        for one in brokers:
            cluster.lose_power(one, Random(self.seed), self.losses)


def one(lots: Random, members: Members) -> Fault:
    return PowerLoss(brokers=(members.target(lots),), losses=losses(lots), seed=seed(lots))


def controller(lots: Random, members: Members) -> Fault:
    return PowerLoss(brokers=(Role.CONTROLLER,), losses=losses(lots), seed=seed(lots))


def two(lots: Random, members: Members) -> Fault:
    return PowerLoss(brokers=members.targets(lots, 2), losses=losses(lots), seed=seed(lots))


def all_of_them(lots: Random, members: Members) -> Fault:
    return PowerLoss(brokers=members.brokers, losses=losses(lots), seed=seed(lots))


def losses(lots: Random) -> tuple[Loss, ...]:
    return lots.choice(((Loss.CUT,), (Loss.ZEROED,), (Loss.TORN,), MIXED))


def seed(lots: Random) -> int:
    return lots.randrange(2**32)
