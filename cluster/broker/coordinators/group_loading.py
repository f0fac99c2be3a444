"""The loading of groups: a partition of `__consumer_offsets`, read from its start to its end.

The disk is read on a thread, and records are decoded a few at a time, so that others are served in
between.  One partition is read at a time: all that a broker takes over at once would take as long,
and each turn of the loop would be as many times longer.

Source: Kafka's GroupMetadataManager.loadGroupsAndOffsets.
"""

from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from typing import Final, NamedTuple, cast

from cluster.broker.ports import Ports
from cluster.broker.procedures import PAUSE, Procedure, run
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.coordinator_records import MisreadError
from cluster.formats.group_records import decode
from cluster.formats.record_batch import BatchHeader, CorruptBatchError, parse_header
from cluster.formats.records import keys_and_values, marker_of
from cluster.group.replay import Replay
from cluster.model.file_slice import FileSlice
from cluster.model.group_records import GroupRecord
from cluster.model.ids import OFFSETS_TOPIC, LeaderEpoch
from cluster.storage.errors import DamagedSegment, LogError
from cluster.storage.files import File

AT_ONCE: Final = 500
"""How many records are decoded in one turn of the loop: that takes about 2 ms."""


class ReadLog(NamedTuple):
    """What a partition has up to *end_offset*."""

    hosted: HostedPartition
    end_offset: int
    replay: Replay


class GroupLoading:
    """Loads partitions of `__consumer_offsets` that this broker leads."""

    __slots__ = ("_is_reading", "_partitions", "_ports", "_waiting")

    def __init__(self, ports: Ports, partitions: Partitions) -> None:
        self._ports = ports
        self._partitions = partitions
        self._waiting: deque[tuple[int, LeaderEpoch, Callable[[Replay], None]]] = deque()
        self._is_reading = False

    def begin(self, number: int, leader_epoch: LeaderEpoch, done: Callable[[Replay], None]) -> None:
        """Load a partition, and call *done* once all that was read is replicated.

        Not if this broker does not lead it any more in *leader_epoch*, or cannot read it.
        """
        self._waiting.append((number, leader_epoch, done))
        if not self._is_reading:
            self._read_next()

    def stop(self) -> None:
        """Start no further loads."""
        self._waiting.clear()

    def _read_next(self) -> None:
        self._is_reading = bool(self._waiting)
        if self._waiting:
            number, leader_epoch, done = self._waiting.popleft()
            run(
                self._ports.clock,
                self._read(number, leader_epoch),
                partial(self._was_read, leader_epoch, done),
            )

    def _was_read(
        self, leader_epoch: LeaderEpoch, done: Callable[[Replay], None], read: ReadLog | None
    ) -> None:
        if read is not None:
            # Others are loaded meanwhile: this waits for followers, which may be away.
            hosted, end_offset, replay = read
            number = hosted.partition.partition

            def replicated() -> None:
                if self._leads(hosted, number, leader_epoch):
                    done(replay)

            when_replicated(hosted, end_offset, replicated)
        self._read_next()

    def _leads(self, hosted: HostedPartition, number: int, leader_epoch: LeaderEpoch) -> bool:
        return self._partitions.led(OFFSETS_TOPIC, number, leader_epoch) is hosted

    def _read(self, number: int, leader_epoch: LeaderEpoch) -> Procedure[ReadLog | None]:
        """Read a partition; None if that came to nothing."""
        hosted = self._partitions.led(OFFSETS_TOPIC, number, leader_epoch)
        if not isinstance(hosted, HostedPartition):
            return None
        log, replay = hosted.log, Replay()
        offset, end_offset = log.log_start_offset, log.log_end_offset
        began_ms = self._ports.clock.now_ms()
        while offset < end_offset:
            try:
                size_max = self._ports.settings.groups.load_size_max
                found = log.read(offset, size_max, end_offset, whole_first=True)
            except DamagedSegment as error:
                # As in Kafka: what stands before is served, and an operator has to look.
                self._ports.journal.error(f"{hosted.partition} is loaded in part: {error}")
                break
            except LogError as error:
                self._ports.journal.error(f"{hosted.partition} is not loaded: {error}")
                return None
            piece = Piece(found)
            yield partial(self._ports.disks.do, piece.read)
            if not self._leads(hosted, number, leader_epoch):
                return None
            if piece.failure is not None:
                log.health.fail(piece.failure)
                return None
            if not piece.content:
                break
            offset = yield from self._take(hosted, piece.content, replay)
            if not self._leads(hosted, number, leader_epoch):
                return None
        took_ms = self._ports.clock.now_ms() - began_ms
        self._ports.journal.info(
            f"read the groups of {hosted.partition} up to offset {end_offset} in {took_ms} ms"
        )
        return ReadLog(hosted, end_offset, replay)

    def _take(
        self, hosted: HostedPartition, content: bytes, replay: Replay
    ) -> Generator[int, None, int]:
        """Give the batches of *content* to *replay*; returns the offset behind them.

        What cannot be read is passed over, as in Kafka: the rest is served.
        """
        position = count = next_offset = 0
        while position < len(content):
            header = parse_header(content, position)
            end = position + header.size
            batch = content[position:end]
            try:
                for records in pieces_of(batch, header, replay):
                    replay.take(header.base_offset, records, producer_of(header))
                    count += len(records)
                    if count >= AT_ONCE:
                        count = 0
                        yield PAUSE
            except (CorruptBatchError, MisreadError) as error:
                self._ports.journal.error(
                    f"{hosted.partition}: records from offset {header.base_offset} on are passed"
                    f" over: {error}"
                )
            count += 1
            position = end
            next_offset = header.next_offset
        return next_offset


class Piece:
    """A piece of a log, read on a thread."""

    def __init__(self, found: FileSlice) -> None:
        self._found = found
        self.content = b""
        self.failure: OSError | None = None

    def read(self) -> None:
        found = self._found
        try:
            self.content = cast(File, found.file).read(found.position, found.size)
        except OSError as error:
            self.failure = error


def producer_of(header: BatchHeader) -> int | None:
    return header.producer_id if header.is_transactional else None


def pieces_of(
    batch: bytes, header: BatchHeader, replay: Replay
) -> Generator[list[GroupRecord], None, None]:
    """Yield the records of a *batch*, some at a time; the marker of a transaction goes to *replay*.

    Raises:
        CorruptBatchError, MisreadError: they cannot be read; those before were yielded.
    """
    if header.is_control:
        replay.end_transaction(header.producer_id, is_commit=not marker_of(batch).is_abort)
        return
    records: list[GroupRecord] = []
    for key, value in keys_and_values(batch, header):
        known = None if key is None else decode(key, value)
        if known is not None:
            records.append(known)
        if len(records) == AT_ONCE:
            yield records
            records = []
    yield records


def when_replicated(hosted: HostedPartition, end_offset: int, done: Callable[[], None]) -> None:
    """Call *done* once all in-sync replicas have what is before *end_offset*, or others lead."""
    replica = hosted.replica

    def is_over() -> bool:
        return replica.high_watermark >= end_offset or not replica.is_leader

    def look(size: int = 0) -> None:
        if is_over():
            replica.unwatch(key)
            done()

    if is_over():
        done()
    else:
        key = replica.watch(look)
