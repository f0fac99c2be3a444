"""What a plan has to reach: how many replicas of each partition, where, and how many on a broker.

How that is reached, `least_movement` decides.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import RefusedError

Loads: TypeAlias = Mapping[BrokerId, int]
"""Replicas by broker."""

RackBounds: TypeAlias = tuple[tuple[int, int], ...]
"""For each rack, in order, how many replicas of a partition it holds at least and at most."""

BOUNDS_CACHED_MAX: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """*partition* is to have *factor* replicas; those on the brokers *stays* are there and may
    stay.  One has *size_bytes*, 0 where that is not known.  Where some have to go, *leader* is the
    last of them."""

    partition: TopicPartition
    factor: int
    stays: tuple[BrokerId, ...]
    size_bytes: int = 0
    leader: BrokerId | None = None


@dataclass(frozen=True, kw_only=True)
class Problem:
    """*demands*, each partition once.

    *racks* has every broker that may hold a replica; all have the same one where racks do not
    matter.  *receivers* may get new ones.  A broker holds at *least* and at *most* so many of the
    replicas of *demands*, where these name it.  Where racks are spread *strictly*, replicas move
    for nothing but that; else only those that move anyway are spread.
    """

    demands: Sequence[Demand]
    racks: Mapping[BrokerId, str]
    receivers: frozenset[BrokerId]
    least: Loads = field(default_factory=dict)
    most: Loads = field(default_factory=dict)
    is_strict: bool = False

    @cached_property
    def rack_names(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.racks.values())))

    @cached_property
    def replica_count(self) -> int:
        return sum(demand.factor for demand in self.demands)

    def bounds(self, factor: int, stays: Sequence[BrokerId]) -> RackBounds:
        """Return how a partition with *stays* is to be spread over the racks.

        Raises:
            TooFewForReplicas: there are not as many brokers.
        """
        names = self.rack_names
        usable, staying = dict(self._receivers_in), dict.fromkeys(names, 0)
        for broker in stays:
            rack = self.racks[broker]
            staying[rack] += 1
            usable[rack] += broker not in self.receivers
        return rack_bounds(
            factor,
            tuple(usable[name] for name in names),
            tuple(staying[name] for name in names),
            is_strict=self.is_strict,
        )

    @cached_property
    def _receivers_in(self) -> Mapping[str, int]:
        counts = Counter(self.racks[broker] for broker in self.receivers)
        return {name: counts[name] for name in self.rack_names}


class TooFewForReplicas(Exception):
    """Only *available* brokers for *factor* replicas."""

    def __init__(self, factor: int, available: int) -> None:
        super().__init__(factor, available)
        self.factor = factor
        self.available = available


class Impossible(RefusedError):
    """A goal that no plan reaches, or none that was found if that *is_guess*; *reason* names the
    bottleneck."""

    def __init__(self, reason: str, hint: str, *, is_guess: bool = False) -> None:
        none = "no plan was found that reaches the goal" if is_guess else "no plan reaches the goal"
        super().__init__(f"{none}: {reason}", hint=hint)
        self.reason = reason


@lru_cache(BOUNDS_CACHED_MAX)
def rack_bounds(
    factor: int, usable: tuple[int, ...], staying: tuple[int, ...], *, is_strict: bool
) -> RackBounds:
    """Return how *factor* replicas are spread as evenly as the *usable* brokers of each rack allow.

    Unless it *is_strict*, what is *staying* need not leave for that.

    Raises:
        TooFewForReplicas: there are not as many brokers.
    """
    level = 0
    while sum(min(brokers, level) for brokers in usable) < factor:
        level += 1
        if level > max(usable, default=0):
            raise TooFewForReplicas(factor, sum(usable))
    most = [min(brokers, level) for brokers in usable]
    least = [min(brokers, max(level - 1, 0)) for brokers in usable]
    if is_strict:
        return tuple(zip(least, most, strict=True))
    if sum(map(min, staying, most)) < min(factor, sum(staying)):
        most = list(map(max, most, staying))
    coming = factor - min(factor, sum(staying))
    if sum(max(low - held, 0) for low, held in zip(least, staying, strict=True)) > coming:
        least = list(map(min, least, staying)) if sum(staying) <= factor else [0] * len(least)
    return tuple(zip(least, most, strict=True))
