"""The queue from which tasks on this machine take work items, and the results in order.

The tasks are those of one Spark job, or processes of our own.  A task for each work item costs
Spark more than most items do, and the results of a job come all at its end.  So a job has as many
tasks as there are cores; each asks this process over a connection of this machine for work items
until there are no more, and brings the outcomes back the same way.  Knows no SparkContext.
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

from kadmin.jobs.work_item import pack_work_item, result_of, run_work_item

LOOPBACK: Final = "127.0.0.1"
NO_MORE: Final = b""
"""No work item is empty."""


@dataclass(slots=True)
class Batch:
    """Work items of one kind: which *wait* (a heap), and what became of the others.

    Those before *taken* are done, and their results were taken.
    """

    work: Callable[[Any], Any]
    arguments: Sequence[Any]
    in_flight_max: int
    waiting: list[int]
    taken: int = 0
    outcomes: dict[int, bytes] = field(default_factory=dict)

    @property
    def has_work_item(self) -> bool:
        """Whether there is one that is not too far ahead."""
        return bool(self.waiting) and self.waiting[0] < self.taken + self.in_flight_max


class WorkQueue:
    """Gives batches of work items, one after the other, to tasks that call `run_work_items`."""

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
        """Whether a task has asked for a work item, or none will."""
        with self.changed:
            return self.is_awaited or self.failure is not None

    def run(
        self, work: Callable[[Any], Any], arguments: Sequence[Any], in_flight_max: int
    ) -> Iterator[Any]:
        """The result of *work* on each of *arguments* in order, as soon as it is there.

        A work item is given to a task once the results of all but *in_flight_max* before it were
        taken.  What is still at work when this is closed is dropped.

        Raises:
            KadminError: the work raised one.
            BaseException: whatever `fail` was called with.
        """
        batch = Batch(work, arguments, in_flight_max, list(range(len(arguments))))
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
                yield result_of(outcome)
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
        """Give a task one work item after the other, until it ends or there are no more."""
        # What a task brings when it is killed is nothing: Spark says that it ended, or repeats it.
        with suppress(OSError, EOFError, AuthenticationError), connection:
            # Whoever does not know the key is no task of ours, and may not send us pickles.
            deliver_challenge(connection, self.key)
            answer_challenge(connection, self.key)
            while (work_item := self.next_work_item()) is not None:
                self.give(connection, *work_item)
            connection.send_bytes(NO_MORE)

    def next_work_item(self) -> tuple[Batch, int] | None:
        """Wait for a work item and take it; None: there are no more."""
        with self.changed:
            self.is_awaited = True
            self.changed.wait_for(
                lambda: self.is_closed or (self.batch is not None and self.batch.has_work_item)
            )
            if self.is_closed or self.batch is None:
                return None
            return self.batch, heapq.heappop(self.batch.waiting)

    def give(self, connection: Connection, batch: Batch, index: int) -> None:
        """Let the task at *connection* do a work item, or put it back if the task ends before."""
        try:
            connection.send_bytes(pack_work_item(batch.work, batch.arguments[index]))
            outcome = connection.recv_bytes()
        except (OSError, EOFError):
            with self.changed:
                heapq.heappush(batch.waiting, index)
                self.changed.notify_all()
            raise
        with self.changed:
            batch.outcomes[index] = outcome
            self.changed.notify_all()


def run_work_items(address: tuple[str, int], key: bytes) -> None:
    """In a task: do what the work queue at *address* has, until there is no more."""
    with Client(address, authkey=key) as connection:
        while (work_item := connection.recv_bytes()) != NO_MORE:
            connection.send_bytes(run_work_item(work_item))
