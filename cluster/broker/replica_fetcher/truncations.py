"""Truncations of many logs: one write of the checkpoint for all, then one log after another.

When a broker comes back, or many leaders are elected uncleanly, thousands of logs have to be
truncated.  A thread writes the checkpoint, and between two logs clients are served.  Later
requests wait for the next round.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from cluster.broker.ports import Ports
from cluster.broker.replica_manager.checkpoint_writes import CheckpointWrites
from cluster.model.ids import TopicPartition
from cluster.storage.errors import KafkaStorageError

SLICE_SIZE: Final = 2
"""How many logs are truncated in a turn of the loop: each waits two or three times for the disk."""


class Order(NamedTuple):
    """A log to be truncated at *offset*, or with *restarts* to begin anew there."""

    offset: int
    restarts: bool
    done: Callable[[], None]


class LogTruncations:
    """The logs of one broker that are to be truncated, each at most once."""

    def __init__(self, ports: Ports, checkpoint_writes: CheckpointWrites) -> None:
        self._ports = ports
        self._checkpoint_writes = checkpoint_writes
        self._waiting: dict[TopicPartition, Order] = {}
        self._orders: dict[TopicPartition, Order] = {}
        """Those of this round that are not truncated yet."""
        self._is_under_way = False

    def truncate(self, partition: TopicPartition, offset: int, done: Callable[[], None]) -> None:
        """Drop everything from *offset* on in the existing log of *partition*, and call *done*,
        later; a disk that fails has the reason in its health.
        """
        self._enter(partition, Order(offset, False, done))

    def restart_at(self, partition: TopicPartition, offset: int, done: Callable[[], None]) -> None:
        """As `truncate`, but drop everything, and begin at *offset*."""
        self._enter(partition, Order(offset, True, done))

    def _enter(self, partition: TopicPartition, order: Order) -> None:
        assert partition not in self._waiting
        assert partition not in self._orders
        self._waiting[partition] = order
        if not self._is_under_way:
            self._is_under_way = True
            # In the next turn of the loop: many are requested in this one.
            self._ports.clock.call_later(0, self._begin)

    def give_up(self, partition: TopicPartition) -> None:
        """Leave the log of *partition* as it is; no effect when no truncation was requested."""
        self._waiting.pop(partition, None)
        order = self._orders.pop(partition, None)
        if order is not None and self._ports.logs.give_up_truncation(partition) and order.restarts:
            # The checkpoint may put the log's start behind its end: a restart would drop the log.
            self._checkpoint_writes.write(nothing)

    def _begin(self) -> None:
        self._orders, self._waiting = self._waiting, {}
        orders = self._orders
        self._ports.logs.begin_truncation(
            {of: order.offset for of, order in orders.items() if not order.restarts},
            {of: order.offset for of, order in orders.items() if order.restarts},
        )
        partitions = deque(orders)
        self._checkpoint_writes.write(lambda: self._cut(partitions))

    def _cut(self, partitions: deque[TopicPartition]) -> None:
        try:
            for _ in range(min(SLICE_SIZE, len(partitions))):
                partition = partitions.popleft()
                order = self._orders.pop(partition, None)
                if order is not None:
                    with suppress(KafkaStorageError):
                        self._ports.logs.finish_truncation(partition, self._ports.clock.now_ms())
                    order.done()
        finally:
            # Also where a bug of ours goes on to the loop, which logs it.
            if partitions:
                self._ports.clock.call_later(0, lambda: self._cut(partitions))
            elif self._waiting:
                self._begin()
            else:
                self._is_under_way = False


def nothing() -> None:
    """The callback of a write without a waiting caller."""
