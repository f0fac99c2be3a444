"""Fetches that wait for enough bytes (Kafka's purgatory of fetches).

Source: Kafka's DelayedFetch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cluster.broker.handling import Cancel
from cluster.broker.ports import Clock
from cluster.broker.purgatory import DelayedOperation, Look
from cluster.broker.replica_manager.fetch_reading import FetchReader, Found, Limits
from cluster.broker.replica_manager.fetch_sessions import Session, Want
from cluster.broker.waiting_counts import WaitingCount
from cluster.replication.replica import LOOK_AGAIN

LOOKS_AT_ONCE_MAX: Final = 8
"""How many partitions may be due when something happens to one of them, for it to be looked at in
the same turn of the loop.  ISRs, roles and configs change for thousands of partitions in one turn:
with a look at all of them for each, that took minutes."""

NOTHING_FOUND: Final = Found((), 0, False)

Answer: TypeAlias = Callable[[Sequence[Want], Found], None]


def is_enough(session: Session, found: Found, limits: Limits) -> bool:
    """Return whether *found* is answered at once."""
    return (
        found.size >= limits.min_bytes
        or found.is_urgent
        or limits.wait_max_ms <= 0
        or not session.parts
    )


@dataclass(slots=True, eq=False)
class DelayedFetch:
    """A fetch that waits until there is enough, or its time is up.

    It looks again only when as many bytes have come as were missing, or something else happened,
    so that many small appends to many partitions cost a subtraction each; and it looks only at the
    partitions that are due in its session.
    """

    reader: FetchReader
    clock: Clock
    session: Session
    limits: Limits
    answer: Answer
    missing: int
    """How many bytes are still missing."""
    count: WaitingCount
    wants: Sequence[Want] = ()
    found: Found = NOTHING_FOUND
    """The answer; nothing is kept while it waits."""
    operation: DelayedOperation = field(init=False)
    stop_look: Cancel | None = None

    def __post_init__(self) -> None:
        self.operation = DelayedOperation(self.clock, self.give, self.count)

    def begin(self) -> Cancel:
        self.operation.begin((self,), self.limits.wait_max_ms)
        return self.operation.cancel

    def give(self) -> None:
        self.answer(self.wants, self.found)

    # What the session calls while it waits.

    def came(self, size: int) -> None:
        self.missing -= size
        if self.missing > 0 or self.stop_look is not None:
            return
        if size >= LOOK_AGAIN and len(self.session.due) > LOOKS_AT_ONCE_MAX:
            self.stop_look = self.clock.call_later(0, self._look_at_all)
        else:
            self.operation.look(self)

    def _look_at_all(self) -> None:
        """Look once for all that has happened in a turn."""
        self.stop_look = None
        self.operation.look(self)

    def finish(self) -> None:
        self.operation.expire()

    # What is awaited.

    def watch(self, look: Look) -> None:
        self.session.begin_wait(self, self.reader.partitions)

    def unwatch(self, key: object) -> None:
        if self.stop_look is not None:
            self.stop_look()
            self.stop_look = None
        self.session.end_wait()

    def has_come(self) -> bool:
        self.expire()
        if is_enough(self.session, self.found, self.limits):
            return True
        self.missing = self.limits.min_bytes - self.found.size
        self.wants, self.found = (), NOTHING_FOUND
        return False

    def expire(self) -> None:
        self.wants = self.session.wants()
        self.found = self.reader.read_all(self.wants, self.limits)
