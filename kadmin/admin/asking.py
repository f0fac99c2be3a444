"""Questions to several servers at the same time, each on a daemon thread that is never joined.

The module is given the servers and the function that asks one of them.
"""

import socket
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import ssl

Server = TypeVar("Server", bound=Hashable)
T = TypeVar("T")


class Lines:
    """The connections of questions that are under way; closing it closes them all."""

    def __init__(self) -> None:
        self._open: set[socket.socket] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    @contextmanager
    def connect(self, address: tuple[str, int], timeout_s: float) -> Iterator[socket.socket]:
        """Open a connection for a block, which has *timeout_s* for each step on it.

        Raises:
            OSError: there is none, or this is closed.
        """
        with socket.create_connection(address, timeout_s) as connection, self._keeping(connection):
            yield connection

    @contextmanager
    def secured(
        self, connection: socket.socket, tls: "ssl.SSLContext | None", host: str
    ) -> Iterator[socket.socket]:
        """Yield *connection* with TLS for a block; as it is without.

        Raises:
            OSError: the handshake failed; an ssl.SSLError is one.
        """
        if tls is None:
            yield connection
            return
        # From here on it takes the place of *connection*, also where the handshake hangs.
        with (
            tls.wrap_socket(
                connection, server_hostname=host, do_handshake_on_connect=False
            ) as secured,
            self._keeping(secured),
        ):
            secured.do_handshake()
            yield secured

    @contextmanager
    def _keeping(self, connection: socket.socket) -> Iterator[None]:
        with self._lock:
            if self._is_closed:
                raise OSError("nobody waits for the answer")
            self._open.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)

    def close(self) -> None:
        """End all connections, and let no other come."""
        with self._lock:
            self._is_closed = True
            for connection in self._open:
                with suppress(OSError):
                    # Unlike a close, this wakes the thread that waits there.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)


class Asking(Generic[Server, T]):
    """Has each of *servers* asked by *ask*, from now on.

    Closing it closes the connections of *lines*, which *ask* uses, and so ends the threads.
    """

    def __init__(
        self, servers: Sequence[Server], ask: Callable[[Server], T], lines: Lines | None = None
    ) -> None:
        self.servers = tuple(servers)
        self._ask = ask
        self._lines = lines
        self._answers: dict[Server, T] = {}
        self._has_more = threading.Condition()
        self._started_s = time.monotonic()
        for server in self.servers:
            threading.Thread(target=self._put, args=(server,), daemon=True).start()

    def __enter__(self) -> "Asking[Server, T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, server: Server) -> None:
        answer = self._ask(server)
        with self._has_more:
            self._answers[server] = answer
            self._has_more.notify_all()

    def answers(
        self,
        patience_s: float,
        is_enough: Callable[[Mapping[Server, T]], bool] = lambda _: False,
    ) -> Mapping[Server, T]:
        """Return those that have come when they are all there, or enough, or *patience_s* after
        the questions were asked, at the latest."""

        def is_over() -> bool:
            return len(self._answers) == len(set(self.servers)) or is_enough(self._answers)

        with self._has_more:
            self._has_more.wait_for(
                is_over, max(0.0, self._started_s + patience_s - time.monotonic())
            )
            return dict(self._answers)

    def close(self) -> None:
        """Wait for no answer any more."""
        if self._lines is not None:
            self._lines.close()
