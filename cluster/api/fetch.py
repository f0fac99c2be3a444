"""Fetch: which batches come next in these partitions, now or as soon as there are enough?

Source: Kafka's KafkaApis.handleFetchRequest and DelayedFetch.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from cluster.broker.context import Context
from cluster.broker.fetch_reading import Found, Limits, TopicKey, Want, read_all
from cluster.broker.fetch_sessions import (
    BEGIN,
    NO_SESSION,
    SESSIONLESS,
    FetchSessions,
    Part,
    PartKey,
    Session,
)
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.leader_hints import HINTED_ERRORS, endpoints_of
from cluster.broker.partitions import HostedPartition
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from cluster.wire.messages.leaders import NodeEndpoint

ID_VERSION: Final = 13
REPLICA_STATE_VERSION: Final = 15
HINT_VERSION: Final = 16


class Fetch:
    """The API with its sessions."""

    def __init__(self, context: Context) -> None:
        self._context = context
        ports = context.ports
        first_id = 1 + ports.chance.below(2**30)
        self.sessions = FetchSessions(ports.settings.fetch_sessions_max, first_id)

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        body = cast(FetchRequest, request.body)
        version = request.api_version
        session = self._session(body, version >= ID_VERSION)
        if isinstance(session, ErrorCode):
            reply(FetchResponse(error_code=session))
            return None
        answer = Answer(self._context, version, peer, reply, session)
        wants = self._wants(body, version, session)
        limits = self._limits(body, version)
        found = read_all(self._context, wants, limits)
        if is_enough(found, body):
            answer.give(wants, found)
            return None
        return DelayedFetch(self._context, wants, limits, answer, body, found).begin()

    def _session(self, body: FetchRequest, uses_ids: bool) -> Session | ErrorCode | None:
        """The session of the request; None when it has none, or there is none to be had."""
        now_ms = self._context.ports.clock.now_ms()
        if body.session_epoch in (SESSIONLESS, BEGIN):
            self.sessions.end(body.session_id)
            if body.session_epoch == SESSIONLESS:
                return None
            return self.sessions.begin(parts_of(body, uses_ids), uses_ids, now_ms)
        session = self.sessions.resume(body.session_id, body.session_epoch, uses_ids, now_ms)
        if isinstance(session, Session):
            session.change(parts_of(body, uses_ids), forgotten_by(body, uses_ids))
            if not session.parts:
                self.sessions.end(session.session_id)
        return session

    def _wants(self, body: FetchRequest, version: int, session: Session | None) -> Sequence[Want]:
        if session is None:
            parts: Iterable[Part] = parts_of(body, version >= ID_VERSION)
        else:
            parts = ((part.topic, part.part) for part in session.parts.values())
        name_of = self._context.cache.topic_name
        return tuple(
            Want(key, key if isinstance(key, str) else name_of(key), part) for key, part in parts
        )

    def _limits(self, body: FetchRequest, version: int) -> Limits:
        return Limits(
            min(body.max_bytes, self._context.ports.settings.fetch_size_max),
            body.replica_state.replica_id if version >= REPLICA_STATE_VERSION else body.replica_id,
            body.isolation_level,
            version >= HINT_VERSION,
        )


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


def is_enough(found: Found, body: FetchRequest) -> bool:
    return (
        found.size >= body.min_bytes or found.is_urgent or body.max_wait_ms <= 0 or not found.data
    )


class Answer:
    """Where the answer goes, and the form that it has."""

    __slots__ = ("_context", "_peer", "_reply", "_session", "_version")

    def __init__(
        self, context: Context, version: int, peer: Peer, reply: Reply, session: Session | None
    ) -> None:
        self._context = context
        self._version = version
        self._peer = peer
        self._reply = reply
        self._session = session

    def give(self, wants: Sequence[Want], found: Found) -> None:
        """Send *found*, which goes with *wants*; in a session only what is new."""
        told: Iterable[tuple[PartKey, PartitionData]] = (
            ((want.key, data.partition_index), data)
            for want, data in zip(wants, found.data, strict=True)
        )
        session_id = NO_SESSION
        if self._session is not None:
            session_id = self._session.session_id
            told = self._session.news(told)
        topics: list[FetchableTopicResponse] = []
        last_key: TopicKey | None = None
        parts: list[PartitionData] = []
        for (key, _), data in told:
            if key != last_key:
                parts = []
                topics.append(topic_response(key, parts))
                last_key = key
            parts.append(data)
        self._reply(
            FetchResponse(
                session_id=session_id, responses=topics, node_endpoints=self._endpoints(found)
            )
        )

    def _endpoints(self, found: Found) -> Sequence[NodeEndpoint]:
        if self._version < HINT_VERSION or not found.is_urgent:
            return ()
        hints = (data.current_leader for data in found.data if data.error_code in HINTED_ERRORS)
        return endpoints_of(self._context, hints, self._peer.listener)


def topic_response(key: TopicKey, parts: Sequence[PartitionData]) -> FetchableTopicResponse:
    if isinstance(key, str):
        return FetchableTopicResponse(topic=key, partitions=parts)
    return FetchableTopicResponse(topic_id=key, partitions=parts)


class DelayedFetch:
    """A fetch that waits until there is enough, or its time is up.

    It looks again only when as many bytes have come as were missing, or something else happened,
    so that many small appends to many partitions cost a subtraction each.
    """

    __slots__ = (
        "_answer",
        "_body",
        "_context",
        "_keys",
        "_limits",
        "_missing",
        "_stop_timer",
        "_wants",
    )

    def __init__(
        self,
        context: Context,
        wants: Sequence[Want],
        limits: Limits,
        answer: Answer,
        body: FetchRequest,
        found: Found,
    ) -> None:
        self._context = context
        self._wants = wants
        self._limits = limits
        self._answer = answer
        self._body = body
        self._missing = body.min_bytes - found.size
        self._keys: list[tuple[HostedPartition, object]] = []
        self._stop_timer: Cancel | None = None

    def begin(self) -> Cancel:
        for want in self._wants:
            # Nothing was urgent, so all partitions are here.
            assert want.topic is not None
            hosted = self._context.partitions.find_index(want.topic, want.part.partition)
            assert hosted is not None
            self._keys.append((hosted, hosted.replica.watch(self._look)))
        clock = self._context.ports.clock
        self._stop_timer = clock.call_later(self._body.max_wait_ms, self._time_out)
        return self._end

    def _look(self, size: int) -> None:
        self._missing -= size
        if self._missing > 0 or self._stop_timer is None:
            return
        found = read_all(self._context, self._wants, self._limits)
        if is_enough(found, self._body):
            self._end()
            self._answer.give(self._wants, found)
        else:
            self._missing = self._body.min_bytes - found.size

    def _time_out(self) -> None:
        self._end()
        self._answer.give(self._wants, read_all(self._context, self._wants, self._limits))

    def _end(self) -> None:
        for hosted, key in self._keys:
            hosted.replica.unwatch(key)
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
