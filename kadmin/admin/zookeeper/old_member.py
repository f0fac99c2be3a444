"""A member of a group of old consumers, in ZooKeeper: the shell of `kadmin.old_consumer.core`.

Everything happens in `poll`, in the caller's thread: while it releases and claims, the caller hands
out no record.  A session of its own belongs to each consumer id; requests never go into another.
"""

import secrets
import socket
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from kazoo.client import KazooState
from kazoo.exceptions import KazooException
from kazoo.handlers.threading import KazooTimeoutError

from cluster.model.consumer import ConsumerRegistration, SubscriptionPattern
from cluster.model.ids import TopicPartition
from cluster.zk.requests import GetChildren, GetData, SingleRequest, ZkReply, ZkRequest
from cluster.zk.steps import Refusal, Steps, from_singles, in_singles, run
from cluster.zkclient.kazoo_requests import Started, begin, reply_to
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied
from kadmin.errors import KadminError
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
from kadmin.old_consumer.znodes import Committed, Me, leave, watched

T = TypeVar("T")

RETRIES_MAX: Final = 10
BACKOFF_MS: Final = 2000
COMMIT_MS: Final = 5000
LEAVING_S: Final = 5.0
"""How long a member that ends waits for ZooKeeper."""
LOOK_S: Final = 0.1
"""How often a request that waits looks whether its session is over."""


Name: TypeAlias = tuple[str, int]
"""A partition, as the reader of records names it."""


class Records(Protocol):
    """What reads the partitions that this member has."""

    def read(self, offsets: Mapping[Name, int | None]) -> None:
        """Read these from there on; where None is, from where the operator wants to begin."""

    def stop(self) -> None:
        """Hand out no record any more, not even one that has come already."""

    def note_connection(self) -> None:
        """Take into account that this member waits for ZooKeeper, or goes on."""


class SessionOver(Exception):
    """What is under way belongs to a session that is over."""


class NotShared(KadminError):
    """The group cannot be read by this member."""

    def __init__(self, group: str, reason: str) -> None:
        super().__init__(
            f"group '{group}': {reason}",
            hint=f"kadmin groups --in-zookeeper --describe --group {group}",
        )


class OldMember:
    """A member of *group* that reads *topics*, on *connection*, whose session it has for itself."""

    def __init__(
        self, connection: Connection, group: str, topics: Sequence[str], strategy: str = "range"
    ) -> None:
        self.connection = connection
        self.group = group
        self.topics = tuple(topics)
        self.strategy = strategy
        self.core = Membership(retries_max=RETRIES_MAX, backoff_ms=BACKOFF_MS)
        self.records: Records | None = None
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.is_connected = True
        """Whether the session is known to live; otherwise another member may read already."""
        self._lock = threading.Lock()
        """No request is begun while the session changes."""
        self._session = 0
        self._commit_ms = now_ms() + COMMIT_MS

    def start(self, records: Records) -> None:
        """Join the group; *records* begins to read while this polls."""
        self.records = records
        self.connection.client.add_listener(self.note_state)
        self.events.put(SessionOpened(self.new_me()))
        if not self.connection.client.connected:
            self.note_state(KazooState.SUSPENDED)

    def note_state(self, state: str) -> None:
        """Note what kazoo's thread has learned, before anything can be sent in a new session."""
        with self._lock:
            was_over = self._session % 2
            if state == KazooState.LOST:
                self._session += not was_over
                self.is_connected = False
                self.events.put(SessionLost())
            elif state == KazooState.CONNECTED:
                self.is_connected = True
                if was_over:
                    self._session += 1
                    self.events.put(SessionOpened(self.new_me()))
            else:
                self.is_connected = False

    def new_me(self) -> Me:
        """Return this member with a new id, in the form of Kafka's."""
        wall_ms = time.time_ns() // 1_000_000
        host = socket.gethostname()
        return Me(
            group=self.group,
            consumer_id=f"{self.group}_{host}-{wall_ms}-{secrets.token_hex(4)}",
            registration=ConsumerRegistration(
                streams=dict.fromkeys(self.topics, 1),
                pattern=SubscriptionPattern.STATIC,
                timestamp_ms=wall_ms,
            ),
            strategy=self.strategy,
        )

    def poll(self) -> None:
        """Do what has become due.

        Raises:
            NotShared: the group cannot be read.
            ZooKeeperDenied: an ACL forbids it.
        """
        while True:
            try:
                event = self.events.get_nowait()
            except Empty:
                break
            self.feed(event)
        if self.is_connected:
            self.feed(Tick())
            if now_ms() >= self._commit_ms:
                self._commit_ms = now_ms() + COMMIT_MS
                self.feed(CommitDue())

    def handed(self, partition: Name, offset: int) -> None:
        """Note that all records of *partition* before *offset* are where they belong."""
        self.feed(Handed(TopicPartition(*partition), offset))

    def leave(self) -> Sequence[Name]:
        """Commit and release what is held, and leave; returns of what that is not known.

        What is not released goes with the session.
        """
        held, me = dict(self.core.held), self.core.me
        assert self.records is not None
        self.records.stop()
        if me is None:
            return names_of(held)
        try:
            result: Committed = self.run(leave(me, held), LEAVING_S)
        except SessionOver:
            return names_of(held)
        return names_of(result.lost)

    def feed(self, event: Event) -> None:
        for effect in self.core.step(event, now_ms()):
            self.do(effect)

    def do(self, effect: Effect) -> None:
        assert self.records is not None
        match effect:
            case Run(ticket, steps):
                try:
                    result = self.run(steps)
                except SessionOver:
                    return  # The core learns of it by the next event.
                self.feed(Finished(ticket, result))
            case Watch(me):
                for path in watched(me, self.topics):
                    for request in (GetChildren(path, True), GetData(path, True)):
                        self.begin(request, self._session)
            case Stop():
                self.records.stop()
            case Read(positions):
                self.records.read(
                    {(one.topic, one.partition): at.offset for one, at in positions.items()}
                )
            case Fail(reason):
                raise NotShared(self.group, reason)

    def run(self, steps: Steps[T], within_s: float = inf) -> T:
        """Carry *steps* out in this session.

        Raises:
            SessionOver: it ended before them, or they take longer.
        """
        session, end_s = self._session, time.monotonic() + within_s

        def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
            singles = in_singles(requests)
            started = [self.begin(request, session) for request in singles]
            replies = [
                self.reply(request, waiting, session, end_s)
                for request, waiting in zip(singles, started, strict=True)
            ]
            return tuple(from_singles(requests, replies))

        try:
            return run(steps, serve)
        except Refusal as error:
            raise ZooKeeperDenied(self.connection.settings.connect, str(error)) from error

    def begin(self, request: SingleRequest, session: int) -> Started:
        with self._lock:
            if session != self._session or session % 2:
                raise SessionOver
            return begin(request, self.connection.client, self.note_change)

    def reply(
        self, request: SingleRequest, waiting: Started, session: int, end_s: float
    ) -> ZkReply:
        while True:
            try:
                outcome: Any = waiting.get(timeout=LOOK_S)
            except KazooTimeoutError:
                if session != self._session or time.monotonic() >= end_s:
                    raise SessionOver from None
                if self.records is not None:
                    self.records.note_connection()
            except KazooException as error:
                return reply_to(request, error)
            else:
                return reply_to(request, outcome)

    def note_change(self, _event: object) -> None:
        """Note that a watch has fired; called by kazoo's thread."""
        self.events.put(Changed())


def names_of(partitions: Iterable[TopicPartition]) -> list[Name]:
    return [(one.topic, one.partition) for one in partitions]


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
