"""How does a test stand between a client and a server, and take away what it likes?

Forwards frames that begin with their length, and asks for each whether it may pass.  Knows nothing
else of them.
"""

import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from tests.support.waiting import OUTER_LIMIT_S


class Conversation(ABC):
    """One client's connection."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server

    @abstractmethod
    def request_passes(self, frame: bytes) -> bool:
        """Whether the server gets *frame*; else the connection ends."""

    @abstractmethod
    def answer_passes(self, frame: bytes) -> bool:
        """Whether the client gets *frame*; else the connection ends."""

    def forward_requests(self) -> None:
        self.forward(self.client, self.server, self.request_passes)

    def forward_answers(self) -> None:
        self.forward(self.server, self.client, self.answer_passes)

    def forward(
        self, source: socket.socket, target: socket.socket, passes: Callable[[bytes], bool]
    ) -> None:
        for frame in frames(source):
            if not passes(frame) or not send(target, frame):
                break
        hang_up(self.client)
        hang_up(self.server)


class Proxy(ABC):
    """Forwards every connection to *target*; listens on `port` of this machine.

    Clients that connect while nobody listens at *target* find a connection that ends at once.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.sockets = [self.listener]
        self.threads = [threading.Thread(target=self.accept)]

    @abstractmethod
    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        """What decides about the frames of a new connection."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except ConnectionError:
                hang_up(client)
                continue
            self.sockets += [client, server]
            conversation = self.conversation(client, server)
            for side in (conversation.forward_requests, conversation.forward_answers):
                thread = threading.Thread(target=side)
                thread.start()
                self.threads.append(thread)

    def close(self) -> None:
        for open_socket in self.sockets:
            hang_up(open_socket)
        for thread in self.threads:
            thread.join(timeout=OUTER_LIMIT_S)
            assert not thread.is_alive()


P = TypeVar("P", bound=Proxy)


@contextmanager
def serving(proxy: P) -> Iterator[P]:
    """Let *proxy* serve until the end of the block."""
    for thread in proxy.threads:
        thread.start()
    try:
        yield proxy
    finally:
        proxy.close()


def hang_up(open_socket: socket.socket) -> None:
    # Shutting down first wakes a thread that waits on the socket; closing alone does not.
    with suppress(OSError):
        open_socket.shutdown(socket.SHUT_RDWR)
    open_socket.close()


def send(target: socket.socket, frame: bytes) -> bool:
    try:
        target.sendall(frame)
    except OSError:
        return False
    return True


def frames(source: socket.socket) -> Iterator[bytes]:
    """The frames that come from *source*, each with its length; ends with the connection."""
    try:
        while len(length := receive(source, 4)) == 4:
            body = receive(source, struct.unpack("!i", length)[0])
            yield length + body
    except OSError:
        return


def receive(source: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = source.recv(size - len(received))
        if not part:
            break
        received += part
    return received
