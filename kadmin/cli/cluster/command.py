"""`kadmin cluster`: start, see, stop and remove the clusters of this machine."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from kadmin.cli.cluster.brokers import BROKER_COMMANDS
from kadmin.cli.cluster.config_entry import enter, forget
from kadmin.cli.cluster.options import name_option, up_broker_options
from kadmin.cli.cluster.outcomes import tell_what_is_kept
from kadmin.cli.cluster.zookeepers import ZOOKEEPER_COMMANDS
from kadmin.cli.frame import Group, group_command
from kadmin.cli.options import WholeNumber, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode, KadminError, UsageError

if TYPE_CHECKING:
    from kadmin.local.clusters import UpResult
    from kadmin.local.status import ClusterStatus


@click.group("cluster", cls=Group)
def cluster() -> None:
    """Run a cluster on this machine: a real ZooKeeper, or three, and brokers that Kafka's clients
    cannot tell from Kafka's.

    It needs Java 17 or newer, and kadmin-kafka[cluster], which brings ZooKeeper's jars. A topic
    gets three replicas unless it asks for another number, or one on each broker if the cluster
    began with fewer than three. There are no transactions.

    To look at a cluster, use 'kadmin check' and 'kadmin brokers'; 'kadmin config' says which one
    they mean.
    """


for server_command in (*BROKER_COMMANDS, *ZOOKEEPER_COMMANDS):
    cluster.add_command(server_command)


@group_command(cluster, "up")
@name_option(follows_current=False)
@option(
    "--zookeepers",
    type=click.Choice(["1", "3"]),
    help="How many ZooKeepers; 1 for a new cluster.",
)
@option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The directory for its data, new or empty.",
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
@up_broker_options()
@option(
    "--use/--no-use",
    "use",
    default=None,
    help="Make it the current cluster in place of another, or leave the configuration file alone.",
)
def up(session: Session, name: str, use: bool | None, **options: Any) -> None:
    """Start a cluster, or the parts of it that are down, and wait until it serves.

    The first time it creates the cluster, whose servers then keep their data, ports and address.
    The cluster gets an entry in the configuration file. It becomes the current cluster, the one
    that is meant when none is named, if there is no other, or with --use.

    \b
    Examples:
      kadmin cluster up
      kadmin cluster up --brokers 3 --racks a,b,c --set num.partitions=6
      kadmin cluster up --name three --zookeepers 3 --port 2181 --no-use
    """
    from kadmin.local import clusters
    from kadmin.local.server_properties import parse_racks, parse_settings

    zookeepers, racks = options["zookeepers"], options["racks"]
    settings = parse_settings(options["settings"])
    if settings:
        require_good_settings(settings)
    if racks is not None and not options["brokers"]:
        raise click.UsageError("--racks needs --brokers N")
    # What comes after is imported while the servers start, on the other core.
    Thread(target=import_module, args=["kadmin.admin.zookeeper.layout"], daemon=True).start()
    result = clusters.up(
        name,
        zookeepers=None if zookeepers is None else int(zookeepers),
        directory=options["directory"],
        port=options["port"],
        bind=options["bind"],
        brokers=options["brokers"],
        racks=None if racks is None else parse_racks(racks),
        settings=settings,
        timeout_s=session.settings.timeout_s,
    )
    tell_what_was_done(session, result)
    lay_out(session, result.cluster.zookeeper_connect)
    show_what_is_up(session, result)
    way = f" --zookeeper {result.cluster.zookeeper_connect}"
    if use is not False:
        is_current = enter(session, result.cluster, makes_current=use is True)
        way = "" if is_current else f" --cluster {name}"
    tell_what_is_next(session, result, name, way)


def require_good_settings(settings: Mapping[str, str]) -> None:
    """Refuse values by which no broker could start, before they are written down.

    Raises:
        UsageError: with every wrong value, a line each.
    """
    from cluster.broker.configs.supported_configs import CONNECT
    from cluster.settings.broker_settings import BrokerSettings
    from cluster.settings.errors import InvalidSettings
    from cluster.settings.properties_file import Given

    given = {key: Given(value, f"--set {key}") for key, value in settings.items()}
    try:
        BrokerSettings.parse(
            {CONNECT: Given("127.0.0.1:2181", "the cluster"), **given}, working_directory="/"
        )
    except InvalidSettings as error:
        first, *others = error.problems
        raise UsageError(
            first, details=others, hint="docs/broker-settings.md lists what brokers take"
        ) from error


def show_what_is_up(session: Session, result: "UpResult") -> None:
    from kadmin.cli.cluster.views import view
    from kadmin.local import clusters
    from kadmin.render.cluster.clusters import up_document

    session.output.show(
        up_document(
            view(clusters.status(result.cluster.name)),
            started=sorted(result.started + result.started_again),
            started_brokers=sorted(result.brokers.started + result.brokers.started_again),
        )
    )


def lay_out(session: Session, connect: str) -> None:
    """Make the znodes that the first broker would make, so that there is a cluster to look at."""
    from kadmin.admin.zookeeper.connection import connect as open_connection
    from kadmin.admin.zookeeper.layout import ZooKeeperLayout
    from kadmin.execute.commit import commit
    from kadmin.settings.resolve import ZooKeeperSettings

    settings = ZooKeeperSettings(connect=connect, timeout_s=session.settings.timeout_s)
    with open_connection(settings) as connection:
        layout = ZooKeeperLayout(connection)
        commit(layout, layout.fence(), layout.missing(), replan=layout.missing)


@group_command(cluster, "status")
@name_option()
@option(
    "--controller",
    "with_events",
    is_flag=True,
    help="Show how long each kind of the controller's events waited and took.",
)
@watch_option()
def status(session: Session, name: str, **options: Any) -> None:
    """Show whether a cluster serves, its servers and controller, and which partitions lack what.

    For an under-replicated partition it shows by how many records each replica out of the ISR is
    behind its leader, if both brokers serve. Partitions are left out, null in JSON, while the
    ZooKeepers do not answer.

    For the controller's events it shows how many there were since its broker was started, how long
    they waited for their turn (queue), and how long they then took, including the time they waited
    for ZooKeeper (processing), in ms: the maximum, and with --controller, or in JSON, also mean and
    99th percentile, each by kind. The kinds have the names of Kafka's ControllerState.

    The exit code is 0 if all its servers serve, 3 if it is still starting, and 4 if a server is
    dead, stopped or does not serve; partitions do not change it.
    """
    from kadmin.local.status import ClusterState

    found = show_status(session, name, options["watch"], with_events=options["with_events"])
    if found.state is ClusterState.STARTING:
        raise click.exceptions.Exit(ExitCode.IN_PROGRESS)
    if found.state is not ClusterState.SERVING:
        session.output.note(f"hint: kadmin cluster up --name {name}")
        raise click.exceptions.Exit(ExitCode.FOUND)


def show_status(
    session: Session, name: str, seconds: float | None, *, with_events: bool
) -> "ClusterStatus":
    """Show a cluster once and give what was shown, or with *seconds* again until Ctrl-C."""
    from kadmin.cli.cluster.controller_stats import controller_of
    from kadmin.cli.cluster.partitions import partitions_of
    from kadmin.cli.cluster.views import view
    from kadmin.local import clusters
    from kadmin.render.cluster.clusters import status_document

    shown: list[ClusterStatus] = []

    def show() -> None:
        found = clusters.status(name)
        partitions, controller = partitions_of(found), controller_of(found)
        session.output.show(
            status_document(view(found), partitions, controller, with_events=with_events)
        )
        shown[:] = [found]

    watch(session, seconds, show)
    return shown[0]


@group_command(cluster, "down")
@name_option()
def down(session: Session, name: str) -> None:
    """Stop a cluster and keep its data."""
    from kadmin.local import clusters

    stopped = clusters.down(name, timeout_s=session.settings.timeout_s)
    ran = [
        text
        for text in (ids_text("broker", stopped.brokers), ids_text("zookeeper", stopped.zookeepers))
        if text
    ]
    if stopped.killed_brokers:
        killed = ids_text("broker", stopped.killed_brokers)
        session.output.warn(f"{killed} did not end in time and had to be killed")
    if ran:
        session.output.note(f"stopped {' and '.join(ran)} of '{name}'; its data stays")
    else:
        session.output.note(f"nothing of '{name}' was running")


@group_command(cluster, "destroy")
@name_option(follows_current=False)
@option("--yes", is_flag=True, help="Do not ask.")
def destroy(session: Session, name: str, yes: bool) -> None:
    """Stop a cluster and remove it with all its data."""
    from kadmin.local import clusters
    from kadmin.local.state import location

    home = location(name).resolve()
    if home.exists() and not yes:
        session.output.ask(f"remove the cluster '{name}' and all its data in {home}?")
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
    from kadmin.cli.cluster.views import view
    from kadmin.local import clusters
    from kadmin.render.cluster.clusters import list_document

    found = clusters.list_clusters()
    session.output.show(list_document([view(each) for each in found]))
    if not found:
        session.output.note("there is none yet: 'kadmin cluster up' makes one")


def ids_text(what: str, ids: Sequence[int]) -> str:
    """Return `broker 1`, or `brokers 1, 2`; empty without *ids*."""
    if not ids:
        return ""
    return f"{what}{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}"


def tell_what_was_done(session: Session, result: "UpResult") -> None:
    name = result.cluster.name
    brokers = result.brokers
    did = (
        ("started", "", "zookeeper", result.started),
        ("started", " again", "zookeeper", result.started_again),
        ("resumed", "", "zookeeper", result.resumed),
        ("started", "", "broker", brokers.started),
        ("started", " again", "broker", brokers.started_again),
        ("resumed", "", "broker", brokers.resumed),
    )
    if result.is_new:
        session.output.note(f"made the cluster '{name}' in {result.cluster.directory}")
    elif not any(ids for *_, ids in did):
        session.output.note(f"the cluster '{name}' is up already")
    for verb, again, what, ids in did:
        if ids:
            session.output.note(f"{verb} {ids_text(what, ids)}{again}")
    for server in result.launched:
        tell_what_is_kept(session, server)
    for text in result.setting_warnings:
        session.output.warn(f"brokers say: {text}")
    if brokers.unchanged:
        session.output.warn(
            f"{ids_text('broker', brokers.unchanged)} will have the new settings when started"
            " again: 'kadmin cluster stop-broker N', then 'kadmin cluster start-broker N'"
        )
    if not result.cluster.is_private:
        session.output.warn(
            f"it listens on {result.cluster.address}: anyone who reaches this machine can change it"
        )


def tell_what_is_next(session: Session, result: "UpResult", name: str, way: str) -> None:
    """Suggest commands for the new cluster *name*, which name it by the options *way*."""
    if result.cluster.broker_members:
        session.output.note(
            "next: kadmin topics --create --topic orders --partitions 6 --replication-factor"
            f" {result.cluster.usual_replicas}{way}"
        )
    else:
        session.output.note(
            f"next: 'kadmin cluster up --name {name} --brokers 3', or start brokers of your own"
            f" with zookeeper.connect={result.cluster.zookeeper_connect};"
            f" then 'kadmin topics --list{way}'"
        )


def connect_of(name: str) -> str | None:
    """Return the connect string of a cluster of this machine; None when too little of it is
    there."""
    from kadmin.local import clusters

    try:
        return clusters.status(name).zookeeper_connect
    except KadminError:
        return None
