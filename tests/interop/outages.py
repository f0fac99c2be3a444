"""How do the tests make a broker fail or a partition move, and know that the cluster has done so?

Waits look at ZooKeeper, where the controller writes what it decided; knows no kadmin.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from kazoo.exceptions import NoNodeError

from tests.interop.brokers import RealCluster
from tests.interop.releases import version_tuple
from tests.interop.znodes import json_at, partitions
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

NO_LEADER: Final = -1

KEEPS_DEAD_LEADERS_BEFORE: Final = (2, 0)
"""Up to 1.1 a controller that is elected when the last of an ISR is dead leaves it as leader."""


@contextmanager
def killed(cluster: RealCluster, broker_id: int) -> Iterator[None]:
    """*broker_id* is dead, and known to be so, inside; all is well again afterwards."""
    cluster.kill(broker_id)
    try:
        unregister(cluster.zookeeper_connect, broker_id)
        wait_until_dead(cluster, broker_id)
        yield
    finally:
        cluster.start(broker_id)
        wait_until_back(cluster, broker_id)


def unregister(connect: str, broker_id: int) -> None:
    """Delete at once what the session of a killed broker leaves until it times out.

    The other brokers see what they see when it does; the test does not wait so long.
    """
    with client_of(connect) as client:
        left = [f"/brokers/ids/{broker_id}"]
        if (json_at(client, "/controller") or {}).get("brokerid") == broker_id:
            left.append("/controller")
        for path in left:
            # On a busy machine the session may have ended before.
            with suppress(NoNodeError):
                client.delete(path)


def wait_until_dead(cluster: RealCluster, broker_id: int) -> None:
    """Wait until every partition has another leader, or none where nobody else is in the ISR."""
    keeps_dead_leaders = version_tuple(cluster.release) < KEEPS_DEAD_LEADERS_BEFORE
    with client_of(cluster.zookeeper_connect) as client:

        def is_settled() -> bool:
            if client.exists(f"/brokers/ids/{broker_id}") or not client.exists("/controller"):
                return False
            epoch = json_at(client, "/controller_epoch") if keeps_dead_leaders else 0
            return all(has_left(broker_id, state, epoch) for _, state in partitions(client))

        wait_until(is_settled, what=f"the end of broker {broker_id}")


def has_left(broker_id: int, state: Mapping[str, Any], kept_before: int) -> bool:
    """Whether a controller has written who leads instead of *broker_id*, or will not do so.

    A dead leader whom nobody can follow may be kept in a state older than the controller epoch
    *kept_before*.
    """
    # First it leaves the ISR, with leader -1; the new leader is written after that.
    leader: int = state["leader"]
    if state["isr"] == [broker_id]:
        return leader == NO_LEADER or bool(state["controller_epoch"] < kept_before)
    return broker_id not in state["isr"] and leader not in (NO_LEADER, broker_id)


def wait_until_back(cluster: RealCluster, broker_id: int) -> None:
    """Wait until *broker_id* is in the ISR of all its partitions again."""
    with client_of(cluster.zookeeper_connect) as client:

        def is_back() -> bool:
            return all(
                broker_id in state["isr"] and state["leader"] >= 0
                for replicas, state in partitions(client)
                if broker_id in replicas
            )

        wait_until(is_back, what=f"the return of broker {broker_id}")


def wait_until_led(cluster: RealCluster) -> None:
    """Wait until every partition has a leader; Kafka's own create does not."""
    with client_of(cluster.zookeeper_connect) as client:
        wait_until(
            lambda: all(state["leader"] >= 0 for _, state in partitions(client)),
            what="leaders",
        )


def wait_until_deleted(cluster: RealCluster, topic: str) -> None:
    """Wait until the controller has removed all that ZooKeeper knew of *topic*."""
    wait_until_done(cluster, f"delete_topics/{topic}")


def wait_until_done(cluster: RealCluster, request: str) -> None:
    """Wait until the controller has taken away the node `/admin/<request>`, done or refused."""
    with client_of(cluster.zookeeper_connect) as client:
        wait_until(
            lambda: not client.exists(f"/admin/{request}"),
            what=f"the end of {request}",
        )


def reassign(cluster: RealCluster, partition: tuple[str, int], replicas: list[int]) -> None:
    """Ask for new replicas as Kafka's own tool does up to 2.8; the controller of 3.9 still acts."""
    topic, number = partition
    wanted = [{"topic": topic, "partition": number, "replicas": replicas}]
    request = {"version": 1, "partitions": wanted}
    with client_of(cluster.zookeeper_connect) as client:
        client.create("/admin/reassign_partitions", json.dumps(request).encode())
    wait_until_done(cluster, "reassign_partitions")
