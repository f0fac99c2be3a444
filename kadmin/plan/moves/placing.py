"""The brokers of replicas that move: each gets its number, none a partition twice.

Spreads the partitions of a topic, which a flow would not.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.flow import Network, cheapest_flow
from kadmin.plan.moves.layered import Dealt
from kadmin.plan.moves.problem import Problem

Chosen = Mapping[TopicPartition, frozenset[BrokerId]]


class Placing:
    """Replicas placed in the pools of racks, on the brokers of these racks."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.of_topic: Counter[tuple[str, BrokerId]] = Counter()
        self.lacks = {broker: problem.least.get(broker, 0) for broker in problem.racks}
        """How many replicas each broker is short of what it has to hold; below zero, not at all."""
        self.rooms = {
            broker: max(lack, problem.most.get(broker, problem.replica_count))
            for broker, lack in self.lacks.items()
        }
        """How many more replicas each broker may hold."""
        self.receivers_in: dict[int, list[BrokerId]] = defaultdict(list)
        index = {name: number for number, name in enumerate(problem.rack_names)}
        for broker in sorted(problem.receivers):
            self.receivers_in[index[problem.racks[broker]]].append(broker)

    def placed(self, dealt: Sequence[Dealt]) -> Chosen | None:
        """Return where all replicas of *dealt* go, or None where a rack has no place for some."""
        chosen = {partition: set(kept) for partition, kept, _ in dealt}
        comers: dict[int, list[TopicPartition]] = defaultdict(list)
        for partition, kept, racks in dealt:
            for broker in kept:
                self._put(partition, broker)
            for rack in racks:
                comers[rack].append(partition)
        for rack, partitions in sorted(comers.items()):
            kept_before = {partition: frozenset(chosen[partition]) for partition in partitions}
            if self._spread(rack, sorted(partitions), chosen):
                continue
            matched = self._matched(rack, sorted(partitions), kept_before)
            if matched is None:
                return None
            for partition, brokers in matched.items():
                chosen[partition] = set(kept_before[partition] | brokers)
        return {partition: frozenset(brokers) for partition, brokers in chosen.items()}

    def _put(self, partition: TopicPartition, broker: BrokerId, amount: int = 1) -> None:
        self.of_topic[partition.topic, broker] += amount
        self.lacks[broker] -= amount
        self.rooms[broker] -= amount

    def _spread(
        self,
        rack: int,
        partitions: Sequence[TopicPartition],
        chosen: dict[TopicPartition, set[BrokerId]],
    ) -> bool:
        """Give each of *partitions* the broker of *rack* that lacks most, has the fewest replicas
        of its topic, and the most room; return whether that succeeded, and undo it where not."""
        receivers, put = self.receivers_in[rack], []
        for partition in partitions:
            taken = chosen[partition]
            fit = [b for b in receivers if self.rooms[b] > 0 and b not in taken]
            if not fit:
                break
            _, _, _, best = min(
                (-max(self.lacks[b], 0), self.of_topic[partition.topic, b], -self.rooms[b], b)
                for b in fit
            )
            taken.add(best)
            self._put(partition, best)
            put.append((partition, best))
        if len(put) == len(partitions) and all(self.lacks[b] <= 0 for b in receivers):
            return True
        for partition, broker in put:
            self._put(partition, broker, -1)
        return False

    def _matched(
        self,
        rack: int,
        partitions: Sequence[TopicPartition],
        kept: Mapping[TopicPartition, frozenset[BrokerId]],
    ) -> dict[TopicPartition, frozenset[BrokerId]] | None:
        """Return the same by a flow, which finds a way wherever there is one."""
        wanted = Counter(partitions)
        names, brokers = list(wanted), self.receivers_in[rack]
        network = Network()
        source, sink, overflow = (network.nodes(1) for _ in range(3))
        first, first_broker = network.nodes(len(names)), network.nodes(len(brokers))
        network.arcs([source] * len(names), range(first, first + len(names)), list(wanted.values()))
        pairs = [
            (number, at)
            for number, partition in enumerate(names)
            for at, broker in enumerate(brokers)
            if broker not in kept[partition]
        ]
        if not pairs:
            return None
        between = network.arcs(
            [first + number for number, _ in pairs],
            [first_broker + at for _, at in pairs],
            [1] * len(pairs),
        )
        lacks = [max(self.lacks[broker], 0) for broker in brokers]
        rooms = [self.rooms[broker] - lack for broker, lack in zip(brokers, lacks, strict=True)]
        nodes = range(first_broker, first_broker + len(brokers))
        network.arcs(nodes, [sink] * len(brokers), lacks)
        network.arcs(nodes, [overflow] * len(brokers), rooms)
        network.arcs([overflow], [sink], [max(0, len(partitions) - sum(lacks))])
        flow = cheapest_flow(network, source, sink)
        if flow.value < len(partitions):
            return None
        found: dict[TopicPartition, set[BrokerId]] = {name: set() for name in names}
        for (number, at), amount in zip(pairs, flow.by_arc[between].tolist(), strict=True):
            if amount:
                found[names[number]].add(brokers[at])
                self._put(names[number], brokers[at])
        return {partition: frozenset(brokers) for partition, brokers in found.items()}
