"""Requests of the broker's loop: answered within one session, and sent without keeping others."""

import asyncio
from collections import Counter
from typing import Any, cast

import pytest
from kazoo.exceptions import ConnectionClosedError, SessionExpiredError

from cluster.runtime.zookeeper.runner import BEGUN_PER_TURN, replies_to, reply_in_session
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import Create, Exists, GetChildren, GetData, Multi, SingleRequest, Sync
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session

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

    async def count_turns(self) -> None:
        while True:
            self.turn += 1
            await asyncio.sleep(0)

    def begin(self, start: Any) -> "asyncio.Future[Any]":
        self.begun[self.turn] += 1
        return self.session.begin(start)


@pytest.mark.zk
def test_others_have_their_turn_while_thousands_of_requests_are_sent(chroot: str) -> None:
    requests = [Exists("/brokers"), *[Exists("/nobody")] * 999, Exists("/controller_epoch")]

    async def use(_: Sessions, session: Session) -> tuple[Noting, tuple[Any, ...]]:
        noting = Noting(session)
        counting = asyncio.create_task(noting.count_turns())
        replies = await replies_to(cast(Session, noting), requests, lambda _: None)
        counting.cancel()
        return noting, replies

    noting, replies = with_session(chroot, use)

    assert replies == (True, *[False] * 999, False)
    assert max(noting.begun.values()) <= BEGUN_PER_TURN
