"""Values that the shell offers: names of topics, ids of brokers, and the like, as of now.

Knows neither the shell nor how long its operator waits.
"""

from collections.abc import Callable, Iterable
from typing import Final

from kadmin.cli.session import Session


def topic_names(session: Session) -> Iterable[str]:
    with session.topics() as admin:
        return admin.names().names


def broker_ids(session: Session) -> Iterable[str]:
    with session.topics() as admin:
        return map(str, admin.broker_ids())


def cluster_names(session: Session) -> Iterable[str]:
    return session.settings.file.clusters


def local_cluster_names(_session: Session) -> Iterable[str]:
    from kadmin.local.state import cluster_names as names_on_this_machine

    return names_on_this_machine()


def topic_config_names(_session: Session) -> Iterable[str]:
    from cluster.model.config_table import TOPIC_CONFIGS

    return TOPIC_CONFIGS


def topic_config_assignments(_session: Session) -> Iterable[str]:
    """`key=` of every topic config, and `key=value` where its values are few."""
    from cluster.model.config_spec import ValueKind
    from cluster.model.config_table import TOPIC_CONFIGS

    for name, spec in TOPIC_CONFIGS.items():
        choices = ("true", "false") if spec.kind is ValueKind.BOOLEAN else spec.choices
        yield from (f"{name}={choice}" for choice in choices or ("",))


VALUES: Final[dict[str, Callable[[Session], Iterable[str]]]] = {
    "topics": topic_names,
    "brokers": broker_ids,
    "clusters": cluster_names,
    "local-clusters": local_cluster_names,
    "topic-configs": topic_config_names,
    "topic-configs=": topic_config_assignments,
}
"""What `--values` can tell, and so what an option may say that it `completes`.

The kinds that end in `=` are for options that want `KEY=VALUE`.
"""
