"""Delayed produce requests.

They wait until a producer's batches are committed, or durable.

Source: Kafka's DelayedProduce.
"""

from collections.abc import Callable, Sequence

from cluster.broker.handling import Cancel
from cluster.broker.ports import Ports
from cluster.broker.purgatory import DelayedOperation, Look
from cluster.broker.replica_manager.appending import ALL_ACKS, Appended
from cluster.broker.replica_manager.leader_flush import flush
from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import KafkaStorageError


class ProducePartitionStatus:
    """One batch in the leader's log, and its result for the producer."""

    __slots__ = (
        "_acks",
        "_look",
        "appended",
        "disk_error",
        "has_flushed",
        "is_flushing",
        "outcome",
    )

    def __init__(self, appended: Appended, acks: int) -> None:
        self._acks = acks
        self._look: Look | None = None
        self.appended = appended
        self.is_flushing = appended.outcome.needs_flush
        self.has_flushed = False
        """Whether it has waited for the disk, and what is committed waits for nothing here."""
        self.disk_error: ErrorCode | None = None
        self.outcome = ErrorCode.REQUEST_TIMED_OUT
        """The answer to the producer, as far as it is known."""

    def error(self) -> ErrorCode | None:
        """Return the error of the batch, NONE for success; None when it is not known yet."""
        if self.disk_error is not None:
            return self.disk_error
        hosted = self.appended.hosted
        if hosted.log.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if self._acks == ALL_ACKS:
            replica = hosted.replica
            if not replica.is_leader:
                return ErrorCode.NOT_LEADER_OR_FOLLOWER
            is_committed = replica.high_watermark > self.appended.outcome.last_offset
            if replica.is_under_min_maximal_isr and (is_committed or self.has_flushed):
                return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
            if not is_committed:
                return None
        return None if self.is_flushing else ErrorCode.NONE

    def watch(self, look: Look) -> object:
        self._look = look
        return self.appended.hosted.replica.watch(look)

    def unwatch(self, key: object) -> None:
        self._look = None
        self.appended.hosted.replica.unwatch(key)

    def has_come(self) -> bool:
        error = self.error()
        if error is None:
            return False
        self.outcome = error
        return True

    def expire(self) -> None:
        self.has_come()

    def flushed(self, error: KafkaStorageError | None) -> None:
        """Note the result of the flush that it waits for."""
        self.is_flushing = False
        self.has_flushed = error is None
        self.disk_error = None if error is None else error.error_code
        if self._look is not None:
            self._look()


def await_appends(
    ports: Ports,
    waits: Sequence[ProducePartitionStatus],
    timeout_ms: int,
    answer: Callable[[], None],
) -> Cancel:
    """Call *answer* when all *waits* are over, or after *timeout_ms*: what is not over by then is
    REQUEST_TIMED_OUT.
    """
    operation = DelayedOperation(ports.clock, answer, ports.waiting_counts.produce)
    operation.begin(waits, timeout_ms)
    for wait in waits:
        if wait.is_flushing:
            flush(ports, wait.appended.hosted, wait.flushed)
    return operation.cancel
