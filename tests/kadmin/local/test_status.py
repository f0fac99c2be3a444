from pathlib import Path

import pytest

from kadmin.local.server import ServerState
from kadmin.local.status import BrokerStatus, ClusterState, ClusterStatus, ServerStatus

WORDS = {
    "S": ServerState.SERVING,
    "b": ServerState.STARTING,
    "n": ServerState.NOT_SERVING,
    "p": ServerState.PAUSED,
    "d": ServerState.DEAD,
    "-": ServerState.STOPPED,
}


def status_of(zookeepers: str, brokers: str) -> ClusterStatus:
    return ClusterStatus(
        name="local",
        zookeeper_connect="127.0.0.1:1",
        directory=Path("/nowhere"),
        servers=tuple(
            ServerStatus(id=number, pid=None, port=number, state=WORDS[letter], mode=None)
            for number, letter in enumerate(zookeepers, start=1)
        ),
        brokers=tuple(
            BrokerStatus(
                id=number,
                pid=None,
                port=number,
                state=WORDS[letter],
                rack=None,
                logs_directory=Path("/nowhere/logs"),
            )
            for number, letter in enumerate(brokers, start=1)
        ),
    )


@pytest.mark.parametrize(
    ("zookeepers", "brokers", "expected"),
    [
        ("S", "", ClusterState.SERVING),
        ("S", "SSS", ClusterState.SERVING),
        ("S", "SbS", ClusterState.STARTING),
        ("S", "bbb", ClusterState.STARTING),
        ("S", "SS-", ClusterState.DEGRADED),
        ("S", "SSd", ClusterState.DEGRADED),
        ("S", "Spb", ClusterState.DEGRADED),
        ("S", "---", ClusterState.NOT_SERVING),
        ("S", "d-p", ClusterState.NOT_SERVING),
        ("SSd", "SS", ClusterState.DEGRADED),
        ("SSd", "S-", ClusterState.DEGRADED),
        ("SSd", "dd", ClusterState.NOT_SERVING),
        ("b", "bb", ClusterState.STARTING),
        ("d", "nn", ClusterState.NOT_SERVING),
        ("Sdd", "nn", ClusterState.NOT_SERVING),
        ("-", "--", ClusterState.STOPPED),
        ("-", "d-", ClusterState.STOPPED),
        ("p", "", ClusterState.NOT_SERVING),
        ("p", "SS", ClusterState.NOT_SERVING),
        ("SpS", "SS", ClusterState.DEGRADED),
        ("Spp", "SS", ClusterState.NOT_SERVING),
        ("p--", "", ClusterState.NOT_SERVING),
        ("-", "n-", ClusterState.NOT_SERVING),
        ("-", "p-", ClusterState.NOT_SERVING),
    ],
)
def test_a_cluster_is_what_its_clients_find(
    zookeepers: str, brokers: str, expected: ClusterState
) -> None:
    assert expected == status_of(zookeepers, brokers).state
