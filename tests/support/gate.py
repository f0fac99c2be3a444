"""What if a broker dies after it did what it was asked, and before anybody hears of it?

A proxy between clients and a broker, which may be gone for a while.  Knows of Kafka's frames only
their length, which API a request is for, and its number.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cluster.wire.api_keys import ApiKey
from tests.support.lossy_proxy import frames, hang_up, send


class Gate:
    """Forwards every connection to *target_port* of this machine; listens on `port`.

    Clients that connect while nobody listens there find a connection that ends at once.
    """

    def __init__(self, target_port: int) -> None:
        self.target_port = target_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.api_key: ApiKey | None = None
        self.meanwhile: Callable[[], None]
        self.sockets = [self.listener]
        self.threads = [threading.Thread(target=self.accept)]

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def lose_answer(self, api_key: ApiKey, *, meanwhile: Callable[[], None]) -> None:
        """Lose the next answer to such a request, and with it the connection.

        When the broker has answered, *meanwhile* happens before the client can notice.
        """
        self.meanwhile = meanwhile
        self.api_key = api_key

    def takes(self, request: bytes) -> bool:
        """Whether it is the answer to *request* that will be lost; no other one will."""
        (api_key,) = struct.unpack_from("!h", request, 4)
        is_meant = bool(self.api_key == api_key)
        if is_meant:
            self.api_key = None
        return is_meant

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target_port))
            except ConnectionError:
                hang_up(client)
                continue
            self.sockets += [client, server]
            conversation = Conversation(self, client, server)
            for side in (conversation.forward_requests, conversation.forward_answers):
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
    """One client's connection through *gate*."""

    def __init__(self, gate: Gate, client: socket.socket, server: socket.socket) -> None:
        self.gate = gate
        self.client = client
        self.server = server
        self.number_to_lose: bytes | None = None

    def forward_requests(self) -> None:
        for frame in frames(self.client):
            if self.gate.takes(frame):
                self.number_to_lose = frame[8:12]
            if not send(self.server, frame):
                break
        self.hang_up()

    def forward_answers(self) -> None:
        for frame in frames(self.server):
            if frame[4:8] == self.number_to_lose:
                self.gate.meanwhile()
                break
            if not send(self.client, frame):
                break
        self.hang_up()

    def hang_up(self) -> None:
        hang_up(self.client)
        hang_up(self.server)


@contextmanager
def gate(target_port: int) -> Iterator[Gate]:
    """A `Gate` that serves until the end of the block."""
    made = Gate(target_port)
    for thread in made.threads:
        thread.start()
    try:
        yield made
    finally:
        made.close()
