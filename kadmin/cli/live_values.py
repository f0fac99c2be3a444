"""Values that the shell offers: names of topics, ids of brokers, and the like, as of now.

Knows neither the shell nor how long its operator waits.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from kadmin.cli.local_cluster import usual_cluster
from kadmin.cli.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from kadmin.local.state import LocalCluster


def topic_names(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    with session.topics() as admin:
        return admin.names().names


def broker_ids(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    with session.topics() as admin:
        return map(str, admin.broker_ids())


def group_names(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    """Those of the brokers, and where ZooKeeper alone is named, those that are there as well."""
    from kadmin.cli.groups.places import kept_in_zookeeper

    found = kept_in_zookeeper(session) if session.names_only_zookeeper else []
    try:
        with session.groups() as admin:
            return {*found, *(each.name for each in admin.listing().groups)}
    except KadminError:
        if found:
            return found
        raise


def cluster_names(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    return session.settings.file.clusters


def local_cluster_names(_session: Session, _topics: Sequence[str]) -> Iterable[str]:
    from kadmin.local.state import cluster_names as names_on_this_machine

    return names_on_this_machine()


def topic_config_names(_session: Session, _topics: Sequence[str]) -> Iterable[str]:
    from cluster.model.config_table import TOPIC_CONFIGS

    return TOPIC_CONFIGS


def set_topic_config_names(session: Session, topics: Sequence[str]) -> Iterable[str]:
    """The configs that one of *topics* has; all that there are where none is named."""
    from cluster.model.config_entity import topic_entity
    from kadmin.arguments.topics import selection_of

    if not topics:
        return topic_config_names(session, topics)
    selection = selection_of(topics, is_regex=False)
    with session.configs() as admin:
        names = selection.select(admin.topic_names(selection))
        found, _ = admin.read([topic_entity(name) for name in names])
    return {name for overrides in found.values() for name in overrides.values}


def topic_config_assignments(_session: Session, _topics: Sequence[str]) -> Iterable[str]:
    """`key=` of every topic config, and `key=value` where its values are few."""
    from cluster.model.config_spec import ValueKind
    from cluster.model.config_table import TOPIC_CONFIGS

    for name, spec in TOPIC_CONFIGS.items():
        choices = ("true", "false") if spec.kind is ValueKind.BOOLEAN else spec.choices
        yield from (f"{name}={choice}" for choice in choices or ("",))


def command_names(_session: Session, _topics: Sequence[str]) -> Iterable[str]:
    from kadmin.cli.main import CATALOG

    return CATALOG


def local_broker_ids(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    """The brokers of the cluster of this machine that the line names, or of the usual one."""
    cluster = local_cluster(session)
    return [] if cluster is None else [str(broker.id) for broker in cluster.brokers]


def local_zookeeper_ids(session: Session, _topics: Sequence[str]) -> Iterable[str]:
    """The ZooKeepers of that cluster."""
    cluster = local_cluster(session)
    return [] if cluster is None else [str(server.id) for server in cluster.servers]


def local_cluster(session: Session) -> "LocalCluster | None":
    from kadmin.local.state import read_cluster

    return read_cluster(str(session.flags.get("cluster") or usual_cluster(session)))


VALUES: Final[dict[str, Callable[[Session, Sequence[str]], Iterable[str]]]] = {
    "topics": topic_names,
    "brokers": broker_ids,
    "groups": group_names,
    "clusters": cluster_names,
    "local-clusters": local_cluster_names,
    "local-brokers": local_broker_ids,
    "local-zookeepers": local_zookeeper_ids,
    "commands": command_names,
    "topic-configs": topic_config_names,
    "set-topic-configs": set_topic_config_names,
    "topic-configs=": topic_config_assignments,
}
"""The kinds of `--values`, which an option names in its `completes`; with the topics of the line
where a kind depends on them.

The kinds that end in `=` are for options that take `KEY=VALUE`.
"""
