"""Handlers, peers and replies.

How is a request handed to whoever answers it, and the answer handed back?

The contract between a connection, which knows sockets, and an API, which knows none.
"""

from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias, cast

from cluster.broker.authorizer import ANONYMOUS
from cluster.wire.codec import RequestFrame

Body: TypeAlias = tuple[Any, ...]
"""The response of the API that was asked, an instance of the class in `cluster.wire.messages`."""

Steps: TypeAlias = Generator[None, None, Body | None]
"""An answer that may take long, made in short steps, one for each thing that is asked for: others
are served between them.  Returns the answer; None where it is given in another way, after the last
pause or later.
"""

Cancel: TypeAlias = Callable[[], None]
"""Take back what was to happen later; without effect once it has happened, or been taken back."""


MISTAKE: Final = "its request made the broker fail"
"""Why a connection is closed whose request met a mistake of ours."""


def throw(mistake: Exception) -> NoReturn:
    """Raise from the loop, which logs it, what must not stop the work that it was met in."""
    raise mistake


class Peer(NamedTuple):
    """Who asks; *listener* is the name of the listener on which the connection came in.

    *principal* is who he has shown to be, as ACLs name him.
    """

    host: str
    port: int
    listener: str
    principal: str = ANONYMOUS

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Reply(Protocol):
    """Where the answer to one request goes.

    Exactly one of the three is called, once, while the handler runs or later from the same loop.
    When the connection has ended in between, all do nothing.
    """

    def __call__(self, body: Body | None) -> None:
        """Send *body*; None where the protocol wants no answer (a produce request with acks=0).

        File slices in *body* are sent from their files: they stay open until that has happened,
        or `file.delete.delay.ms` has passed.
        """
        ...

    def in_turns(self, steps: Steps) -> None:
        """Send what *steps* come to, and encode that in steps as well, where they are many.

        Few are taken at once, before this returns.  Steps that return None are followed by another
        of the three.
        """
        ...

    def close(self, reason: str) -> None:
        """Close the connection instead of answering; *reason* is for the log, beside the peer."""
        ...


Handler: TypeAlias = Callable[[RequestFrame, Peer, Reply], Cancel | None]
"""Answers a request: by its end, or later (a delayed fetch, a write to ZooKeeper).

What the request holds of record batches are views into the frame: they are written to, and they
are not kept when the handler returns, not even for steps, so the buffer may be used for the next
frame.  When the answer is still to come, the handler may return a function, which is called if the
connection ends before it.  The next request of the connection is handed over after the answer.
"""


def run(steps: Steps) -> Body | None:
    """Take all *steps* now."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return cast(Body | None, end.value)
