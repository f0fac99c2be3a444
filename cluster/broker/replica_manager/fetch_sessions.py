"""Fetch sessions.

Which partitions does a client fetch from again and again without naming them (KIP-227), and which
of them may have data that it has not received?

A session watches its partitions and keeps those that are due: to read any other would find nothing.
So a fetch costs what has changed since the last one, however many partitions there are.

Source: Kafka's FetchSession; that only due partitions are read has no source.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, Protocol, TypeAlias

from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.indexes import AbortedTxn
from cluster.model.error_codes import ErrorCode
from cluster.model.file_slice import FileSlice
from cluster.model.ids import BrokerId
from cluster.replication.follower_state import FetchTime
from cluster.storage.log.leader_epochs import EpochEnd

NO_ERROR: Final = ErrorCode.NONE
"""Python finds a member of an enum by a call, which takes as long as ten comparisons."""
NO_SESSION: Final = 0
SESSIONLESS: Final = -1
"""The session epoch of a full fetch that wants no session, and ends the one it names."""
BEGIN: Final = 0
"""The session epoch of a full fetch that begins a session."""
EPOCH_MAX: Final = 2**31 - 1
EVICTION_MS: Final = 120_000
"""Kafka's `min.incremental.fetch.session.eviction.ms`: as long a session may rest unharmed."""
SESSION_PARTS_MAX: Final = 20_000
"""How many partitions a session may have: a request may make all of them due, however short."""
PARTS_MAX: Final = 500_000
"""How many partitions all sessions may have together: each takes half a KiB."""
NEVER_SENT: Final = -2
NO_REPLICA: Final = 0
"""Replica ids below are consumers'."""
NO_OFFSET: Final = -1
NO_REPLICA_PREFERRED: Final = -1
"""The client is at the right replica."""
READ_COMMITTED: Final = 1

TopicKey: TypeAlias = str | bytes
"""A topic as the client names it: by name, or by id from version 13 of the request on."""


class FetchPart(Protocol):
    """What a fetch asks of one partition: the shape of the request's own struct."""

    @property
    def partition(self) -> int: ...

    @property
    def current_leader_epoch(self) -> int: ...

    @property
    def fetch_offset(self) -> int: ...

    @property
    def last_fetched_epoch(self) -> int: ...

    @property
    def log_start_offset(self) -> int: ...

    @property
    def partition_max_bytes(self) -> int: ...


class ReadResult(NamedTuple):
    """What was read of one partition; with an error nothing was."""

    error: ErrorCode
    high_watermark: int = NO_OFFSET
    last_stable_offset: int = NO_OFFSET
    log_start_offset: int = NO_OFFSET
    diverging: EpochEnd | None = None
    """Where the log of the follower diverges from this one (KIP-595)."""
    aborted: Sequence[AbortedTxn] | None = None
    """For consumers of committed records; None for all others."""
    preferred_replica: int = NO_REPLICA_PREFERRED
    records: FileSlice | bytes | None = None
    """Bytes only where they were converted for an old consumer."""


Part: TypeAlias = tuple[TopicKey, FetchPart]
PartKey: TypeAlias = tuple[TopicKey, int]


class Waiting(Protocol):
    """A fetch of a session that waits for news."""

    def came(self, size: int) -> None:
        """Receive *size*, as a `cluster.replication.replica.Watcher` does."""

    def finish(self) -> None:
        """Answer with what there is."""


class Want:
    """One partition of a fetch, and what the client last received of it.

    *topic* is None for an unknown id.  *turn* is its position in the queue.
    """

    __slots__ = (
        "_commit_key",
        "_hosted",
        "_key",
        "_session",
        "high_watermark",
        "key",
        "log_start_offset",
        "part",
        "topic",
        "turn",
    )

    def __init__(self, session: "Session", key: TopicKey, topic: str | None, turn: int) -> None:
        self._session = session
        self._hosted: HostedPartition | None = None
        self._key: object | None = None
        self._commit_key: object | None = None
        self.key = key
        self.topic = topic
        self.turn = turn
        self.part: FetchPart
        self.high_watermark = NEVER_SENT
        self.log_start_offset = NEVER_SENT

    def go_on(self, part: FetchPart) -> None:
        """Fetch as *part* asks.

        A follower that goes back has truncated its log, and one in another leader epoch starts
        again: neither has used all that was sent, and both receive it again.
        """
        before, self.part = self.part, part
        if (
            part.fetch_offset < before.fetch_offset
            or part.last_fetched_epoch < before.last_fetched_epoch
            or part.current_leader_epoch != before.current_leader_epoch
        ):
            self.high_watermark = self.log_start_offset = NEVER_SENT

    def is_news(self, data: ReadResult) -> bool:
        return (
            data.records is not None
            or data.error is not NO_ERROR
            or data.diverging is not None
            or data.preferred_replica != NO_REPLICA_PREFERRED
            or data.high_watermark != self.high_watermark
            or data.log_start_offset != self.log_start_offset
        )

    def note(self, data: ReadResult) -> None:
        """Note *data* as sent; after an error also a result without records is worth sending."""
        is_error = data.error is not NO_ERROR
        self.high_watermark = NEVER_SENT if is_error else data.high_watermark
        self.log_start_offset = NEVER_SENT if is_error else data.log_start_offset

    # Watching.

    def watch(self, hosted: HostedPartition) -> None:
        """Let the session hear of what happens to the partition, once at least."""
        if hosted is not self._hosted:
            if self._hosted is not None:
                self.unwatch()
            self._hosted = hosted
        replica = hosted.replica
        if not self._session.is_follower:
            if self._key is None:
                self._key = replica.watch(self._came)
            return
        if self._key is None:
            self._key = replica.watch_end(self._came)
        if self._commit_key is None:
            self._commit_key = replica.watch(self._committed)

    def unwatch(self) -> None:
        if self._hosted is not None:
            replica = self._hosted.replica
            replica.unwatch(self._key)
            if self._commit_key is not None:
                replica.unwatch(self._commit_key)
            self._hosted = self._key = self._commit_key = None

    def _came(self, size: int) -> None:
        """Something is there that the fetch may have waited for."""
        session = self._session
        session.due.add(self)
        if session.waiting is not None:
            session.waiting.came(size)
        else:
            # It is due, whatever else is appended: the next append need not notify it again.
            self.unwatch()

    def _committed(self, size: int) -> None:
        """Make it due: a follower gets the high watermark with its next records, or when its wait
        ends.
        """
        self._session.due.add(self)
        if self._hosted is not None:
            self._hosted.replica.unwatch(self._commit_key)
            self._commit_key = None


class Session:
    """The partitions that a client fetches from; *epoch* is the one of its next request.

    A fetch without a session has an object of its own, which is not in the cache: all of it is due.
    """

    __slots__ = (
        "_ids_version",
        "_turns",
        "due",
        "epoch",
        "fetch_time",
        "isolation_level",
        "parts",
        "replica_epoch",
        "replica_id",
        "session_id",
        "uses_ids",
        "waiting",
    )

    def __init__(
        self,
        session_id: int,
        uses_ids: bool,
        replica_id: int,
        replica_epoch: int,
        isolation_level: int,
        now_ms: int,
    ) -> None:
        self._ids_version = -1
        self._turns = 0
        self.session_id = session_id
        self.uses_ids = uses_ids
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.isolation_level = isolation_level
        self.fetch_time = FetchTime(now_ms)
        """The time of its last use."""
        self.epoch = BEGIN + 1
        self.parts: dict[Hashable, Want] = {}
        self.due: set[Want] = set()
        """Those that may have news; all others are watched."""
        self.waiting: Waiting | None = None

    @property
    def is_follower(self) -> bool:
        """Return whether it is a follower who fetches: it reads up to the log's end."""
        return self.replica_id >= NO_REPLICA

    def fetch_once(self, parts: Iterable[Part], partitions: Partitions) -> None:
        """Take *parts* as they are: one may be there again and again."""
        for turn, (key, part) in enumerate(parts):
            topic = key if isinstance(key, str) else partitions.topic_name(key)
            want = self.parts[turn] = Want(self, key, topic, turn)
            want.part = part

    def change(
        self, parts: Iterable[Part], forgotten: Iterable[PartKey], partitions: Partitions
    ) -> None:
        """Add or update the partitions that a request names, and remove those that it forgets."""
        for key, part in parts:
            part_key = (key, part.partition)
            want = self.parts.get(part_key)
            if want is None:
                want = self.parts[part_key] = self._want(key, partitions)
                want.part = part
            else:
                want.go_on(part)
            self.due.add(want)
        for part_key in forgotten:
            want = self.parts.pop(part_key, None)
            if want is not None:
                self.due.discard(want)
                want.unwatch()

    def _want(self, key: TopicKey, partitions: Partitions) -> Want:
        self._turns += 1
        return Want(
            self, key, key if isinstance(key, str) else partitions.topic_name(key), self._turns
        )

    def find_names(self, partitions: Partitions) -> None:
        """Look up the topics' names by their ids again."""
        if self.uses_ids and self._ids_version != partitions.ids_version:
            self._ids_version = partitions.ids_version
            for want in self.parts.values():
                assert isinstance(want.key, bytes)
                topic = partitions.topic_name(want.key)
                if topic != want.topic:
                    want.topic = topic
                    self.due.add(want)

    def be_read_by(self, replica_id: int, replica_epoch: int, isolation_level: int) -> None:
        """Read for another client from now on, which waits for other data; or for a follower in
        another incarnation, which has to receive all partitions.
        """
        if (
            replica_id != self.replica_id
            or replica_epoch != self.replica_epoch
            or isolation_level != self.isolation_level
        ):
            self.let_go()
            self.replica_id = replica_id
            self.replica_epoch = replica_epoch
            self.isolation_level = isolation_level
            self.due.update(self.parts.values())

    def wants(self) -> Sequence[Want]:
        """Return what is due, in the order of the line; without a session that is everything."""
        if self.session_id == NO_SESSION:
            return tuple(self.parts.values())
        return sorted(self.due, key=TURN) if len(self.due) > 1 else tuple(self.due)

    def settle(
        self, wants: Sequence[Want], found: Sequence[ReadResult], partitions: Partitions
    ) -> None:
        """Watch those of *wants* in which nothing was found, as long as there is nothing.

        A partition whose data was sent is due once more: the client may not have received it.
        """
        for want, data in zip(wants, found, strict=True):
            if want.is_news(data):
                continue
            assert want.topic is not None, "there is no data of a topic that is not known"
            hosted = partitions.find_index(want.topic, want.part.partition)
            assert hosted is not None, "there is no data of a partition that is not here"
            if self._is_at_end(want, data, hosted):
                self.due.discard(want)
                want.watch(hosted)

    def _is_at_end(self, want: Want, data: ReadResult, hosted: HostedPartition) -> bool:
        """Return whether nothing was found because there is nothing: else there was no room for it.

        A follower may join the ISR by each of its fetches, so none is left out before it has.
        """
        offset = want.part.fetch_offset
        if self.is_follower:
            is_in_isr = BrokerId(self.replica_id) in hosted.replica.state.isr
            return is_in_isr and offset >= hosted.log.log_end_offset
        if self.isolation_level == READ_COMMITTED:
            return offset >= data.last_stable_offset
        return offset >= data.high_watermark

    def news(self, found: Iterable[tuple[Want, ReadResult]]) -> Iterator[tuple[Want, ReadResult]]:
        """Yield those of *found* that are new to the client; note them as sent.

        A partition with records goes to the end of the queue, so that a fetch that is full before
        its end does not starve the same partitions each time.
        """
        for want, data in found:
            if not want.is_news(data):
                continue
            if data.records is not None:
                self._turns += 1
                want.turn = self._turns
            want.note(data)
            yield want, data

    # Waiting.

    def begin_wait(self, waiting: Waiting, partitions: Partitions) -> None:
        """Notify *waiting* of all partitions, until `end_wait`; none has an error."""
        assert self.waiting is None
        self.waiting = waiting
        wants: Iterable[Want] = self.wants()
        if self.session_id == NO_SESSION and len(self.parts) > 1:
            # Of a partition that is there again and again each byte counts once.
            wants = {(want.topic, want.part.partition): want for want in wants}.values()
        for want in wants:
            assert want.topic is not None
            hosted = partitions.find_index(want.topic, want.part.partition)
            assert hosted is not None
            want.watch(hosted)

    def end_wait(self) -> None:
        self.waiting = None
        if self.session_id == NO_SESSION:
            self.let_go()

    def end(self) -> None:
        """Stop watching, and remove all partitions, which refer to the session; answer a fetch that
        waits.
        """
        if self.waiting is not None:
            self.waiting.finish()
        self.let_go()
        self.parts.clear()
        self.due.clear()

    def let_go(self) -> None:
        for want in self.parts.values():
            want.unwatch()


TURN: Final = attrgetter("turn")


class FetchSessions:
    """The sessions of all clients, least recently used first."""

    __slots__ = ("_next_id", "_sessions", "_slots_max", "eviction_count", "part_count")

    def __init__(self, slots_max: int, first_id: int) -> None:
        """Begin; ids increase from *first_id*, which differs after each start of the broker."""
        self._sessions: dict[int, Session] = {}
        self.part_count = 0
        """How many partitions all sessions have together."""
        self.eviction_count = 0
        """How many sessions made room for others."""
        self._slots_max = slots_max
        self._next_id = first_id

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(
        self,
        parts: Iterable[Part],
        partitions: Partitions,
        now_ms: int,
        *,
        uses_ids: bool,
        replica_id: int,
        replica_epoch: int,
        isolation_level: int,
    ) -> Session | None:
        """Return a new session; None when there is room for no more, or nothing to fetch."""
        session = Session(
            self._next_id, uses_ids, replica_id, replica_epoch, isolation_level, now_ms
        )
        session.change(parts, (), partitions)
        count = len(session.parts)
        if not 0 < count <= SESSION_PARTS_MAX or not self._make_room(now_ms):
            return None
        if self.part_count + count > PARTS_MAX:
            return None
        self._sessions[session.session_id] = session
        self.part_count += count
        self._next_id = self._next_id % EPOCH_MAX + 1
        return session

    def _make_room(self, now_ms: int) -> bool:
        if len(self._sessions) < self._slots_max:
            return True
        oldest = next(iter(self._sessions.values()), None)
        if oldest is None or now_ms - oldest.fetch_time.ms < EVICTION_MS:
            return False
        self.end(oldest.session_id)
        self.eviction_count += 1
        return True

    def change(
        self,
        session: Session,
        parts: Iterable[Part],
        forgotten: Iterable[PartKey],
        partitions: Partitions,
    ) -> bool:
        """Change what *session* fetches; one with nothing left ends.

        False where there is no room for so much: it has ended, too.
        """
        before = len(session.parts)
        session.change(parts, forgotten, partitions)
        count = len(session.parts)
        self.part_count += count - before
        has_room = count <= SESSION_PARTS_MAX and self.part_count <= PARTS_MAX
        if count == 0 or not has_room:
            self.end(session.session_id)
        return has_room

    def resume(
        self, session_id: int, epoch: int, uses_ids: bool, now_ms: int
    ) -> Session | ErrorCode:
        """Return the session that a request continues; else the error, after which the client
        starts again.

        A fetch of it that waits is answered: its client does not wait any more.
        """
        session = self._sessions.get(session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        if session.uses_ids != uses_ids:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        if session.waiting is not None:
            session.waiting.finish()
        session.epoch = epoch % EPOCH_MAX + 1
        session.fetch_time.next(now_ms)
        self._sessions[session_id] = self._sessions.pop(session_id)
        return session

    def end(self, session_id: int) -> None:
        """End the session; does nothing if there is none."""
        ended = self._sessions.pop(session_id, None)
        if ended is not None:
            self.part_count -= len(ended.parts)
            ended.end()
