"""Servers that say nothing, as machines do that hang, or always the same."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Final

LOOPBACK: Final = "127.0.0.1"

IDLE: Final = b"This ZooKeeper instance is not currently serving requests\n"
"""What a ZooKeeper says without a majority."""


@contextmanager
def mute_server() -> Iterator[str]:
    """An address that takes connections and never says a word."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        yield address_of(listening)


@contextmanager
def deaf_server() -> Iterator[str]:
    """An address that does not even take a connection: its queue is full, and nobody empties it."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server((LOOPBACK, 0), backlog=0))
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(listening.getsockname())
        yield address_of(listening)


@contextmanager
def saying_server(says: bytes, to: bytes = b"") -> Iterator[str]:
    """An address where what begins with *to* is answered by that, and then hung up; all else is
    taken, and hears nothing."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server((LOOPBACK, 0)))

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                stack.enter_context(client)
                with suppress(OSError):
                    if client.recv(1000).startswith(to):
                        client.sendall(says)
                        client.close()

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield address_of(listening)
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@contextmanager
def counting_server() -> Iterator[tuple[str, list[socket.socket]]]:
    """As `mute_server`, with the connections that are open there."""
    opened: list[socket.socket] = []
    with socket.create_server((LOOPBACK, 0)) as listening:

        def hold(client: socket.socket) -> None:
            with client, suppress(OSError):
                while client.recv(1000):
                    pass
            opened.remove(client)

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                opened.append(client)
                Thread(target=hold, args=(client,), daemon=True).start()

        Thread(target=serve, daemon=True).start()
        yield address_of(listening), opened
        listening.shutdown(socket.SHUT_RDWR)


def address_of(listening: socket.socket) -> str:
    return f"{LOOPBACK}:{listening.getsockname()[1]}"
