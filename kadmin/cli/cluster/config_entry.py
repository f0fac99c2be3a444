"""The entry of a cluster of this machine in the configuration file.

An entry of that name may be a person's own: what was refined by hand is kept, and the entry of
another cluster is never touched.
"""

from typing import TYPE_CHECKING, Any

from kadmin.cli.session import Session
from kadmin.errors import RefusedError

if TYPE_CHECKING:
    from kadmin.local.state import LocalCluster

BOOTSTRAP = "bootstrap_server"


def enter(session: Session, cluster: "LocalCluster", *, makes_current: bool) -> bool:
    """Enter *cluster* into the configuration file; returns whether it is the current one.

    It becomes the current one where there is none, or where this *makes_current*: else the next
    command without a name, meant for the current cluster, would go to another one.  An entry that
    was refined, say by a chroot, is kept as long as its servers are ours.

    Raises:
        RefusedError: the name is another cluster's there.
    """
    from kadmin.settings.config_writer import ClusterExists, add_cluster, use_cluster

    file = session.settings.file
    connect = cluster.zookeeper_connect
    if servers_of(file.clusters.get(cluster.name)) != connect:
        values = {"zookeeper": connect, BOOTSTRAP: cluster.bootstrap_servers or None}
        try:
            add_cluster(file.path, cluster.name, values)
        except ClusterExists as error:
            there = servers_of(file.clusters.get(cluster.name)) or "brokers alone"
            raise RefusedError(
                f"the configuration {file.path} has another cluster '{cluster.name}' ({there}),"
                " to which '--cluster' and the current cluster still refer",
                hint=f"name this one with --zookeeper {connect}, or 'kadmin config remove"
                f" {cluster.name}' and 'kadmin cluster up --name {cluster.name}' again",
            ) from error
    else:
        update_bootstrap(session, cluster)
    if file.current == cluster.name:
        return True
    if file.current is not None and not makes_current:
        session.output.note(
            f"the current cluster is still '{file.current}': name this one with"
            f" --cluster {cluster.name}, or 'kadmin config use {cluster.name}'"
        )
        return False
    use_cluster(file.path, cluster.name)
    if file.current is not None:
        session.output.note(
            f"'{cluster.name}' is the current cluster now;"
            f" 'kadmin config use {file.current}' goes back"
        )
    return True


def update_bootstrap(session: Session, cluster: "LocalCluster") -> None:
    """Let the entry of *cluster*, if there is one, name all of its brokers.

    Brokers that were entered by hand, say behind a proxy, stay.
    """
    from kadmin.settings.config_writer import add_cluster

    file = session.settings.file
    entry = file.clusters.get(cluster.name)
    if entry is None or servers_of(entry) != cluster.zookeeper_connect:
        return
    noted = str(entry.get(BOOTSTRAP, ""))
    own = set(cluster.bootstrap_servers.split(","))
    if noted != cluster.bootstrap_servers and (not noted or set(noted.split(",")) <= own):
        values = {**entry, BOOTSTRAP: cluster.bootstrap_servers}
        add_cluster(file.path, cluster.name, values, overwrite=True)


def forget(session: Session, name: str, connect: str) -> None:
    """Take the cluster out of the configuration file, if the entry is the one of this cluster.

    If it was current, the one before it is again.
    """
    from kadmin.settings.config_writer import remove_cluster, use_cluster

    file = session.settings.file
    if servers_of(file.clusters.get(name)) != connect:
        return
    remove_cluster(file.path, name)
    if file.current == name and file.previous in file.clusters:
        assert file.previous is not None
        use_cluster(file.path, file.previous)
        session.output.note(f"the current cluster is '{file.previous}' again")


def servers_of(entry: Any) -> str | None:
    """Return the servers of a cluster's entry in the configuration file, without its chroot."""
    return None if entry is None else str(entry.get("zookeeper", "")).partition("/")[0]
