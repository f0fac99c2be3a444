"""A follower's side of a fetch session: what the next request to the leader must contain.

The leader stores which partitions are fetched from it and from which offset; a request names only
those that changed, and those that are no longer fetched (KIP-227).  Knows only whether a partition
is fetched, not the content of its part.

Source: Kafka's FetchSessionHandler.
"""

from collections.abc import Collection, Mapping
from typing import Final, Generic, NamedTuple, TypeVar

from cluster.model.topic_id import NO_TOPIC_ID

P = TypeVar("P")

NO_SESSION: Final = 0
BEGIN: Final = 0
"""The session epoch of a request that names all partitions, and wants a new session."""
EPOCH_MAX: Final = 2**31 - 1


class PartKey(NamedTuple):
    """A partition of this very topic: a later topic of the same name has another id."""

    topic: str
    partition: int
    topic_id: bytes = NO_TOPIC_ID


class SessionRequest(NamedTuple, Generic[P]):
    """The session and the partitions in a request."""

    session_id: int
    session_epoch: int
    parts: Mapping[PartKey, P]
    forgotten: Collection[PartKey]

    @property
    def is_full(self) -> bool:
        """Whether it names all fetched partitions."""
        return self.session_epoch == BEGIN


class FetchSessionHandler(Generic[P]):
    """The session with one leader, with one request in flight at a time."""

    __slots__ = ("_changed", "_epoch", "_forgotten", "_not_processed", "_parts", "_session_id")

    def __init__(self) -> None:
        self._session_id = NO_SESSION
        self._epoch = BEGIN
        self._parts: dict[PartKey, P] = {}
        """What the leader has been sent; everything, when the session is to begin anew."""
        self._changed: dict[PartKey, P] = {}
        self._forgotten: dict[PartKey, None] = {}
        self._not_processed: dict[PartKey, None] = {}
        """Partitions of which the leader may have sent something that was not processed."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to fetch."""
        return not self._changed and len(self._forgotten) == len(self._parts)

    def put(self, key: PartKey, part: P) -> None:
        """Fetch a partition with *part*, from the next request on."""
        self._changed[key] = part
        if self._forgotten:
            self._forgotten.pop(key, None)

    def forget(self, key: PartKey) -> None:
        """Stop fetching a partition; no effect for one that is not fetched."""
        self._changed.pop(key, None)
        if key in self._parts:
            self._forgotten[key] = None

    def asked(self, key: PartKey) -> P | None:
        """The part that the leader was sent last for a partition, which its answers refer to."""
        return self._parts.get(key)

    def not_processed(self, key: PartKey) -> None:
        """Note that the leader's last answer for a partition was not processed.

        In a session it does not send a high watermark twice: the session has to begin anew, unless
        the partition is forgotten.
        """
        self._not_processed[key] = None

    def next_request(self) -> SessionRequest[P]:
        """The next request; it counts as sent, until `begin_anew` is called."""
        changed, forgotten = self._changed, self._forgotten
        self._changed, self._forgotten = {}, {}
        parts = self._parts
        parts.update(changed)
        for key in forgotten:
            del parts[key]
        if self._not_processed:
            if any(key in parts for key in self._not_processed):
                self.begin_anew()
            self._not_processed = {}
        if self._epoch == BEGIN:
            return SessionRequest(self._session_id, BEGIN, parts, ())
        return SessionRequest(self._session_id, self._epoch, changed, forgotten)

    def answered(self, session_id: int) -> None:
        """Process the session id in an answer, which the next request uses.

        With NO_SESSION the leader has no session for us, or has ended it: all is named again.
        """
        self._session_id = session_id
        self._epoch = BEGIN if session_id == NO_SESSION else self._epoch % EPOCH_MAX + 1
        # Its answers for these are not processed, and they may be fetched again before it is sent
        # that.
        self._not_processed.update(self._forgotten)

    def begin_anew(self) -> None:
        """Name all partitions in the next request, since the leader's session state is unknown.

        A session that it still has ends with that.
        """
        self._epoch = BEGIN

    def end(self) -> None:
        """Drop all partitions: nothing is fetched any more.

        The owner is in a reference cycle, so that without this only the garbage collector would
        free them.
        """
        for partitions in (self._parts, self._changed, self._forgotten, self._not_processed):
            partitions.clear()

    def forget_session(self) -> None:
        """Begin anew, with a leader that has no such session."""
        self._session_id = NO_SESSION
        self._epoch = BEGIN
