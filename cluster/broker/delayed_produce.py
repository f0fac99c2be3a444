"""Delayed produce requests.

When may a producer hear that its batches are committed, or safe on the disk?

Source: Kafka's DelayedProduce.
"""

from collections.abc import Callable, Sequence
from functools import partial

from cluster.broker.appending import ALL_ACKS, Appended
from cluster.broker.handling import Cancel
from cluster.broker.partitions import HostedPartition
from cluster.broker.ports import Ports
from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import KafkaStorageError


class ProducePartitionStatus:
    """One batch that is in the leader's log, and how that ended for its producer."""

    __slots__ = ("_acks", "appended", "disk_error", "has_flushed", "is_flushing", "outcome")

    def __init__(self, appended: Appended, acks: int) -> None:
        self._acks = acks
        self.appended = appended
        self.is_flushing = appended.needs_flush
        self.has_flushed = False
        """Whether it has waited for the disk, and what is committed waits for nothing here."""
        self.disk_error: ErrorCode | None = None
        self.outcome = ErrorCode.REQUEST_TIMED_OUT
        """What the producer is answered, as far as that is known."""

    def error(self) -> ErrorCode | None:
        """How the batch ended, NONE for well; None when that is not known yet."""
        if self.disk_error is not None:
            return self.disk_error
        hosted = self.appended.hosted
        if hosted.log.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if self._acks == ALL_ACKS:
            replica = hosted.replica
            if not replica.is_leader:
                return ErrorCode.NOT_LEADER_OR_FOLLOWER
            is_committed = replica.high_watermark >= self.appended.end_offset
            if replica.is_under_min_maximal_isr and (is_committed or self.has_flushed):
                return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
            if not is_committed:
                return None
        return None if self.is_flushing else ErrorCode.NONE


class DelayedProduce:
    """A request that cannot be answered before all *waits* are over, or its time is up."""

    __slots__ = ("_answer", "_ports", "_stop_timer", "_waits")

    def __init__(
        self, ports: Ports, waits: Sequence[ProducePartitionStatus], answer: Callable[[], None]
    ) -> None:
        self._ports = ports
        self._answer = answer
        self._waits: dict[ProducePartitionStatus, object] = dict.fromkeys(waits)
        """What is not over, with the key of its watcher."""
        self._stop_timer: Cancel = nothing

    def begin(self, timeout_ms: int) -> Cancel:
        """Wait up to *timeout_ms*; what is not over by then is answered REQUEST_TIMED_OUT."""
        self._stop_timer = self._ports.clock.call_later(max(0, timeout_ms), self._time_out)
        for wait in tuple(self._waits):
            self._waits[wait] = wait.appended.hosted.replica.watch(partial(self._look, wait))
            if wait.is_flushing:
                flush(self._ports, wait.appended.hosted, partial(self._flushed, wait))
        return self._end

    def _flushed(self, wait: ProducePartitionStatus, error: KafkaStorageError | None) -> None:
        wait.is_flushing = False
        wait.has_flushed = error is None
        wait.disk_error = None if error is None else error.error_code
        self._look(wait, 0)

    def _look(self, wait: ProducePartitionStatus, size: int) -> None:
        """Look at the one batch to whose partition something has happened."""
        if wait not in self._waits:
            return
        error = wait.error()
        if error is None:
            return
        wait.outcome = error
        wait.appended.hosted.replica.unwatch(self._waits.pop(wait))
        if not self._waits:
            self._end()
            self._answer()

    def _time_out(self) -> None:
        for wait in self._waits:
            error = wait.error()
            if error is not None:
                wait.outcome = error
        self._end()
        self._answer()

    def _end(self) -> None:
        for wait, key in self._waits.items():
            wait.appended.hosted.replica.unwatch(key)
        self._waits.clear()
        self._stop_timer()


def nothing() -> None:
    """The timer that there is not yet."""


def flush(
    ports: Ports, hosted: HostedPartition, done: Callable[[KafkaStorageError | None], None]
) -> None:
    """Make a leader's log durable, count as committed what has waited for that, and call *done*."""

    def flushed(error: KafkaStorageError | None) -> None:
        if error is None:
            hosted.replica.has_flushed(hosted.log.committable_end, ports.clock.now_ms())
        done(error)

    ports.disks.flush(hosted.log, flushed)


def unheard(error: KafkaStorageError | None) -> None:
    """Nobody waits for the flush; a disk that fails has the reason in its health."""
