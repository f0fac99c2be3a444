"""Handlers, peers and replies.

The contract between a connection, which knows sockets, and an API, which knows none: how a request
is handed to a handler, and its answer back.
"""

from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias, cast

from cluster.broker.authorizer import ANONYMOUS
from cluster.wire.codec import RequestFrame

Body: TypeAlias = tuple[Any, ...]
"""The response of the requested API, an instance of the class in `cluster.wire.messages`."""

Steps: TypeAlias = Generator[None, None, Body | None]
"""An answer that may take long, made in short steps, one for each item of the request: other work
runs between them.  Returns the answer; None where it is given in another way, after the last pause
or later.
"""

Cancel: TypeAlias = Callable[[], None]
"""Cancel what is scheduled; no effect once it has run, or was cancelled."""


MISTAKE: Final = "its request made the broker fail"
"""Why a connection is closed when a bug of ours prevents the answer."""


def throw(mistake: Exception) -> NoReturn:
    """Raise a bug in the loop, which logs it, so that it does not stop the work that met it."""
    raise mistake


class Peer(NamedTuple):
    """The sender of a request; *listener* is the name of the listener of its connection.

    *principal* is the authenticated one, as ACLs name it.
    """

    host: str
    port: int
    listener: str
    principal: str = ANONYMOUS

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Reply(Protocol):
    """Receives the answer to one request.

    Exactly one of the three is called, once, while the handler runs or later from the same loop.
    After the connection has ended, all do nothing.
    """

    def __call__(self, body: Body | None) -> None:
        """Send *body*; None where the protocol wants no answer (a produce request with acks=0).

        File slices in *body* are sent from their files: they stay open until that has happened,
        or `file.delete.delay.ms` has passed.
        """
        ...

    def in_turns(self, steps: Steps) -> None:
        """Send the result of *steps*, and encode it in steps as well, where they are many.

        Few steps run at once, before this returns.  Steps that return None are followed by another
        of the three.
        """
        ...

    def close(self, reason: str) -> None:
        """Close the connection instead of answering; *reason* is logged with the peer."""
        ...


Handler: TypeAlias = Callable[[RequestFrame, Peer, Reply], Cancel | None]
"""Answers a request: before it returns, or later (a delayed fetch, a write to ZooKeeper).

The record batches in the request are views into the frame: they are modified in place, and are
not kept when the handler returns, not even for steps, so the buffer may be used for the next
frame.  When the answer is still to come, the handler may return a function, which is called if the
connection ends before it.  The next request of the connection is handed over after the answer.
"""


def run(steps: Steps) -> Body | None:
    """Run all *steps* now."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return cast(Body | None, end.value)
