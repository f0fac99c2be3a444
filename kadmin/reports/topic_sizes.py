"""The sizes of topics, and how many of their replicas are not in these."""

from collections import Counter

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import TopicSnapshot
from kadmin.plan.log_dirs import LogDirs, pairs


class TopicSizes:
    """The sizes of topics by what brokers returned of their log directories."""

    __slots__ = ("_bytes", "_held")

    def __init__(self, log_dirs: LogDirs) -> None:
        self._bytes: Counter[str] = Counter()
        self._held: dict[BrokerId, set[TopicPartition]] = {}
        for broker, directory in pairs(log_dirs):
            held = self._held.setdefault(broker, set())
            for log in directory.replicas:
                self._bytes[log.partition.topic] += log.size_bytes
                held.add(log.partition)

    def bytes_of(self, topic: str) -> int | None:
        """Return the bytes of all replicas of *topic* that were returned; None without one."""
        return self._bytes.get(topic)

    def unsized_count(self, topic: TopicSnapshot) -> int:
        """Return of how many replicas of *topic* no size was returned: their brokers are dead or
        did not answer, their directories have failed, or they are not made yet.
        """
        nothing: set[TopicPartition] = set()
        return sum(
            TopicPartition(topic.name, number) not in self._held.get(broker, nothing)
            for number, assignment in topic.assignment.partitions.items()
            for broker in set(assignment.replicas)
        )
