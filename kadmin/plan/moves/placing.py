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
        self.loads: Counter[BrokerId] = Counter()
        self.of_topic: Counter[tuple[str, BrokerId]] = Counter()
        self.receivers_in: dict[int, list[BrokerId]] = defaultdict(list)
        index = {name: number for number, name in enumerate(problem.rack_names)}
        for broker in sorted(problem.receivers):
            self.receivers_in[index[problem.racks[broker]]].append(broker)

    def placed(self, dealt: Sequence[Dealt]) -> Chosen | None:
        """Return where all replicas of *dealt* go, or None where a rack has no place for some."""
        chosen = {partition: set(kept) for partition, kept, _ in dealt}
        comers: dict[int, list[TopicPartition]] = defaultdict(list)
        for partition, kept, racks in dealt:
            self.loads.update(kept)
            self.of_topic.update((partition.topic, broker) for broker in kept)
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

    def room(self, broker: BrokerId) -> int:
        """Return how many more replicas *broker* may hold."""
        most = self.problem.most.get(broker, self.problem.replica_count)
        return max(most, self.problem.least.get(broker, 0)) - self.loads[broker]

    def lack(self, broker: BrokerId) -> int:
        """Return how many replicas *broker* is short of what it has to hold."""
        return max(0, self.problem.least.get(broker, 0) - self.loads[broker])

    def _spread(
        self,
        rack: int,
        partitions: Sequence[TopicPartition],
        chosen: dict[TopicPartition, set[BrokerId]],
    ) -> bool:
        """Give each of *partitions* the broker of *rack* that lacks most, has the fewest replicas
        of its topic, and the most room; return whether that succeeded, and undo it where not."""
        loads, of_topic = self.loads.copy(), self.of_topic.copy()
        for partition in partitions:
            fit = [
                broker
                for broker in self.receivers_in[rack]
                if broker not in chosen[partition] and self.room(broker) > 0
            ]
            if not fit:
                self.loads, self.of_topic = loads, of_topic
                return False
            best = min(fit, key=lambda broker: self._rank(partition.topic, broker))
            chosen[partition].add(best)
            self.loads[best] += 1
            self.of_topic[partition.topic, best] += 1
        if any(self.lack(broker) for broker in self.receivers_in[rack]):
            self.loads, self.of_topic = loads, of_topic
            return False
        return True

    def _rank(self, topic: str, broker: BrokerId) -> tuple[int, int, int, BrokerId]:
        return -self.lack(broker), self.of_topic[topic, broker], -self.room(broker), broker

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
        lacks = [self.lack(broker) for broker in brokers]
        rooms = [self.room(broker) - lack for broker, lack in zip(brokers, lacks, strict=True)]
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
                self.loads[brokers[at]] += 1
                self.of_topic[names[number].topic, brokers[at]] += 1
        return {partition: frozenset(brokers) for partition, brokers in found.items()}
