"""kazoo's handler, with a wake-up that never blocks the caller.

kazoo's own writes one byte for each request into a socket that its thread reads while it is
connected, and the kernel takes some hundred of them: a caller with more requests while ZooKeeper is
away blocks there, without a limit of time.  Here the bytes are counted, and one of them is in the
socket while there are any.
"""

import socket
import threading

from kazoo.handlers.threading import SequentialThreadingHandler


class WakeUps:
    """Both ends of kazoo's socket pair, as far as kazoo uses them: `send`, `recv`, `fileno`."""

    def __init__(self) -> None:
        self._read_end, self._write_end = socket.socketpair()
        self._lock = threading.Lock()
        self._count = 0

    def send(self, data: bytes) -> int:
        """Wake kazoo's thread, once for each byte; never blocks."""
        with self._lock:
            if self._count == 0:
                self._write_end.send(b"\0")
            self._count += len(data)
        return len(data)

    def recv(self, _size: int) -> bytes:
        """Take one wake-up back.

        Raises:
            BlockingIOError: there is none.
        """
        with self._lock:
            if self._count == 0:
                raise BlockingIOError
            self._count -= 1
            if self._count == 0:
                self._read_end.recv(1)
        return b"\0"

    def fileno(self) -> int:
        """The descriptor that is readable while there are wake-ups; -1 when it is closed."""
        return self._read_end.fileno()

    def close(self) -> None:
        self._read_end.close()
        self._write_end.close()


class Handler(SequentialThreadingHandler):  # type: ignore[misc]
    """For every client that a loop uses, or that sends more than a few requests at once."""

    def create_socket_pair(self) -> tuple[WakeUps, WakeUps]:
        wake_ups = WakeUps()
        return wake_ups, wake_ups
