"""Appends to the partitions that this broker leads.

One batch for each partition is checked, stamped and written.

Source: Kafka's ReplicaManager.appendRecords.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cluster.broker.pause_detector import PauseDetector
from cluster.broker.ports import Clock
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.record_errors import (
    MESSAGE,
    RecordError,
    key_errors,
    message_of,
    timestamp_errors,
)
from cluster.broker.replica_manager.refused_batches import (
    REMEMBERED_MS,
    RefusedBatches,
    may_be_behind,
)
from cluster.formats.compression import Codec
from cluster.formats.record_batch import (
    CODEC_AT,
    CODEC_MASK,
    CURRENT_MAGIC,
    HEADER_SIZE,
    MAGIC_AT,
    OFFSET_MAX,
    CorruptBatchError,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.storage.errors import (
    InvalidTimestamp,
    KafkaStorageError,
    LogError,
    MessageTooLarge,
    OutOfOrderSequence,
    RecordListTooLarge,
    RecordsWithoutKey,
)
from cluster.storage.log.growing_log import AppendOutcome, OutcomeFields
from cluster.storage.log_config import NO_BOUND

ALL_ACKS: Final = -1
NO_ACKS: Final = 0
LEADER_ACKS: Final = 1


class Refusal(NamedTuple):
    """Why a batch is not in the log; *message* is for the producer."""

    error: ErrorCode
    message: str | None = None
    record_errors: Sequence[RecordError] = ()


class Appended(NamedTuple):
    """A batch that is in the leader's log."""

    hosted: HostedPartition
    outcome: AppendOutcome

    def must_wait(self, acks: int) -> bool:
        """Return whether a producer with *acks* may not be answered yet."""
        if self.outcome.needs_flush:
            return True
        return acks == ALL_ACKS and self.hosted.replica.high_watermark <= self.outcome.last_offset


def refusal_of(error: LogError | CorruptBatchError, partition: TopicPartition) -> Refusal:
    """Return the refusal of a batch for *partition* that *error* is about."""
    if isinstance(error, RecordsWithoutKey):
        errors = key_errors(error, partition)
        return Refusal(error.error_code, message_of(errors), errors)
    return Refusal(error.error_code, str(error))


def answers_at_once(hosted: HostedPartition, acks: int) -> bool:
    """Return whether no producer with *acks* waits for what is appended to *hosted* next."""
    replica = hosted.replica
    if hosted.log.config.flush_messages != NO_BOUND:
        return False
    return acks != ALL_ACKS or (replica.commits_at_once and replica.committable_end == OFFSET_MAX)


def is_zstd(batch: memoryview) -> bool:
    """Return whether the header of *batch* names magic 2 and zstd.

    A message of magic 0 or 1 has a key or a timestamp where a batch has its codec.
    """
    return (
        len(batch) >= HEADER_SIZE
        and batch[MAGIC_AT] == CURRENT_MAGIC
        and batch[CODEC_AT] & CODEC_MASK == Codec.ZSTD
    )


@dataclass(frozen=True, slots=True)
class Appender:
    """Appends to the partitions of this broker."""

    partitions: Partitions
    refused_batches: RefusedBatches
    pause_detector: PauseDetector
    clock: Clock

    def append(
        self,
        topic: str,
        index: int,
        batch: memoryview | None,
        acks: int,
        takes_zstd: bool = True,
        *,
        has_checked_records: bool = False,
    ) -> Appended | Refusal:
        """Append one partition's batch, which is stamped in place.

        With *takes_zstd*, the client's version may send zstd.

        Raises:
            HeavyBatch: its records take long to check; the caller has them checked on a thread by
                the log's config, and appends again.
            LegacyMessages: they are of magic 0 or 1; the caller has them converted likewise.
        """
        if acks not in (NO_ACKS, LEADER_ACKS, ALL_ACKS):
            return Refusal(ErrorCode.INVALID_REQUIRED_ACKS)
        hosted = self.partitions.led(topic, index)
        if isinstance(hosted, ErrorCode):
            self.refused_batches.note(topic, index, batch, hosted)
            return Refusal(hosted)
        if batch is None:
            return Refusal(ErrorCode.INVALID_RECORD, "there are no records")
        outcome = self.append_to(hosted, batch, acks, takes_zstd, has_checked_records)
        if isinstance(outcome, Refusal):
            return outcome
        return Appended(hosted, AppendOutcome(*outcome))

    def append_to(
        self,
        hosted: HostedPartition,
        batch: memoryview,
        acks: int,
        takes_zstd: bool = True,
        has_checked_records: bool = False,
    ) -> OutcomeFields | Refusal:
        """Write the batch of a partition that this broker has just been found to lead, as `append`
        does; return the fields of the outcome.

        Raises:
            HeavyBatch, LegacyMessages: as `append`.
        """
        replica, log = hosted.replica, hosted.log
        if (
            not takes_zstd
            or replica.is_under_min_isr
            or replica.took_over_ms is not None
            or self.refused_batches.by_producer
        ):
            refusal = self._refusal(hosted, batch, acks, takes_zstd)
            if refusal is not None:
                return refusal
        now_ms, wall_ms = self.clock.now_ms(), self.clock.wall_ms()
        try:
            outcome = log.append(
                batch,
                replica.state.leader_epoch,
                now_ms,
                wall_ms,
                has_checked_records,
            )
        except InvalidTimestamp as error:
            self._count_refused(hosted, error, len(batch))
            wrong = timestamp_errors(batch, log.config, wall_ms)
            return Refusal(error.error_code, MESSAGE if wrong else str(error), wrong)
        except OutOfOrderSequence as error:
            if self.pause_detector.doubts_leadership():
                # What is missing here may be in the log of who has led meanwhile.
                hosted.stats.refused_batches += 1
                return Refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            self._count_refused(hosted, error, len(batch))
            return Refusal(error.error_code, str(error))
        except (LogError, CorruptBatchError) as error:
            self._count_refused(hosted, error, len(batch))
            return refusal_of(error, hosted.partition)
        end_offset, size = log.log_end_offset, len(batch)
        base_offset, last_offset, _, _, _, needs_flush = outcome
        assert last_offset < end_offset, "what was appended is in the log"
        if needs_flush:
            # Consumers read what is committed, and it is not to be gone with this machine's power.
            replica.committable_end = log.committable_end
        stats = hosted.stats
        stats.batches_in += 1
        stats.bytes_in += size
        if last_offset != base_offset:
            stats.further_messages_in += last_offset - base_offset
        replica.advance_high_watermark(end_offset, size, now_ms)
        return outcome

    def refused(
        self, topic: str, index: int, error: LogError | CorruptBatchError, size: int
    ) -> Refusal:
        """Return the refusal of a batch whose records were checked on a thread, and count it."""
        hosted = self.partitions.find_index(topic, index)
        if hosted is not None:
            self._count_refused(hosted, error, size)
        return refusal_of(error, TopicPartition(topic, index))

    def _count_refused(
        self, hosted: HostedPartition, error: LogError | CorruptBatchError, size: int
    ) -> None:
        """Count a refused batch as Kafka does: as failed unless its size or damage is the reason.

        Source: Kafka's ReplicaManager.appendToLocalLog and UnifiedLog.analyzeAndValidateRecords.
        """
        stats, totals = hosted.stats, self.partitions.stats
        stats.refused_batches += 1
        match error:
            case MessageTooLarge() | RecordListTooLarge():
                stats.bytes_rejected += size
                return
            case KafkaStorageError():
                return
            case CorruptBatchError():
                totals.invalid_crc += 1
                return
            case RecordsWithoutKey(places=places):
                totals.no_key += len(places)
            case OutOfOrderSequence():
                totals.invalid_sequence += 1
        stats.failed_produce += 1

    def _refusal(
        self, hosted: HostedPartition, batch: memoryview, acks: int, takes_zstd: bool
    ) -> Refusal | None:
        """Return why the partition takes no such batch now; None when it does."""
        replica, log = hosted.replica, hosted.log
        if not takes_zstd and is_zstd(batch):
            return Refusal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
        if acks == ALL_ACKS and replica.is_under_min_isr:
            self.refused_batches.note(*hosted.partition, batch, ErrorCode.NOT_ENOUGH_REPLICAS)
            return Refusal(ErrorCode.NOT_ENOUGH_REPLICAS)
        if self.refused_batches.by_producer:
            behind = self.refused_batches.error_behind(*hosted.partition, batch, log.producers)
            if behind is not None:
                return Refusal(behind)
        if replica.took_over_ms is not None:
            if replica.took_over_ms + REMEMBERED_MS <= self.clock.now_ms():
                replica.took_over_ms = None
            elif may_be_behind(batch, log.producers):
                return Refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return None
