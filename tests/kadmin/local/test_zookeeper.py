import pytest

from kadmin.local.zookeeper import ServerState, ZooKeeperServer
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def test_the_shared_server_serves_clients_below_a_chroot(
    zookeeper: ZooKeeperServer, chroot: str
) -> None:
    with client_of(chroot) as client:
        client.create("/a", b"1")
        children = client.get_children("/")
    state, answer = zookeeper.state()

    assert ["a"] == children
    assert ServerState.SERVING == state
    assert answer is not None
    assert "standalone" == answer.mode
