"""Appends to the partitions that this broker leads.

One batch for each partition is checked, stamped and written.  A batch whose records take long to
check is not: whoever asked has it checked on a thread, and asks again.

Source: Kafka's ReplicaManager.appendRecords.
"""

from typing import Final, NamedTuple

from cluster.broker.delayed_produce import ALL_ACKS
from cluster.broker.partitions import HostedPartition, Partitions
from cluster.broker.ports import Clock
from cluster.broker.record_errors import MESSAGE, timestamp_errors
from cluster.broker.refused_batches import RefusedBatches
from cluster.broker.standstill import Standstill
from cluster.model.error_codes import ErrorCode
from cluster.model.record_batch import CorruptBatchError
from cluster.storage.errors import HeavyBatch, InvalidTimestamp, LogError, OutOfOrderSequence
from cluster.storage.log_config import LogConfig
from cluster.wire.fields import Records
from cluster.wire.messages.produce import PartitionProduceResponse

NO_ACKS: Final = 0
LEADER_ACKS: Final = 1

NO_ERROR: Final = ErrorCode.NONE
NO_OFFSET: Final = -1
ZSTD: Final = 4
ZSTD_VERSION: Final = 7
"""The first version of the request whose senders know zstd."""
CODEC_AT: Final = 22
"""Of a batch: the byte with its codec, in the lowest three bits."""


class Written(NamedTuple):
    """A batch that is in the leader's log."""

    hosted: HostedPartition
    answer: PartitionProduceResponse
    end_offset: int
    needs_flush: bool


def must_wait(written: Written, acks: int) -> bool:
    if written.needs_flush:
        return True
    return acks == ALL_ACKS and written.hosted.replica.high_watermark < written.end_offset


class Appender:
    """Appends to the partitions of this broker."""

    __slots__ = ("_clock", "_partitions", "_refused_batches", "_standstill")

    def __init__(
        self,
        partitions: Partitions,
        refused_batches: RefusedBatches,
        standstill: Standstill,
        clock: Clock,
    ) -> None:
        self._partitions = partitions
        self._refused_batches = refused_batches
        self._standstill = standstill
        self._clock = clock

    def append(
        self,
        topic: str,
        index: int,
        records: Records | None,
        acks: int,
        version: int,
        *,
        has_checked_records: bool = False,
    ) -> Written | PartitionProduceResponse | LogConfig:
        """Write one partition's batch; else the answer says why not.

        The log's config for a batch that has to be checked by it on a thread before.
        """
        if acks not in (NO_ACKS, LEADER_ACKS, ALL_ACKS):
            return refused(index, ErrorCode.INVALID_REQUIRED_ACKS)
        hosted = self._taken_by(topic, index, records, acks, version)
        if isinstance(hosted, PartitionProduceResponse):
            return hosted
        assert isinstance(records, memoryview)
        replica, log = hosted.replica, hosted.log
        now_ms, wall_ms = self._clock.now_ms(), self._clock.wall_ms()
        try:
            outcome = log.append(
                records,
                replica.state.leader_epoch,
                now_ms,
                wall_ms,
                has_checked_records=has_checked_records,
            )
        except HeavyBatch:
            return log.config
        except InvalidTimestamp as error:
            wrong = timestamp_errors(records, log.config, wall_ms)
            answer = refused(index, error.error_code, MESSAGE if wrong else str(error))
            return answer._replace(record_errors=wrong)
        except OutOfOrderSequence as error:
            if self._standstill.doubts_leadership():
                # What is missing here may be in the log of who has led meanwhile.
                return refused(index, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return refused(index, error.error_code, str(error))
        except LogError as error:
            return refused(index, error.error_code, str(error))
        except CorruptBatchError as error:
            return refused(index, ErrorCode.CORRUPT_MESSAGE, str(error))
        if outcome.needs_flush:
            # Consumers read what is committed, and it is not to be gone with this machine's power.
            replica.committable_end = log.committable_end
        replica.advance_high_watermark(log.log_end_offset, len(records), now_ms)
        answer = PartitionProduceResponse(
            index,
            NO_ERROR,
            outcome.base_offset,
            outcome.log_append_time_ms,
            outcome.log_start_offset,
        )
        return Written(hosted, answer, outcome.last_offset + 1, outcome.needs_flush)

    def _taken_by(
        self, topic: str, index: int, records: Records | None, acks: int, version: int
    ) -> HostedPartition | PartitionProduceResponse:
        """Return the partition if it takes such records now; else an answer that says why not."""
        hosted = self._partitions.led(topic, index)
        if isinstance(hosted, ErrorCode):
            self._refused_batches.note(topic, index, records, hosted)
            return refused(index, hosted)
        if not isinstance(records, memoryview):
            return refused(index, ErrorCode.INVALID_RECORD, "there are no records")
        if version < ZSTD_VERSION and len(records) > CODEC_AT and records[CODEC_AT] & 7 == ZSTD:
            return refused(index, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
        if acks == ALL_ACKS and hosted.replica.is_under_min_isr:
            self._refused_batches.note(topic, index, records, ErrorCode.NOT_ENOUGH_REPLICAS)
            return refused(index, ErrorCode.NOT_ENOUGH_REPLICAS)
        if self._refused_batches.by_producer:
            producers = hosted.log.producers
            behind = self._refused_batches.error_behind(topic, index, records, producers)
            if behind is not None:
                return refused(index, behind)
        return hosted


def refused(index: int, error: ErrorCode, message: str | None = None) -> PartitionProduceResponse:
    return PartitionProduceResponse(index, error, NO_OFFSET, error_message=message)
