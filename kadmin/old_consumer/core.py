"""The membership of one old consumer: when does it stop, release, claim, and read on?

A core: events in, effects out.  It knows neither a client of ZooKeeper nor one of brokers.

1. A change stops the reading of all partitions, before anything is released (R1).
2. Offsets are committed and partitions released in one transaction each (R2).
3. Watches are armed before the members are read, so that no change is missed (R3).
4. All of its partitions are claimed or none; where another still owns one, it tries again (R4).
5. Offsets are read behind the claims (R5).

What belongs to a session that is over is dropped: effects and outcomes have a ticket.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from cluster.model.ids import TopicPartition
from kadmin.old_consumer import znodes
from kadmin.old_consumer.znodes import Claimed, Committed, Hopeless, InTheWay, Me, Position


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A new session; *me* has a consumer id that no other session has had."""

    me: Me


@dataclass(frozen=True, slots=True)
class SessionLost:
    """The session is over, or may be: nothing that it has claimed may be read any more."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Members, brokers or topics may have changed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The sequence with that ticket has returned *result*."""

    ticket: int
    result: Any


@dataclass(frozen=True, slots=True)
class Handed:
    """All records of *partition* before *offset* are where they belong."""

    partition: TopicPartition
    offset: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class CommitDue:
    """Offsets are to be committed now."""


Event: TypeAlias = SessionOpened | SessionLost | Changed | Finished | Handed | Tick | CommitDue


@dataclass(frozen=True, slots=True)
class Run:
    """Carry *steps* out in the current session; report the result with *ticket*."""

    ticket: int
    steps: Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Watch:
    """Report the next change of each of these nodes, of their data and their children."""

    me: Me


@dataclass(frozen=True, slots=True)
class Stop:
    """Hand out no record any more, not even one that has come already."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read these partitions from there on; where the group has no offset, from its beginning."""

    positions: Mapping[TopicPartition, Position]


@dataclass(frozen=True, slots=True)
class Fail:
    """Give up, for that *reason*."""

    reason: str


Effect: TypeAlias = Run | Watch | Stop | Read | Fail


class Phase(Enum):
    """What a member waits for."""

    WITHOUT_SESSION = auto()
    REGISTERING = auto()
    RELEASING = auto()
    CLAIMING = auto()
    BACKING_OFF = auto()
    OWNING = auto()
    COMMITTING = auto()
    FAILED = auto()


class Membership:
    """A member, which tries *retries_max* times to claim, *backoff_ms* apart.

    Each fence can be taken out, for tests of what it prevents.
    """

    def __init__(
        self,
        *,
        retries_max: int = 4,
        backoff_ms: int = 2000,
        stops_first: bool = True,
        checks_tickets: bool = True,
    ) -> None:
        self.retries_max = retries_max
        self.backoff_ms = backoff_ms
        self.stops_first = stops_first
        self.checks_tickets = checks_tickets
        self.phase = Phase.WITHOUT_SESSION
        self.me: Me | None = None
        self.held: dict[TopicPartition, Position] = {}
        """What this session has claimed, and how far it has been read."""
        self.fresh: set[TopicPartition] = set()
        """Those of them that have been read further than is committed."""
        self.ticket = 0
        self.has_changed = False
        self.tries = 0
        self.next_try_ms: int | None = None

    def step(self, event: Event, now_ms: int) -> tuple[Effect, ...]:
        """Take *event*, and return what is to be done, in that order."""
        match event:
            case SessionOpened(me):
                assert self.phase in (Phase.WITHOUT_SESSION, Phase.FAILED)
                self.me, self.phase = me, Phase.REGISTERING
                return (self.run(znodes.register(me)),)
            case SessionLost():
                return self.lose()
            case Changed():
                return self.change()
            case Finished(ticket, result):
                if self.checks_tickets and ticket != self.ticket:
                    return ()
                return self.finish(result, now_ms)
            case Handed(partition, offset):
                if partition in self.held:
                    self.held[partition] = self.held[partition]._replace(offset=offset)
                    self.fresh.add(partition)
                return ()
            case CommitDue():
                return self.commit()
            case Tick():
                if self.phase is Phase.BACKING_OFF and now_ms >= (self.next_try_ms or 0):
                    return self.claim()
                return ()

    def lose(self) -> tuple[Effect, ...]:
        self.ticket += 1
        self.phase, self.me = Phase.WITHOUT_SESSION, None
        self.held, self.fresh = {}, set()
        self.has_changed, self.tries = False, 0
        return (Stop(),)

    def change(self) -> tuple[Effect, ...]:
        if self.phase is Phase.OWNING:
            return self.release()
        if self.phase is Phase.BACKING_OFF:
            return self.claim()
        self.has_changed = True
        return ()

    def release(self) -> tuple[Effect, ...]:
        assert self.me is not None
        self.phase, self.tries = Phase.RELEASING, 0
        run = self.run(znodes.commit(self.me, self.held, releases=True))
        return (Stop(), run) if self.stops_first else (run,)  # R1, R2

    def claim(self) -> tuple[Effect, ...]:
        assert self.me is not None
        self.phase, self.has_changed = Phase.CLAIMING, False
        return (Watch(self.me), self.run(znodes.claim(self.me)))  # R3 to R5

    def commit(self) -> tuple[Effect, ...]:
        """Commit what has been read since the last time, unless something else is under way."""
        if self.phase is not Phase.OWNING or not self.fresh:
            return ()
        assert self.me is not None
        self.phase = Phase.COMMITTING
        some = {one: self.held[one] for one in self.fresh}
        self.fresh = set()
        return (self.run(znodes.commit(self.me, some)),)

    def finish(self, result: Any, now_ms: int) -> tuple[Effect, ...]:
        match self.phase:
            case Phase.REGISTERING:
                return self.claim()
            case Phase.RELEASING:
                self.held, self.fresh = {}, set()
                return self.claim()
            case Phase.CLAIMING:
                return self.claimed(result, now_ms)
            case Phase.COMMITTING:
                return self.committed(result)
            case _:
                return ()

    def claimed(self, result: znodes.Outcome, now_ms: int) -> tuple[Effect, ...]:
        match result:
            case Claimed(positions):
                self.phase, self.tries = Phase.OWNING, 0
                self.held = dict(positions)
                if self.has_changed:
                    return self.release()
                return (Read(positions),)
            case InTheWay(partition, owner):
                if self.has_changed:
                    return self.claim()
                self.tries += 1
                if self.tries > self.retries_max:
                    self.phase = Phase.FAILED
                    holder = "another member" if owner is None else owner
                    return (
                        Fail(
                            f"{partition} is still owned by {holder} after"
                            f" {self.retries_max} retries, {self.backoff_ms} ms apart"
                        ),
                    )
                self.phase, self.next_try_ms = Phase.BACKING_OFF, now_ms + self.backoff_ms
                return ()
            case Hopeless(reason):
                self.phase = Phase.FAILED
                return (Fail(reason),)

    def committed(self, result: Committed) -> tuple[Effect, ...]:
        self.phase = Phase.OWNING
        for one, position in result.positions.items():
            # It may have been read further meanwhile.
            self.held[one] = self.held[one]._replace(zk_version=position.zk_version)
        for one in result.lost:
            self.held.pop(one, None)
            self.fresh.discard(one)
        if result.lost or self.has_changed:
            return self.release()
        return ()

    def run(self, steps: Generator[Any, Any, Any]) -> Run:
        self.ticket += 1
        return Run(self.ticket, steps)

    def next_deadline_ms(self) -> int | None:
        """Return when a `Tick` is wanted; None for not at all."""
        return self.next_try_ms if self.phase is Phase.BACKING_OFF else None
