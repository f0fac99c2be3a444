"""Deletions of records that wait until they are durable and all live replicas start after them.

Source: Kafka's DelayedDeleteRecords.
"""

from collections.abc import Callable, Sequence
from typing import Final

from cluster.broker.handling import Cancel
from cluster.broker.ports import Ports
from cluster.broker.purgatory import DelayedOperation, Look
from cluster.broker.replica_manager.checkpoint_writes import CheckpointWrites
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.error_codes import ErrorCode

NO_OFFSET: Final = -1


class DeletedPartition:
    """A partition whose records before *offset* this leader has deleted, and the answer for it."""

    __slots__ = ("_hosted", "_offset", "error", "index", "low_watermark")

    def __init__(self, hosted: HostedPartition, offset: int) -> None:
        self._hosted = hosted
        self._offset = offset
        self.index = hosted.partition.partition
        self.error = ErrorCode.REQUEST_TIMED_OUT
        self.low_watermark = hosted.replica.low_watermark(hosted.log.log_start_offset)

    def has_come(self) -> bool:
        """Return whether the result of the deletion is known; the answer has it from then on."""
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

    def watch(self, look: Look) -> object:
        return self._hosted.replica.watch(look)

    def unwatch(self, key: object) -> None:
        self._hosted.replica.unwatch(key)

    def expire(self) -> None:
        """Leave the answer as it was at the last check."""


def await_deletions(
    writes: CheckpointWrites,
    ports: Ports,
    deleted: Sequence[DeletedPartition],
    timeout_ms: int,
    answer: Callable[[], None],
) -> Cancel:
    """Call *answer* when all *deleted* are over: wait for the disk, then up to *timeout_ms*."""
    operation = DelayedOperation(ports.clock, answer, ports.waiting_counts.delete_records)

    def begin() -> None:
        operation.begin((one for one in deleted if not one.has_come()), timeout_ms)

    # Before the answer: records that were said to be deleted do not come back.
    writes.write(begin)
    return operation.cancel
