"""How are a cluster of this machine and its servers at this moment?

Asks the processes and the servers themselves; changes nothing and takes no lock.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kadmin.local.state import BrokenState, LocalCluster, location, read_cluster
from kadmin.local.zookeeper import ServerState, ZooKeeperServer


class ClusterState(StrEnum):
    """The worst thing to say of a cluster, as its clients see it."""

    SERVING = "serving"
    DEGRADED = "degraded"
    STARTING = "starting"
    NOT_SERVING = "not serving"
    STOPPED = "stopped"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """One ZooKeeper as it was found; *pid* is None when no process was ever noted."""

    id: int
    pid: int | None
    port: int
    state: ServerState
    mode: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """A cluster as it was found; one that cannot be read has no servers and a *problem*."""

    name: str
    zookeeper_connect: str
    directory: Path
    servers: tuple[ServerStatus, ...]
    problem: str | None = None

    @property
    def state(self) -> ClusterState:
        if self.problem is not None:
            return ClusterState.BROKEN
        states = [server.state for server in self.servers]
        serving_count = states.count(ServerState.SERVING)
        if serving_count == len(states):
            return ClusterState.SERVING
        # A majority serves the clients without the rest.
        if serving_count > len(states) // 2:
            return ClusterState.DEGRADED
        for server_state, cluster_state in (
            (ServerState.DEAD, ClusterState.NOT_SERVING),
            (ServerState.STARTING, ClusterState.STARTING),
            (ServerState.NOT_SERVING, ClusterState.NOT_SERVING),
            (ServerState.SERVING, ClusterState.NOT_SERVING),
        ):
            if server_state in states:
                return cluster_state
        return ClusterState.STOPPED


def status_or_problem(name: str) -> ClusterStatus:
    try:
        cluster = read_cluster(name)
    except BrokenState as error:
        problem = error.message
    else:
        if cluster is not None:
            return status_of(cluster)
        problem = "only a part of it is there"
    home = location(name).resolve()
    return ClusterStatus(
        name=name, zookeeper_connect="", directory=home, servers=(), problem=problem
    )


def status_of(cluster: LocalCluster) -> ClusterStatus:
    return ClusterStatus(
        name=cluster.name,
        zookeeper_connect=cluster.zookeeper_connect,
        directory=cluster.directory,
        servers=tuple(server_status(server) for server in cluster.servers),
    )


def server_status(server: ZooKeeperServer) -> ServerStatus:
    state, answer = server.state()
    process = server.process
    return ServerStatus(
        id=server.id,
        pid=None if process is None else process.pid,
        port=server.port,
        state=state,
        mode=None if answer is None else answer.mode,
    )
