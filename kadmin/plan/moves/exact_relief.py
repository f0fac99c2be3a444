"""Relief of full brokers by an integer program, for clusters that are small enough for one.

Tries what going broker by broker cannot: that a third broker makes room for what a full one gives.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.layout import PlacedPartition
from kadmin.plan.moves.placing import Chosen
from kadmin.plan.moves.scene import Scene

VARIABLES_MAX: Final = 2_000
"""Programs that are larger may take minutes."""
VARIABLES_NEAR_MAX: Final = 400
"""Programs that are larger hardly ever prove that a plan is the least which nearly is."""
NODES_MAX: Final = 500
"""After so many branches the search ends, with the bound that it has; a limit of time would give
equal clusters different plans."""
LARGEST_SIZE: Final = 10**6
"""Sizes are counted in such units that none is larger: the solver computes in floating point."""
SLACK: Final = 1e-6
"""How far the solver's bound may be off, in these units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """What the program found: where the partitions that change go, None where it found nothing,
    also where there *is_impossible* any; and how many bytes no plan can avoid."""

    chosen: Chosen | None = None
    lower_bound_bytes: int = 0
    is_impossible: bool = False


def least_relief(
    scene: Scene,
    free: Mapping[BrokerId, int],
    movable: Mapping[TopicPartition, PlacedPartition],
    *,
    is_near: bool,
) -> Exact:
    """Return which replicas of *movable* move so that no broker has fewer bytes *free* than none,
    and as few bytes as possible are copied.

    Tries less where a plan *is_near* the least already.
    """
    heavy = {partition: each for partition, each in movable.items() if each.size_bytes}
    if len(heavy) * len(scene.racks) > (VARIABLES_NEAR_MAX if is_near else VARIABLES_MAX):
        return Exact()
    return _Program(scene, free, heavy).solved()


class _Program:
    """Variables are one where a broker has a replica, and where a rack has any."""

    def __init__(
        self,
        scene: Scene,
        free: Mapping[BrokerId, int],
        heavy: Mapping[TopicPartition, PlacedPartition],
    ) -> None:
        self.heavy = heavy
        self.sizes = {partition: each.size_bytes or 0 for partition, each in heavy.items()}
        self.unit = max(1, max(self.sizes.values(), default=0) / LARGEST_SIZE)
        self.costs: list[float] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []
        self.variable: dict[tuple[TopicPartition, BrokerId], int] = {}
        self.free = free
        for partition, each in heavy.items():
            self._add_partition(scene, partition, each)
        for broker in free:
            self._add_broker(broker)

    def _new(self, cost: float = 0) -> int:
        self.costs.append(cost)
        return len(self.costs) - 1

    def _add_partition(
        self, scene: Scene, partition: TopicPartition, placed: PlacedPartition
    ) -> None:
        size = self.sizes[partition] / self.unit
        by_rack: dict[str, list[int]] = {}
        brokers = sorted(scene.open_brokers.union(placed.replicas))
        for broker in brokers:
            at = self._new(0 if broker in placed.replicas else size)
            self.variable[partition, broker] = at
            if broker not in scene.open_brokers:
                self.rows.append(({at: 1}, 1, 1))  # It keeps what it has.
            by_rack.setdefault(scene.racks[broker], []).append(at)
        count = len(placed.replicas)
        own = [self.variable[partition, broker] for broker in brokers]
        self.rows.append((dict.fromkeys(own, 1.0), count, count))
        racks = {scene.racks[broker] for broker in placed.replicas}
        if len(racks) > 1:
            has_any = [self._new() for _ in by_rack]
            for at, members in zip(has_any, by_rack.values(), strict=True):
                self.rows.append(({**dict.fromkeys(members, 1.0), at: -1.0}, 0, count))
            self.rows.append((dict.fromkeys(has_any, 1.0), len(racks), len(by_rack)))

    def _add_broker(self, broker: BrokerId) -> None:
        """Add that *broker* gets no more than it has free and gives."""
        held = {
            self.variable[partition, broker]: self.sizes[partition] / self.unit
            for partition in self.heavy
            if (partition, broker) in self.variable
        }
        had = sum(self.sizes[p] for p, each in self.heavy.items() if broker in each.replicas)
        self.rows.append((held, -1, (self.free[broker] + had) / self.unit))

    def solved(self) -> Exact:
        # It costs half a second to import, and few plans need it.
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import lil_array

        if not self.costs:
            return Exact(is_impossible=min(self.free.values(), default=0) < 0)
        matrix = lil_array((len(self.rows), len(self.costs)))
        for number, (members, _, _) in enumerate(self.rows):
            for at, factor in members.items():
                matrix[number, at] = factor
        found = milp(
            self.costs,
            constraints=LinearConstraint(
                matrix.tocsr(), [low for _, low, _ in self.rows], [high for *_, high in self.rows]
            ),
            integrality=1,
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0, "node_limit": NODES_MAX},
        )
        if found.status == 2:
            return Exact(is_impossible=True)
        if found.mip_dual_bound is None or not np.isfinite(found.mip_dual_bound):
            return Exact()
        bound = max(0, ceil((found.mip_dual_bound - SLACK) * self.unit))
        chosen = None if found.x is None else self._chosen(np.rint(found.x).astype(int).tolist())
        if chosen is None:
            return Exact(lower_bound_bytes=bound)
        copied = sum(
            self.sizes[partition] * len(brokers.difference(self.heavy[partition].replicas))
            for partition, brokers in chosen.items()
        )
        is_proven = found.status == 0
        return Exact(chosen=chosen, lower_bound_bytes=copied if is_proven else min(bound, copied))

    def _chosen(self, values: list[int]) -> Chosen | None:
        """Return the partitions that change; None where, in whole bytes, a broker has too many."""
        free = dict(self.free)
        brokers: dict[TopicPartition, set[BrokerId]] = {each: set() for each in self.heavy}
        for (partition, broker), at in self.variable.items():
            if values[at]:
                brokers[partition].add(broker)
        for partition, now in brokers.items():
            before = self.heavy[partition].replicas
            for broker in now.difference(before):
                free[broker] -= self.sizes[partition]
            for broker in set(before) - now:
                free[broker] += self.sizes[partition]
        if min(free.values(), default=0) < 0:
            return None
        return {
            partition: frozenset(now)
            for partition, now in brokers.items()
            if now != set(self.heavy[partition].replicas)
        }
