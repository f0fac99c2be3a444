"""Requests of the broker's loop: answered within one session, and sent without keeping others."""

import asyncio
from collections import Counter
from typing import Any, cast

import pytest
from kazoo.exceptions import (
    ConnectionClosedError,
    ConnectionLoss,
    NoNodeError,
    SessionExpiredError,
    UnimplementedError,
)

from cluster.runtime.zookeeper.runner import (
    BEGUN_PER_TURN,
    begin_many,
    replies_to,
    reply_in_session,
    run,
)
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import (
    Create,
    Exists,
    GetChildren,
    GetData,
    GetMany,
    Many,
    Multi,
    SingleRequest,
    Sync,
)
from cluster.zk.steps import read
from cluster.zk.znode import Znode
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session
from tests.support.waiting import turns

REQUESTS: tuple[SingleRequest, ...] = (
    Exists("/a"),
    GetData("/a"),
    GetChildren("/a"),
    Sync(),
    Multi((Create("/a"),)),
)


@pytest.mark.parametrize("error", [SessionExpiredError(), ConnectionClosedError()])
def test_nothing_is_answered_in_a_session_that_is_over(error: Exception) -> None:
    for request in REQUESTS:
        with pytest.raises(SessionExpiredError):
            reply_in_session(request, error)


class Noting:
    """A session that notes in which turn of the loop each request is begun."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.turn = 0
        self.begun: Counter[int] = Counter()
        self.reads_batches = session.reads_batches

    async def count_turns(self) -> None:
        while True:
            self.turn += 1
            await turns(1)

    def begin(self, start: Any) -> "asyncio.Future[Any]":
        self.begun[self.turn] += 1
        return self.session.begin(start)


@pytest.mark.zk
def test_others_have_their_turn_while_many_requests_are_sent(chroot: str) -> None:
    count = 3 * BEGUN_PER_TURN
    requests = [Exists("/brokers"), *[Exists("/nobody")] * count, Exists("/controller_epoch")]

    async def use(_: Sessions, session: Session) -> tuple[Noting, tuple[Any, ...]]:
        noting = Noting(session)
        counting = asyncio.create_task(noting.count_turns())
        replies = await replies_to(cast(Session, noting), requests, lambda _: None)
        counting.cancel()
        return noting, replies

    noting, replies = with_session(chroot, use)

    assert replies == (True, *[False] * count, False)
    assert max(noting.begun.values()) <= BEGUN_PER_TURN


PATHS = [*["/controller_epoch"] * 600, "/nobody", "/brokers/topics", *["/nobody"] * 600]


def path_of(node: Znode) -> str:
    return node.path


@pytest.mark.zk
def test_many_nodes_are_read_in_few_requests_which_others_may_surround(chroot: str) -> None:
    requests = (Exists("/brokers"), GetMany(PATHS, path_of), GetData("/controller_epoch"))

    async def use(_: Sessions, session: Session) -> tuple[Noting, tuple[Any, ...], Any]:
        noting = Noting(session)
        replies = await replies_to(cast(Session, noting), requests)
        await session.begin(lambda client: client.create_async("/controller_epoch", b"5"))
        (again,) = await replies_to(session, requests[1:2])
        return noting, replies, again

    noting, (is_there, many, single), again = with_session(chroot, use)

    nothing = [None] * 600
    assert is_there
    assert single is None
    assert [*nothing, None, "/brokers/topics", *nothing] == many.items
    assert [*["/controller_epoch"] * 600, None, "/brokers/topics", *nothing] == again.items
    assert 2 + 3 == sum(noting.begun.values())


class OldServer:
    """A session with a server that knows no batches, and drops the connection at the first one."""

    def __init__(self) -> None:
        self.reads_batches = True
        self.is_asked_for_batches = False
        self.single_count = 0

    def begin(self, start: Any) -> "asyncio.Future[Any]":
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if start.func is begin_many:
            # The refusal comes to the first; what was sent behind it is lost.
            future.set_exception(
                ConnectionLoss() if self.is_asked_for_batches else UnimplementedError()
            )
            self.is_asked_for_batches = True
        else:
            self.single_count += 1
            future.set_exception(NoNodeError())
        return future


def test_a_server_without_batches_is_asked_for_one_node_after_the_other() -> None:
    server = OldServer()

    (many,) = asyncio.run(run(cast(Session, server), read((GetMany(PATHS, path_of),))))

    assert Many([None] * len(PATHS)) == many
    assert len(PATHS) == server.single_count
    assert not server.reads_batches


def test_a_batch_that_is_lost_is_asked_for_again_as_a_batch() -> None:
    class Losing(OldServer):
        def begin(self, start: Any) -> "asyncio.Future[Any]":
            future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            if self.is_asked_for_batches:
                future.set_result([None] * len(start.args[0]))
            else:
                future.set_exception(ConnectionLoss())
            self.is_asked_for_batches = True
            return future

    session = Losing()

    (many,) = asyncio.run(run(cast(Session, session), read((GetMany(PATHS, path_of),))))

    assert Many([None] * len(PATHS)) == many
    assert session.reads_batches
