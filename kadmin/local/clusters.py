"""How does a cluster of this machine come up, and how does it go?

Every command brings what it finds, complete or not, to the state that was asked for; so a command
that was killed half-way needs no repair but to be run again.  Prints nothing.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from kadmin.jvm.java import find_java
from kadmin.local.archive import server_archive
from kadmin.local.jars import class_path
from kadmin.local.making import Wish, find_or_make, require_unused
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
from kadmin.local.status import ClusterStatus, status_of, status_or_problem
from kadmin.local.zookeeper import START_TIMEOUT_S, wait_until_serving


@dataclass(frozen=True, slots=True, kw_only=True)
class UpResult:
    """What `up` did: made the cluster, started servers, some of them again; or nothing."""

    cluster: LocalCluster
    was_made: bool
    started: tuple[int, ...]
    started_again: tuple[int, ...]


def up(
    name: str,
    *,
    zookeepers: int | None = None,
    directory: Path | None = None,
    port: int | None = None,
    bind: str | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> UpResult:
    """Bring the cluster *name* up, made first when there is none, and wait until it serves.

    None means: as it is, or for a new one 1 ZooKeeper, the usual directory, free ports and the
    loopback.  *port* is that of the first ZooKeeper; the next ones follow it.

    Raises:
        RefusedError: it exists and differs from what is asked for; *directory* holds other files.
        PortBlocked, ServerFailed: a server cannot start, or does not serve in time.
        InProgressError: another command changes this cluster.
    """
    java, jars = find_java(), class_path()
    wish = Wish(zookeepers=zookeepers, directory=directory, port=port, bind=bind)
    with disk_errors(name), locked(name, timeout_s) as lock:
        cluster, was_made = find_or_make(name, wish)
        started: list[int] = []
        started_again: list[int] = []
        for server in cluster.servers:
            if not server.is_alive:
                was_running = server.process is not None
                server.launch(java, holding=lock)
                (started_again if was_running else started).append(server.id)
        wait_until_serving(cluster.servers, timeout_s)
    if started or started_again:
        server_archive(java, jars).ask()
    return UpResult(
        cluster=cluster,
        was_made=was_made,
        started=tuple(started),
        started_again=tuple(started_again),
    )


def status(name: str) -> ClusterStatus:
    """The cluster *name* as it is now; raises NoSuchCluster or BrokenState."""
    return status_of(require_cluster(name))


def list_clusters() -> list[ClusterStatus]:
    """All clusters of this user, by name; what cannot be read is listed with its problem."""
    return [status_or_problem(name) for name in cluster_names()]


def down(name: str, *, timeout_s: float = START_TIMEOUT_S) -> tuple[int, ...]:
    """Stop the servers of the cluster *name*, keep its data; gives the ids of those that ran.

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
    for server in cluster.servers:
        if server.directory.exists():
            shutil.rmtree(server.directory)


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


def stop_all(cluster: LocalCluster) -> tuple[int, ...]:
    """End all servers at the same time; gives the ids of those that ran."""
    running = tuple(server.id for server in cluster.servers if server.is_alive)
    for server in cluster.servers:
        server.ask_to_end()
    for server in cluster.servers:
        server.stop()
    return running
