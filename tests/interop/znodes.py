"""What do the tests read in ZooKeeper with their own eyes, past kadmin's codecs?"""

import json
from collections.abc import Iterator
from typing import Any, Final

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from tests.interop.brokers import RealCluster
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

TIMEOUT_S: Final = 30.0


def exists(cluster: RealCluster, path: str) -> bool:
    with client_of(cluster.zookeeper_connect) as client:
        return client.exists(path) is not None


def names(cluster: RealCluster, path: str) -> list[str]:
    with client_of(cluster.zookeeper_connect) as client:
        return sorted(client.get_children(path))


def document(cluster: RealCluster, path: str) -> Any:
    """The JSON of the node at *path*."""
    with client_of(cluster.zookeeper_connect) as client:
        return json.loads(client.get(path)[0])


def partitions(client: KazooClient) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """Replicas and state of every partition that has a state; deletions may go on meanwhile."""
    for topic in client.get_children("/brokers/topics"):
        path = f"/brokers/topics/{topic}"
        try:
            assignment = json.loads(client.get(path)[0])["partitions"]
            for partition, replicas in assignment.items():
                data, _ = client.get(f"{path}/partitions/{partition}/state")
                yield replicas, json.loads(data)
        except NoNodeError:
            continue


def wait_until_dead(cluster: RealCluster, broker_id: int) -> None:
    """Wait until no partition counts on *broker_id* any more, but those that have nobody else."""
    with client_of(cluster.zookeeper_connect) as client:

        def is_settled() -> bool:
            if client.exists(f"/brokers/ids/{broker_id}") or not client.exists("/controller"):
                return False
            return all(
                state["leader"] != broker_id
                and (broker_id not in state["isr"] or state["isr"] == [broker_id])
                for _, state in partitions(client)
            )

        wait_until(is_settled, timeout_s=TIMEOUT_S, what=f"the end of broker {broker_id}")


def wait_until_back(cluster: RealCluster, broker_id: int) -> None:
    """Wait until *broker_id* is in the ISR of all its partitions again."""
    with client_of(cluster.zookeeper_connect) as client:

        def is_back() -> bool:
            return all(
                broker_id in state["isr"] and state["leader"] >= 0
                for replicas, state in partitions(client)
                if broker_id in replicas
            )

        wait_until(is_back, timeout_s=TIMEOUT_S, what=f"the return of broker {broker_id}")
