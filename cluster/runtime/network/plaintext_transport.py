"""The transport without encryption: a plain TCP socket, and sendfile for file slices."""

import os
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from typing import Final

from cluster.broker.handling import Peer
from cluster.runtime.network.transport import Buffer

MORE_FOLLOWS: Final[int] = getattr(socket, "MSG_MORE", 0)
"""Lets the kernel put what follows into the same packet; macOS has no such flag."""


class PlaintextTransport:
    """A connected, non-blocking socket; see `transport.Transport`."""

    __slots__ = ("_loop", "_socket", "peer", "receive_into", "send")

    def __init__(self, loop: AbstractEventLoop, connected: socket.socket, peer: Peer) -> None:
        self._loop = loop
        self._socket = connected
        self.peer = peer
        # Small requests use nothing else: no call in between connection and socket.
        self.receive_into: Callable[[memoryview], int] = connected.recv_into
        self.send: Callable[[Buffer], int] = connected.send

    def has_ended(self) -> bool:
        return not self._socket.recv(1, socket.MSG_PEEK)

    def send_gathered(self, buffers: Sequence[Buffer], *, has_more: bool) -> int:
        flags = MORE_FOLLOWS if has_more else 0
        if len(buffers) == 1:
            return self._socket.send(buffers[0], flags)
        return self._socket.sendmsg(buffers, (), flags)

    def send_file(self, descriptor: int, position: int, size: int) -> int:
        return os.sendfile(self._socket.fileno(), descriptor, position, size)

    def on_readable(self, call: Callable[[], None] | None) -> None:
        if call is None:
            self._loop.remove_reader(self._socket)
        else:
            self._loop.add_reader(self._socket, call)

    def on_writable(self, call: Callable[[], None] | None) -> None:
        if call is None:
            self._loop.remove_writer(self._socket)
        else:
            self._loop.add_writer(self._socket, call)

    def close(self) -> None:
        self.on_readable(None)
        self.on_writable(None)
        self._socket.close()
