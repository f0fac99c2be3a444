"""What if a broker dies after it did what it was asked, and before anybody hears of it?

A proxy between clients and a broker, which may be gone for a while.  Knows of Kafka's frames only
which API a request is for, and its number.
"""

import socket
import struct
from collections.abc import Callable

from cluster.wire.api_keys import ApiKey
from tests.support.proxy import Conversation, Proxy


class CuttingProxy(Proxy):
    """Forwards every connection to *target_port* of this machine."""

    def __init__(self, target_port: int) -> None:
        super().__init__(("127.0.0.1", target_port))
        self.api_key: ApiKey | None = None
        self.meanwhile: Callable[[], None]

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

    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        return CutConversation(self, client, server)


class CutConversation(Conversation):
    """One client's connection through *proxy*."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        super().__init__(client, server)
        self.proxy = proxy
        self.number_to_lose: bytes | None = None

    def request_passes(self, frame: bytes) -> bool:
        if self.proxy.takes(frame):
            self.number_to_lose = frame[8:12]
        return True

    def answer_passes(self, frame: bytes) -> bool:
        is_lost = frame[4:8] == self.number_to_lose
        if is_lost:
            self.proxy.meanwhile()
        return not is_lost
