"""Servers that say nothing, as machines do that hang."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

LOOPBACK: Final = "127.0.0.1"


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


def address_of(listening: socket.socket) -> str:
    return f"{LOOPBACK}:{listening.getsockname()[1]}"
