"""Alignment of logs with their leader's: where they diverge, and which range the leader's has.

From a leader's answers to fetches, and to further requests where those are not enough, logs are
truncated or begun anew.  `cluster.replication.truncation` decides how much has to go.

Source: Kafka's AbstractFetcherThread.maybeTruncate and fetchOffsetAndTruncate.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Protocol

from cluster.broker.handling import Body
from cluster.broker.ports import PeerConnection, Ports
from cluster.broker.replica_fetcher import leader_questions
from cluster.broker.replica_fetcher.failures import FetchFailures
from cluster.broker.replica_fetcher.fetched_partitions import FetchedPartitions
from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.broker.replica_fetcher.leader_questions import (
    IN_BAND_VERSION,
    NEWEST_EPOCHS,
    NEWEST_FETCH,
    NEWEST_OFFSETS,
)
from cluster.broker.replica_fetcher.truncations import LogTruncations
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.replication.fetch_pace import FetchPace
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.fetch_session_handler import PartKey
from cluster.replication.truncation import (
    UNDEFINED,
    EpochEnd,
    Reset,
    Truncation,
    reset_to,
    truncation_by,
)
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import PartitionData
from cluster.wire.messages.offset_for_leader_epoch import EpochEndOffset

NOT_ANSWERED: Final = EpochEndOffset(ErrorCode.UNKNOWN_SERVER_ERROR)


class Ask(Protocol):
    """Send the leader a request, and call *take* with the answer."""

    def __call__(
        self, api_key: ApiKey, version: int, body: Body, take: Callable[[Body], None]
    ) -> None: ...


class LogAlignment:
    """The alignment of the partitions of one fetcher."""

    def __init__(
        self,
        ports: Ports,
        truncations: LogTruncations,
        partitions: FetchedPartitions,
        failures: FetchFailures,
        pace: FetchPace,
        leader_id: BrokerId,
        ask: Ask,
        wake: Callable[[], None],
    ) -> None:
        """*ask* and *wake* are the fetcher's."""
        self._ports = ports
        self._truncations = truncations
        self._partitions = partitions
        self._failures = failures
        self._pace = pace
        self._leader_id = leader_id
        self._ask = ask
        self._wake = wake

    # Where logs diverge.

    def doubt(self, connection: PeerConnection) -> None:
        """Look again for divergence from a leader that may have restarted and lost its log's end.

        Where fetches detect it, they do.
        """
        version = connection.version(ApiKey.OFFSET_FOR_LEADER_EPOCH, NEWEST_EPOCHS)
        if version is None or is_in_band(connection):
            return
        for followed in self._partitions:
            if followed.state.phase is FetchPhase.FETCHING:
                self._partitions.find_divergence(followed)

    def find_divergences(self, connection: PeerConnection) -> bool:
        """Start fetching partitions that need no request, and send one for the others; whether any
        needs it.
        """
        in_band = is_in_band(connection)
        version = connection.version(ApiKey.OFFSET_FOR_LEADER_EPOCH, NEWEST_EPOCHS)
        truncating = self._partitions.truncating
        asked: dict[PartKey, FollowedPartition] = {}
        for key, followed in tuple(truncating.items()):
            epoch = followed.state.last_fetched_epoch
            if epoch != UNDEFINED and version is not None and not in_band:
                asked[key] = followed
                continue
            del truncating[key]
            if epoch == UNDEFINED or not in_band:
                # The high watermark is the best bound known: both have what is committed.
                self._cut_by(followed, EpochEnd(UNDEFINED, UNDEFINED))
            else:
                self._partitions.begin_fetching(followed)
        if not asked:
            return False
        assert version is not None
        self._ask(
            ApiKey.OFFSET_FOR_LEADER_EPOCH,
            version,
            leader_questions.epochs_request(self._ports.registration.broker_id, asked),
            partial(self._take_epochs, asked),
        )
        return True

    def _take_epochs(self, asked: Mapping[PartKey, FollowedPartition], body: Body) -> None:
        answers = dict(leader_questions.epoch_answers(body))
        truncating = self._partitions.truncating
        for key, followed in asked.items():
            if truncating.get(key) is not followed:
                continue
            answer = answers.get(followed.partition, NOT_ANSWERED)
            if answer.error_code != ErrorCode.NONE:
                self._failures.refuse(followed, answer.error_code)
                continue
            del truncating[key]
            self._cut_by(followed, EpochEnd(answer.leader_epoch, answer.end_offset))

    def diverge(self, followed: FollowedPartition, data: PartitionData) -> None:
        """Truncate a log which diverges from the leader's according to the answer to a fetch."""
        self._partitions.throttled.discard(followed.key)
        followed.leader_high_watermark = data.high_watermark
        self._partitions.session.forget(followed.key)
        self._cut_by(followed, EpochEnd(*data.diverging_epoch))

    def _cut_by(self, followed: FollowedPartition, leaders_end: EpochEnd) -> None:
        self._cut(followed, truncation_by(leaders_end, followed.own_log()))

    # Truncation.

    def _cut(self, followed: FollowedPartition, truncation: Truncation) -> None:
        if truncation.offset < 0:
            reason = f"its log is to end at {truncation.offset}"
            self._failures.delay(followed, reason, passes=False)
            return
        log = followed.log
        followed.state.cut(is_last=truncation.is_last)
        if truncation.offset >= log.log_end_offset:
            # Only epochs that began without records may have to be removed.
            log.truncate_to(truncation.offset, self._ports.clock.now_ms())
            self._has_cut(followed)
            return
        offset = truncation.offset
        if offset < followed.replica.high_watermark:
            self._ports.journal.warning(
                f"{followed.partition} is truncated to {offset}, below its high watermark of"
                f" {followed.replica.high_watermark}, as leader {self._leader_id} says"
            )
        self._begin_cut(followed)
        done = partial(self._cut_is_over, followed, offset)
        self._truncations.truncate(followed.partition, offset, done)

    def _restart(self, followed: FollowedPartition, offset: int) -> None:
        followed.state.cut(is_last=True)
        self._begin_cut(followed)
        done = partial(self._cut_is_over, followed, offset)
        self._truncations.restart_at(followed.partition, offset, done)

    def _begin_cut(self, followed: FollowedPartition) -> None:
        self._pace.has_changed = True
        self._partitions.cutting.add(followed.key)

    def _cut_is_over(self, followed: FollowedPartition, offset: int) -> None:
        """The log is truncated, unless it is damaged there or its disk has failed."""
        self._partitions.cutting.discard(followed.key)
        if followed.log.is_offline:
            self._partitions.remove(followed.partition)
            return
        if followed.log.log_end_offset > offset:
            followed.has_cut()
            reason = f"its log is damaged and cannot be truncated to {offset}"
            self._failures.fail(followed, reason)
            self._failures.report()
            return
        self._has_cut(followed)
        self._wake()

    def _has_cut(self, followed: FollowedPartition) -> None:
        followed.has_cut()
        self._partitions.go_on(followed)

    # Offsets outside of the leader's range.

    def ask_ends(self, connection: PeerConnection) -> None:
        """Request the start and end of the leader's logs whose range was missed."""
        asked = dict(self._partitions.out_of_range)
        take = partial(self._take_latest, connection)
        self._ask_offsets(connection, asked, leader_questions.LATEST, take)

    def _ask_offsets(
        self,
        connection: PeerConnection,
        asked: Mapping[PartKey, FollowedPartition],
        timestamp: int,
        take: Callable[[Mapping[PartKey, int]], None],
    ) -> None:
        version = connection.version(ApiKey.LIST_OFFSETS, NEWEST_OFFSETS)
        assert version is not None, "who serves no ListOffsets has been left alone"
        body = leader_questions.offsets_request(
            self._ports.registration.broker_id, asked, timestamp
        )

        def taken(answer: Body) -> None:
            answers = dict(leader_questions.offset_answers(answer))
            offsets: dict[PartKey, int] = {}
            for key, followed in asked.items():
                if self._partitions.out_of_range.get(key) is followed:
                    failure = (ErrorCode.UNKNOWN_SERVER_ERROR, 0)
                    error, offset = answers.get(followed.partition, failure)
                    if error == ErrorCode.NONE:
                        offsets[key] = offset
                    else:
                        self._failures.refuse(followed, error)
            if offsets:
                take(offsets)

        self._ask(ApiKey.LIST_OFFSETS, version, body, taken)

    def _take_latest(self, connection: PeerConnection, ends: Mapping[PartKey, int]) -> None:
        asked = {key: self._partitions.out_of_range[key] for key in ends}
        take = partial(self._take_earliest, ends)
        self._ask_offsets(connection, asked, leader_questions.EARLIEST, take)

    def _take_earliest(self, ends: Mapping[PartKey, int], starts: Mapping[PartKey, int]) -> None:
        for key, start in starts.items():
            followed = self._partitions.out_of_range.pop(key)
            self._reset(followed, start, ends[key])

    def _reset(self, followed: FollowedPartition, leader_start: int, leader_end: int) -> None:
        """Continue within the leader's range."""
        if min(leader_start, leader_end) < 0:
            reason = f"the leader's log goes from {leader_start} to {leader_end}"
            self._failures.delay(followed, reason, passes=False)
            return
        log_end_offset = followed.log.log_end_offset
        reset: Reset = reset_to(leader_start, leader_end, log_end_offset)
        self._ports.journal.warning(
            f"{followed.partition} ends at {log_end_offset} here, and goes from {leader_start} to"
            f" {leader_end} at its leader {self._leader_id}: it is fetched from {reset.offset} on"
        )
        if reset.restarts:
            self._restart(followed, reset.offset)
        elif reset.offset < log_end_offset:
            # The leader was elected uncleanly: the divergence is looked for after the truncation.
            self._cut(followed, Truncation(reset.offset, is_last=False))
        else:
            # The leader has the offset; the next answers show whether our epoch is right.
            reason = "the leader has its offset, and does not know it"
            self._failures.delay(followed, reason, passes=True)


def is_in_band(connection: PeerConnection) -> bool:
    """Whether the leader's answers to fetches report divergence."""
    return (connection.version(ApiKey.FETCH, NEWEST_FETCH) or 0) >= IN_BAND_VERSION
