"""Fetch sessions.

Which partitions does a client fetch from again and again without naming them (KIP-227)?

Source: Kafka's FetchSession.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from cluster.model.error_codes import ErrorCode
from cluster.wire.messages.fetch import FetchPartition, PartitionData

NO_SESSION: Final = 0
SESSIONLESS: Final = -1
"""The session epoch of a full fetch that wants no session, and ends the one it names."""
BEGIN: Final = 0
"""The session epoch of a full fetch that begins a session."""
EPOCH_MAX: Final = 2**31 - 1
EVICTION_MS: Final = 120_000
"""Kafka's `min.incremental.fetch.session.eviction.ms`: as long a session may rest unharmed."""
SESSION_PARTS_MAX: Final = 20_000
"""How many partitions a session may have: each request of it, however short, looks at them all."""
PARTS_MAX: Final = 500_000
"""How many partitions all sessions may have together: each takes half a KiB."""
NEVER_SENT: Final = -2

TopicKey: TypeAlias = str | bytes
"""A topic as the client names it: by name, or by id from version 13 of the request on."""

Part: TypeAlias = tuple[TopicKey, FetchPartition]
PartKey: TypeAlias = tuple[TopicKey, int]


class SessionPart:
    """A partition of a session, and what the client was told of it last."""

    __slots__ = ("high_watermark", "log_start_offset", "part", "topic")

    def __init__(self, topic: TopicKey, part: FetchPartition) -> None:
        self.topic = topic
        self.part = part
        self.high_watermark = NEVER_SENT
        self.log_start_offset = NEVER_SENT

    def is_news(self, data: PartitionData) -> bool:
        return (
            bool(data.records)
            or data.error_code != ErrorCode.NONE
            or data.diverging_epoch.epoch >= 0
            or data.high_watermark != self.high_watermark
            or data.log_start_offset != self.log_start_offset
        )

    def note(self, data: PartitionData) -> None:
        """Count *data* as told; after an error also news without records are worth telling."""
        is_error = data.error_code != ErrorCode.NONE
        self.high_watermark = NEVER_SENT if is_error else data.high_watermark
        self.log_start_offset = NEVER_SENT if is_error else data.log_start_offset


@dataclass(slots=True)
class Session:
    """*epoch* is what the next request has to say."""

    session_id: int
    uses_ids: bool
    parts: dict[PartKey, SessionPart]
    used_ms: int
    epoch: int = BEGIN + 1

    def change(
        self,
        parts: Iterable[Part],
        forgotten: Iterable[PartKey],
    ) -> None:
        """Take the partitions that a request names, and let go of those that it forgets."""
        for topic, part in parts:
            key = (topic, part.partition)
            known = self.parts.get(key)
            if known is None:
                self.parts[key] = SessionPart(topic, part)
            else:
                known.part = part
        for key in forgotten:
            self.parts.pop(key, None)

    def news(
        self, found: Iterable[tuple[PartKey, PartitionData]]
    ) -> Iterator[tuple[PartKey, PartitionData]]:
        """Of *found* what the client does not know yet; counts it as told.

        A partition with records goes to the end of the line, so that a fetch that is full before
        its end does not starve the same partitions each time.
        """
        for key, data in found:
            part = self.parts.get(key)
            if part is None or not part.is_news(data):
                continue
            if data.records:
                self.parts[key] = self.parts.pop(key)
            part.note(data)
            yield key, data


class FetchSessions:
    """The sessions of all clients, least recently used first."""

    __slots__ = ("_next_id", "_part_count", "_sessions", "_slots_max")

    def __init__(self, slots_max: int, first_id: int) -> None:
        """Ids count up from *first_id*, which is another one after each start of the broker."""
        self._sessions: dict[int, Session] = {}
        self._part_count = 0
        self._slots_max = slots_max
        self._next_id = first_id

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, parts: Iterable[Part], uses_ids: bool, now_ms: int) -> Session | None:
        """A new session; None when there is room for no more, or nothing to fetch."""
        session = Session(self._next_id, uses_ids, {}, now_ms)
        session.change(parts, ())
        count = len(session.parts)
        if not 0 < count <= SESSION_PARTS_MAX or not self._make_room(now_ms):
            return None
        if self._part_count + count > PARTS_MAX:
            return None
        self._sessions[session.session_id] = session
        self._part_count += count
        self._next_id = self._next_id % EPOCH_MAX + 1
        return session

    def _make_room(self, now_ms: int) -> bool:
        if len(self._sessions) < self._slots_max:
            return True
        oldest = next(iter(self._sessions.values()), None)
        if oldest is None or now_ms - oldest.used_ms < EVICTION_MS:
            return False
        self.end(oldest.session_id)
        return True

    def change(self, session: Session, parts: Iterable[Part], forgotten: Iterable[PartKey]) -> bool:
        """Change what *session* fetches; one with nothing left ends.

        False where there is no room for so much: it has ended, too.
        """
        before = len(session.parts)
        session.change(parts, forgotten)
        count = len(session.parts)
        self._part_count += count - before
        has_room = count <= SESSION_PARTS_MAX and self._part_count <= PARTS_MAX
        if count == 0 or not has_room:
            self.end(session.session_id)
        return has_room

    def resume(
        self, session_id: int, epoch: int, uses_ids: bool, now_ms: int
    ) -> Session | ErrorCode:
        """The session that a request goes on with; else why the client has to begin anew."""
        session = self._sessions.get(session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        if session.uses_ids != uses_ids:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        session.epoch = epoch % EPOCH_MAX + 1
        session.used_ms = now_ms
        self._sessions[session_id] = self._sessions.pop(session_id)
        return session

    def end(self, session_id: int) -> None:
        """Without effect for one that is not there."""
        ended = self._sessions.pop(session_id, None)
        if ended is not None:
            self._part_count -= len(ended.parts)
