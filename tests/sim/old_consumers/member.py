"""A simulated process of an old consumer: its core, its session, and its way to ZooKeeper.

Requests and replies take their time, get lost, and come to an end with the session, of which the
process may learn late.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, Final

from cluster.model.consumer import ConsumerRegistration, SubscriptionPattern
from cluster.model.ids import TopicPartition
from cluster.zk import paths
from cluster.zk.requests import GetChildren, GetData, Lost, ZkReply, ZkRequest
from kadmin.old_consumer.core import (
    Changed,
    CommitDue,
    Effect,
    Event,
    Fail,
    Finished,
    Handed,
    Membership,
    Read,
    Run,
    SessionLost,
    SessionOpened,
    Stop,
    Tick,
    Watch,
)
from kadmin.old_consumer.znodes import Me, leave, watched
from tests.sim.old_consumers.violation import Kind, Violation
from tests.sim.zookeeper import TOOL

if TYPE_CHECKING:
    from tests.sim.old_consumers.world import World

TICK_MS: Final = 10
COMMIT_MS: Final = 60
BACKOFF_MS: Final = 40
NO_SESSION: Final = 0
RETRIES_MAX: Final = 1000
"""So that members only give up where something is wrong."""


class Member:
    def __init__(self, world: World, number: int, random: Random, pattern: str) -> None:
        self.world = world
        self.number = number
        self.random = random
        self.pattern = SubscriptionPattern(pattern)
        self.core = Membership(backoff_ms=BACKOFF_MS, retries_max=RETRIES_MAX, **world.fences.core)
        self.session = NO_SESSION
        self.sessions = 0
        self.reading: dict[TopicPartition, int] = {}
        """The next offset of each partition that it reads."""
        self.is_alive = True
        self.is_leaving = False
        self.paused_until = 0
        self.open()
        self.work()
        self.commit_now_and_then()

    # The process.

    def later(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Do it then, or when the process goes on; not at all if it is dead by then."""

        def act() -> None:
            if not self.is_alive:
                return
            if self.world.schedule.now_ms < self.paused_until:
                self.world.schedule.after(self.paused_until - self.world.schedule.now_ms, act)
                return
            action()

        self.world.schedule.after(delay_ms, act)

    def kill(self) -> None:
        self.is_alive = False
        self.world.end_session_later(self.session)

    def pause(self, for_ms: int) -> None:
        """Stand still; the session may end meanwhile."""
        self.paused_until = self.world.schedule.now_ms + for_ms
        if for_ms > self.world.session_timeout_ms:
            self.expire()

    def expire(self) -> None:
        """Let the server end the session; the process learns of it later."""
        session = self.session
        self.world.zookeeper.expire(session)
        self.later(self.random.randint(0, 120), lambda: self.learn(session))

    def abandon(self) -> None:
        """Give the session up before the server does."""
        self.world.end_session_later(self.session)
        self.learn(self.session)

    def learn(self, session: int) -> None:
        if session == self.session:
            self.session = NO_SESSION
            if self.is_leaving:
                self.is_alive = False
                return
            self.feed(SessionLost())
            self.later(self.random.randint(0, 30), self.open)

    def leave(self) -> None:
        """End in order, if it has something to release."""
        me = self.core.me
        if me is None or not self.core.held or self.core.ticket != self.world.quiet_ticket(self):
            return
        self.is_leaving = True
        self.reading = {}
        held = dict(self.core.held)
        self.core.step(SessionLost(), self.world.schedule.now_ms)

        def ended(_result: Any) -> None:
            self.is_alive = False
            self.world.end_session_later(self.session)

        self.drive(leave(me, held), ended, self.session)

    # The core.

    def open(self) -> None:
        if self.is_leaving:
            return
        self.session = self.world.zookeeper.connect()
        self.world.by_session[self.session] = self
        self.sessions += 1
        me = Me(
            group="g",
            consumer_id=f"m{self.number}-{self.sessions}"
            if self.world.fences.fresh_ids
            else f"m{self.number}",
            registration=ConsumerRegistration(
                streams={"t": 1, "u": 1}
                if self.pattern is SubscriptionPattern.STATIC
                else {"t|u": 1},
                pattern=self.pattern,
                timestamp_ms=1,
            ),
        )
        self.feed(SessionOpened(me))

    def feed(self, event: Event) -> None:
        for effect in self.core.step(event, self.world.schedule.now_ms):
            self.do(effect)
        deadline = self.core.next_deadline_ms()
        if deadline is not None:
            delay = max(0, deadline - self.world.schedule.now_ms)
            self.later(delay, lambda: self.feed(Tick()) if deadline else None)

    def do(self, effect: Effect) -> None:
        match effect:
            case Run(ticket, steps):
                self.drive(steps, lambda result: self.feed(Finished(ticket, result)), self.session)
            case Watch(me):
                for path in watched(me, ("t", "u")):
                    if self.world.zookeeper.is_live(self.session):
                        for request in (GetChildren(path, True), GetData(path, True)):
                            self.world.zookeeper.serve(self.session, request, TOOL)
            case Stop():
                self.reading = {}
            case Read(positions):
                self.reading = {one: at.offset or 0 for one, at in positions.items()}
            case Fail(reason):
                raise Violation(Kind.FAILED, f"member {self.number}: {reason}")

    def drive(self, steps: Any, ended: Callable[[Any], None], session: int) -> None:
        """Send what *steps* ask for, one round after the other."""

        def go(replies: tuple[ZkReply, ...] | None) -> None:
            try:
                requests = next(steps) if replies is None else steps.send(replies)
            except StopIteration as end:
                ended(end.value)
                return
            self.world.schedule.after(self.delay(), lambda: serve(requests))

        def serve(requests: tuple[ZkRequest, ...]) -> None:
            # The requests of one round reach the server in their order, though not at once.
            if not self.world.zookeeper.is_live(session) or not self.is_alive:
                return
            replies: list[ZkReply] = []
            for request in requests:
                is_lost = self.random.random() < self.world.loss
                if is_lost and self.random.random() < 0.5:
                    replies.append(Lost())
                    continue
                reply = self.world.zookeeper.serve(session, request, TOOL)
                replies.append(Lost() if is_lost else reply)
            self.later(self.delay(), lambda: go(tuple(replies)))

        go(None)

    def delay(self) -> int:
        slow = [20, 100] if self.world.is_troubled else []
        return self.random.choice([0, 1, 2, 5, *slow])

    # The records.

    def work(self) -> None:
        """Read the next record of some partition."""
        ready = [one for one, at in self.reading.items() if at < self.world.ends[one]]
        if ready:
            partition = self.random.choice(ready)
            offset = self.reading[partition]
            self.world.note_read(self, partition, offset)
            self.reading[partition] = offset + 1
            self.feed(Handed(partition, offset + 1))
        self.later(self.random.randint(1, TICK_MS), self.work)

    def commit_now_and_then(self) -> None:
        self.feed(CommitDue())
        self.later(self.random.randint(1, COMMIT_MS), self.commit_now_and_then)

    def owns(self, partition: TopicPartition) -> bool:
        """Whether ZooKeeper says so."""
        node = self.world.zookeeper.node(paths.consumer_owner("g", partition))
        me = self.core.me
        return node is not None and me is not None and node.data == f"{me.consumer_id}-0".encode()

    def changed(self) -> None:
        """A watch of this process has fired, and takes its time."""
        self.later(self.random.choice((0, 1, 5, 50 if self.world.is_troubled else 5)), self.hint)

    def hint(self) -> None:
        self.feed(Changed())
