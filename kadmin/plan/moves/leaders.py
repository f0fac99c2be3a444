"""Preferred leaders: who of its replicas is first in line for each partition?

As even as the replicas allow, with the fewest changes: by a flow from partitions to their brokers.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.flow import Flow, Network, cheapest_flow
from kadmin.plan.moves.levels import first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Who may lead a partition; *now* is who is first, if he may stay so."""

    brokers: frozenset[BrokerId]
    now: BrokerId | None


def even_leaders(
    candidates: Mapping[TopicPartition, Candidates], base: Mapping[BrokerId, int]
) -> tuple[dict[TopicPartition, BrokerId], int]:
    """Choose a leader for each partition, where brokers lead *base* others besides.

    Returns them with the fewest changes that as even a choice takes.
    """
    if not candidates:
        return {}, 0
    choice = _Choice(candidates, base)
    highest = len(candidates) + max(base.values(), default=0)
    most = first(1, highest, lambda level: choice.is_possible(0, level))
    least = first(1, most + 1, lambda level: not choice.is_possible(level, most)) - 1
    return choice.cheapest(least, most)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The part of the network that stays the same: a node for each of *candidates*, with as many
    partitions; *lanes* are tails, heads, capacities and costs of arcs to their brokers."""

    candidates: Sequence[Candidates]
    counts: Sequence[int]
    lanes: "tuple[NDArray[np.int64], ...]"


class _Choice:
    def __init__(
        self, candidates: Mapping[TopicPartition, Candidates], base: Mapping[BrokerId, int]
    ) -> None:
        self.base = base
        self.total = len(candidates)
        self.groups: dict[Candidates, list[TopicPartition]] = defaultdict(list)
        for partition, each in sorted(candidates.items()):
            self.groups[each].append(partition)
        counts = Counter({each: len(alike) for each, alike in self.groups.items()})
        coarse = Counter[Candidates]()
        for each, count in counts.items():
            coarse[Candidates(brokers=each.brokers, now=None)] += count
        self.brokers = sorted(frozenset[BrokerId]().union(*(each.brokers for each in coarse)))
        self.index = {broker: at for at, broker in enumerate(self.brokers)}
        self.whole = self._part(counts)
        self.coarse = self._part(coarse)
        """The same without who leads now: fewer groups, for the search of the levels."""

    def is_possible(self, least: int, most: int) -> bool:
        """Return whether all have a leader with so many at least and at most on each broker."""
        if sum(self._lacks(least, most)) > self.total:
            return False
        return self._flow(self.coarse, least, most)[0].value == self.total

    def cheapest(self, least: int, most: int) -> tuple[dict[TopicPartition, BrokerId], int]:
        found, lanes = self._flow(self.whole, least, most)
        amounts = iter(found.by_arc[lanes].tolist())
        chosen: dict[TopicPartition, BrokerId] = {}
        for each in self.whole.candidates:
            left = iter(self.groups[each])
            for broker in sorted(each.brokers):
                chosen.update((next(left), broker) for _ in range(next(amounts)))
        return chosen, found.cost

    def _part(self, counts: Counter[Candidates]) -> _Part:
        """Return the part for *counts*, whose nodes are counted from 0, and those of brokers
        too."""
        import numpy as np

        lanes = [
            (node, self.index[broker], count, each.now not in (None, broker))
            for node, (each, count) in enumerate(counts.items())
            for broker in sorted(each.brokers)
        ]
        columns = np.asarray(lanes, dtype=np.int64).T
        return _Part(candidates=tuple(counts), counts=tuple(counts.values()), lanes=tuple(columns))

    def _lacks(self, least: int, most: int) -> list[int]:
        rooms = self._rooms(most)
        wanted = [max(0, least - self.base.get(broker, 0)) for broker in self.brokers]
        return list(map(min, rooms, wanted))

    def _rooms(self, most: int) -> list[int]:
        return [max(0, most - self.base.get(broker, 0)) for broker in self.brokers]

    def _flow(self, part: _Part, least: int, most: int) -> tuple[Flow, slice]:
        """Return the cheapest flow, and where in it stands, group by group, who leads."""
        network = Network()
        source, sink, overflow = (network.nodes(1) for _ in range(3))
        first_broker = network.nodes(len(self.brokers))
        first_group = network.nodes(len(part.counts))
        groups = range(first_group, first_group + len(part.counts))
        network.arcs([source] * len(groups), groups, part.counts)
        tails, heads, capacities, costs = part.lanes
        between = network.arcs(tails + first_group, heads + first_broker, capacities, costs)
        lacks = self._lacks(least, most)
        nodes = range(first_broker, first_broker + len(self.brokers))
        spare = [room - lack for room, lack in zip(self._rooms(most), lacks, strict=True)]
        network.arcs(nodes, [sink] * len(nodes), lacks)
        network.arcs(nodes, [overflow] * len(nodes), spare)
        network.arcs([overflow], [sink], [self.total - sum(lacks)])
        return cheapest_flow(network, source, sink), between
