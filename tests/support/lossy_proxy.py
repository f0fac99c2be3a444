"""What if the network swallows just one request to ZooKeeper, or just its reply?

A proxy between a client and a real server.  Knows of ZooKeeper's frames only their length, the
number of the request and its operation.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum

TRANSACTION = 14
"""Operation code of a multi."""


class Loss(Enum):
    REQUEST = "the server never sees it"
    REPLY = "the server answers, the client never hears of it"


def nothing() -> None:
    """What happens meanwhile when nobody says otherwise."""


class LossyProxy:
    """Forwards every connection to *target* (host:port); listens on `address`.

    `lose` arms it: the next transaction is lost as told, and with it the connection.
    """

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.losses: list[Loss] = []
        self.meanwhile: Callable[[], None] = nothing
        self.lost: list[Loss] = []
        self.sockets: list[socket.socket] = [self.listener]
        self.threads = [threading.Thread(target=self.accept)]

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def lose(self, *losses: Loss, meanwhile: Callable[[], None] = nothing) -> None:
        """Lose the next transactions, one after the other.

        When the server has answered one whose reply is lost, *meanwhile* happens before the client
        can notice.
        """
        self.losses.extend(losses)
        self.meanwhile = meanwhile

    def hang_up_on_all(self) -> None:
        """Break every connection; new ones are taken."""
        for open_socket in self.sockets[1:]:
            hang_up(open_socket)

    def refuse(self) -> None:
        """Take no connection from now on; those that are open stay."""
        hang_up(self.listener)

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.sockets += [client, server]
            conversation = Conversation(self, client, server)
            for side in (conversation.forward_requests, conversation.forward_replies):
                thread = threading.Thread(target=side)
                thread.start()
                self.threads.append(thread)

    def close(self) -> None:
        for open_socket in self.sockets:
            hang_up(open_socket)
        for thread in self.threads:
            thread.join(timeout=10)
            assert not thread.is_alive()


class Conversation:
    """One client's connection through *proxy*."""

    def __init__(self, proxy: LossyProxy, client: socket.socket, server: socket.socket) -> None:
        self.proxy = proxy
        self.client = client
        self.server = server
        self.reply_to_lose: bytes | None = None

    def forward_requests(self) -> None:
        # The first frame opens the session and carries no operation.
        is_first = True
        for frame in frames(self.client):
            loss = None
            if not is_first and frame[8:12] == struct.pack("!i", TRANSACTION):
                loss = self.proxy.losses.pop(0) if self.proxy.losses else None
            is_first = False
            if loss is not None:
                self.proxy.lost.append(loss)
            if loss is Loss.REQUEST:
                break
            if loss is Loss.REPLY:
                self.reply_to_lose = frame[4:8]
            if not send(self.server, frame):
                break
        self.hang_up()

    def forward_replies(self) -> None:
        is_first = True
        for frame in frames(self.server):
            if not is_first and frame[4:8] == self.reply_to_lose:
                self.proxy.meanwhile()
                break
            is_first = False
            if not send(self.client, frame):
                break
        self.hang_up()

    def hang_up(self) -> None:
        hang_up(self.client)
        hang_up(self.server)


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


@contextmanager
def lossy_proxy(target: str) -> Iterator[LossyProxy]:
    """A `LossyProxy` that serves until the end of the block."""
    proxy = LossyProxy(target)
    for thread in proxy.threads:
        thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
