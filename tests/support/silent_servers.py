"""Servers that say nothing, as machines do that hang, or always the same."""

import socket
from collections.abc import Callable, Iterator
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
def answering_server(answer: Callable[[bytes], bytes | None]) -> Iterator[str]:
    """An address that sends *answer* to the first bytes of each connection and hangs up, or keeps
    the connection and says nothing where that is None.
    """

    def serve(client: socket.socket) -> None:
        asked = client.recv(1024)
        said = answer(asked)
        if said is None:
            wait_for_end(client)
        else:
            client.sendall(said)

    with _serving(serve) as (address, _):
        yield address


@contextmanager
def saying_server(says: bytes, to: bytes = b"") -> Iterator[str]:
    """An address where what begins with *to* is answered by that, and then hung up; all else is
    taken, and hears nothing."""
    with answering_server(lambda asked: says if asked.startswith(to) else None) as address:
        yield address


@contextmanager
def counting_server() -> Iterator[tuple[str, list[socket.socket]]]:
    """As `mute_server`, with the connections that are open there."""
    with _serving(wait_for_end) as serving:
        yield serving


def wait_for_end(client: socket.socket) -> None:
    """Read until the other side hangs up."""
    while client.recv(1000):
        pass


@contextmanager
def _serving(
    serve: Callable[[socket.socket], None],
) -> Iterator[tuple[str, list[socket.socket]]]:
    """An address where *serve* has each connection in a thread of its own, and those that are open.

    A client may open a connection, say nothing, and then another one.
    """
    opened: list[socket.socket] = []

    def serve_one(client: socket.socket) -> None:
        with client, suppress(OSError):
            serve(client)
        opened.remove(client)

    def accept() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            opened.append(client)
            Thread(target=serve_one, args=(client,), daemon=True).start()

    with socket.create_server((LOOPBACK, 0)) as listening:
        thread = Thread(target=accept, daemon=True)
        thread.start()
        yield address_of(listening), opened
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for client in tuple(opened):
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)


def address_of(listening: socket.socket) -> str:
    return f"{LOOPBACK}:{listening.getsockname()[1]}"
