"""How do the tasks of one Spark job get work after work, and the outcomes back in order?

A task for each piece of work costs Spark more than most pieces do, and the results of a job come
all at its end.  So a job has as many tasks as there are cores; each asks this process over a
connection of this machine for errands until there are no more, and brings the outcomes back the
same way.  Knows no SparkContext.
"""

import heapq
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import Any, Final

from kadmin.jobs.merge.errand import pack, perform, unpack

LOOPBACK: Final = "127.0.0.1"
NO_MORE: Final = b""
"""No errand is empty."""


@dataclass(slots=True)
class Batch:
    """Pieces of work of one kind: which *wait* (a heap), and what became of the others.

    Those before *taken* are done, and their results were taken.
    """

    work: Callable[[Any], Any]
    arguments: Sequence[Any]
    ahead: int
    waiting: list[int]
    taken: int = 0
    outcomes: dict[int, bytes] = field(default_factory=dict)

    @property
    def has_errand(self) -> bool:
        """Whether there is one that is not too far ahead."""
        return bool(self.waiting) and self.waiting[0] < self.taken + self.ahead


class Handout:
    """Hands batches of work, one after the other, out to tasks that call `do_errands`."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.listener = Listener((LOOPBACK, 0), backlog=64)
        self.changed = threading.Condition()
        self.batch: Batch | None = None
        self.failure: BaseException | None = None
        self.is_awaited = False
        self.is_closed = False
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.listener.address
        return str(host), int(port)

    def is_ready(self) -> bool:
        """Whether a task has asked for an errand, or none will."""
        with self.changed:
            return self.is_awaited or self.failure is not None

    def run(
        self, work: Callable[[Any], Any], arguments: Sequence[Any], ahead: int
    ) -> Iterator[Any]:
        """The result of *work* on each of *arguments* in order, as soon as it is there.

        An errand is handed out once the results of all but *ahead* before it were taken.  What is
        still at work when this is closed is dropped.

        Raises:
            KadminError: the work raised one.
            BaseException: whatever `fail` was called with.
        """
        batch = Batch(work, arguments, ahead, list(range(len(arguments))))
        with self.changed:
            self.batch = batch
            self.changed.notify_all()
        try:
            for index in range(len(arguments)):
                with self.changed:
                    while index not in batch.outcomes:
                        if self.failure is not None:
                            raise self.failure
                        self.changed.wait()
                    outcome = batch.outcomes.pop(index)
                yield unpack(outcome)
                with self.changed:
                    batch.taken = index + 1
                    self.changed.notify_all()
        finally:
            with self.changed:
                self.batch = None

    def fail(self, error: BaseException) -> None:
        """Let `run` raise *error* where a result will never come."""
        with self.changed:
            self.failure = error
            self.changed.notify_all()

    def close(self) -> None:
        """Tell all tasks that there is no more; those at work hear of it when they are done."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        # A thread that waits for a connection does not notice that its socket is closed.
        with suppress(OSError), socket.create_connection(self.address):
            self.acceptor.join()
        self.listener.close()

    def accept(self) -> None:
        while not self.is_closed:
            connection = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: Connection) -> None:
        """Give a task errand after errand, until it ends or there are no more."""
        # What a task brings when it is killed is nothing: Spark says that it ended, or repeats it.
        with suppress(OSError, EOFError, AuthenticationError), connection:
            # Whoever does not know the key is no task of ours, and may not send us pickles.
            deliver_challenge(connection, self.key)
            answer_challenge(connection, self.key)
            while (errand := self.next_errand()) is not None:
                self.give(connection, *errand)
            connection.send_bytes(NO_MORE)

    def next_errand(self) -> tuple[Batch, int] | None:
        """Wait for an errand and take it; None: there are no more."""
        with self.changed:
            self.is_awaited = True
            self.changed.wait_for(
                lambda: self.is_closed or (self.batch is not None and self.batch.has_errand)
            )
            if self.is_closed or self.batch is None:
                return None
            return self.batch, heapq.heappop(self.batch.waiting)

    def give(self, connection: Connection, batch: Batch, index: int) -> None:
        """Let the task at *connection* do an errand, or put it back if the task ends before."""
        try:
            connection.send_bytes(pack(batch.work, batch.arguments[index]))
            outcome = connection.recv_bytes()
        except (OSError, EOFError):
            with self.changed:
                heapq.heappush(batch.waiting, index)
                self.changed.notify_all()
            raise
        with self.changed:
            batch.outcomes[index] = outcome
            self.changed.notify_all()


def do_errands(address: tuple[str, int], key: bytes) -> None:
    """In a task: do what the handout at *address* has to do, until there is no more."""
    with Client(address, authkey=key) as connection:
        while (errand := connection.recv_bytes()) != NO_MORE:
            connection.send_bytes(perform(errand))
