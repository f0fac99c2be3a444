"""What kazoo's results mean; how real replies compare is in `tests/cluster/sim/test_zookeeper`."""

import asyncio
from collections import Counter
from typing import Any, cast

import pytest
from kazoo.exceptions import (
    AuthFailedError,
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    RolledBackError,
    RuntimeInconsistency,
    SessionExpiredError,
)

from cluster.model.ids import ZkVersion
from cluster.runtime.zookeeper.kazoo_requests import BEGUN_PER_TURN, replies_to, reply_to
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    Lost,
    Multi,
    MultiFailed,
    Refused,
    ZkError,
    ZkRequest,
)
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session

WRITE = Multi((Check("/fence", ZkVersion(1)), Create("/a"), Delete("/b")))
REQUESTS: tuple[ZkRequest, ...] = (Exists("/a"), GetData("/a"), GetChildren("/a"), WRITE)


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_broken_connection_is_a_lost_reply_and_a_missing_right_a_refusal(
    request_: ZkRequest,
) -> None:
    assert isinstance(reply_to(request_, ConnectionLoss()), Lost)
    assert Refused("NoAuthError") == reply_to(request_, NoAuthError())
    assert Refused("AuthFailedError") == reply_to(request_, AuthFailedError())


@pytest.mark.parametrize("error", [SessionExpiredError(), ConnectionClosedError()])
def test_nothing_is_answered_in_a_session_that_is_over(error: Exception) -> None:
    for request in REQUESTS:
        with pytest.raises(SessionExpiredError):
            reply_to(request, error)


def test_a_mistake_is_not_taken_for_an_answer_of_zookeeper() -> None:
    with pytest.raises(TypeError):
        reply_to(WRITE, TypeError("data must be bytes"))


def test_what_is_not_there_is_nothing_to_a_read() -> None:
    assert reply_to(GetData("/a"), NoNodeError()) is None
    assert reply_to(GetChildren("/a"), NoNodeError()) is None


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([BadVersionError(), RuntimeInconsistency(), RuntimeInconsistency()], (0, "BAD_VERSION")),
        ([RolledBackError(), NodeExistsError(), RuntimeInconsistency()], (1, "NODE_EXISTS")),
        ([RolledBackError(), RolledBackError(), NoNodeError()], (2, "NO_NODE")),
    ],
)
def test_a_transaction_names_the_operation_that_stood_in_the_way(
    results: list[Exception], expected: tuple[int, str]
) -> None:
    assert MultiFailed(expected[0], ZkError[expected[1]]) == reply_to(WRITE, results)


def test_a_transaction_without_the_right_names_the_path() -> None:
    results = [RolledBackError(), NoAuthError(), RuntimeInconsistency()]

    assert Refused("/a: NoAuthError") == reply_to(WRITE, results)


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
