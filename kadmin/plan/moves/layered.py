"""The network whose flows are plans: partitions, their racks, pools of the racks, brokers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.flow import UNBOUNDED, Flow, Network
from kadmin.plan.moves.problem import Demand, Problem, RackBounds

SIZE_CLASSES_SUM_MAX: Final = 2**41
COUNT_COST: Final = 2**43
"""What a replica that moves costs beside its size class: more than all size classes together."""

SECOND_COST: Final = 1
"""What another replica that stays costs where the leader's could: less than anything that moves."""

Dealt: TypeAlias = tuple[TopicPartition, set[BrokerId], tuple[int, ...]]
"""A partition, the brokers that have it, and the racks in which more replicas of it go."""


@dataclass(slots=True)
class Group:
    """Partitions that are alike: the same number of replicas, on the same brokers, of much the
    same size."""

    factor: int
    stays: tuple[BrokerId, ...]
    bounds: RackBounds
    size_class: int
    leader: BrokerId | None = None
    demands: list[Demand] = field(default_factory=list)


class Layered:
    """The network of *problem*: partitions, their racks, pools of the racks, brokers.

    Without pools it has an arc to each broker that may get a replica: exact, and large.
    """

    def __init__(self, problem: Problem, groups: Sequence[Group], *, is_pooled: bool) -> None:
        self.problem = problem
        self.groups = groups
        self.is_pooled = is_pooled
        self.brokers = sorted(problem.racks)
        self.rack_index = {name: number for number, name in enumerate(problem.rack_names)}
        self.receivers_in: list[list[BrokerId]] = [[] for _ in self.rack_index]
        for broker in sorted(problem.receivers):
            self.receivers_in[self.rack_of(broker)].append(broker)
        self.network = Network()
        self.source, self.sink, self.overflow = (self.network.nodes(1) for _ in range(3))
        first = self.network.nodes(len(self.brokers))
        self.broker_node = {broker: first + n for n, broker in enumerate(self.brokers)}
        self.pool = self.network.nodes(len(self.rack_index))
        self.lanes: list[tuple[int, BrokerId | None, int]] = []
        """For each arc into a broker or a pool: its group, broker, rack."""
        self.lane_arcs = slice(0)
        self._add_partitions()
        self._add_brokers()

    def rack_of(self, broker: BrokerId) -> int:
        return self.rack_index[self.problem.racks[broker]]

    @property
    def exact_arc_count(self) -> int:
        return len(self.groups) * len(self.problem.receivers)

    def _add_partitions(self) -> None:
        into: list[tuple[int, int, int]] = []
        lanes: list[tuple[int, int, int, int]] = []
        for number, group in enumerate(self.groups):
            count = len(group.demands)
            node = self.network.nodes(1)
            surely = sum(low for low, _ in group.bounds)
            into.append((self.source, node, count * (group.factor - surely)))
            for rack, (low, high) in enumerate(group.bounds):
                if not high:
                    continue
                place = self.network.nodes(1)
                into.append((node, place, count * (high - low)))
                if low:
                    into.append((self.source, place, count * low))
                for head, broker, capacity, cost in self._lanes_of(group, rack, high):
                    lanes.append((place, head, count * capacity, cost))
                    self.lanes.append((number, broker, rack))
        if into:
            self.network.arcs(*zip(*into, strict=True))
        if lanes:
            self.lane_arcs = self.network.arcs(*zip(*lanes, strict=True))

    def _lanes_of(
        self, group: Group, rack: int, high: int
    ) -> Iterator[tuple[int, BrokerId | None, int, int]]:
        """Yield where a replica in *rack* may be: node, broker if it is one, capacity, cost."""
        cost = COUNT_COST + group.size_class
        for broker in group.stays:
            if self.rack_of(broker) == rack:
                is_second = group.leader not in (None, broker)
                yield self.broker_node[broker], broker, 1, SECOND_COST * is_second
        others = [broker for broker in self.receivers_in[rack] if broker not in group.stays]
        if not self.is_pooled:
            for broker in others:
                yield self.broker_node[broker], broker, 1, cost
        elif others:
            yield self.pool + rack, None, min(high, len(others)), cost

    def _add_brokers(self) -> None:
        receivers = sorted(self.problem.receivers)
        if receivers and self.is_pooled:
            pools = [self.pool + self.rack_of(broker) for broker in receivers]
            nodes = [self.broker_node[broker] for broker in receivers]
            self.network.arcs(pools, nodes, [UNBOUNDED] * len(receivers))
        total = self.problem.replica_count
        least = [self.problem.least.get(broker, 0) for broker in self.brokers]
        most = [
            max(low, min(total, self.problem.most.get(broker, total)))
            for broker, low in zip(self.brokers, least, strict=True)
        ]
        nodes = [self.broker_node[broker] for broker in self.brokers]
        self.network.arcs(nodes, [self.sink] * len(nodes), least)
        room = [high - low for high, low in zip(most, least, strict=True)]
        self.network.arcs(nodes, [self.overflow] * len(nodes), room)
        self.network.arcs([self.overflow], [self.sink], [max(0, total - sum(least))])

    def dealt(self, flow: Flow) -> list[Dealt]:
        """Return what the flow gives to each partition: brokers, and racks that it may choose in.

        The replicas of a group are dealt in turn, rack by rack and broker by broker, so that each
        partition gets its number, no broker twice, and no rack more than its bound.
        """
        units: list[list[tuple[BrokerId | None, int]]] = [[] for _ in self.groups]
        amounts = flow.by_arc[self.lane_arcs].tolist()
        for (number, broker, rack), amount in zip(self.lanes, amounts, strict=True):
            units[number] += [(broker, rack)] * amount
        found: list[Dealt] = []
        for group, of_group in zip(self.groups, units, strict=True):
            count = len(group.demands)
            for number, demand in enumerate(group.demands):
                mine = of_group[number::count]
                kept = {broker for broker, _ in mine if broker is not None}
                racks = tuple(rack for broker, rack in mine if broker is None)
                found.append((demand.partition, kept, racks))
        return found
