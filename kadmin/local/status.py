"""The status of a cluster of this machine and its servers at this moment.

Asks the processes and the servers themselves; changes nothing and takes no lock.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kadmin.local.addresses import LOOPBACK, local_address
from kadmin.local.broker import BrokerServer
from kadmin.local.broker_probe import TooOld, registered_brokers
from kadmin.local.server import ServerState
from kadmin.local.state import BrokenState, LocalCluster, location, read_cluster
from kadmin.local.zookeeper import ZooKeeperServer


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
class BrokerStatus:
    """One broker as it was found; *pid* is None when no process was ever noted."""

    id: int
    pid: int | None
    port: int
    state: ServerState
    rack: str | None
    logs_directory: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """A cluster as it was found; one that cannot be read has no servers and a *problem*.

    *address* is where its clients on this machine find its servers.
    """

    name: str
    zookeeper_connect: str
    directory: Path
    servers: tuple[ServerStatus, ...]
    address: str = LOOPBACK
    bootstrap_servers: str = ""
    brokers: tuple[BrokerStatus, ...] = ()
    problem: str | None = None

    @property
    def has_zookeeper(self) -> bool:
        """Whether a majority of the ZooKeepers serves."""
        states = [server.state for server in self.servers]
        return zookeeper_state(states) in (ClusterState.SERVING, ClusterState.DEGRADED)

    @property
    def serving_brokers(self) -> tuple[BrokerStatus, ...]:
        return tuple(each for each in self.brokers if each.state is ServerState.SERVING)

    @property
    def state(self) -> ClusterState:
        if self.problem is not None:
            return ClusterState.BROKEN
        zookeeper = zookeeper_state([server.state for server in self.servers])
        brokers = [broker.state for broker in self.brokers]
        if zookeeper is ClusterState.STOPPED and any(map(is_running, brokers)):
            return ClusterState.NOT_SERVING
        if zookeeper not in (ClusterState.SERVING, ClusterState.DEGRADED):
            return zookeeper
        serving_count = brokers.count(ServerState.SERVING)
        if serving_count == len(brokers):
            return zookeeper
        if ServerState.STARTING in brokers and not any(map(is_faulty, brokers)):
            return ClusterState.STARTING
        return ClusterState.DEGRADED if serving_count > 0 else ClusterState.NOT_SERVING


def zookeeper_state(states: Sequence[ServerState]) -> ClusterState:
    """Return what servers in *states*, at least one, are together."""
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
        (ServerState.PAUSED, ClusterState.NOT_SERVING),
        (ServerState.SERVING, ClusterState.NOT_SERVING),
    ):
        if server_state in states:
            return cluster_state
    return ClusterState.STOPPED


def is_running(state: ServerState) -> bool:
    return state not in (ServerState.DEAD, ServerState.STOPPED)


def is_faulty(state: ServerState) -> bool:
    return state not in (ServerState.SERVING, ServerState.STARTING)


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
    registered: frozenset[int] = frozenset()
    if cluster.broker_members:
        # ZooKeepers that cannot report it are no reason to show nothing of all the rest.
        with suppress(TooOld):
            registered = registered_in(cluster)
    return ClusterStatus(
        name=cluster.name,
        zookeeper_connect=cluster.zookeeper_connect,
        directory=cluster.directory,
        servers=tuple(server_status(server) for server in cluster.servers),
        address=local_address(cluster.address),
        bootstrap_servers=cluster.bootstrap_servers,
        brokers=tuple(broker_status(broker, registered) for broker in cluster.brokers),
    )


def registered_in(cluster: LocalCluster) -> frozenset[int]:
    """Return the ids of the brokers that *cluster*'s ZooKeepers know; none without a majority.

    Raises:
        TooOld: the ZooKeepers cannot report them.
    """
    host = local_address(cluster.address)
    return registered_brokers(
        [(host, server.port) for server in cluster.servers if not server.is_paused]
    )


def broker_status(broker: BrokerServer, registered: Collection[int]) -> BrokerStatus:
    process = broker.process
    return BrokerStatus(
        id=broker.id,
        pid=None if process is None else process.pid,
        port=broker.port,
        state=broker.state(registered),
        rack=broker.member.rack,
        logs_directory=broker.logs_directory,
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
