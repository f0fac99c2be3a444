"""A partition that this broker follows: how its leader's answers change its log and replica.

Source: Kafka's ReplicaFetcherThread.processPartitionData and truncate.
"""

from typing import Final

from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.file_slice import FileSlice
from cluster.model.ids import TopicPartition
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.fetch_session_handler import PartKey
from cluster.replication.fetch_state import FetchState
from cluster.replication.truncation import OwnLog
from cluster.storage.errors import UnexpectedAppendOffset
from cluster.wire.messages.fetch import FetchPartition, PartitionData

PATIENCE: Final = 3
"""How many refusals in a row that pass by themselves are not logged."""


class FollowedPartition:
    """The log, the replica, and the state of fetching it in one leader epoch."""

    __slots__ = (
        "is_in_sync",
        "is_reported",
        "key",
        "lag_records",
        "leader_high_watermark",
        "log",
        "partition",
        "refusal_count",
        "replica",
        "state",
    )

    def __init__(self, hosted: HostedPartition) -> None:
        self.partition: TopicPartition = hosted.partition
        self.key = PartKey(hosted.partition.topic, hosted.partition.partition, hosted.topic_id)
        self.log = hosted.log
        self.replica = hosted.replica
        self.state = FetchState(
            hosted.replica.leader_epoch, hosted.log.log_end_offset, hosted.log.epochs.latest
        )
        self.leader_high_watermark = 0
        """The leader's high watermark when it reported a divergence; it may not send it again."""
        self.lag_records = 0
        """How many committed records of its leader it lacked, by the leader's last answer."""
        self.is_in_sync = False
        """Whether it has what its leader has committed, by the leader's last answer."""
        self.refusal_count = 0
        """How many times in a row the leader has refused it."""
        self.is_reported = False
        """Whether server.log reports that it is not fetched."""

    def part(self, size_max: int) -> FetchPartition:
        """The partition's part of a fetch request."""
        state = self.state
        return FetchPartition(
            self.key[1],
            state.leader_epoch,
            state.fetch_offset,
            state.last_fetched_epoch,
            self.log.log_start_offset,
            size_max,
        )

    def is_answer_to(self, asked: FetchPartition | None) -> bool:
        """Whether the leader's answer to *asked* is about the present state.

        Otherwise it was requested in an earlier leader epoch, or before a truncation.
        """
        return (
            asked is not None
            and asked.fetch_offset == self.state.fetch_offset
            and asked.current_leader_epoch == self.state.leader_epoch
        )

    def take(self, data: PartitionData, now_ms: int) -> bool:
        """Append the leader's records, and adopt its high watermark and log start.

        Returns whether the partition's next request changes.

        Raises:
            CorruptBatchError: a batch is damaged, on disk or in transit; nothing was appended.
            UnexpectedAppendOffset: they are not the records that were requested; nothing was
                appended.
            KafkaStorageError: the directory is or went offline.
        """
        log, state = self.log, self.state
        has_changed = False
        records = data.records
        if records and not isinstance(records, FileSlice):
            if log.log_end_offset != state.fetch_offset:
                raise UnexpectedAppendOffset(state.fetch_offset, log.log_end_offset)
            end_offset = log.append_as_follower(records, now_ms)
            assert end_offset == log.log_end_offset >= state.fetch_offset, "no append takes away"
            if end_offset > state.fetch_offset:
                state.has_fetched(end_offset, log.epochs.latest)
                has_changed = True
        self.replica.follow_high_watermark(data.high_watermark, log.log_end_offset)
        self.lag_records = max(0, data.high_watermark - log.log_end_offset)
        self.is_in_sync = self.lag_records == 0
        if data.log_start_offset > log.log_start_offset:
            # The bytes go with the next retention.  A crash before the checkpoint is written
            # leaves an older start, which the leader's next answer raises again.
            high_watermark = self.replica.high_watermark
            start_offset = min(data.log_start_offset, high_watermark)
            has_changed |= start_offset > log.log_start_offset
            log.delete_records_before(start_offset, high_watermark)
        return has_changed

    def own_log(self) -> OwnLog:
        """What decides where it diverges from the leader's."""
        log = self.log
        return OwnLog(
            self.replica.high_watermark,
            log.log_end_offset,
            lambda epoch: log.epochs.end_of(epoch, log.log_end_offset),
        )

    def has_cut(self) -> None:
        """Continue with the log as it is now."""
        log = self.log
        self.replica.keep_within(log.log_start_offset, log.log_end_offset)
        assert log.log_start_offset <= self.replica.high_watermark <= log.log_end_offset
        self.state.has_cut(log.log_end_offset, log.epochs.latest)
        if self.state.phase is FetchPhase.FETCHING:
            # Not before everything that the leader does not have is truncated: at these offsets the
            # leader has committed other records than this log has.
            self.replica.follow_high_watermark(self.leader_high_watermark, log.log_end_offset)

    def is_refused(self, *, passes: bool) -> bool:
        """Count a refusal of the leader; returns whether it has to be logged.

        It is logged once until the partition is fetched again; a refusal that *passes* by itself
        with an order of the controller, only after several.
        """
        self.refusal_count += 1
        if self.is_reported or (passes and self.refusal_count < PATIENCE):
            return False
        self.is_reported = True
        return True
