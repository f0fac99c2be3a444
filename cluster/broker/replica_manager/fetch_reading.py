"""Reads of a fetch request: the records in the partitions of a fetch, within its limits.

Records are returned as ranges of files, never read here.

Source: Kafka's ReplicaManager.readFromLog and Partition.readRecords.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock, Journal
from cluster.broker.replica_manager.fetch_sessions import (
    NO_ERROR,
    NO_REPLICA,
    NO_REPLICA_PREFERRED,
    READ_COMMITTED,
    FetchPart,
    ReadResult,
    Want,
)
from cluster.broker.replica_manager.partitions import NO_CHECK, HostedPartition, Partitions
from cluster.formats.indexes import AbortedTxn
from cluster.model.error_codes import ErrorCode
from cluster.model.file_slice import FileSlice
from cluster.model.ids import BrokerId
from cluster.replication.read_replica import preferred_read_replica
from cluster.replication.throttle import ReplicationThrottle
from cluster.storage.errors import DamagedSegment, LogError
from cluster.storage.log.leader_epochs import UNDEFINED, EpochEnd


class Limits(NamedTuple):
    """What holds for all partitions of a fetch."""

    size_max: int
    min_bytes: int
    wait_max_ms: int
    replica_id: int
    replica_epoch: int
    """The broker epoch of a follower that sends it; -1 else."""
    isolation_level: int
    reads_followers: bool
    """Whether a follower may answer as well, with what it knows to be committed (KIP-392)."""
    rack: str
    """The rack of a consumer that leaders may send to followers there; empty for all others."""
    listener: str
    """The listener on which it would connect to them."""

    @property
    def is_replica(self) -> bool:
        """Return whether a follower fetches: it reads up to the log's end."""
        return self.replica_id >= NO_REPLICA


class Found(NamedTuple):
    """What a fetch would answer now; *data* has one entry for each of the wants, in their order."""

    data: tuple[ReadResult, ...]
    size: int
    is_urgent: bool
    """Whether the client must receive it at once, however little it is."""


@dataclass(frozen=True, slots=True)
class FetchReader:
    """Reads from the partitions of this broker."""

    cache: MetadataCache
    partitions: Partitions
    throttle: ReplicationThrottle
    """Holds followers back that are not in the ISR."""
    clock: Clock
    journal: Journal

    def read_all(self, wants: Iterable[Want], limits: Limits) -> Found:
        """Read all *wants* in their order, until the limit is reached.

        The first batch is returned also where it alone is larger, so that a consumer never stands
        still (KIP-74).
        """
        data: list[ReadResult] = []
        size = 0
        is_urgent = False
        for want in wants:
            one = self.read_one(want, limits, limits.size_max - size, is_first=size == 0)
            data.append(one)
            if one.records is not None:
                size += len(one.records)
            elif (
                one.error is not NO_ERROR
                or one.diverging is not None
                or one.preferred_replica != NO_REPLICA_PREFERRED
            ):
                is_urgent = True
        return Found(tuple(data), size, is_urgent)

    def read_one(self, want: Want, limits: Limits, room: int, *, is_first: bool) -> ReadResult:
        part = want.part
        is_replica = limits.is_replica
        hosted = self._source_of(want, limits)
        if not isinstance(hosted, HostedPartition):
            return ReadResult(hosted)
        hosted.stats.fetch_requests += 1
        if limits.rack and hosted.replica.is_leader:
            nearer = self._replica_in_rack(hosted, part.fetch_offset, limits)
            if nearer is not None:
                return sent_to(nearer, hosted)
        diverging: EpochEnd | None = None
        if part.last_fetched_epoch != UNDEFINED:
            divergence = divergence_of(hosted, part)
            if isinstance(divergence, ErrorCode):
                return ReadResult(divergence)
            diverging = divergence
        high_watermark = hosted.replica.high_watermark
        stable = hosted.log.last_stable_offset(high_watermark)
        if is_replica:
            end_offset = hosted.log.log_end_offset
        else:
            end_offset = stable if limits.isolation_level == READ_COMMITTED else high_watermark
        records: FileSlice | None = None
        if diverging is None and not (is_replica and self._is_held_back(hosted, limits)):
            size_max = max(0, min(part.partition_max_bytes, room))
            found = self.records_of(hosted, part.fetch_offset, size_max, end_offset, is_first)
            if isinstance(found, ErrorCode):
                return ReadResult(found)
            records = found
        aborted: Sequence[AbortedTxn] | None = None
        if limits.isolation_level == READ_COMMITTED:
            try:
                aborted = aborted_in(hosted, part.fetch_offset, records)
            except LogError as error:
                return ReadResult(error.error_code)
        return ReadResult(
            NO_ERROR,
            high_watermark,
            stable,
            hosted.log.log_start_offset,
            diverging,
            aborted,
            records=records,
        )

    def _source_of(self, want: Want, limits: Limits) -> HostedPartition | ErrorCode:
        """Return the partition to read from; else the error to answer with."""
        if want.topic is None:
            return ErrorCode.UNKNOWN_TOPIC_ID
        part = want.part
        hosted = self.partitions.led(want.topic, part.partition, part.current_leader_epoch)
        if limits.reads_followers and hosted is ErrorCode.NOT_LEADER_OR_FOLLOWER:
            # The epoch is right, where the partition is here: that was looked at first.
            hosted = self.partitions.hosted(want.topic, part.partition)
        if not isinstance(hosted, HostedPartition):
            return hosted
        if isinstance(want.key, bytes) and want.key != hosted.topic_id:
            return ErrorCode.INCONSISTENT_TOPIC_ID
        if limits.is_replica and limits.replica_id not in hosted.replica.assignment.replicas:
            # A follower that the controller has added, before its request to this leader.
            if part.current_leader_epoch == NO_CHECK:
                return ErrorCode.NOT_LEADER_OR_FOLLOWER
            return ErrorCode.UNKNOWN_LEADER_EPOCH
        return hosted

    def _replica_in_rack(
        self, hosted: HostedPartition, offset: int, limits: Limits
    ) -> BrokerId | None:
        """Return the follower that a consumer shall read from instead of this leader, if any."""
        racks = {
            BrokerId(one.broker_id): one.rack
            for one in self.cache.brokers.values()
            if limits.listener in one.endpoints
        }
        end_offset = hosted.log.log_end_offset
        return preferred_read_replica(hosted.replica, end_offset, racks, limits.rack, offset)

    def _is_held_back(self, hosted: HostedPartition, limits: Limits) -> bool:
        """Return whether a follower is throttled and has to wait; a member of the ISR never has
        to.
        """
        throttle = self.throttle
        return (
            throttle.is_active
            and throttle.is_throttled(hosted.partition.topic, hosted.partition.partition)
            and limits.replica_id not in hosted.replica.state.isr
            and throttle.is_exceeded(self.clock.now_ms())
        )

    def records_of(
        self,
        hosted: HostedPartition,
        offset: int,
        size_max: int,
        end_offset: int,
        is_first: bool,
    ) -> FileSlice | ErrorCode | None:
        """Return the batches from *offset* on; none for an offset that may not be read yet."""
        log = hosted.log
        if end_offset <= offset <= log.log_end_offset:
            return None if offset >= log.log_start_offset else ErrorCode.OFFSET_OUT_OF_RANGE
        try:
            found = log.read(offset, size_max, end_offset, whole_first=is_first)
        except LogError as error:
            return error.error_code
        except DamagedSegment as error:
            # Consumers come back for it again and again.
            if log.is_news(error):
                self.journal.error(f"{error}; nobody can read on from there")
            hosted.stats.failed_fetch += 1
            return ErrorCode.CORRUPT_MESSAGE
        return found if found.size > 0 else None


def sent_to(nearer: BrokerId, hosted: HostedPartition) -> ReadResult:
    """Return the answer of a leader that reads nothing itself, since a follower is nearer."""
    high_watermark = hosted.replica.high_watermark
    return ReadResult(
        NO_ERROR,
        high_watermark,
        hosted.log.last_stable_offset(high_watermark),
        hosted.log.log_start_offset,
        preferred_replica=nearer,
    )


def aborted_in(
    hosted: HostedPartition, offset: int, records: FileSlice | None
) -> Sequence[AbortedTxn]:
    """Return which transactions a consumer of committed records has to leave out."""
    return () if records is None else hosted.log.aborted_transactions(offset, records)


def divergence_of(hosted: HostedPartition, part: FetchPart) -> EpochEnd | ErrorCode | None:
    """Return where the log of the follower diverges from this one (KIP-595), if it does."""
    log = hosted.log
    end = log.epochs.end_of(part.last_fetched_epoch, log.log_end_offset)
    if UNDEFINED in end or part.fetch_offset < log.log_start_offset:
        return ErrorCode.OFFSET_OUT_OF_RANGE
    if end.epoch < part.last_fetched_epoch or end.end_offset < part.fetch_offset:
        return end
    return None
