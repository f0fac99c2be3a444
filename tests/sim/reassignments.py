"""Invariants of reassignment: where may replicas go, which logs may, and which may stay?

Watches what stands in topics' nodes.  A log may outlive its replica only where nobody could delete
it in time: on a broker that was away or whose disk has failed, or because the controller that had
ordered it has ended.
"""

from collections.abc import Callable, Collection, Container, Mapping
from typing import Final, NamedTuple

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from tests.sim.violation import Kind, Violation
from tests.sim.zookeeper import Author

NOBODY: Final = 0
"""The controller epoch of no controller."""


class Log(NamedTuple):
    """A broker's log of a topic id's partition."""

    topic_id: str
    partition: TopicPartition
    broker_id: BrokerId


class Reassignments:
    def __init__(
        self,
        logs: Mapping[tuple[str, TopicPartition], Collection[int]],
        knows: Callable[[int, BrokerId], bool],
    ) -> None:
        """*logs* says who has a log of a topic id's partition, *knows* whether a controller knows
        of a broker's life of now.
        """
        self.assignments: dict[TopicPartition, PartitionAssignment] = {}
        self.strays: dict[Log, int] = {}
        """Logs of removed replicas, by the controller epoch that still has to delete them."""
        self._logs = logs
        self._knows = knows
        self._failing: set[BrokerId] = set()

    def on_disk(self, broker_id: BrokerId, *, works: bool) -> None:
        """A broker has lost a log directory, or has all of them after a start."""
        (self._failing.discard if works else self._failing.add)(broker_id)

    def on_assignment(
        self,
        partition: TopicPartition,
        after: PartitionAssignment,
        topic_id: str,
        author: Author,
    ) -> bool:
        """A topic's node has been written; whether it changes the partition's replicas."""
        before = self.assignments.get(partition)
        self.assignments[partition] = after
        if before is None or before == after:
            return False
        self._check_way(partition, before, after)
        for broker_id in after.replicas:
            self.strays.pop(Log(topic_id, partition, broker_id), None)
        for broker_id in set(before.replicas) - set(after.replicas):
            has_log = broker_id in self._logs.get((topic_id, partition), ())
            if has_log and after == PartitionAssignment(before.target):
                self._check_excuse(partition, broker_id, author.broker_id)
            # Also without a log: the order to begin one may be under way.  Of a failed disk the
            # broker has told that it deletes nothing.
            epoch = NOBODY if broker_id in self._failing else author.controller_epoch
            self.strays[Log(topic_id, partition, broker_id)] = epoch
        return True

    def _check_way(
        self, partition: TopicPartition, before: PartitionAssignment, after: PartitionAssignment
    ) -> None:
        """From where it has been, or where it has arrived, to somewhere; never less than either."""
        stations = (set(before.origin), set(before.target))
        is_whole = len(set(after.replicas)) == len(after.replicas) and len(after.target) > 0
        if not is_whole or set(after.origin) not in stations:
            raise Violation(Kind.REASSIGNMENT, f"{partition}: {before}, then {after}")

    def _check_excuse(
        self, partition: TopicPartition, broker_id: BrokerId, controller_id: int
    ) -> None:
        if broker_id not in self._failing and self._knows(controller_id, broker_id):
            text = f"{partition} was removed from broker {broker_id}, which has its log"
            raise Violation(Kind.REASSIGNMENT, text)

    def may_delete(self, log: Log, topic_id: str | None, isr: Collection[BrokerId]) -> bool:
        """Whether a replica has been removed, or has begun anew, and nobody counts on its log.

        *topic_id* is that of the topic of now.
        """
        assignment = self.assignments.get(log.partition)
        if log in self.strays or topic_id != log.topic_id or assignment is None:
            return log in self.strays
        moving = (*assignment.adding, *assignment.removing)
        is_removed = log.broker_id in moving or log.broker_id not in assignment.replicas
        return is_removed and log.broker_id not in isr

    def on_deleted(self, log: Log) -> None:
        self.strays.pop(log, None)

    def on_removed(self, topic: str, kept: Collection[int] = ()) -> None:
        """A topic's node has gone, or has no other partitions any more than those *kept*."""
        for partition in [one for one in self.assignments if one.topic == topic]:
            if partition.partition not in kept:
                del self.assignments[partition]

    def is_under_way(self, topic: str, led: Container[TopicPartition]) -> bool:
        """Whether a partition of *topic* is moved; one that was never *led* has nothing to move."""
        return any(
            assignment.is_reassigning and partition in led
            for partition, assignment in self.assignments.items()
            if partition.topic == topic
        )

    def abandoned(self, broker_id: BrokerId, controller_epoch: int) -> list[Log]:
        """The broker's logs that no controller deletes any more."""
        return [
            log
            for log, epoch in self.strays.items()
            if log.broker_id == broker_id and epoch < controller_epoch
        ]
