"""What if the network swallows just one request to ZooKeeper, or just its reply?

A proxy between a client and a real server.  Knows of ZooKeeper's frames only the number of the
request and its operation.
"""

import socket
import struct
from collections.abc import Callable
from enum import Enum

from tests.support.proxy import Conversation, Proxy, hang_up

TRANSACTION = 14
"""Operation code of a multi."""


class Loss(Enum):
    REQUEST = "the server never sees it"
    REPLY = "the server answers, the client never hears of it"


def nothing() -> None:
    """What happens meanwhile when nobody says otherwise."""


class LossyProxy(Proxy):
    """Forwards every connection to *target* (host:port).

    `lose` arms it: the next transaction is lost as told, and with it the connection.
    """

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        super().__init__((host, int(port)))
        self.losses: list[Loss] = []
        self.meanwhile: Callable[[], None] = nothing
        self.lost: list[Loss] = []

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

    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        return LossyConversation(self, client, server)


class LossyConversation(Conversation):
    """One client's connection through *proxy*.

    The first frame of each side opens the session and carries neither operation nor number.
    """

    def __init__(self, proxy: LossyProxy, client: socket.socket, server: socket.socket) -> None:
        super().__init__(client, server)
        self.proxy = proxy
        self.has_asked = False
        self.has_answered = False
        self.reply_to_lose: bytes | None = None

    def request_passes(self, frame: bytes) -> bool:
        loss = None
        if self.has_asked and frame[8:12] == struct.pack("!i", TRANSACTION):
            loss = self.proxy.losses.pop(0) if self.proxy.losses else None
        self.has_asked = True
        if loss is not None:
            self.proxy.lost.append(loss)
        if loss is Loss.REPLY:
            self.reply_to_lose = frame[4:8]
        return loss is not Loss.REQUEST

    def answer_passes(self, frame: bytes) -> bool:
        is_lost = self.has_answered and frame[4:8] == self.reply_to_lose
        self.has_answered = True
        if is_lost:
            self.proxy.meanwhile()
        return not is_lost
