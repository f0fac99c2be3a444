"""Down-conversion: batches that consumers before 0.11 fetch become messages of magic 0 or 1.

It takes memory and time, unlike other fetches: so a thread does it in pieces, and the size of an
answer is bounded (CONVERTED_SIZE_MAX).  As in Kafka, the messages of a partition are cut where they
become larger than its batches were, except for the first batch.  Kafka fills them up to that size,
which it has sent before it converts; this broker converts first.

Source: Kafka's KafkaApis.maybeConvertFetchedData and LazyDownConversionRecords.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

from cluster.broker.ports import Clock
from cluster.broker.procedures import Procedure, run
from cluster.broker.replica_manager.delayed_fetch import Answer
from cluster.broker.replica_manager.fetch_reading import FetchReader, Found, Limits
from cluster.broker.replica_manager.fetch_sessions import ReadResult, Want
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.broker.replica_manager.record_work import RecordWorks
from cluster.formats.message_building import NotConvertible, down_converted
from cluster.formats.record_batch import (
    CorruptBatchError,
    checksum_matches,
    parse_header,
    whole_batches,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.file_slice import FileSlice
from cluster.storage.files import File

CONVERTED_SIZE_MAX: Final = 8 * 1024**2
"""Of one answer, beyond its first batch: it is in memory until the consumer has received it."""
PIECE_SIZE: Final = 128 * 1024
"""How much is converted at once, beyond a single batch."""


class DownConversion:
    """The answer to one fetch as messages of at most *magic*."""

    def __init__(
        self,
        reader: FetchReader,
        works: RecordWorks,
        clock: Clock,
        limits: Limits,
        magic: int,
        answer: Answer,
    ) -> None:
        self._reader = reader
        self._works = works
        self._clock = clock
        self._limits = limits
        self._magic = magic
        self._answer = answer
        self._is_over = False

    def give(self, wants: Sequence[Want], found: Found) -> None:
        """Answer, in the place of the `Answer` that this was made with."""

        def converted(data: tuple[ReadResult, ...]) -> None:
            if self._is_over:
                return
            give = partial(self._answer, wants, found._replace(data=data))
            if found.size > 0 and not any(one.records or one.error for one in data):
                # A consumer that gets nothing asks again at once.
                self._clock.call_later(self._limits.wait_max_ms, give)
            else:
                give()

        run(self._clock, self._converted(wants, found), converted)

    def cancel(self) -> None:
        """Stop converting: the connection has ended."""
        self._is_over = True

    def _converted(self, wants: Sequence[Want], found: Found) -> Procedure[tuple[ReadResult, ...]]:
        data: list[ReadResult] = []
        for want, result in zip(wants, found.data, strict=True):
            assert want.topic is not None, "consumers of these versions name topics by their names"
            hosted = self._reader.partitions.find_index(want.topic, want.part.partition)
            if hosted is None:
                # This broker never had it, or lost it while others were converted.
                data.append(result._replace(records=None))
            elif not (hosted.log.config.converts_down or self._limits.is_replica):
                data.append(ReadResult(ErrorCode.UNSUPPORTED_VERSION))
            elif isinstance(result.records, FileSlice):
                one = yield from self._converted_part(hosted, want, result, result.records)
                data.append(one)
            else:
                data.append(result)
        return tuple(data)

    def _converted_part(
        self, hosted: HostedPartition, want: Want, result: ReadResult, records: FileSlice
    ) -> Procedure[ReadResult]:
        part = want.part
        offset = part.fetch_offset
        while True:
            conversion = PartConversion(records, self._magic, offset)
            while not conversion.is_done and not self._is_over:
                yield partial(self._work, conversion)
            hosted.stats.fetch_conversions += conversion.record_count
            if conversion.error is not None:
                return ReadResult(conversion.error)
            if conversion.converted or self._is_over:
                return result._replace(records=bytes(conversion.converted))
            # All were markers of transactions, or emptied by the cleaner.  A consumer that gets
            # nothing asks for the same offset again, for ever.
            offset = conversion.next_offset
            behind = self._reader.records_of(
                hosted, offset, part.partition_max_bytes, result.high_watermark, is_first=True
            )
            if not isinstance(behind, FileSlice):
                return result._replace(records=None)
            records = behind

    def _work(self, conversion: "PartConversion", done: Callable[[], None]) -> None:
        self._works.add([(conversion, done)])


class PartConversion:
    """The batches of one partition; each `run` converts some of them."""

    __slots__ = (
        "_end",
        "_file",
        "_first_offset",
        "_magic",
        "_position",
        "_size_max",
        "converted",
        "error",
        "is_done",
        "next_offset",
        "record_count",
    )

    size = PIECE_SIZE

    def __init__(self, records: FileSlice, magic: int, first_offset: int) -> None:
        self._file = cast(File, records.file)
        self._position = records.position
        self._end = records.position + records.size
        self._size_max = records.size
        self._magic = magic
        self._first_offset = first_offset
        self.converted = bytearray()
        self.next_offset = first_offset
        """The offset after the last batch that was read."""
        self.record_count = 0
        """Of the batches that were converted."""
        self.error: ErrorCode | None = None
        """Why nothing at all can be converted."""
        self.is_done = False

    def run(self) -> None:
        error = ErrorCode.NONE
        try:
            self._convert_piece()
        except NotConvertible:
            error = ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        except CorruptBatchError:
            error = ErrorCode.CORRUPT_MESSAGE
        except OSError:
            error = ErrorCode.KAFKA_STORAGE_ERROR
        if error is not ErrorCode.NONE:
            self.is_done = True
            # The answer has what stands before it; the consumer then asks for this one.
            self.error = None if self.converted else error

    def _convert_piece(self) -> None:
        content = self._read(PIECE_SIZE)
        size = parse_header(content).size
        if size > len(content):
            content = self._read(size)
        for position, header in whole_batches(content):
            if not checksum_matches(content, header, position):
                raise CorruptBatchError(position, "its checksum is wrong")
            batch = content[position : position + header.size]
            more = down_converted(batch, header, self._magic, self._first_offset)
            if not self.converted:
                # A consumer needs the whole first batch to go on.
                self._size_max = max(self._size_max, len(more))
            self.converted += more
            if header.magic > self._magic and not header.is_control:
                self.record_count += header.record_count
            self.next_offset = header.next_offset
            self._position += header.size
            if len(self.converted) >= self._size_max:
                del self.converted[self._size_max :]
                self._position = self._end
                break
        self.is_done = self._position >= self._end

    def _read(self, size: int) -> bytes:
        return self._file.read(self._position, min(size, self._end - self._position))
