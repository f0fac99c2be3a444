"""What is done to single ZooKeepers of a cluster of this machine alone: start and stop one.

Prints nothing.
"""

from kadmin.errors import InProgressError
from kadmin.jvm.java import find_java
from kadmin.local.server import START_TIMEOUT_S
from kadmin.local.servers import ZOOKEEPER, Outcome, changing, require_not_paused
from kadmin.local.state import LocalCluster
from kadmin.local.zookeeper import ZooKeeperServer, wait_until_serving


def start_zookeeper(
    name: str, server_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[ZooKeeperServer]:
    """Start a ZooKeeper that does not run, and wait until it serves.

    Raises:
        RefusedError: it is paused.
        InProgressError: it runs, and serves no client before a majority runs.
        PortBlocked, ServerFailed: it cannot start, or does not serve in time.
    """
    java = find_java()
    with changing(ZOOKEEPER, name, server_id, timeout_s) as (cluster, server, lock):
        server.finish_ending()
        require_not_paused(ZOOKEEPER, cluster, server)
        was_alive = server.is_alive
        if not was_alive:
            server.launch(java, holding=lock)
        require_majority(cluster, server)
        wait_until_serving([server], timeout_s)
        return Outcome(cluster=cluster, server=server, is_changed=not was_alive)


def stop_zookeeper(
    name: str, server_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[ZooKeeperServer]:
    """End a ZooKeeper in good order, a paused one as well."""
    with changing(ZOOKEEPER, name, server_id, timeout_s) as (cluster, server, _):
        was_alive = server.is_alive
        server.ask_to_end()
        server.stop(timeout_s)
        return Outcome(cluster=cluster, server=server, is_changed=was_alive)


def running(cluster: LocalCluster) -> list[ZooKeeperServer]:
    """Return the ZooKeepers that run, and are not paused."""
    return [server for server in cluster.servers if server.is_alive and not server.is_paused]


def has_majority(cluster: LocalCluster) -> bool:
    """Return whether so many run as have to, for any of them to serve."""
    return 2 * len(running(cluster)) > len(cluster.servers)


def require_majority(cluster: LocalCluster, started: ZooKeeperServer) -> None:
    """Raise InProgressError if *started*, which runs now, does not serve since there is no
    majority."""
    if has_majority(cluster):
        return
    other = next(each for each in cluster.servers if each not in running(cluster))
    verb = "resume" if other.is_paused else "start"
    raise InProgressError(
        f"{started.title} of '{cluster.name}' is started, but does not serve yet:"
        f" {len(running(cluster))} of {len(cluster.servers)} run, which is no majority",
        hint=f"kadmin cluster {verb}-zookeeper {other.id} --name {cluster.name}",
    )
