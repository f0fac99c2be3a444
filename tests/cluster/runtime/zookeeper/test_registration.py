"""Sessions with a real ZooKeeper, and who may register with it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest
from kazoo.exceptions import SessionExpiredError

from cluster.coordination.startup import make_each, make_layout, new_broker_id, read_cluster_id
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import BrokerId
from cluster.runtime.errors import RegistrationRefused
from cluster.runtime.zookeeper.chroot import make_chroot
from cluster.runtime.zookeeper.registration import register, registration
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session, SessionKeeper
from cluster.zk import paths
from cluster.zk.brokers import decode_broker
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import Create
from cluster.zk.steps import read_node
from tests.support.expiry import expire
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

T = TypeVar("T")
TIMEOUT_MS = 60_000


class Sessions:
    """One process's sessions, one after the other."""

    def __init__(self, connect: str) -> None:
        loop = asyncio.get_running_loop()
        self.connect = connect
        self.began: asyncio.Queue[Session] = asyncio.Queue()
        self.ended: asyncio.Queue[Session] = asyncio.Queue()
        self.connections: list[bool] = []
        self.keeper = SessionKeeper(loop, connect, TIMEOUT_MS, self)
        self.keeper.start()

    def session_began(self, session: Session) -> None:
        self.began.put_nowait(session)

    def session_ended(self, session: Session) -> None:
        self.ended.put_nowait(session)

    def connection_changed(self, *, is_connected: bool) -> None:
        self.connections.append(is_connected)

    async def next(self) -> Session:
        return await asyncio.wait_for(self.began.get(), OUTER_LIMIT_S)

    async def expire(self) -> None:
        """End the present session; its owner hears of it."""
        await expire(self.keeper, self.connect)
        await asyncio.wait_for(self.ended.get(), OUTER_LIMIT_S)


def broker(broker_id: int = 1, port: int = 9092) -> BrokerRegistration:
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="localhost", port=port
    )
    return registration(BrokerId(broker_id), [endpoint], "r1", 1_700_000_000_000)


def with_session(chroot: str, use: Callable[[Sessions, Session], Coroutine[Any, Any, T]]) -> T:
    """What *use* makes of a session, in a cluster that has its layout."""

    async def main() -> T:
        sessions = Sessions(chroot)
        try:
            session = await sessions.next()
            await make_chroot(session, chroot)
            await run(session, make_layout())
            return await use(sessions, session)
        finally:
            await sessions.keeper.close()

    return asyncio.run(main())


async def enlist(session: Session, value: BrokerRegistration, own: tuple[int, ...] = ()) -> int:
    return await register(session, value, 1, own_sessions=own, patience_ms=300)


def test_the_first_broker_makes_the_chroot_and_all_that_a_cluster_begins_with(
    chroot: str,
) -> None:
    deeper = f"{chroot}/not/there"
    drawn = iter(("first-of-22-characters", "other-of-22-characters"))

    async def use(_: Sessions, session: Session) -> str:
        await run(session, make_layout())
        return await run(session, read_cluster_id(next(drawn)))

    first = with_session(deeper, use)
    second = with_session(deeper, use)

    assert first == second
    assert len(first) == 22
    with client_of(deeper) as client:
        assert all(client.exists(path) for path in PERSISTENT_PATHS)
        assert client.get("/latest_producer_id_block")[0] is None


def test_a_registration_is_read_back_with_its_czxid_as_epoch(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> Any:
        epoch = await enlist(session, broker())
        return epoch, session.session_id, await run(session, read_node(paths.broker(BrokerId(1))))

    epoch, session_id, node = with_session(chroot, use)

    assert (node.czxid, node.ephemeral_owner, node.zk_version) == (epoch, session_id, 1)
    found = decode_broker(node)
    assert (found.version, found.host, found.port, found.rack) == (5, "localhost", 9092, "r1")


def test_the_id_of_a_broker_at_another_address_is_refused_and_the_other_one_named(
    chroot: str,
) -> None:
    async def use(_: Sessions, session: Session) -> None:
        await enlist(session, broker())
        others = Sessions(chroot)
        other = await others.next()
        with pytest.raises(RegistrationRefused) as refused:
            await enlist(other, broker(port=9093))
        await others.keeper.close()
        assert "broker 1 cannot register" in str(refused.value)
        assert "it is at PLAINTEXT://localhost:9092" in str(refused.value)

    with_session(chroot, use)


def test_the_address_of_a_broker_with_another_id_is_refused(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> None:
        await enlist(session, broker(1))
        with pytest.raises(RegistrationRefused, match="broker 1 is registered with localhost:9092"):
            await enlist(session, broker(2))

    with_session(chroot, use)


def test_what_an_earlier_life_left_behind_is_waited_for(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> None:
        earlier = Sessions(chroot)
        await enlist(await earlier.next(), broker())
        with pytest.raises(RegistrationRefused, match="still has /brokers/ids/1 after 300 ms"):
            await enlist(session, broker())
        waiting = asyncio.ensure_future(
            register(session, broker(), 1, own_sessions=(), patience_ms=OUTER_LIMIT_S * 1000)
        )
        await earlier.keeper.close()
        epoch = await asyncio.wait_for(waiting, OUTER_LIMIT_S)

        node = await run(session, read_node(paths.broker(BrokerId(1))))
        assert node is not None
        assert (node.czxid, node.ephemeral_owner) == (epoch, session.session_id)

    with_session(chroot, use)


def test_what_an_own_session_left_behind_is_replaced_at_once(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> None:
        earlier = Sessions(chroot)
        old = await earlier.next()
        old_epoch = await enlist(old, broker())
        try:
            assert await enlist(session, broker(port=9093), (old.session_id,)) > old_epoch
        finally:
            await earlier.keeper.close()

    with_session(chroot, use)


def test_a_transaction_whose_answer_was_lost_is_recognised(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> None:
        assert await enlist(session, broker()) == await enlist(session, broker())

    with_session(chroot, use)


def test_after_an_expiry_nothing_passes_by_the_old_session(chroot: str) -> None:
    async def use(sessions: Sessions, session: Session) -> None:
        epoch = await enlist(session, broker())
        await sessions.expire()
        with pytest.raises(SessionExpiredError):
            await run(session, make_each((Create("/written-by-a-zombie"),)))
        following = await sessions.next()
        assert await run(following, read_node("/written-by-a-zombie")) is None
        assert await run(following, read_node(paths.broker(BrokerId(1)))) is None

        assert session.is_over
        assert await enlist(following, broker()) > epoch

    with_session(chroot, use)


def test_what_is_under_way_when_the_session_ends_fails_and_does_not_hang(chroot: str) -> None:
    async def use(sessions: Sessions, session: Session) -> None:
        asked = [asyncio.ensure_future(run(session, read_node("/"))) for _ in range(50)]
        await sessions.keeper.close()
        outcomes = await asyncio.wait_for(
            asyncio.gather(*asked, return_exceptions=True), OUTER_LIMIT_S
        )

        assert all(outcome is not None for outcome in outcomes)

    with_session(chroot, use)


def test_generated_ids_begin_above_those_that_are_reserved(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> list[int]:
        return [await run(session, new_broker_id(1000)) for _ in range(2)]

    assert with_session(chroot, use) == [1001, 1002]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_client_whose_thread_has_ended_is_replaced(chroot: str, monkeypatch: Any) -> None:
    """Once, nobody noticed: the broker waited for a session that no thread could begin."""
    monkeypatch.setattr("cluster.runtime.zookeeper.session.LOOK_S", 0.01)

    async def use(sessions: Sessions, session: Session) -> None:
        client = sessions.keeper._client
        # What no request is: kazoo's thread fails over it.
        client._queue.append((object(), None))
        client._connection._write_sock.send(b"\0")

        ended = await asyncio.wait_for(sessions.ended.get(), OUTER_LIMIT_S)
        following = await sessions.next()

        assert ended is session
        assert session.is_over
        assert sessions.keeper._client is not client
        assert following.session_id != session.session_id
        assert await enlist(following, broker()) > 0

    with_session(chroot, use)
