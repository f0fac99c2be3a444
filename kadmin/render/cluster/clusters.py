"""Clusters of this machine: how do they look?

Knows no process and no file: it is handed what was found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from cluster.model.controller_stats import ControllerStats
from kadmin.render.cluster.controller import controller_lines, controller_record, controller_table
from kadmin.render.cluster.partitions import (
    PartitionsView,
    partition_counts,
    partition_lines,
    partition_table,
    partitions_record,
)
from kadmin.render.output import Document

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from kadmin.render.tables import FittedTable


SERVER_COLUMNS: Final = ("name", "id", "pid", "port", "state", "mode", "kind", "rack")
BROKER_COLUMNS: Final = ("name", "id", "pid", "port", "state", "rack")
ZOOKEEPER_COLUMNS: Final = ("name", "id", "pid", "port", "state", "mode")
CLUSTER_COLUMNS: Final = ("name", "state", "zookeepers", "zookeeper_connect", "directory")

STYLES: Final = {
    "serving": "green",
    "starting": "yellow",
    "degraded": "yellow",
    "paused": "yellow",
    "stopped": "dim",
}
"""By state; any other state is a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerView:
    """One ZooKeeper: *pid* is None when it was stopped, *mode* when it does not serve."""

    id: int
    pid: int | None
    port: int
    state: str
    mode: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerView:
    """One broker: *pid* is None when it was stopped, *metrics_url* when it serves no metrics."""

    id: int
    pid: int | None
    port: int
    state: str
    rack: str | None
    metrics_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """One cluster of this machine; *problem* is why its parts are not known, if so."""

    name: str
    zookeeper_connect: str
    directory: str
    state: str
    servers: tuple[ServerView, ...]
    bootstrap_servers: str = ""
    brokers: tuple[BrokerView, ...] = ()
    problem: str | None = None


def up_document(
    cluster: ClusterView, *, started: Sequence[int], started_brokers: Sequence[int]
) -> Document:
    """Return the cluster that is up now, and the ids of the servers and brokers that were not
    before."""
    return Document(
        schema="kadmin.cluster.up/1",
        body=lambda: {
            **record(cluster),
            "started": list(started),
            "started_brokers": list(started_brokers),
        },
        columns=("name", "zookeeper_connect", "bootstrap_servers"),
        rows=lambda: [(cluster.name, cluster.zookeeper_connect, cluster.bootstrap_servers)],
        lines=lambda: address_lines(cluster),
    )


def status_document(
    cluster: ClusterView,
    partitions: PartitionsView | None = None,
    controller: ControllerStats | None = None,
    *,
    with_events: bool = False,
) -> Document:
    """Describe one cluster with its servers and brokers, each by ascending id.

    *partitions* and *controller* are None where they are not known.  Rows are of servers alone.
    *with_events*: text has each kind of the controller's events, as the body always does.
    """
    return Document(
        schema="kadmin.cluster.status/1",
        body=lambda: {
            **record(cluster),
            "partitions": None if partitions is None else partitions_record(partitions),
            "controller": None if controller is None else controller_record(controller),
        },
        columns=SERVER_COLUMNS,
        rows=lambda: status_rows(cluster),
        lines=lambda: status_lines(cluster, partitions, controller, with_events=with_events),
        pretty=lambda: status_table(cluster, partitions, controller, with_events=with_events),
    )


def server_document(cluster: ClusterView, kind: str, server_id: int) -> Document:
    """Return one server of *cluster*, which has it: a `broker` or a `zookeeper`."""
    if kind == "broker":
        return broker_document(cluster, server_id)
    (server,) = (each for each in cluster.servers if each.id == server_id)
    row = (cluster.name, server.id, server.pid, server.port, server.state, server.mode)
    return Document(
        schema="kadmin.cluster.zookeeper/1",
        body=lambda: {
            "name": cluster.name,
            "zookeeper_connect": cluster.zookeeper_connect,
            "zookeeper": asdict(server),
        },
        columns=ZOOKEEPER_COLUMNS,
        rows=lambda: [row],
        lines=lambda: [zookeeper_line(server)],
    )


def broker_document(cluster: ClusterView, broker_id: int) -> Document:
    """Return one broker of *cluster*, which has it."""
    (broker,) = (each for each in cluster.brokers if each.id == broker_id)
    row = (cluster.name, broker.id, broker.pid, broker.port, broker.state, broker.rack)
    return Document(
        schema="kadmin.cluster.broker/1",
        body=lambda: {
            "name": cluster.name,
            "bootstrap_servers": cluster.bootstrap_servers,
            "broker": asdict(broker),
        },
        columns=BROKER_COLUMNS,
        rows=lambda: [row],
        lines=lambda: [broker_line(broker)],
    )


def list_document(clusters: Sequence[ClusterView]) -> Document:
    """Return all clusters of this machine in the order given."""
    return Document(
        schema="kadmin.cluster.list/1",
        body=lambda: {"clusters": [record(cluster) for cluster in clusters]},
        columns=CLUSTER_COLUMNS,
        rows=lambda: (
            (each.name, each.state, len(each.servers), each.zookeeper_connect, each.directory)
            for each in clusters
        ),
        lines=lambda: list_lines(clusters),
        pretty=(lambda: list_table(clusters)) if clusters else None,
    )


def record(cluster: ClusterView) -> dict[str, object]:
    fields = asdict(cluster)
    if cluster.problem is None:
        del fields["problem"]
    return fields


def status_rows(cluster: ClusterView) -> Iterator[tuple[object, ...]]:
    for server in cluster.servers:
        place = (cluster.name, server.id, server.pid, server.port)
        yield (*place, server.state, server.mode, "zookeeper", None)
    for broker in cluster.brokers:
        place = (cluster.name, broker.id, broker.pid, broker.port)
        yield (*place, broker.state, None, "broker", broker.rack)


def status_lines(
    cluster: ClusterView,
    partitions: PartitionsView | None,
    controller: ControllerStats | None,
    *,
    with_events: bool,
) -> Iterator[str]:
    yield f"{cluster.name}: {cluster.state}"
    yield from address_lines(cluster)
    yield f"directory={cluster.directory}"
    for server in cluster.servers:
        yield zookeeper_line(server)
    for broker in cluster.brokers:
        yield broker_line(broker)
    if partitions is not None:
        yield from partition_lines(partitions)
    if controller is not None:
        yield from controller_lines(controller, with_events=with_events)


def address_lines(cluster: ClusterView) -> Iterator[str]:
    yield f"zookeeper_connect={cluster.zookeeper_connect}"
    if cluster.brokers:
        yield f"bootstrap_servers={cluster.bootstrap_servers}"


def zookeeper_line(server: ServerView) -> str:
    mode = f" mode={server.mode}" if server.mode is not None else ""
    pid = f" pid={server.pid}" if server.pid is not None else ""
    return f"zookeeper {server.id}: {server.state}{mode} port={server.port}{pid}"


def broker_line(broker: BrokerView) -> str:
    rack = f" rack={broker.rack}" if broker.rack is not None else ""
    pid = f" pid={broker.pid}" if broker.pid is not None else ""
    metrics = f" metrics={broker.metrics_url}" if broker.metrics_url is not None else ""
    return f"broker {broker.id}: {broker.state}{rack} port={broker.port}{pid}{metrics}"


def status_table(
    cluster: ClusterView,
    partitions: PartitionsView | None,
    controller: ControllerStats | None,
    *,
    with_events: bool,
) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Phrases, Screen

    state = Text.assemble((cluster.name, "bold"), " ", state_text(cluster.state))
    # How bad it is comes first, also on a terminal that shows no more.
    counts = [] if partitions is None else partition_counts(partitions)
    addresses = Text.assemble(
        *address_text("zookeeper", cluster.zookeeper_connect),
        *(address_text("brokers", cluster.bootstrap_servers) if cluster.brokers else ()),
        *address_text("directory", cluster.directory),
    )
    tables: list[RenderableType] = [server_table(cluster.servers)]
    if cluster.brokers:
        # Who is ill comes first: a short terminal shows no more.
        is_ill = any(map(is_faulty, cluster.brokers)) and not any(map(is_faulty, cluster.servers))
        tables.insert(0 if is_ill else 1, broker_table(cluster.brokers))
    if partitions is not None:
        tables += partition_table(partitions)
    if controller is not None:
        tables += controller_table(controller, with_events=with_events)
    return Screen([Phrases([state, *counts]), addresses, *tables])


def address_text(label: str, address: str) -> "Sequence[str | tuple[str, str]]":
    """Return a line of its own, for the eye to find and for the hand to copy."""
    return (f"{label:<9}  ", "dim"), address, "\n"


def server_table(servers: Sequence[ServerView]) -> "FittedTable":
    from kadmin.render.tables import Shown, table_of

    return table_of(
        sorted(servers, key=is_faulty, reverse=True),
        Shown("zookeeper", lambda each: str(each.id)),
        Shown("state", lambda each: state_cell(each.state)),
        Shown("mode", lambda each: each.mode or ""),
        Shown("port", lambda each: str(each.port)),
        Shown("pid", lambda each: pid_text(each.pid), worth=1),
    )


def broker_table(brokers: Sequence[BrokerView]) -> "FittedTable":
    from kadmin.render.tables import Shown, table_of

    has_racks = any(broker.rack is not None for broker in brokers)
    has_metrics = any(broker.metrics_url is not None for broker in brokers)
    return table_of(
        sorted(brokers, key=is_faulty, reverse=True),
        Shown("broker", lambda each: str(each.id)),
        Shown("state", lambda each: state_cell(each.state)),
        Shown("rack", lambda each: each.rack or "", worth=2) if has_racks else None,
        Shown("port", lambda each: str(each.port)),
        Shown("pid", lambda each: pid_text(each.pid), worth=1),
        Shown("metrics", lambda each: each.metrics_url or "", worth=3) if has_metrics else None,
    )


def pid_text(pid: int | None) -> str:
    return "" if pid is None else str(pid)


def state_cell(state: str) -> "Text":
    from rich.text import Text

    return Text(*state_text(state))


def is_faulty(server: ServerView | BrokerView) -> bool:
    return server.state != "serving"


def list_lines(clusters: Sequence[ClusterView]) -> Iterator[str]:
    width = max((len(cluster.name) for cluster in clusters), default=0)
    for cluster in clusters:
        shown = cluster.problem or cluster.zookeeper_connect
        yield f"{cluster.name:<{width}}  {cluster.state:<11}  {shown}"


def list_table(clusters: Sequence[ClusterView]) -> "FittedTable":
    from kadmin.render.tables import Shown, shortened_paths, table_of

    directories = shortened_paths(cluster.directory for cluster in clusters)
    return table_of(
        clusters,
        Shown("cluster", lambda each: each.name),
        Shown("state", lambda each: state_cell(each.state)),
        # Folded, not cut: it is there to be copied.
        Shown("zookeeper", lambda each: each.problem or each.zookeeper_connect, least=40),
        Shown("directory", lambda each: directories[each.directory], least=24, worth=1),
    )


def state_text(state: str) -> tuple[str, str]:
    return state, STYLES.get(state, "bold red")
