"""A reader of partitions that are assigned and taken away while it reads.

Knows not by what.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from confluent_kafka import Consumer, Message
from confluent_kafka import TopicPartition as Position

from kadmin.records.client import ConnectionLog
from kadmin.records.member import Name, NotCommitted, name_of, named
from kadmin.records.reader import TICK_S, ConsumeRequest, Reader


class Assigner(Protocol):
    """Who assigns."""

    @property
    def is_connected(self) -> bool:
        """Whether what is assigned is certainly this reader's still."""

    def start(self, records: "AssignedReader") -> None:
        """Begin; from now on *records* is called while this polls."""

    def poll(self) -> None:
        """Assign and take away."""

    def handed(self, partition: Name, offset: int) -> None:
        """Take into account that all before *offset* is where it belongs."""

    def leave(self) -> Sequence[Name]:
        """Commit, and take no part any more; returns what is not known to be committed."""


class AssignedReader(Reader):
    """A reader of what *assigner* assigns, for *group*; *note* takes what an operator may want to
    know of that."""

    def __init__(
        self,
        consumer: Consumer,
        request: ConsumeRequest,
        log: ConnectionLog,
        silence_max_s: float,
        *,
        group: str,
        assigner: Assigner,
        note: Callable[[str], None],
    ) -> None:
        super().__init__(consumer, request, log, silence_max_s)
        self.group = group
        self.assigner = assigner
        self.note = note
        self.partitions: list[Name] = []
        self.has_assignment = False
        self.was_connected = True

    @property
    def is_done(self) -> bool:
        return self.left == 0 or (self.has_assignment and super().is_done)

    def begin(self) -> None:
        self.assigner.start(self)

    def take(self, count: int) -> list[Message]:
        self.assigner.poll()
        if not self.has_assignment:
            self.quiet_since = time.monotonic()
        self.note_connection()
        if not self.partitions or not self.was_connected:
            time.sleep(TICK_S)
            return []
        return self.wanted(self.consumer.consume(count, TICK_S))

    def note_connection(self) -> None:
        """Note that nothing is read for now, or that it goes on."""
        if self.assigner.is_connected != self.was_connected:
            self.was_connected = self.assigner.is_connected
            what = "is back" if self.was_connected else "does not answer: nothing is read meanwhile"
            self.note(f"group '{self.group}': ZooKeeper {what}")

    def acknowledge(self, batch: Sequence[Message]) -> None:
        for name, message in {name_of(message): message for message in batch}.items():
            self.assigner.handed(name, (message.offset() or 0) + 1)

    def read(self, offsets: Mapping[Name, int | None]) -> None:
        """Begin to read *offsets*, and where there is none, where the request begins.

        That is committed at once: what is written from now on might be skipped if the partition
        were assigned to another member before anything came.
        """
        self.note(f"group '{self.group}' assigns {named(list(offsets))}")
        self.has_assignment = True
        self.quiet_since = time.monotonic()
        self.partitions = list(offsets)
        starts = {name: at for name, at in offsets.items() if at is not None}
        fresh = [name for name, at in offsets.items() if at is None]
        if fresh:
            starts |= dict(zip(fresh, self.first_offsets(fresh), strict=True))
        self.consumer.assign([Position(*name, at) for name, at in starts.items()])
        self.note_ends(starts)
        for name in fresh:
            self.assigner.handed(name, starts[name])

    def stop(self) -> None:
        """Read nothing, and forget what has come and was not handed out."""
        if self.partitions:
            self.consumer.unassign()
            self.note(f"group '{self.group}' revokes {named(self.partitions)}")
        self.partitions, self.ends = [], {}

    def leave(self) -> None:
        """Commit what was handed out, and leave the group.

        Raises:
            NotCommitted: it is not known to be committed.
        """
        self.note = lambda _line: None
        lost = self.assigner.leave()
        if lost:
            raise NotCommitted(
                *(self.group, lost, "ZooKeeper did not take it, or is not reached"),
                seen_by="kadmin groups --in-zookeeper",
            )
