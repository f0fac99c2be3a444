"""A real ZooKeeper, and sessions that end while a broker registers by them."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from kazoo.exceptions import SessionExpiredError

from cluster.model.broker import Endpoint
from cluster.model.ids import BrokerId
from cluster.runtime.errors import RegistrationRefused
from cluster.runtime.zookeeper.membership import Membership
from cluster.runtime.zookeeper.session import Session
from cluster.zkclient.kazoo_requests import Started
from tests.cluster.runtime.zookeeper.test_registration import TIMEOUT_MS, Sessions, with_session
from tests.support.waiting import OUTER_LIMIT_S, until

pytestmark = pytest.mark.zk

ENDPOINT = Endpoint(
    listener="PLAINTEXT", security_protocol="PLAINTEXT", host="localhost", port=9092
)


class EndingSession(Session):
    """Is over as soon as so many replies have arrived, before anybody reads the last of them."""

    def __init__(self, like: Session, replies: int, ended: Callable[[Session], None]) -> None:
        super().__init__(like._loop, like._client, like.session_id)
        self._left = replies
        self._ended = ended

    def begin(self, start: Callable[[Any], Started]) -> "asyncio.Future[Any]":
        future = super().begin(start)
        # The first callback of the future, so that it comes before who waits for the reply.
        future.add_done_callback(self._count)
        return future

    def _count(self, _: "asyncio.Future[Any]") -> None:
        self._left -= 1
        if self._left == 0 and not self.is_over:
            self.end()
            self._ended(self)


class Recorder:
    """What a member is told, as one text after the other."""

    def __init__(self, names: dict[Session, str]) -> None:
        self._names = names
        self.told: list[str] = []

    def joined(self, session: Session) -> None:
        self.told.append(f"joined by {self._names[session]}")

    def left(self) -> None:
        self.told.append("left")

    def connection_changed(self, *, is_connected: bool) -> None:
        raise AssertionError("nobody has lost the connection")


def membership_of(chroot: str, broker_id: int = 1) -> Membership:
    membership = Membership(chroot, TIMEOUT_MS)
    membership.broker_id = BrokerId(broker_id)
    return membership


async def join(membership: Membership, recorder: Recorder) -> None:
    await membership.join(
        [ENDPOINT],
        None,
        members=[recorder],
        earlier_sessions=(),
        note_sessions=lambda session_ids: None,
    )


Ended = Callable[[Session], None]


def tell_at_once(session_ended: Ended, session: Session) -> None:
    session_ended(session)


def tell_later(session_ended: Ended, session: Session) -> None:
    asyncio.get_running_loop().call_later(0.05, session_ended, session)


@pytest.mark.parametrize("tell", [tell_at_once, tell_later])
def test_a_session_that_ends_inside_the_first_registration_leaves_that_to_the_next_one(
    chroot: str, tell: Callable[[Ended, Session], None]
) -> None:
    """Behind whichever reply it ends: once, a broker that started ended itself then."""

    async def ends_before_it_joins(session: Session, replies: int) -> bool:
        last = Session(session._loop, session._client, session.session_id)
        membership = membership_of(chroot)
        ending = EndingSession(session, replies, partial(tell, membership.session_ended))
        recorder = Recorder({ending: "one that ends", last: "the last"})
        membership.session_began(ending)
        joining = asyncio.create_task(join(membership, recorder))
        await until(lambda: joining.done() or ending.ended.is_set(), what="either end")
        # Behind the registration its watch asks, too.
        has_ended = not joining.done()
        if has_ended:
            assert not membership.is_registered
            assert [] == recorder.told
            membership.session_began(last)
            await joining
            assert ["joined by the last"] == recorder.told
        own = last if has_ended else ending
        own.end()
        membership.session_ended(own)
        assert not membership.is_registered
        return has_ended

    async def use(_: Sessions, session: Session) -> int:
        replies = 1
        while await ends_before_it_joins(session, replies):
            replies += 1
        return replies

    replies = with_session(chroot, use)

    assert replies > 3


def test_sessions_of_earlier_runs_are_kept_until_the_broker_is_registered(chroot: str) -> None:
    """A start that is refused is in none; the next one has to know in which of them it may be."""
    earlier = 0x7001
    noted: list[set[int]] = []

    def note(session_ids: Collection[int]) -> None:
        noted.append(set(session_ids))

    async def use(_: Sessions, session: Session) -> int:
        other, membership = membership_of(chroot, 2), membership_of(chroot)
        for each in (other, membership):
            each.session_began(session)
        await join(other, Recorder({session: "it"}))

        async def join_at(port: int) -> None:
            await membership.join(
                [replace(ENDPOINT, port=port)],
                None,
                members=[],
                earlier_sessions=[earlier],
                note_sessions=note,
            )

        with pytest.raises(RegistrationRefused):
            await join_at(ENDPOINT.port)
        await join_at(ENDPOINT.port + 1)
        for each in (other, membership):
            each.session_ended(session)
        return session.session_id

    own = with_session(chroot, use)

    assert [{earlier, own}, {earlier, own}, {own}] == noted


def test_what_a_start_does_is_done_again_by_the_next_session(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> list[str]:
        membership = membership_of(chroot)
        first, last = (Session(session._loop, session._client, session.session_id) for _ in "ab")
        tried: list[str] = []

        async def work(by: Session) -> str:
            tried.append("first" if by is first else "last")
            if by is first:
                first.end()
                membership.session_ended(first)
                membership.session_began(last)
                raise SessionExpiredError
            return "done"

        membership.session_began(first)
        return [await membership.in_session(work), *tried]

    assert ["done", "first", "last"] == with_session(chroot, use)


@pytest.mark.parametrize("tell", [tell_at_once, tell_later])
def test_a_session_that_ends_inside_a_later_registration_leaves_that_to_the_next_one(
    chroot: str, tell: Callable[[Ended, Session], None]
) -> None:
    async def rejoin(session: Session, replies: int) -> bool:
        """Whether the session had ended before the broker was registered by it."""
        first, last = (Session(session._loop, session._client, session.session_id) for _ in "ab")
        membership = membership_of(chroot)
        has_told = asyncio.Event()

        def session_ended(one: Session) -> None:
            membership.session_ended(one)
            has_told.set()

        ending = EndingSession(session, replies, partial(tell, session_ended))
        recorder = Recorder({first: "the first", ending: "one that ends", last: "the last"})
        membership.session_began(first)
        await join(membership, recorder)
        first.end()
        membership.session_ended(first)

        membership.session_began(ending)
        joining = membership._joining
        assert joining is not None
        await asyncio.wait([joining], timeout=OUTER_LIMIT_S)
        has_ended = ending.is_over
        if not has_ended:
            ending.end()
            session_ended(ending)
        await has_told.wait()
        membership.session_began(last)
        await until(lambda: membership.is_registered, what="the registration")
        last.end()
        membership.session_ended(last)

        assert joining.cancelled() or joining.exception() is None
        assert not membership.failed.done()
        between = [] if has_ended else ["joined by one that ends", "left"]
        expected = ["joined by the first", "left", *between, "joined by the last", "left"]
        assert expected == recorder.told
        return has_ended

    async def use(_: Sessions, session: Session) -> int:
        replies = 1
        while await rejoin(session, replies):
            replies += 1
        return replies

    replies = with_session(chroot, use)

    assert replies > 3
