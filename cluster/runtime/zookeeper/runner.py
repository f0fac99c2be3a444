"""Sequences of ZooKeeper requests, run in the loop in one session."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from kazoo.exceptions import SessionExpiredError, UnimplementedError

from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import (
    GetData,
    GetMany,
    Lost,
    Many,
    SingleRequest,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Steps, from_singles, in_singles, many_of
from cluster.zkclient.kazoo_requests import SESSION_OVER, Started, begin, reply_to, unwatched
from cluster.zkclient.multi_read import GET_DATA, MultiRead, batches

BEGUN_PER_TURN: Final = 100

T = TypeVar("T")


async def run(session: Session, steps: Steps[T], watched: Callable[[Any], None] = unwatched) -> T:
    """Run *steps*, and return their result.

    kazoo's thread calls *watched*, with kazoo's event, when an armed watch fires.

    Raises:
        SessionExpiredError: the session has expired.
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

    There may be thousands: other work of the loop runs while these are sent.  Many nodes are read
    in batches, or one by one where the server is too old for that (before 3.6).

    Raises:
        SessionExpiredError: the session has expired.
    """
    if any(isinstance(request, GetMany) for request in requests) and session.reads_batches:
        return tuple(
            [
                await read_many(session, request)
                if isinstance(request, GetMany)
                else (await replies_to(session, (request,), watched))[0]
                for request in requests
            ]
        )
    singles = in_singles(requests)
    begun: list[asyncio.Future[list[Any]]] = []
    for start in range(0, len(singles), BEGUN_PER_TURN):
        if start > 0:
            await asyncio.sleep(0)
        part = singles[start : start + BEGUN_PER_TURN]
        futures = (session.begin(partial(begin, request, watched=watched)) for request in part)
        # Gathered at once, so that no exception is left over if this task is cancelled.
        begun.append(asyncio.gather(*futures, return_exceptions=True))
    outcomes = [outcome for part_done in begun for outcome in await part_done]
    replies = [
        reply_in_session(request, outcome)
        for request, outcome in zip(singles, outcomes, strict=True)
    ]
    return from_singles(requests, replies)


async def read_many(session: Session, request: GetMany[Any]) -> Many | Lost:
    """Read many nodes in few requests.

    An old server answers that it does not know these, and closes the connection: then all of it
    counts as lost, and is read again one by one.
    """
    parts = tuple(batches(request.paths))
    futures = (session.begin(partial(begin_many, paths)) for paths in parts)
    outcomes = await asyncio.gather(*futures, return_exceptions=True)
    replies: list[ZkReply] = []
    for paths, outcome in zip(parts, outcomes, strict=True):
        if isinstance(outcome, UnimplementedError):
            session.reads_batches = False
            return Lost()
        items = [outcome] * len(paths) if isinstance(outcome, BaseException) else outcome
        replies += [
            reply_in_session(GetData(path), item) if isinstance(item, BaseException) else item
            for path, item in zip(paths, items, strict=True)
        ]
    return many_of(request, replies)


def begin_many(paths: Sequence[str], client: Any) -> Started:
    """Begin to read the nodes at *paths* together, on a kazoo client."""
    started: Started = client.handler.async_result()
    client._call(MultiRead(GET_DATA, client.chroot, paths), started)
    return started


def reply_in_session(request: SingleRequest, outcome: Any) -> ZkReply:
    """The reply in kazoo's result or exception; raises in an expired session."""
    if isinstance(outcome, SESSION_OVER):
        raise SessionExpiredError from outcome
    return reply_to(request, outcome)


class SessionRunner:
    """Runs sequences with callbacks, while the broker is registered.

    A member of the cluster: it has the session of the registration.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self.session: Session | None = None
        """The session of the registration; None while there is none."""

    def joined(self, session: Session) -> None:
        self.session = session

    def left(self) -> None:
        self.session = None

    def connection_changed(self, *, is_connected: bool) -> None:
        """Nothing to do: running requests wait for the connection by themselves."""

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        """Run *steps*, and call *done* with their result, in a later turn of the loop.

        The result is None when there is no session, when it expires before the end, or when one of
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
            # Also after a bug of ours, which goes on to the loop: the caller waits for the end.
            done(result)
