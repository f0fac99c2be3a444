"""A member of a group: which partitions does the group assign to this reader, and what of them has
been read?

A record counts as read when the caller is done with it, and only then its offset is committed.  So
each record is read at least once, and once if all members end in order.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
)
from confluent_kafka import TopicPartition as Position

from kadmin.errors import KadminError, UnreachableError
from kadmin.records.client import PASSING, ConnectionLog, plain_reason
from kadmin.records.group_errors import group_error
from kadmin.records.reader import TICK_S, ConsumeRequest, Membership, Reader
from kadmin.wording import counted, listed

STRATEGY: Final = "partition.assignment.strategy"

LEAVING_S: Final = 5.0
"""How long a member that ends waits for the answer to its last commit."""

ROUND_S: Final = 1.0
"""No call of librdkafka lasts longer: Ctrl-C has to wait for it."""

EVENTS: Final = frozenset(
    (
        KafkaError._PARTITION_EOF,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TRANSPORT,
        KafkaError.REBALANCE_IN_PROGRESS,
    )
)
"""Events after which a member goes on."""

OUTDATED: Final = frozenset(
    (
        KafkaError._STATE,
        KafkaError._ASSIGNMENT_LOST,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.REBALANCE_IN_PROGRESS,
    )
)
"""Why the commit of a member is refused whose partitions may be another's by now."""

WITHOUT_COORDINATOR: Final = PASSING | {KafkaError._TIMED_OUT, KafkaError._WAIT_COORD}
"""What is answered while the group has no coordinator, or another one takes over."""

Name = tuple[str, int]
"""A partition: its topic and its number."""


class NoCoordinator(UnreachableError):
    """No broker coordinates the group."""

    def __init__(self, group: str, silence_s: float) -> None:
        super().__init__(
            f"no broker coordinates group '{group}': no answer within {silence_s:g} s",
            hint="kadmin topics --describe --topic __consumer_offsets --unavailable-partitions",
        )


class NotCommitted(KadminError):
    """What was printed is read again, since its offsets are not committed."""

    def __init__(
        self,
        group: str,
        partitions: Sequence[Name],
        reason: str,
        *,
        seen_by: str = "kadmin groups",
    ) -> None:
        super().__init__(
            f"group '{group}': what was printed of {named(partitions)} is not committed, and is"
            f" read again: {reason}",
            hint=f"{seen_by} --describe --group {group}",
        )


def group_properties(membership: Membership) -> dict[str, Any]:
    """Return the properties of librdkafka for a member; those of its operator win over them."""
    wanted = {
        "group.id": membership.group,
        "group.instance.id": membership.instance_id,
        STRATEGY: membership.assignor,
        "enable.auto.commit": True,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def cooperates(properties: Mapping[str, Any]) -> bool:
    """Return whether assignments with *properties* are differences."""
    return (
        "cooperative-sticky" in str(properties.get(STRATEGY, ""))
        or properties.get("group.protocol") == "consumer"
    )


def commits(properties: Mapping[str, Any]) -> bool:
    """Return whether a member with *properties* commits what it has printed; librdkafka's words
    for false are three."""
    return str(properties.get("enable.auto.commit", True)).lower() not in ("false", "f", "0")


class MemberReader(Reader):
    """A reader as a member of a group; *note* takes what an operator may want to know of that.

    With *is_cooperative*, assignments are differences.  Unless it *commits*, the group stays where
    it is.
    """

    def __init__(
        self,
        consumer: Consumer,
        request: ConsumeRequest,
        log: ConnectionLog,
        silence_max_s: float,
        *,
        note: Callable[[str], None],
        is_cooperative: bool,
        commits: bool,
    ) -> None:
        super().__init__(consumer, request, log, silence_max_s)
        assert request.membership is not None
        self.membership = request.membership
        self.note = note
        self.is_cooperative = is_cooperative
        self.commits = commits
        self.has_assignment = False
        """Whether the group has ever assigned partitions, or none."""
        self.asked_at = time.monotonic()
        self.received: list[Message] = []
        """What has come and was not handed out yet."""
        self.uncommitted: dict[Name, Position] = {}
        """Behind what the caller is done with, as far as it is not known to be committed."""
        self.is_leaving = False
        self.refusal = ""
        """Why the last commit was refused."""

    @property
    def is_done(self) -> bool:
        return self.left == 0 or (self.has_assignment and super().is_done)

    def begin(self) -> None:
        self.consumer.subscribe(
            list(self.request.topics),
            on_assign=self.on_assign,
            on_revoke=self.on_revoke,
            on_lost=self.on_lost,
        )

    def take(self, count: int) -> list[Message]:
        # One by one: a rebalance happens inside a call, and what came before it has to be known.
        message = self.consumer.poll(TICK_S)
        while message is not None:
            self.received.append(message)
            message = self.consumer.poll(0) if len(self.received) < count else None
        taken, self.received = self.received, []
        if not self.has_assignment:
            self.quiet_since = time.monotonic()
            self.check_coordinator()
        return self.wanted(taken)

    def acknowledge(self, batch: Sequence[Message]) -> None:
        """Let the offsets behind *batch* be committed: its records are where they belong."""
        if not self.commits:
            return
        last = {name_of(message): message for message in batch}
        for name, message in last.items():
            epoch = message.leader_epoch()
            behind = Position(*name, (message.offset() or 0) + 1)
            if epoch is not None:
                behind = Position(*name, behind.offset, leader_epoch=epoch)
            # Of a partition that was lost while the batch was printed, nothing is committed: its
            # next owner reads it again.
            with suppress(KafkaException):
                self.consumer.store_offsets(offsets=[behind])
                self.uncommitted[name] = behind

    def on_assign(self, consumer: Consumer, partitions: list[Position]) -> None:
        """Begin at the offsets that are committed; elsewhere at the request's start.

        There the beginning is committed at once: what is written from now on might be skipped if
        the partition were assigned to another member before anything came.
        """
        self.has_assignment = True
        self.quiet_since = time.monotonic()
        self.note(f"group '{self.membership.group}' assigns {named(names_of(partitions))}")
        starts = self.starts_of(partitions) if partitions else []
        (consumer.incremental_assign if self.is_cooperative else consumer.assign)(starts)
        self.note_ends({(one.topic, one.partition): one.offset for one in starts})

    def starts_of(self, partitions: list[Position]) -> list[Position]:
        starts = self.committed(partitions)
        fresh = [one for one in starts if one.offset < 0]
        if fresh:
            found = self.first_offsets(names_of(fresh))
            for one, offset in zip(fresh, found, strict=True):
                one.offset = offset
            if self.commits:
                self.consumer.commit(offsets=fresh, asynchronous=True)
        return starts

    def committed(self, partitions: list[Position]) -> list[Position]:
        """Return *partitions* with the offsets that are committed; below 0 where none is.

        Raises:
            NoCoordinator, BrokersDenied, KadminError: no answer, or a refusal.
        """
        deadline = time.monotonic() + self.silence_max_s
        while True:
            try:
                found = self.consumer.committed(partitions, timeout=ROUND_S)
                break
            except KafkaException as error:
                reason = error.args[0]
                if reason.code() not in WITHOUT_COORDINATOR:
                    raise self.failure(reason, "its committed offsets") from error
                if time.monotonic() >= deadline:
                    raise NoCoordinator(self.membership.group, self.silence_max_s) from error
                time.sleep(TICK_S)
        for one in found:
            if one.error is not None:
                what = f"the committed offset of {named(names_of([one]))}"
                raise self.failure(one.error, what)
        return found

    def on_revoke(self, _consumer: Consumer, partitions: list[Position]) -> None:
        """Forget what came of *partitions* and was not handed out: their next owner reads it.

        Behind this, librdkafka commits what was acknowledged of them.
        """
        self.forget(partitions)
        if partitions and not self.is_leaving:
            self.note(f"group '{self.membership.group}' revokes {named(names_of(partitions))}")

    def on_lost(self, _consumer: Consumer, partitions: list[Position]) -> None:
        self.forget(partitions)
        for name in names_of(partitions):
            self.uncommitted.pop(name, None)
        if partitions and not self.is_leaving:
            self.note(
                f"group '{self.membership.group}' went on without this member, which has lost"
                f" {named(names_of(partitions))}: what it did not commit is read again"
            )

    def forget(self, partitions: Iterable[Position]) -> None:
        gone = set(names_of(partitions))
        self.received = [
            message
            for message in self.received
            if message.error() is not None or name_of(message) not in gone
        ]
        self.ends = {name: end for name, end in self.ends.items() if name not in gone}

    def on_commit(self, error: KafkaError | None, partitions: list[Position]) -> None:
        """Note which offsets are committed.

        Raises:
            KadminError: none ever will be.
        """
        for one in partitions:
            name = (one.topic, one.partition)
            known = self.uncommitted.get(name)
            if (
                known is not None
                and one.error is None
                and error is None
                and one.offset >= known.offset
            ):
                del self.uncommitted[name]
        refused = [one.error for one in partitions if one.error is not None]
        reason = refused[0] if refused else error
        if reason is None or reason.code() == KafkaError._NO_OFFSET:
            return
        self.refusal = plain_reason(reason)
        if reason.code() not in OUTDATED | WITHOUT_COORDINATOR and not self.is_leaving:
            raise self.failure(reason, "the commit")

    def is_event(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return False
        if error.code() == KafkaError._MAX_POLL_EXCEEDED:
            self.note(
                f"group '{self.membership.group}' goes on without this member, since nothing took"
                " what it printed for max.poll.interval.ms; it joins again"
            )
        elif error.code() not in EVENTS:
            topic = message.topic()
            raise self.failure(error, f"reading topic '{topic}'" if topic else "joining")
        return True

    def failure(self, error: KafkaError, what: str) -> KadminError:
        """Return what *error* of the coordinator, or of a leader, means, which came of *what*."""
        return group_error(error, self.membership, self.log) or self.log.failure(
            error, f"group '{self.membership.group}', {what}"
        )

    def check_coordinator(self) -> None:
        """Raise that there is no coordinator, if the group has assigned nothing for too long.

        A coordinator that waits for other members is waited for.
        """
        if time.monotonic() - self.asked_at >= self.silence_max_s:
            self.committed([Position(topic, 0) for topic in self.request.topics])
            self.asked_at = time.monotonic()

    def leave(self) -> None:
        """Commit what the caller is done with, and take no more; closing its consumer leaves the
        group.

        Raises:
            NotCommitted: it is not known to be committed.
        """
        self.is_leaving = True
        self.commit()
        if self.commits and self.has_assignment:
            self.note(f"group '{self.membership.group}': what was printed is committed")

    def commit(self) -> None:
        if not self.uncommitted:
            return
        deadline = time.monotonic() + LEAVING_S
        try:
            self.consumer.commit(offsets=list(self.uncommitted.values()), asynchronous=True)
            self.refusal = ""
            while self.uncommitted and not self.refusal and time.monotonic() < deadline:
                self.consumer.poll(TICK_S)
        except KafkaException as error:
            self.refusal = plain_reason(error.args[0])
        if self.uncommitted:
            reason = self.refusal or f"no answer within {LEAVING_S:g} s"
            raise NotCommitted(self.membership.group, sorted(self.uncommitted), reason)


def name_of(message: Message) -> Name:
    return str(message.topic()), int(message.partition() or 0)


def names_of(positions: Iterable[Position]) -> list[Name]:
    return [(one.topic, one.partition) for one in positions]


def named(partitions: Sequence[Name]) -> str:
    """Return the names of *partitions*, sorted; of many the first, and how many there are."""
    names = listed(f"{topic}-{number}" for topic, number in sorted(partitions))
    if len(partitions) < 2:
        return names or "no partition"
    return f"{counted(len(partitions), 'partition')}: {names}"
