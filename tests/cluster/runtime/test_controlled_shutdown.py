"""How long a broker that stops waits for somebody to take its leaderships."""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.runtime import controlled_shutdown
from cluster.runtime.broker import read_properties
from cluster.runtime.controlled_shutdown import request_controlled_shutdown
from cluster.runtime.network.peers import TcpPeers
from cluster.runtime.network.transports import TRANSPORTS
from cluster.runtime.zookeeper.session import Session
from cluster.settings.broker_settings import BrokerSettings
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session
from tests.support.brokers import write_properties
from tests.support.controlling import Controller, be_controller
from tests.support.serving import serving
from tests.support.waiting import OUTER_LIMIT_S, turns
from tests.support.zookeeper import running_server

pytestmark = pytest.mark.zk

LONG_MS = "600000"


def giving_up(
    directory: Path,
    connect: str,
    is_connected: Callable[[], bool] = lambda: True,
    **settings: str,
) -> Callable[[Sessions, Session], Coroutine[Any, Any, bool]]:
    """The attempts of broker 1 with *settings*, whose dots are underscores, within the deadline."""
    given = {name.replace("_", "."): value for name, value in settings.items()}
    properties = read_properties(str(write_properties(directory, connect, 1, given)))
    parsed = BrokerSettings.parse(properties, working_directory="/")

    async def use(sessions: Sessions, session: Session) -> bool:
        peers = TcpPeers(asyncio.get_running_loop(), "PLAINTEXT", TRANSPORTS["PLAINTEXT"])
        attempts = request_controlled_shutdown(
            session, peers, parsed, BrokerId(1), BrokerEpoch(5), is_connected
        )
        return await asyncio.wait_for(attempts, OUTER_LIMIT_S)

    return use


def test_a_silent_controller_is_waited_for_no_longer_than_the_bound(
    tmp_path: Path,
    chroot: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(controlled_shutdown, "PATIENCE_S", 0.5)
    use = giving_up(tmp_path, chroot, controller_socket_timeout_ms=LONG_MS)
    with_session(chroot, lambda sessions, session: turns(0))

    with socket.create_server(("127.0.0.1", 0)) as silent:
        be_controller(chroot, silent.getsockname()[1])
        is_released = with_session(chroot, use)

    assert not is_released
    assert "The controller has not moved leaderships away within 0.5 s" in caplog.text


def test_a_controller_is_not_looked_for_again_when_zookeeper_is_lost_meanwhile(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    controller = Controller()
    use = giving_up(
        tmp_path,
        chroot,
        lambda: not controller.asked,
        controlled_shutdown_retry_backoff_ms="1",
        controlled_shutdown_max_retries="1000000",
    )
    with_session(chroot, lambda sessions, session: turns(0))

    with serving(controller) as server:
        be_controller(chroot, server.port)
        is_released = with_session(chroot, use)

    assert not is_released
    assert len(controller.asked) == 1
    assert "Without ZooKeeper no controller is found" in caplog.text


def test_a_silent_zookeeper_is_waited_for_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "cluster.runtime")
    with running_server(tmp_path / "zookeeper") as server:
        asking = giving_up(
            tmp_path / "b1",
            server.connect,
            controller_socket_timeout_ms="100",
            controlled_shutdown_retry_backoff_ms=LONG_MS,
        )

        async def use(sessions: Sessions, session: Session) -> bool:
            await asyncio.to_thread(server.kill)
            return await asking(sessions, session)

        is_released = with_session(server.connect, use)

    assert not is_released
    assert caplog.text.count("No controller is found to move leaderships away") == 1
