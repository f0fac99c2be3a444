"""Fetches that wait for enough bytes (Kafka's purgatory of fetches).

Source: Kafka's DelayedFetch.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cluster.broker.handling import Cancel
from cluster.broker.ports import Clock
from cluster.broker.purgatory import DelayedOperation, Look
from cluster.broker.replica_manager.fetch_reading import FetchReader, Found, Limits
from cluster.broker.replica_manager.fetch_sessions import Session, Want
from cluster.broker.replica_manager.partitions import Partitions
from cluster.replication.replica import LOOK_AGAIN

LOOKS_AT_ONCE_MAX: Final = 8
"""How many partitions may be due when something happens to one of them, for it to be looked at in
the same turn of the loop.  ISRs, roles and configs change for thousands of partitions in one turn:
with a look at all of them for each, that took minutes."""

NOTHING_FOUND: Final = Found((), 0, False)

Answer: TypeAlias = Callable[[Sequence[Want], Found], None]


def is_enough(session: Session, found: Found, limits: Limits) -> bool:
    """Whether *found* is answered at once."""
    return (
        found.size >= limits.min_bytes
        or found.is_urgent
        or limits.wait_max_ms <= 0
        or not session.parts
    )


class DelayedFetch:
    """A fetch that waits until there is enough, or its time is up.

    It looks again only when as many bytes have come as were missing, or something else happened,
    so that many small appends to many partitions cost a subtraction each; and it looks only at the
    partitions that are due in its session.
    """

    __slots__ = (
        "_answer",
        "_clock",
        "_found",
        "_limits",
        "_missing",
        "_operation",
        "_partitions",
        "_reader",
        "_session",
        "_stop_look",
        "_wants",
    )

    def __init__(
        self,
        reader: FetchReader,
        partitions: Partitions,
        clock: Clock,
        session: Session,
        limits: Limits,
        answer: Answer,
        found: Found,
    ) -> None:
        self._reader = reader
        self._partitions = partitions
        self._clock = clock
        self._session = session
        self._limits = limits
        self._answer = answer
        self._wants: Sequence[Want] = ()
        self._found = NOTHING_FOUND
        """What is to be answered; nothing is kept while it waits."""
        self._missing = limits.min_bytes - found.size
        self._operation = DelayedOperation(clock, self._give)
        self._stop_look: Cancel | None = None

    def begin(self) -> Cancel:
        self._operation.begin((self,), self._limits.wait_max_ms)
        return self._operation.cancel

    def _give(self) -> None:
        self._answer(self._wants, self._found)

    # What the session says while it waits.

    def came(self, size: int) -> None:
        self._missing -= size
        if self._missing > 0 or self._stop_look is not None:
            return
        if size >= LOOK_AGAIN and len(self._session.due) > LOOKS_AT_ONCE_MAX:
            self._stop_look = self._clock.call_later(0, self._look_at_all)
        else:
            self._operation.look(self)

    def _look_at_all(self) -> None:
        """Look once for all that has happened in a turn."""
        self._stop_look = None
        self._operation.look(self)

    def finish(self) -> None:
        self._operation.expire()

    # What is awaited.

    def watch(self, look: Look) -> None:
        self._session.begin_wait(self, self._partitions)

    def unwatch(self, key: object) -> None:
        if self._stop_look is not None:
            self._stop_look()
            self._stop_look = None
        self._session.end_wait()

    def has_come(self) -> bool:
        self.expire()
        if is_enough(self._session, self._found, self._limits):
            return True
        self._missing = self._limits.min_bytes - self._found.size
        self._wants, self._found = (), NOTHING_FOUND
        return False

    def expire(self) -> None:
        self._wants = self._session.wants()
        self._found = self._reader.read_all(self._wants, self._limits)
