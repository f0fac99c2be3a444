"""Changes of any single server of a cluster of this machine: kill, pause and resume it.

Every command takes the cluster's lock and returns the state that it found, so that one which comes
too late or twice does no harm.  Prints nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from kadmin.errors import KadminError, RefusedError
from kadmin.local.broker import BrokerServer
from kadmin.local.server import START_TIMEOUT_S, NotRunning
from kadmin.local.state import LocalCluster, disk_errors, locked, require_cluster
from kadmin.local.zookeeper import ZooKeeperServer

ServerT = TypeVar("ServerT", BrokerServer, ZooKeeperServer)


@dataclass(frozen=True, slots=True)
class Kind(Generic[ServerT]):
    """A kind of servers: its name in commands, and which ones a cluster has."""

    name: str
    of: Callable[[LocalCluster], Sequence[ServerT]]


BROKER: Final[Kind[BrokerServer]] = Kind("broker", lambda cluster: cluster.brokers)
ZOOKEEPER: Final[Kind[ZooKeeperServer]] = Kind("zookeeper", lambda cluster: cluster.servers)


class NoSuchServer(KadminError):
    """The cluster has no server of that *kind* and id."""

    def __init__(
        self, cluster: LocalCluster, kind: str, server_id: int, known: Sequence[int]
    ) -> None:
        names = ", ".join(map(str, known)) or "none"
        super().__init__(
            f"there is no {kind} {server_id} in the cluster '{cluster.name}' (known: {names})",
            hint=f"'kadmin cluster status --name {cluster.name}' shows its {kind}s",
        )
        self.server_id = server_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[ServerT]):
    """A server after a command; *is_changed* is false if there was nothing to do."""

    cluster: LocalCluster
    server: ServerT
    is_changed: bool


def kill(
    kind: Kind[ServerT], name: str, server_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[ServerT]:
    """End a server as a crash does."""
    with changing(kind, name, server_id, timeout_s) as (cluster, server, _):
        was_alive = server.is_alive
        server.kill()
        return Outcome(cluster=cluster, server=server, is_changed=was_alive)


def pause(
    kind: Kind[ServerT], name: str, server_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[ServerT]:
    """Let a server stand still, while its connections stay: what others see of a long pause.

    Raises:
        NotRunning: it does not run.
    """
    with changing(kind, name, server_id, timeout_s) as (cluster, server, _):
        was_paused = server.is_paused
        server.pause()
        return Outcome(cluster=cluster, server=server, is_changed=not was_paused)


def resume(
    kind: Kind[ServerT], name: str, server_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[ServerT]:
    """Let a paused server go on.

    Raises:
        NotRunning: it does not run.
    """
    with changing(kind, name, server_id, timeout_s) as (cluster, server, _):
        was_paused = server.is_paused
        server.resume()
        return Outcome(cluster=cluster, server=server, is_changed=was_paused)


def require_not_paused(kind: Kind[ServerT], cluster: LocalCluster, server: ServerT) -> None:
    """Refuse to start a paused server, which is no new one: it goes on; raises RefusedError."""
    if server.is_paused:
        raise RefusedError(
            f"{server.title} is paused",
            hint=f"kadmin cluster resume-{kind.name} {server.id} --name {cluster.name}",
        )


def find(kind: Kind[ServerT], name: str, server_id: int) -> ServerT:
    """Return the server of that id; raises NoSuchServer, NoSuchCluster or BrokenState."""
    return server_of(kind, require_cluster(name), server_id)


def server_of(kind: Kind[ServerT], cluster: LocalCluster, server_id: int) -> ServerT:
    found = kind.of(cluster)
    for server in found:
        if server.id == server_id:
            return server
    raise NoSuchServer(cluster, kind.name, server_id, [server.id for server in found])


@contextmanager
def changing(
    kind: Kind[ServerT], name: str, server_id: int, timeout_s: float
) -> Iterator[tuple[LocalCluster, ServerT, int]]:
    """Yield the cluster, its server and the descriptor of the lock that is held meanwhile."""
    with disk_errors(name), locked(name, timeout_s) as lock:
        cluster = require_cluster(name)
        try:
            yield cluster, server_of(kind, cluster, server_id), lock
        except NotRunning as error:
            error.hint = f"kadmin cluster start-{kind.name} {server_id} --name {name}"
            raise
