"""`kadmin config`: which clusters have names, which one is current, and what is in force?"""

import os

import click

from kadmin.cli.frame import Group, group_command
from kadmin.cli.options import argument, option
from kadmin.cli.session import Session
from kadmin.settings.keys import CLUSTER_KEYS, SERVER_VARIABLES, SERVERS, Value, parse_path

NAMED_BY_ENVIRONMENT = (*SERVER_VARIABLES, "KADMIN_CLUSTER")


@click.group("config", cls=Group, speaks_to_brokers=True)
def config() -> None:
    """Name clusters, choose the current one, and see which settings are in force.

    The names are kept in a configuration file, ~/.config/kadmin/config.toml unless KADMIN_CONFIG or
    XDG_CONFIG_HOME says otherwise.

    For the configs of topics and brokers see 'kadmin configs'; to run a cluster on this machine,
    'kadmin cluster'.
    """


@group_command(config, "list")
def list_clusters(session: Session) -> None:
    """List the named clusters; '*' marks the current one."""
    from kadmin.render.config import clusters_document

    file = session.settings.file
    session.output.show(clusters_document(file))
    if not file.clusters:
        session.output.note(
            f"there is no cluster in {file.path} yet:"
            " 'kadmin config add NAME --zookeeper HOST:PORT' makes one"
        )


@group_command(config, "use")
@argument("name", completes="clusters")
def use(session: Session, name: str) -> None:
    """Make NAME the current cluster: the one that is meant when none is named."""
    from kadmin.settings.config_writer import use_cluster

    use_cluster(session.settings.file.path, name)
    session.output.note(f"the current cluster is '{name}'")
    warn_of_environment(session)


@group_command(config, "show", speaks_to_brokers=True)
def show(session: Session) -> None:
    """Show every setting, its value and where it comes from; passwords are masked."""
    from kadmin.render.config import settings_document

    session.settings.check_cluster()
    session.output.show(settings_document(session.settings))
    session.warn_of_exposed_secrets()


@group_command(config, "add", shows_security=True, speaks_to_brokers=True)
@argument("name")
@option("--use", "makes_current", is_flag=True, help="Also make it the current cluster.")
@option("--force", is_flag=True, help="Replace the cluster of that name, if there is one.")
def add(session: Session, name: str, makes_current: bool, force: bool) -> None:
    """Give the cluster of --zookeeper, --bootstrap-server or both, with the security options
    given here, a NAME.

    Passwords are not stored: name a file with --zookeeper-password-file, or set
    KADMIN_ZOOKEEPER_PASSWORD when you use the cluster; the same goes for brokers.

    \b
    Examples:
      kadmin config add prod --zookeeper zk1:2181,zk2:2181,zk3:2181/kafka --use
      kadmin config add staging --zookeeper zk:2281 --zookeeper-tls --zookeeper-tls-ca ca.pem
    """
    from kadmin.settings.config_writer import add_cluster, use_cluster

    values = cluster_values(session)
    if not any(name in values for name in SERVERS):
        raise click.UsageError("which servers? give --zookeeper HOST:PORT[,…][/CHROOT]")
    path = session.settings.file.path
    add_cluster(path, name, values, overwrite=force)
    if makes_current:
        use_cluster(path, name)
        session.output.note(f"added '{name}' to {path}; it is the current cluster")
        warn_of_environment(session)
    else:
        session.output.note(f"added '{name}' to {path}; 'kadmin config use {name}' chooses it")


@group_command(config, "remove")
@argument("name", completes="clusters")
def remove(session: Session, name: str) -> None:
    """Forget the cluster NAME; the cluster itself is not touched."""
    from kadmin.settings.config_writer import remove_cluster

    file = session.settings.file
    remove_cluster(file.path, name)
    session.output.note(f"removed '{name}' from {file.path}")
    if file.current == name:
        session.output.note("no cluster is current now: 'kadmin config use NAME' chooses one")


def cluster_values(session: Session) -> dict[str, Value]:
    """Return what the flags say of a cluster; files by their full path, since the file is
    elsewhere."""
    return {
        key.name: os.path.abspath(str(value)) if key.parse is parse_path else value
        for key in CLUSTER_KEYS
        if (value := session.flags.get(key.name)) is not None
    }


def warn_of_environment(session: Session) -> None:
    for variable in NAMED_BY_ENVIRONMENT:
        if os.environ.get(variable):
            session.output.warn(f"{variable} is set and wins over the current cluster")
