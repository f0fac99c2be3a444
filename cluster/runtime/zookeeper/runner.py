"""Sequences of ZooKeeper requests, carried out in the loop by one session."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from kazoo.exceptions import SessionExpiredError

from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import SingleRequest, ZkReply, ZkRequest
from cluster.zk.steps import Steps, from_singles, in_singles
from cluster.zkclient.kazoo_requests import SESSION_OVER, begin, reply_to, unwatched

BEGUN_PER_TURN: Final = 100

T = TypeVar("T")


async def run(session: Session, steps: Steps[T], watched: Callable[[Any], None] = unwatched) -> T:
    """Carry *steps* out, and return what they come to.

    *watched* is called by kazoo's thread, with kazoo's event, when an armed watch fires.

    Raises:
        SessionExpiredError: the session is over.
    """
    replies: tuple[ZkReply, ...] | None = None
    while True:
        try:
            requests = next(steps) if replies is None else steps.send(replies)
        except StopIteration as end:
            result: T = end.value
            return result
        replies = await replies_to(session, requests, watched)


async def replies_to(
    session: Session, requests: Sequence[ZkRequest], watched: Callable[[Any], None] = unwatched
) -> tuple[ZkReply, ...]:
    """Send *requests* in their order, without waiting in between, and wait for the reply to each.

    There may be thousands: others of this loop have their turn while these are sent.  Many nodes
    are read one by one.

    Raises:
        SessionExpiredError: the session is over.
    """
    singles = in_singles(requests)
    begun: list[asyncio.Future[list[Any]]] = []
    for start in range(0, len(singles), BEGUN_PER_TURN):
        if start > 0:
            await asyncio.sleep(0)
        part = singles[start : start + BEGUN_PER_TURN]
        futures = (session.begin(partial(begin, request, watched=watched)) for request in part)
        # Gathered at once, so that no failure is left over, should this task be cancelled.
        begun.append(asyncio.gather(*futures, return_exceptions=True))
    outcomes = [outcome for part_done in begun for outcome in await part_done]
    replies = [
        reply_in_session(request, outcome)
        for request, outcome in zip(singles, outcomes, strict=True)
    ]
    return from_singles(requests, replies)


def reply_in_session(request: SingleRequest, outcome: Any) -> ZkReply:
    """What kazoo's result or exception says; nothing is answered in a session that is over."""
    if isinstance(outcome, SESSION_OVER):
        raise SessionExpiredError from outcome
    return reply_to(request, outcome)


class SessionRunner:
    """Carries out, while the broker is registered, what is asked for by callbacks.

    A member of the cluster: it has the session that the broker is registered by.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self.session: Session | None = None
        """The session that the broker is registered by; None while there is none."""

    def joined(self, session: Session) -> None:
        self.session = session

    def left(self) -> None:
        self.session = None

    def connection_changed(self, *, is_connected: bool) -> None:
        """What is under way waits for the connection by itself."""

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        """Carry *steps* out, and call *done* with what they come to, in a later turn of the loop.

        It gets None when there is no session, or when that is over before the end, or when one of
        *steps* raises.
        """
        task = asyncio.get_running_loop().create_task(self._run(steps, done))
        # The loop itself holds its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        session = self.session
        result: T | None = None
        try:
            if session is not None:
                with suppress(SessionExpiredError):
                    result = await run(session, steps)
        finally:
            # Also after a mistake of ours, which goes on to the loop: somebody waits for the end.
            done(result)
