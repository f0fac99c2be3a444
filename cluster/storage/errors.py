"""Errors of a log, each with its error code of Kafka.

A damaged batch is `CorruptBatchError` of `cluster.formats.record_batch`; one that is in a log,
`DamagedSegment`.
"""

from collections.abc import Sequence
from typing import ClassVar

from cluster.formats.record_batch import CorruptBatchError
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import ClusterError


class LogError(ClusterError):
    """Root of the errors of a log; each subclass has a code of its own."""

    error_code: ClassVar[ErrorCode]


class OffsetOutOfRange(LogError):
    error_code = ErrorCode.OFFSET_OUT_OF_RANGE

    def __init__(self, offset: int, log_start_offset: int, end_offset: int) -> None:
        super().__init__(f"offset {offset} is not within {log_start_offset} to {end_offset}")


class MessageTooLarge(LogError):
    error_code = ErrorCode.MESSAGE_TOO_LARGE

    def __init__(self, size: int, size_max: int) -> None:
        super().__init__(f"a batch of {size} bytes is above max.message.bytes={size_max}")


class RecordListTooLarge(LogError):
    error_code = ErrorCode.RECORD_LIST_TOO_LARGE

    def __init__(self, size: int, segment_size_max: int) -> None:
        super().__init__(f"a batch of {size} bytes is above segment.bytes={segment_size_max}")


class InvalidTimestamp(LogError):
    error_code = ErrorCode.INVALID_TIMESTAMP

    def __init__(self, timestamp: int, reason: str) -> None:
        super().__init__(f"timestamp {timestamp}: {reason}")


class InvalidRecord(LogError):
    """A batch that is whole, but not one that a producer may send."""

    error_code = ErrorCode.INVALID_RECORD

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RecordsWithoutKey(InvalidRecord):
    """Records that a compacted log could not keep: without a key, the last of them is undefined."""

    def __init__(self, places: Sequence[int]) -> None:
        super().__init__(f"{len(places)} records for a compacted log have no key")
        self.places = tuple(places)
        """Which records of the batch have no key, from 0 on."""


class HeavyBatch(ClusterError):
    """A batch whose records take too long to check while other requests wait."""


class LegacyMessages(HeavyBatch):
    """Messages of magic 0 or 1, which are converted to a batch of magic 2 before they are
    appended.
    """


class UnsupportedTransaction(LogError):
    """A batch of a transaction, which no coordinator would ever end."""

    error_code = ErrorCode.UNSUPPORTED_VERSION

    def __init__(self) -> None:
        super().__init__("transactions are not supported")


class OutOfOrderSequence(LogError):
    error_code = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER

    def __init__(self, producer_id: int, sequence: int, last_sequence: int) -> None:
        super().__init__(
            f"producer {producer_id} sent sequence {sequence} after sequence {last_sequence}"
        )
        self.sequence = sequence
        self.last_sequence = last_sequence


class InvalidProducerEpoch(LogError):
    error_code = ErrorCode.INVALID_PRODUCER_EPOCH

    def __init__(self, producer_id: int, epoch: int, current_epoch: int) -> None:
        super().__init__(
            f"producer {producer_id} sent epoch {epoch}, which epoch {current_epoch} replaced"
        )
        self.epoch = epoch


class UnexpectedAppendOffset(LogError):
    """Batches from a leader that do not begin at or after the end of this log."""

    error_code = ErrorCode.UNKNOWN_SERVER_ERROR

    def __init__(self, offset: int, log_end_offset: int) -> None:
        super().__init__(f"a batch at offset {offset} cannot follow log end {log_end_offset}")


class KafkaStorageError(LogError):
    """A log directory that failed: everything in it is offline until the broker starts again.

    Where *is_offline* is false, only the requested operation failed, and all else in it works.
    """

    error_code = ErrorCode.KAFKA_STORAGE_ERROR

    def __init__(self, directory: str, reason: str, *, is_offline: bool = True) -> None:
        state = "is offline" if is_offline else "cannot have it"
        super().__init__(f"log directory {directory} {state}: {reason}")
        self.directory = directory
        self.reason = reason
        self.is_offline = is_offline


class DamagedSegment(CorruptBatchError):
    """A batch in a log that was whole once, and cannot be read any more."""

    def __init__(self, path: str, position: int, reason: str) -> None:
        super().__init__(position, reason)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path}, byte {self.position}: {self.reason}"


class InvalidLogConfig(LogError):
    """Topic configs that a log cannot have; all problems at once, one sentence each."""

    error_code = ErrorCode.INVALID_CONFIG

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class LogDirectoryRefused(ClusterError):
    """A log directory that must not be used by this broker, or not now."""

    def __init__(self, directory: str, reason: str) -> None:
        super().__init__(f"log directory {directory}: {reason}")
        self.directory = directory
        self.reason = reason
