"""Fetch: which batches come next in these partitions, now or as soon as there are enough?

Source: Kafka's KafkaApis.handleFetchRequest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from cluster.api.leader_hints import HINTED_ERRORS, NO_HINT, LeaderHints
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.delayed_fetch import Answer as Give
from cluster.broker.replica_manager.delayed_fetch import DelayedFetch, is_enough
from cluster.broker.replica_manager.down_conversion import CONVERTED_SIZE_MAX, DownConversion
from cluster.broker.replica_manager.fetch_reading import FetchReader, Found, Limits
from cluster.broker.replica_manager.fetch_sessions import (
    BEGIN,
    NO_REPLICA,
    NO_SESSION,
    SESSIONLESS,
    FetchSessions,
    Part,
    PartKey,
    ReadResult,
    Session,
    TopicKey,
    Want,
)
from cluster.broker.replica_manager.follower_fetches import counting, note_fetches
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.replica_manager.record_work import RecordWorks
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import UNKNOWN_BROKER_EPOCH
from cluster.replication.throttle import ReplicationThrottle
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
    SnapshotId,
)
from cluster.wire.messages.leaders import LeaderIdAndEpoch

MAGIC_OF_VERSIONS: Final = {0: 0, 1: 0, 2: 1, 3: 1}
"""For each version whose clients know no batches of magic 2 the magic that they know."""
STORAGE_ERROR_VERSION: Final = 6
"""The first version whose clients know KAFKA_STORAGE_ERROR."""
STORAGE_ERROR: Final = ErrorCode.KAFKA_STORAGE_ERROR
ID_VERSION: Final = 13
REPLICA_STATE_VERSION: Final = 15
HINT_VERSION: Final = 16
NOT_DIVERGING: Final = EpochEndOffset()
NO_SNAPSHOT: Final = SnapshotId()
FOLLOWER_READ_VERSION: Final = 11
"""From this version of a fetch on, consumers may read from followers (KIP-392)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetches:
    """Answers fetches of consumers and followers."""

    ports: Ports
    partitions: Partitions
    fetch_sessions: FetchSessions
    fetch_reader: FetchReader
    record_work: RecordWorks
    isr_changes: IsrChanges
    throttle: ReplicationThrottle
    hints: LeaderHints

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        body = cast(FetchRequest, request.body)
        version = request.api_version
        limits = self._limits_of(body, version, peer)
        session = self._session_of(body, version >= ID_VERSION, limits)
        if isinstance(session, ErrorCode):
            reply(FetchResponse(error_code=session))
            return None
        answer = Answer(self.hints, self.partitions, version, peer, reply, session)
        wants = session.wants()
        found = self.fetch_reader.read_all(wants, limits)
        # Before anything follows from the fetch itself, which the session has to hear of.
        if session.session_id != NO_SESSION:
            session.settle(wants, found.data, self.partitions)
        give: Give = answer.give
        conversion: DownConversion | None = None
        if version in MAGIC_OF_VERSIONS:
            magic = MAGIC_OF_VERSIONS[version]
            conversion = DownConversion(
                self.fetch_reader, self.record_work, self.ports.clock, limits, magic, give
            )
            give = conversion.give
        if limits.is_replica:
            note_fetches(
                self.partitions, self.isr_changes, wants, found, limits, session.fetch_time
            )
            give = counting(self.throttle, self.ports.clock, give)
        if is_enough(session, found, limits):
            give(wants, found)
            return None if conversion is None else conversion.cancel
        missing = limits.min_bytes - found.size
        clock = self.ports.clock
        count = self.ports.waiting_counts.fetch
        delayed = DelayedFetch(
            self.fetch_reader, clock, session, limits, give, missing, count
        ).begin()
        return delayed if conversion is None else both(delayed, conversion.cancel)

    def _session_of(
        self, body: FetchRequest, uses_ids: bool, limits: Limits
    ) -> Session | ErrorCode:
        """Return the session of the request; one for itself where it has none, or there is no
        room.
        """
        sessions, partitions = self.fetch_sessions, self.partitions
        now_ms = self.ports.clock.now_ms()
        replica_id, replica_epoch = limits.replica_id, limits.replica_epoch
        isolation_level = limits.isolation_level
        if body.session_epoch in (SESSIONLESS, BEGIN):
            sessions.end(body.session_id)
            begun = None
            if body.session_epoch == BEGIN:
                begun = sessions.begin(
                    parts_of(body, uses_ids),
                    partitions,
                    now_ms,
                    uses_ids=uses_ids,
                    replica_id=replica_id,
                    replica_epoch=replica_epoch,
                    isolation_level=isolation_level,
                )
            if begun is None:
                begun = Session(
                    NO_SESSION, uses_ids, replica_id, replica_epoch, isolation_level, now_ms
                )
                begun.fetch_once(parts_of(body, uses_ids), partitions)
            return begun
        resumed = sessions.resume(body.session_id, body.session_epoch, uses_ids, now_ms)
        if isinstance(resumed, Session):
            resumed.be_read_by(replica_id, replica_epoch, isolation_level)
            resumed.find_names(partitions)
            parts, forgotten = parts_of(body, uses_ids), forgotten_by(body, uses_ids)
            if not sessions.change(resumed, parts, forgotten, partitions):
                # The client begins anew, and gets no session for so much.
                return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        return resumed

    def _limits_of(self, body: FetchRequest, version: int, peer: Peer) -> Limits:
        size_max = min(body.max_bytes, self.ports.settings.fetch_size_max)
        if version in MAGIC_OF_VERSIONS:
            size_max = min(size_max, CONVERTED_SIZE_MAX)
        replica_id, replica_epoch = body.replica_id, int(UNKNOWN_BROKER_EPOCH)
        if version >= REPLICA_STATE_VERSION:
            replica_id, replica_epoch = body.replica_state
        is_consumer = replica_id < NO_REPLICA
        return Limits(
            size_max,
            body.min_bytes,
            body.max_wait_ms,
            replica_id,
            replica_epoch,
            body.isolation_level,
            is_consumer and version >= FOLLOWER_READ_VERSION,
            body.rack_id if is_consumer and self.ports.settings.selects_by_rack else "",
            peer.listener,
        )


def both(first: Cancel, second: Cancel) -> Cancel:
    def cancel() -> None:
        first()
        second()

    return cancel


def parts_of(body: FetchRequest, uses_ids: bool) -> Iterator[Part]:
    for topic in body.topics:
        key = topic.topic_id if uses_ids else topic.topic
        for part in topic.partitions:
            yield key, part


def forgotten_by(body: FetchRequest, uses_ids: bool) -> Iterator[PartKey]:
    for topic in body.forgotten_topics_data:
        key = topic.topic_id if uses_ids else topic.topic
        for index in topic.partitions:
            yield key, index


class Answer:
    """Where the answer goes, and the form that it has."""

    __slots__ = ("_hints", "_partitions", "_peer", "_reply", "_session", "_version")

    def __init__(
        self,
        hints: LeaderHints,
        partitions: Partitions,
        version: int,
        peer: Peer,
        reply: Reply,
        session: Session,
    ) -> None:
        self._hints = hints
        self._partitions = partitions
        self._version = version
        self._peer = peer
        self._reply = reply
        self._session = session

    def give(self, wants: Sequence[Want], found: Found) -> None:
        """Send *found*, which goes with *wants*; in a session only what is new."""
        results: Iterable[tuple[Want, ReadResult]] = zip(wants, found.data, strict=True)
        session_id = self._session.session_id
        if session_id != NO_SESSION:
            results = self._session.news(results)
        topics: list[FetchableTopicResponse] = []
        last_key: TopicKey | None = None
        parts: list[PartitionData] = []
        hints: list[LeaderIdAndEpoch] = []
        has_hints = self._version >= HINT_VERSION and found.is_urgent
        for want, result in results:
            if want.key != last_key:
                parts = []
                topics.append(topic_response(want.key, parts))
                last_key = want.key
            if result.error is STORAGE_ERROR and self._version < STORAGE_ERROR_VERSION:
                # The consumer then looks for the leader elsewhere.
                result = ReadResult(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            hint = NO_HINT
            if has_hints and result.error in HINTED_ERRORS and want.topic is not None:
                hint = self._hints.current_leader(want.topic, want.part.partition)
                hints.append(hint)
            parts.append(data_of(want.part.partition, result, hint))
            if result.records is not None:
                self._count(want, len(result.records))
        endpoints = self._hints.endpoints_of(hints, self._peer.listener) if hints else ()
        self._reply(
            FetchResponse(session_id=session_id, responses=topics, node_endpoints=endpoints)
        )

    def _count(self, want: Want, size: int) -> None:
        """Count *size* bytes of records that are sent."""
        assert want.topic is not None, "there are no records of a topic that is not known"
        hosted = self._partitions.find_index(want.topic, want.part.partition)
        if hosted is None:
            # It was read before it left this broker.
            return
        if not self._session.is_follower:
            hosted.stats.bytes_out += size
            return
        totals = self._partitions.stats
        totals.replication_bytes_out += size
        if self._session.replica_id in hosted.replica.assignment.adding:
            totals.reassignment_bytes_out += size


def data_of(index: int, result: ReadResult, hint: LeaderIdAndEpoch) -> PartitionData:
    """Put a result into the answer's struct, by position: that costs half as much."""
    diverging, aborted = result.diverging, result.aborted
    return PartitionData(
        index,
        result.error,
        result.high_watermark,
        result.last_stable_offset,
        result.log_start_offset,
        NOT_DIVERGING if diverging is None else EpochEndOffset(*diverging),
        hint,
        NO_SNAPSHOT,
        None
        if aborted is None
        else tuple(AbortedTransaction(one.producer_id, one.first_offset) for one in aborted),
        result.preferred_replica,
        b"" if result.records is None else result.records,
    )


def topic_response(key: TopicKey, parts: Sequence[PartitionData]) -> FetchableTopicResponse:
    if isinstance(key, str):
        return FetchableTopicResponse(topic=key, partitions=parts)
    return FetchableTopicResponse(topic_id=key, partitions=parts)
