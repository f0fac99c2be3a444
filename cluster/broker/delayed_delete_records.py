"""Deletions of records that wait until they are durable and all live replicas begin behind them.

Source: Kafka's DelayedDeleteRecords.
"""

from collections.abc import Callable, Sequence
from typing import Final

from cluster.broker.checkpoint_writes import CheckpointWrites
from cluster.broker.handling import Cancel
from cluster.broker.partitions import HostedPartition
from cluster.broker.ports import Clock
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition

NO_OFFSET: Final = -1


class DeletedPartition:
    """A partition that this leader has cut off before *offset*, and what is answered for it."""

    __slots__ = ("_hosted", "_offset", "error", "index", "low_watermark")

    def __init__(self, hosted: HostedPartition, offset: int) -> None:
        self._hosted = hosted
        self._offset = offset
        self.index = hosted.partition.partition
        self.error = ErrorCode.REQUEST_TIMED_OUT
        self.low_watermark = hosted.replica.low_watermark(hosted.log.log_start_offset)

    @property
    def partition(self) -> TopicPartition:
        return self._hosted.partition

    def is_over(self) -> bool:
        """Whether it is known how the deletion ended; the answer says it from then on."""
        hosted = self._hosted
        if hosted.log.is_offline:
            self.error, self.low_watermark = ErrorCode.KAFKA_STORAGE_ERROR, NO_OFFSET
            return True
        if not hosted.replica.is_leader:
            self.error, self.low_watermark = ErrorCode.NOT_LEADER_OR_FOLLOWER, NO_OFFSET
            return True
        self.low_watermark = hosted.replica.low_watermark(hosted.log.log_start_offset)
        if self.low_watermark < self._offset:
            return False
        self.error = ErrorCode.NONE
        return True

    def watch(self, look: Callable[[int], None]) -> Cancel:
        """Let *look* be called when it may be over; the result ends that."""
        replica = self._hosted.replica
        key = replica.watch(look)
        return lambda: replica.unwatch(key)


class DelayedDeleteRecords:
    """A request that is answered when all *partitions* are over, or its time is up."""

    __slots__ = ("_answer", "_cancels", "_is_over", "_waiting")

    def __init__(self, partitions: Sequence[DeletedPartition], answer: Callable[[], None]) -> None:
        self._waiting = list(partitions)
        self._answer = answer
        self._cancels: list[Cancel] = []
        self._is_over = False

    def begin(self, writes: CheckpointWrites, clock: Clock, timeout_ms: int) -> Cancel | None:
        """Wait for the disk, then up to *timeout_ms*; None when there is nothing to wait for."""
        if not self._waiting:
            self._answer()
            return None
        # Before the answer: records that were said to be deleted do not come back.
        writes.write(lambda: self._wait(clock, timeout_ms))
        return self._end

    def _wait(self, clock: Clock, timeout_ms: int) -> None:
        self._look(0)
        if self._is_over:
            return
        # Each partition once, however often it is named.
        watched = {one.partition: one for one in self._waiting}
        self._cancels = [one.watch(self._look) for one in watched.values()]
        self._cancels.append(clock.call_later(max(0, timeout_ms), self._finish))

    def _look(self, size: int) -> None:
        if self._is_over:
            return
        self._waiting = [one for one in self._waiting if not one.is_over()]
        if not self._waiting:
            self._finish()

    def _finish(self) -> None:
        self._end()
        self._answer()

    def _end(self) -> None:
        self._is_over = True
        for cancel in self._cancels:
            cancel()
