"""How do the clusters of this machine look?

Knows no process and no file: it is handed what was found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from kadmin.render.output import Document

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


SERVER_COLUMNS: Final = ("name", "id", "pid", "port", "state", "mode")
CLUSTER_COLUMNS: Final = ("name", "state", "zookeepers", "zookeeper_connect", "directory")

STYLES: Final = {"serving": "green", "starting": "yellow", "degraded": "yellow", "stopped": "dim"}
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
class ClusterView:
    """One cluster of this machine; *problem* says why its parts are not known, if so."""

    name: str
    zookeeper_connect: str
    directory: str
    state: str
    servers: tuple[ServerView, ...]
    problem: str | None = None


def up_document(cluster: ClusterView, *, started: Sequence[int]) -> Document:
    """The cluster that is up now; *started* are the ids of the servers that were not before."""
    return Document(
        schema="kadmin.cluster.up/1",
        body=lambda: {**record(cluster), "started": list(started)},
        columns=("name", "zookeeper_connect"),
        rows=lambda: [(cluster.name, cluster.zookeeper_connect)],
        lines=lambda: [f"zookeeper_connect={cluster.zookeeper_connect}"],
    )


def status_document(cluster: ClusterView) -> Document:
    """One cluster with its servers, by ascending id."""
    return Document(
        schema="kadmin.cluster.status/1",
        body=lambda: record(cluster),
        columns=SERVER_COLUMNS,
        rows=lambda: (
            (cluster.name, server.id, server.pid, server.port, server.state, server.mode)
            for server in cluster.servers
        ),
        lines=lambda: status_lines(cluster),
        pretty=lambda: status_table(cluster),
    )


def list_document(clusters: Sequence[ClusterView]) -> Document:
    """All clusters of this machine in the order given."""
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


def status_lines(cluster: ClusterView) -> Iterator[str]:
    yield f"{cluster.name}: {cluster.state}"
    yield f"zookeeper_connect={cluster.zookeeper_connect}"
    yield f"directory={cluster.directory}"
    for server in cluster.servers:
        mode = f" mode={server.mode}" if server.mode is not None else ""
        pid = f" pid={server.pid}" if server.pid is not None else ""
        yield f"zookeeper {server.id}: {server.state}{mode} port={server.port}{pid}"


def status_table(cluster: ClusterView) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from kadmin.render.tables import new_table

    head = Text.assemble(
        (cluster.name, "bold"),
        " ",
        state_text(cluster.state),
        f"  {cluster.zookeeper_connect}\n",
        (cluster.directory, "dim"),
    )
    table = new_table("zookeeper", "state", "mode", "port", "pid")
    for server in cluster.servers:
        table.add_row(
            str(server.id),
            Text(*state_text(server.state)),
            server.mode or "",
            str(server.port),
            "" if server.pid is None else str(server.pid),
        )
    return Group(head, table)


def list_lines(clusters: Sequence[ClusterView]) -> Iterator[str]:
    width = max((len(cluster.name) for cluster in clusters), default=0)
    for cluster in clusters:
        shown = cluster.problem or cluster.zookeeper_connect
        yield f"{cluster.name:<{width}}  {cluster.state:<11}  {shown}"


def list_table(clusters: Sequence[ClusterView]) -> "Table":
    from rich.text import Text

    from kadmin.render.tables import new_table

    table = new_table("cluster", "state")
    # Folded, not cut: both are there to be copied.
    table.add_column("zookeeper", overflow="fold")
    table.add_column("directory", overflow="fold")
    for cluster in clusters:
        table.add_row(
            cluster.name,
            Text(*state_text(cluster.state)),
            cluster.problem or cluster.zookeeper_connect,
            cluster.directory,
        )
    return table


def state_text(state: str) -> tuple[str, str]:
    return state, STYLES.get(state, "bold red")
