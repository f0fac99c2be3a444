"""A cluster of this machine: how does it come up, and how does it go?

Every command brings what it finds, complete or not, to the state that was asked for; so a command
that was killed half-way needs no repair but to be run again.  Prints nothing.
"""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kadmin.jvm.java import Java, find_java
from kadmin.local.archive import server_archive
from kadmin.local.broker import STOP_GRACE_S, BrokerFailed, BrokerServer, wait_until_brokers_serve
from kadmin.local.brokers import settle_joining
from kadmin.local.jars import class_path
from kadmin.local.provisioning import ClusterRequest, find_or_create, require_unused
from kadmin.local.server import START_TIMEOUT_S
from kadmin.local.state import (
    STATE_FILE,
    UNFINISHED_STATE_FILE,
    LocalCluster,
    NoSuchCluster,
    cluster_names,
    disk_errors,
    location,
    locked,
    read_cluster,
    require_cluster,
)
from kadmin.local.status import ClusterStatus, registered_in, status_of, status_or_problem
from kadmin.local.zookeeper import ServerFailed, ZooKeeperServer, wait_until_serving


@dataclass(frozen=True, slots=True, kw_only=True)
class UpResult:
    """What `up` did: made the cluster, started servers, some of them again; or nothing.

    *setting_warnings* is what the brokers that it started say of their settings.
    """

    cluster: LocalCluster
    is_new: bool
    started: tuple[int, ...]
    started_again: tuple[int, ...]
    resumed: tuple[int, ...]
    brokers: "BrokersUp"
    setting_warnings: tuple[str, ...]

    @property
    def launched(self) -> tuple[BrokerServer | ZooKeeperServer, ...]:
        """The servers whose processes it has started."""
        zookeepers = {*self.started, *self.started_again}
        brokers = {*self.brokers.started, *self.brokers.started_again}
        return (
            *(server for server in self.cluster.servers if server.id in zookeepers),
            *(broker for broker in self.cluster.brokers if broker.id in brokers),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokersUp:
    """The ids of brokers by what was done to them; *unchanged* ones run by earlier settings."""

    started: tuple[int, ...]
    started_again: tuple[int, ...]
    resumed: tuple[int, ...]
    unchanged: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DownResult:
    """The ids of the ZooKeepers and brokers that ran, and of the brokers that had to be killed."""

    zookeepers: tuple[int, ...]
    brokers: tuple[int, ...]
    killed_brokers: tuple[int, ...]


def up(
    name: str,
    *,
    zookeepers: int | None = None,
    directory: Path | None = None,
    port: int | None = None,
    bind: str | None = None,
    brokers: int | None = None,
    racks: tuple[str, ...] | None = None,
    settings: Mapping[str, str] | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> UpResult:
    """Bring the cluster *name* up, made first when there is none, and wait until it serves.

    None means: as it is, or for a new one 1 ZooKeeper, no brokers, the usual directory, free ports
    and the loopback.  *port* is that of the first ZooKeeper; the next ones follow it.  More
    *brokers* than there are get added; *settings* hold for brokers that are started from now on.

    Raises:
        RefusedError: it exists and differs from what is asked for; *directory* holds other files.
        PortBlocked, ServerFailed, BrokerFailed: a server cannot start, or does not serve in time.
        InProgressError: another command changes this cluster.
    """
    java, jars = find_java(), class_path()
    request = ClusterRequest(
        zookeepers=zookeepers,
        directory=directory,
        port=port,
        bind=bind,
        brokers=brokers,
        racks=racks,
        settings=settings or {},
    )
    with disk_errors(name), locked(name, timeout_s) as lock:
        cluster, is_new = find_or_create(name, request)
        resumed = resume_zookeepers(cluster)
        started, started_again = start_zookeepers(cluster, java, lock, timeout_s)
        # Not before: a client that connects too early to a ZooKeeper may wait for seconds.
        started_brokers = start_brokers(cluster, lock)
        started_brokers = await_brokers(cluster, started_brokers, lock, timeout_s)
        cluster = settle_joining(cluster)
    if started or started_again:
        server_archive(java, jars).ask()
    return UpResult(
        cluster=cluster,
        is_new=is_new,
        started=tuple(started),
        started_again=tuple(started_again),
        resumed=tuple(resumed),
        brokers=started_brokers,
        setting_warnings=setting_warnings(cluster, started_brokers),
    )


def resume_zookeepers(cluster: LocalCluster) -> list[int]:
    """Resume paused ZooKeepers that have not been asked to end; returns their ids."""
    resumed = []
    for server in cluster.servers:
        if server.is_paused and not server.is_ending:
            server.resume()
            resumed.append(server.id)
    return resumed


def start_zookeepers(
    cluster: LocalCluster, java: Java, lock: int, timeout_s: float
) -> tuple[list[int], list[int]]:
    """Start all ZooKeepers that do not run, and wait until every one serves.

    One that ran when we came and does not come to serve, since a command that was killed had begun
    to end it, say, is ended and started.  Gives the ids of those that were started for the first
    time, and again.
    """
    started: list[int] = []
    started_again: list[int] = []
    for server in cluster.servers:
        server.finish_ending()
    for server in cluster.servers:
        if not server.is_alive:
            was_running = server.process is not None
            server.launch(java, holding=lock)
            (started_again if was_running else started).append(server.id)
    found = [server for server in cluster.servers if server.id not in (*started, *started_again)]
    try:
        wait_until_serving(cluster.servers, timeout_s / 2 if found else timeout_s)
    except ServerFailed:
        stuck = [server for server in found if not server.serves]
        for server in stuck:
            server.stop()
            server.launch(java, holding=lock)
            started_again.append(server.id)
        if not found:
            raise
        wait_until_serving(cluster.servers, timeout_s)
    return started, started_again


def start_brokers(cluster: LocalCluster, lock: int) -> BrokersUp:
    """Start all brokers that do not run and let paused ones go on; they do not serve yet."""
    started: list[int] = []
    started_again: list[int] = []
    resumed: list[int] = []
    unchanged: list[int] = []
    for broker in cluster.brokers:
        broker.finish_ending()
        if not broker.is_alive:
            was_running = broker.process is not None
            broker.launch(holding=lock)
            (started_again if was_running else started).append(broker.id)
            continue
        if broker.is_paused:
            broker.resume()
            resumed.append(broker.id)
        if broker.has_other_settings:
            unchanged.append(broker.id)
    return BrokersUp(
        started=tuple(started),
        started_again=tuple(started_again),
        resumed=tuple(resumed),
        unchanged=tuple(unchanged),
    )


def await_brokers(
    cluster: LocalCluster, brokers: BrokersUp, lock: int, timeout_s: float
) -> BrokersUp:
    """Wait until all brokers serve; what ran when we came and has ended since is started again.

    A command that was killed may have asked it to end and left no mark, or its ZooKeepers were away
    for too long.
    """
    ours = {*brokers.started, *brokers.started_again}
    try:
        wait_until_brokers_serve(cluster.brokers, lambda: registered_in(cluster), timeout_s)
    except BrokerFailed:
        ended = [each for each in cluster.brokers if each.id not in ours and not each.is_alive]
        if not ended:
            raise
        for broker in ended:
            broker.launch(holding=lock)
        wait_until_brokers_serve(cluster.brokers, lambda: registered_in(cluster), timeout_s)
        again = tuple(broker.id for broker in ended)
        return replace(brokers, started_again=(*brokers.started_again, *again))
    return brokers


def setting_warnings(cluster: LocalCluster, brokers: BrokersUp) -> tuple[str, ...]:
    """Return what those of *brokers* that were started say of their settings, each thing once."""
    started = {*brokers.started, *brokers.started_again}
    said = [
        text
        for broker in cluster.brokers
        if broker.id in started
        for text in broker.setting_warnings
    ]
    return tuple(dict.fromkeys(said))


def status(name: str) -> ClusterStatus:
    """Return the cluster *name* as it is now; raises NoSuchCluster or BrokenState."""
    return status_of(require_cluster(name))


def list_clusters() -> list[ClusterStatus]:
    """Return all clusters of this user, by name; what cannot be read is listed with its problem."""
    return [status_or_problem(name) for name in cluster_names()]


def down(name: str, *, timeout_s: float = START_TIMEOUT_S) -> DownResult:
    """Stop the servers of the cluster *name*, keep its data.

    Raises:
        NoSuchCluster, BrokenState, InProgressError.
    """
    with disk_errors(name), locked(name, timeout_s):
        return stop_all(require_cluster(name))


def destroy(name: str, *, timeout_s: float = START_TIMEOUT_S) -> tuple[Path, ...]:
    """Stop the cluster *name* and remove it with its data; a second run ends a broken-off one.

    Gives the files in its directory that are not the cluster's: they and the directory stay.

    Raises:
        NoSuchCluster, BrokenState, InProgressError.
        RefusedError: what has the name is not a cluster.
    """
    with disk_errors(name), locked(name, timeout_s):
        link = location(name)
        home = link.resolve()
        if not os.path.lexists(link):
            raise NoSuchCluster(name)
        cluster = read_cluster(name)
        if cluster is None:
            require_unused(home)
        else:
            stop_all(cluster)
            remove_servers(cluster)
        others = remove_home(home)
        if link.is_symlink():
            link.unlink()
        return others


def remove_servers(cluster: LocalCluster) -> None:
    brokers = [broker.directory for broker in cluster.brokers]
    for directory in (*brokers, *(server.directory for server in cluster.servers)):
        if directory.exists():
            shutil.rmtree(directory)


def remove_home(home: Path) -> tuple[Path, ...]:
    """Remove the cluster's directory, or what is the cluster's in it; gives what is not.

    The file that makes the directory ours goes last, so that a second run may go on.
    """
    (home / UNFINISHED_STATE_FILE).unlink(missing_ok=True)
    (home / STATE_FILE).unlink(missing_ok=True)
    others = tuple(sorted(home.iterdir())) if home.is_dir() else ()
    if home.is_dir() and not others:
        home.rmdir()
    return others


def stop_all(cluster: LocalCluster) -> DownResult:
    """End all servers, the brokers before the ZooKeepers, which they need for a good end."""
    brokers = [broker for broker in cluster.brokers if broker.is_alive]
    killed = stop_brokers(cluster.brokers)
    running = tuple(server.id for server in cluster.servers if server.is_alive)
    for server in cluster.servers:
        server.ask_to_end()
    for server in cluster.servers:
        server.stop()
    return DownResult(
        zookeepers=running,
        brokers=tuple(broker.id for broker in brokers),
        killed_brokers=tuple(killed),
    )


def stop_brokers(brokers: Sequence[BrokerServer]) -> list[int]:
    """End all *brokers* at the same time; gives the ids of those that had to be killed."""
    for broker in brokers:
        broker.ask_to_end()
    deadline = time.monotonic() + STOP_GRACE_S
    killed = []
    for broker in brokers:
        if broker.end(max(0.0, deadline - time.monotonic())):
            killed.append(broker.id)
    return killed
