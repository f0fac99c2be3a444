"""A real ZooKeeper, a registration, and somebody who takes it away."""

import asyncio
import logging

import pytest

from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.registration_watch import RegistrationWatch
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk import paths
from cluster.zk.steps import read_node
from tests.cluster.runtime.zookeeper.test_registration import Sessions, broker, enlist, with_session
from tests.support.waiting import until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

PATH = paths.broker(BrokerId(1))


def test_who_takes_the_registration_of_a_living_broker_is_told_of(
    chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "cluster")

    async def use(_: Sessions, session: Session) -> tuple[int, int]:
        await enlist(session, broker())
        watch = RegistrationWatch(BrokerId(1))
        watch.joined(session)
        with client_of(chroot) as other:
            await asyncio.to_thread(other.set, PATH, b"changed")
            watch.connection_changed(is_connected=True)
            assert caplog.messages == []
            await asyncio.to_thread(other.delete, PATH)
            await until(lambda: f"{PATH} is gone" in caplog.text, what="the loss")
            await asyncio.to_thread(other.create, PATH, b"", ephemeral=True)
            await until(lambda: "is that of session" in caplog.text, what="the other owner")
            watch.left()
            return session.session_id, other.client_id[0]

    own, foreign = with_session(chroot, use)

    assert f"although session 0x{own:x} of this broker goes on" in caplog.text
    assert f"{PATH} is that of session 0x{foreign:x}" in caplog.text


def test_a_registration_that_ends_with_its_session_is_no_news(
    chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "cluster")

    async def use(sessions: Sessions, session: Session) -> None:
        await enlist(session, broker())
        watch = RegistrationWatch(BrokerId(1))
        watch.joined(session)
        await sessions.expire()
        watch.left()
        # The next session sees that the node is gone, and has its turn after all that came before.
        following = await sessions.next()
        assert await run(following, read_node(PATH)) is None

    with_session(chroot, use)

    assert caplog.messages == []
