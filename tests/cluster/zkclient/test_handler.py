"""Asking kazoo for something never makes the asker wait, whether or not anybody listens."""

import select
import threading

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionClosedError

from cluster.zkclient.handler import Handler, WakeUps
from tests.support.waiting import OUTER_LIMIT_S

MANY = 20_000


def is_readable(wake_ups: WakeUps) -> bool:
    return bool(select.select([wake_ups], [], [], 0)[0])


def test_wake_ups_are_counted_and_nobody_waits() -> None:
    wake_ups = WakeUps()

    for _ in range(MANY):
        wake_ups.send(b"\0")
    taken = 0
    while is_readable(wake_ups):
        wake_ups.recv(1)
        taken += 1

    assert taken == MANY
    with pytest.raises(BlockingIOError):
        wake_ups.recv(1)
    wake_ups.send(b"\0")
    assert is_readable(wake_ups)
    wake_ups.close()
    assert wake_ups.fileno() == -1


@pytest.mark.slow
def test_a_client_without_a_server_takes_any_number_of_requests() -> None:
    client = KazooClient(hosts="127.0.0.1:1", handler=Handler(), connection_retry={"max_tries": -1})
    client.start_async()

    def ask() -> None:
        promised.extend(client.exists_async("/a") for _ in range(MANY))

    promised: list[object] = []
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(timeout=OUTER_LIMIT_S)

    assert not asking.is_alive()
    assert len(promised) == MANY
    client.stop()
    client.close()
    with pytest.raises(ConnectionClosedError):
        client.exists("/a")


@pytest.mark.zk
def test_thousands_of_requests_are_answered_in_their_order(chroot: str) -> None:
    client = KazooClient(hosts=chroot, handler=Handler())
    client.start()
    client.ensure_path("/here")

    promised = [client.exists_async("/here" if number % 2 else "/away") for number in range(5000)]

    found = [one.get(timeout=OUTER_LIMIT_S) is not None for one in promised]
    assert found == [bool(number % 2) for number in range(5000)]
    client.stop()
    client.close()
