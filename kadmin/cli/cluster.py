"""`kadmin cluster`: start, see, stop and remove the clusters of this machine."""

from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from kadmin.cli.frame import Decorator, Group, Session, WholeNumber, group_command, option
from kadmin.errors import ExitCode, KadminError

if TYPE_CHECKING:
    from kadmin.local.clusters import UpResult
    from kadmin.local.status import ClusterStatus
    from kadmin.render.cluster import ClusterView


def name_option() -> Decorator:
    return option(
        "--name",
        metavar="NAME",
        default="local",
        show_default=True,
        completes="local-clusters",
        help="Which cluster.",
    )


@click.group("cluster", cls=Group)
def cluster() -> None:
    """Run a cluster on this machine: a real ZooKeeper, alone or as an ensemble of three.

    It needs a Java of version 17 or newer and nothing else that is not installed with kadmin.
    """


@group_command(cluster, "up")
@name_option()
@option(
    "--zookeepers",
    type=click.Choice(["1", "3"]),
    help="How many ZooKeepers; 1 when the cluster is new.",
)
@option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where its data lies, a new or empty directory.",
)
@option(
    "--port",
    metavar="PORT",
    type=WholeNumber(1, 65_533),
    help="Port of the first ZooKeeper, the others follow; free ones unless given.",
)
@option(
    "--bind",
    metavar="ADDRESS",
    help="IP address to listen on, 0.0.0.0 for all; the loopback unless given.",
)
@option("--no-use", is_flag=True, help="Do not make it the current cluster.")
def up(session: Session, name: str, no_use: bool, **options: Any) -> None:
    """Start a cluster, or what is down of it, and wait until it serves.

    The first time it is made; then its servers keep their data, ports and address. It becomes the
    current cluster, the one that is meant when none is named.

    \b
    Examples:
      kadmin cluster up
      kadmin cluster up --name three --zookeepers 3 --port 2181 --no-use
    """
    from kadmin.local import clusters
    from kadmin.render.cluster import up_document

    zookeepers = options["zookeepers"]
    # What comes after is imported while the servers start, on the other core.
    Thread(target=import_module, args=["kadmin.admin.layout"], daemon=True).start()
    result = clusters.up(
        name,
        zookeepers=None if zookeepers is None else int(zookeepers),
        directory=options["directory"],
        port=options["port"],
        bind=options["bind"],
        timeout_s=session.settings.timeout_s,
    )
    tell_what_was_done(session, result)
    lay_out(session, result.cluster.zookeeper_connect)
    if not no_use:
        make_current(session, name, result.cluster.zookeeper_connect)
    started = sorted(result.started + result.started_again)
    session.output.show(up_document(view(clusters.status(name)), started=started))
    tell_what_is_next(session, result, is_current=not no_use)


def lay_out(session: Session, connect: str) -> None:
    """Make the znodes that the first broker would make, so that there is a cluster to look at."""
    from kadmin.admin.connection import connect as open_connection
    from kadmin.admin.layout import make_paths, missing_paths
    from kadmin.execute.changes import carry_out
    from kadmin.settings import ZooKeeperSettings

    settings = ZooKeeperSettings(connect=connect, timeout_s=session.settings.timeout_s)
    with open_connection(settings) as connection:
        carry_out(
            connection,
            plan=lambda: missing_paths(connection),
            review=lambda _: None,
            write=lambda fence, missing: make_paths(connection, fence, missing),
        )


@group_command(cluster, "status")
@name_option()
def status(session: Session, name: str) -> None:
    """Show whether a cluster serves, and each of its servers.

    The exit code is 0 when all its servers serve, 3 when it is still starting, and 4 when a server
    is dead, stopped or does not serve.
    """
    from kadmin.local import clusters
    from kadmin.local.status import ClusterState
    from kadmin.render.cluster import status_document

    found = clusters.status(name)
    session.output.show(status_document(view(found)))
    if found.state is ClusterState.STARTING:
        raise click.exceptions.Exit(ExitCode.IN_PROGRESS)
    if found.state is not ClusterState.SERVING:
        session.output.note(f"hint: kadmin cluster up --name {name}")
        raise click.exceptions.Exit(ExitCode.FOUND)


@group_command(cluster, "down")
@name_option()
def down(session: Session, name: str) -> None:
    """Stop a cluster and keep its data."""
    from kadmin.local import clusters

    stopped = clusters.down(name, timeout_s=session.settings.timeout_s)
    if stopped:
        session.output.note(f"stopped {zookeepers_text(stopped)} of '{name}'; its data stays")
    else:
        session.output.note(f"nothing of '{name}' was running")


@group_command(cluster, "destroy")
@name_option()
@option("--yes", is_flag=True, help="Do not ask.")
def destroy(session: Session, name: str, yes: bool) -> None:
    """Stop a cluster and remove it with all its data."""
    from kadmin.local import clusters
    from kadmin.local.state import location

    home = location(name).resolve()
    if home.exists():
        session.confirm(f"remove the cluster '{name}' and all its data in {home}?", yes=yes)
    connect = connect_of(name)
    others = clusters.destroy(name, timeout_s=session.settings.timeout_s)
    session.output.note(f"removed the cluster '{name}'")
    if others:
        names = ", ".join(path.name for path in others)
        session.output.warn(f"{home} stays, since it holds what is not kadmin's: {names}")
    if connect is not None:
        forget(session, name, connect)


@group_command(cluster, "list")
def list_clusters(session: Session) -> None:
    """List the clusters of this machine."""
    from kadmin.local import clusters
    from kadmin.render.cluster import list_document

    found = clusters.list_clusters()
    session.output.show(list_document([view(each) for each in found]))
    if not found:
        session.output.note("there is none yet: 'kadmin cluster up' makes one")


def view(found: "ClusterStatus") -> "ClusterView":
    from kadmin.render.cluster import ClusterView, ServerView

    return ClusterView(
        name=found.name,
        zookeeper_connect=found.zookeeper_connect,
        directory=str(found.directory),
        state=found.state.value,
        servers=tuple(
            ServerView(
                id=server.id,
                pid=server.pid,
                port=server.port,
                state=server.state.value,
                mode=server.mode,
            )
            for server in found.servers
        ),
        problem=found.problem,
    )


def zookeepers_text(ids: tuple[int, ...]) -> str:
    return f"zookeeper{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}"


def tell_what_was_done(session: Session, result: "UpResult") -> None:
    name = result.cluster.name
    if result.was_made:
        session.output.note(f"made the cluster '{name}' in {result.cluster.directory}")
    elif not result.started and not result.started_again:
        session.output.note(f"the cluster '{name}' is up already")
    if result.started:
        session.output.note(f"started {zookeepers_text(result.started)}")
    if result.started_again:
        session.output.note(f"started {zookeepers_text(result.started_again)} again")
    if not result.cluster.is_private:
        session.output.warn(
            f"it listens on {result.cluster.address}: whoever reaches this machine may change it"
        )


def tell_what_is_next(session: Session, result: "UpResult", *, is_current: bool) -> None:
    connect = result.cluster.zookeeper_connect
    way = "" if is_current else f" --zookeeper {connect}"
    session.output.note(
        f"next: start brokers with zookeeper.connect={connect}, then 'kadmin topics --list{way}'"
    )


def make_current(session: Session, name: str, connect: str) -> None:
    """Enter the cluster into the configuration file and make it the current one.

    An entry that someone has refined, say by a chroot, is kept as long as its servers are ours.
    """
    from kadmin.config_file import add_cluster, use_cluster

    file = session.settings.file
    if servers_of(file.clusters.get(name)) != connect:
        add_cluster(file.path, name, {"zookeeper": connect})
    if file.current != name:
        use_cluster(file.path, name)


def forget(session: Session, name: str, connect: str) -> None:
    """Take the cluster out of the configuration file, if the entry is the one of this cluster."""
    from kadmin.config_file import remove_cluster

    file = session.settings.file
    if servers_of(file.clusters.get(name)) == connect:
        remove_cluster(file.path, name)


def servers_of(entry: Any) -> str | None:
    """The servers of a cluster's entry in the configuration file, without its chroot."""
    return None if entry is None else str(entry.get("zookeeper", "")).partition("/")[0]


def connect_of(name: str) -> str | None:
    """The connect string of a cluster of this machine; None when too little of it is there."""
    from kadmin.local import clusters

    try:
        return clusters.status(name).zookeeper_connect
    except KadminError:
        return None
