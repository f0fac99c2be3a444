"""Preferred leaders: who of its replicas is first in line for each partition?

As even as the replicas allow, with the fewest changes: by a flow from partitions to their brokers.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.flow import Flow, Network, cheapest_flow
from kadmin.plan.moves.levels import first


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


class _Choice:
    def __init__(
        self, candidates: Mapping[TopicPartition, Candidates], base: Mapping[BrokerId, int]
    ) -> None:
        self.base = base
        self.total = len(candidates)
        self.groups: dict[Candidates, list[TopicPartition]] = defaultdict(list)
        for partition, each in sorted(candidates.items()):
            self.groups[each].append(partition)
        self.counts = Counter({each: len(alike) for each, alike in self.groups.items()})
        self.coarse_counts = Counter[Candidates]()
        """The same without who leads now: fewer groups, for the search of the levels."""
        for each, count in self.counts.items():
            self.coarse_counts[Candidates(brokers=each.brokers, now=None)] += count
        self.brokers = sorted(frozenset[BrokerId]().union(*(each.brokers for each in self.counts)))

    def is_possible(self, least: int, most: int) -> bool:
        """Return whether all have a leader with so many at least and at most on each broker."""
        if sum(self._lacks(least, most)) > self.total:
            return False
        return self._flow(self.coarse_counts, least, most)[0].value == self.total

    def cheapest(self, least: int, most: int) -> tuple[dict[TopicPartition, BrokerId], int]:
        found, lanes = self._flow(self.counts, least, most)
        amounts = iter(found.by_arc[lanes].tolist())
        chosen: dict[TopicPartition, BrokerId] = {}
        for each, partitions in self.groups.items():
            left = iter(partitions)
            for broker in sorted(each.brokers):
                chosen.update((next(left), broker) for _ in range(next(amounts)))
        return chosen, found.cost

    def _lacks(self, least: int, most: int) -> list[int]:
        rooms = self._rooms(most)
        wanted = [max(0, least - self.base.get(broker, 0)) for broker in self.brokers]
        return list(map(min, rooms, wanted))

    def _rooms(self, most: int) -> list[int]:
        return [max(0, most - self.base.get(broker, 0)) for broker in self.brokers]

    def _flow(self, counts: Counter[Candidates], least: int, most: int) -> tuple[Flow, slice]:
        """Return the cheapest flow, and where in it stands, group by group, who leads."""
        network = Network()
        source, sink, overflow = (network.nodes(1) for _ in range(3))
        brokers = network.nodes(len(self.brokers))
        node_of = {broker: brokers + at for at, broker in enumerate(self.brokers)}
        groups = network.nodes(len(counts))
        into, lanes = [], []
        for node, (each, count) in enumerate(counts.items(), groups):
            into.append((source, node, count))
            lanes += [
                (node, node_of[broker], count, int(each.now not in (None, broker)))
                for broker in sorted(each.brokers)
            ]
        network.arcs(*zip(*into, strict=True))
        between = network.arcs(*zip(*lanes, strict=True))
        lacks, nodes = self._lacks(least, most), list(node_of.values())
        spare = [room - lack for room, lack in zip(self._rooms(most), lacks, strict=True)]
        network.arcs(nodes, [sink] * len(nodes), lacks)
        network.arcs(nodes, [overflow] * len(nodes), spare)
        network.arcs([overflow], [sink], [self.total - sum(lacks)])
        return cheapest_flow(network, source, sink), between
