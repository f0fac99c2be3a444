"""What do the tests read in ZooKeeper with their own eyes, past kadmin's codecs?"""

import json
from collections.abc import Iterator
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from tests.interop.brokers import RealCluster
from tests.support.zookeeper import client_of


def names(cluster: RealCluster, path: str) -> list[str]:
    with client_of(cluster.zookeeper_connect) as client:
        return sorted(client.get_children(path))


def document(cluster: RealCluster, path: str) -> Any:
    """The JSON of the node at *path*, None where there is none."""
    with client_of(cluster.zookeeper_connect) as client:
        return json_at(client, path)


def partitions(client: KazooClient) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """Replicas and state of every partition; one without a state has leader -1 and no ISR."""
    for topic in client.get_children("/brokers/topics"):
        path = f"/brokers/topics/{topic}"
        assignment = json_at(client, path) or {"partitions": {}}
        for partition, replicas in assignment["partitions"].items():
            state = json_at(client, f"{path}/partitions/{partition}/state")
            yield replicas, state or {"leader": -1, "isr": []}


def json_at(client: KazooClient, path: str) -> Any:
    """The JSON of the node at *path*, None where there is none."""
    try:
        return json.loads(client.get(path)[0])
    except NoNodeError:
        return None
