"""A partition that this broker follows: what its leader's answers do to its log and replica.

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
"""How often a partition may be refused in a row for what passes by itself, until that is told."""


class FollowedPartition:
    """The log, the replica, and the state of fetching it in one leader epoch."""

    __slots__ = (
        "is_in_sync",
        "is_told",
        "key",
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
        """What the leader said when it said that the logs part, and may not say again."""
        self.is_in_sync = False
        """Whether it has what its leader has committed, as far as the leader has said."""
        self.refusal_count = 0
        """How often the leader has refused it in a row."""
        self.is_told = False
        """Whether server.log says that it is not fetched."""

    def part(self, size_max: int) -> FetchPartition:
        """What the leader is asked."""
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
        """Whether what the leader says in answer to *asked* is about what is to be known now.

        It was asked in an earlier leader epoch otherwise, or before the log was cut.
        """
        return (
            asked is not None
            and asked.fetch_offset == self.state.fetch_offset
            and asked.current_leader_epoch == self.state.leader_epoch
        )

    def take(self, data: PartitionData, now_ms: int) -> bool:
        """Append the leader's records, and count as committed and as dropped what it says is.

        Returns whether there is something else to be asked next.

        Raises:
            CorruptBatchError: a batch is damaged, or was on its way; nothing was appended.
            UnexpectedAppendOffset: they are not the records that were asked for; nothing was
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
        self.is_in_sync = data.high_watermark <= log.log_end_offset
        if data.log_start_offset > log.log_start_offset:
            # The bytes go with the next retention.  A crash before the checkpoint is written
            # leaves an older start, which the leader's next answer raises again.
            high_watermark = self.replica.high_watermark
            start_offset = min(data.log_start_offset, high_watermark)
            has_changed |= start_offset > log.log_start_offset
            log.delete_records_before(start_offset, high_watermark)
        return has_changed

    def own_log(self) -> OwnLog:
        """What decides where it parts from the leader's."""
        log = self.log
        return OwnLog(
            self.replica.high_watermark,
            log.log_end_offset,
            lambda epoch: log.epochs.end_of(epoch, log.log_end_offset),
        )

    def has_cut(self) -> None:
        """Go on with the log as it is now."""
        log = self.log
        self.replica.keep_within(log.log_start_offset, log.log_end_offset)
        assert log.log_start_offset <= self.replica.high_watermark <= log.log_end_offset
        self.state.has_cut(log.log_end_offset, log.epochs.latest)
        if self.state.phase is FetchPhase.FETCHING:
            # Not before nothing is left that the leader does not have: what is committed there is
            # something else than what this log has at these offsets.
            self.replica.follow_high_watermark(self.leader_high_watermark, log.log_end_offset)

    def is_refused(self, *, passes: bool) -> bool:
        """Count a refusal of the leader; whether people have to be told.

        They are told once until the partition is fetched again; what *passes* by itself when an
        order of the controller comes, only if none does.
        """
        self.refusal_count += 1
        if self.is_told or (passes and self.refusal_count < PATIENCE):
            return False
        self.is_told = True
        return True
