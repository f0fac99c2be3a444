"""A second transport for tests: TLS, with file slices read and encrypted in this process."""

import os
import socket
import ssl
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from typing import Any

from cluster.broker.handling import Peer
from cluster.runtime.network.transport import Buffer

RECORD_SIZE = 16 * 1024
"""What TLS encrypts as one; more need not be read again when the socket is full."""


class TlsTransport:
    """A server's side of TLS over a socket that does not block."""

    def __init__(
        self, context: ssl.SSLContext, loop: AbstractEventLoop, connected: socket.socket, peer: Peer
    ) -> None:
        self._loop = loop
        self._tls = context.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
        self._has_shaken_hands = False
        self._readable: Callable[[], None] | None = None
        self._ahead = b""
        """What was decrypted to see whether the stream has ended."""
        self.peer = peer

    def receive_into(self, buffer: memoryview, /) -> int:
        self._shake_hands()
        count = len(self._ahead)
        buffer[:count] = self._ahead
        self._ahead = b""
        while count < len(buffer):
            try:
                with buffer[count:] as rest:
                    step = self._tls.recv_into(rest)
            except ssl.SSLWantReadError:
                break
            if step == 0:
                return count
            count += step
        if count == 0:
            raise BlockingIOError
        return count

    def has_ended(self) -> bool:
        self._shake_hands()
        if not self._ahead:
            try:
                self._ahead = self._tls.recv(RECORD_SIZE)
            except ssl.SSLWantReadError as error:
                raise BlockingIOError from error
        return not self._ahead

    def _shake_hands(self) -> None:
        if self._has_shaken_hands:
            return
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError as error:
            raise BlockingIOError from error
        self._has_shaken_hands = True
        certificate = self._tls.getpeercert()
        if certificate:
            names: Any = certificate["subject"]
            subject = ",".join(f"{key}={value}" for ((key, value),) in names)
            self.peer = self.peer._replace(principal=f"User:{subject}")

    def send(self, buffer: Buffer, /) -> int:
        with memoryview(buffer)[:RECORD_SIZE] as record:
            try:
                return self._tls.send(record)
            except ssl.SSLWantWriteError as error:
                raise BlockingIOError from error

    def send_gathered(self, buffers: Sequence[Buffer], *, has_more: bool) -> int:
        return self.send(b"".join(buffers))

    def send_file(self, descriptor: int, position: int, size: int) -> int:
        content = os.pread(descriptor, min(size, RECORD_SIZE), position)
        return self.send(content) if content else 0

    def on_readable(self, call: Callable[[], None] | None) -> None:
        self._readable = call
        if call is None:
            self._loop.remove_reader(self._tls)
            return
        self._loop.add_reader(self._tls, call)
        if self._ahead:
            # The socket may have nothing more to tell of.
            self._loop.call_soon(self._tell_of_what_is_ahead)

    def _tell_of_what_is_ahead(self) -> None:
        if self._ahead and self._readable is not None:
            self._readable()

    def on_writable(self, call: Callable[[], None] | None) -> None:
        if call is None:
            self._loop.remove_writer(self._tls)
        else:
            self._loop.add_writer(self._tls, call)

    def close(self) -> None:
        self.on_readable(None)
        self.on_writable(None)
        self._tls.close()
