"""How are errands handed out to the tasks of one Spark job, in order and not too far ahead?

A job a slice costs Spark five times the work of a task a slice, but the results of a job come all
at its end.  So the tasks of one job ask this process over a connection of this machine for their
errands, and bring the outcomes back the same way.  Knows no SparkContext.
"""

import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import Any

from kadmin.jobs.merge.errand import pack, perform, unpack

LOOPBACK = "127.0.0.1"


class Handout:
    """Hands out *work* on each of *arguments* to tasks that call `do_errand` with its number.

    An errand is handed out once the results of all but *ahead* before it were taken.
    """

    def __init__(self, work: Callable[[Any], Any], arguments: Sequence[Any], ahead: int) -> None:
        self.work = work
        self.arguments = arguments
        self.ahead = ahead
        self.key = secrets.token_bytes(32)
        self.listener = Listener((LOOPBACK, 0), backlog=64)
        self.changed = threading.Condition()
        self.taken = 0
        self.outcomes: dict[int, bytes] = {}
        self.failure: BaseException | None = None
        self.is_closed = False
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.listener.address
        return str(host), int(port)

    def results(self) -> Iterator[Any]:
        """The result of each errand in order, as soon as it is there.

        Raises:
            KadminError: the work raised one.
            BaseException: whatever `fail` was called with.
        """
        for index in range(len(self.arguments)):
            with self.changed:
                while index not in self.outcomes:
                    if self.failure is not None:
                        raise self.failure
                    self.changed.wait()
                outcome = self.outcomes.pop(index)
            yield unpack(outcome)
            with self.changed:
                self.taken = index + 1
                self.changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Let `results` raise *error* where a result will never come."""
        with self.changed:
            self.failure = error
            self.changed.notify_all()

    def close(self) -> None:
        """Hand out no more; tasks that wait for an errand fail."""
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
        """Give a task its errand and take the outcome; if it ends before, Spark sees to that."""
        try:
            with connection:
                # Whoever does not know the key is no task of ours, and may not send us pickles.
                deliver_challenge(connection, self.key)
                answer_challenge(connection, self.key)
                index = connection.recv()
                with self.changed:
                    self.changed.wait_for(lambda: index < self.taken + self.ahead or self.is_closed)
                    if self.is_closed:
                        return
                connection.send_bytes(pack(self.work, self.arguments[index]))
                outcome = connection.recv_bytes()
        except (OSError, EOFError, AuthenticationError):
            return
        with self.changed:
            self.outcomes[index] = outcome
            self.changed.notify_all()


def do_errand(index: int, address: tuple[str, int], key: bytes) -> None:
    """In a task: fetch the errand of that number, do it and bring the outcome back."""
    with Client(address, authkey=key) as connection:
        connection.send(index)
        connection.send_bytes(perform(connection.recv_bytes()))
