"""A follower's side of a fetch session: what does the next request to the leader have to name?

The leader remembers which partitions are fetched from it and from where; a request names only those
of which that has changed, and those that are not fetched any more (KIP-227).  Knows nothing of what
is said about a partition, but whether it is fetched.

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
    """A partition of this very topic: one of the same name that is made later is another one."""

    topic: str
    partition: int
    topic_id: bytes = NO_TOPIC_ID


class SessionRequest(NamedTuple, Generic[P]):
    """What a request says of the session, and of its partitions."""

    session_id: int
    session_epoch: int
    parts: Mapping[PartKey, P]
    forgotten: Collection[PartKey]

    @property
    def is_full(self) -> bool:
        """Whether it names all partitions that are fetched."""
        return self.session_epoch == BEGIN


class FetchSessionHandler(Generic[P]):
    """The session with one leader, of which one request is under way at a time."""

    __slots__ = ("_changed", "_epoch", "_forgotten", "_parts", "_session_id", "_unheard")

    def __init__(self) -> None:
        self._session_id = NO_SESSION
        self._epoch = BEGIN
        self._parts: dict[PartKey, P] = {}
        """What the leader has been asked; all of it, when the session is to begin anew."""
        self._changed: dict[PartKey, P] = {}
        self._forgotten: dict[PartKey, None] = {}
        self._unheard: dict[PartKey, None] = {}
        """Of which the leader has said something, maybe, that was not taken."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to fetch."""
        return not self._changed and len(self._forgotten) == len(self._parts)

    def put(self, key: PartKey, part: P) -> None:
        """Fetch a partition as *part* says, from the next request on."""
        self._changed[key] = part
        if self._forgotten:
            self._forgotten.pop(key, None)

    def forget(self, key: PartKey) -> None:
        """Fetch a partition no more; without effect for one that is not fetched."""
        self._changed.pop(key, None)
        if key in self._parts:
            self._forgotten[key] = None

    def asked(self, key: PartKey) -> P | None:
        """What the leader was asked of a partition last, which is what its answers are about."""
        return self._parts.get(key)

    def unheard(self, key: PartKey) -> None:
        """Note that what the leader has just said of a partition was not taken.

        In a session it does not say a high watermark twice: it has to begin anew then, unless the
        partition is forgotten.
        """
        self._unheard[key] = None

    def next_request(self) -> SessionRequest[P]:
        """What the next request says; it counts as sent, until `begin_anew` is called."""
        changed, forgotten = self._changed, self._forgotten
        self._changed, self._forgotten = {}, {}
        parts = self._parts
        parts.update(changed)
        for key in forgotten:
            del parts[key]
        if self._unheard:
            if any(key in parts for key in self._unheard):
                self.begin_anew()
            self._unheard = {}
        if self._epoch == BEGIN:
            return SessionRequest(self._session_id, BEGIN, parts, ())
        return SessionRequest(self._session_id, self._epoch, changed, forgotten)

    def answered(self, session_id: int) -> None:
        """Take it from the answer to a request in which session the next one goes.

        With NO_SESSION the leader has none for us, or has ended it: all is named again.
        """
        self._session_id = session_id
        self._epoch = BEGIN if session_id == NO_SESSION else self._epoch % EPOCH_MAX + 1
        # Nobody takes what it says of them, and they may be fetched again before it hears of that.
        self._unheard.update(self._forgotten)

    def begin_anew(self) -> None:
        """Name all partitions in the next request: what the leader remembers is not known.

        A session that it still has ends with that.
        """
        self._epoch = BEGIN

    def end(self) -> None:
        """Let go of all partitions: nothing is asked any more.

        Who asks refers to itself, and what it keeps would go with a collection of garbage only.
        """
        for partitions in (self._parts, self._changed, self._forgotten, self._unheard):
            partitions.clear()

    def forget_session(self) -> None:
        """Begin anew, with a leader that has no such session."""
        self._session_id = NO_SESSION
        self._epoch = BEGIN
