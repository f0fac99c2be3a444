"""Which topics are there, and which of them wait for their deletion?

Reads names only, and imports no more than that takes: it is what the shell waits for.
"""

from dataclasses import dataclass

from cluster.zk import paths
from kadmin.admin.zookeeper.connection import Connection
from kadmin.errors import KadminError


class NoClusterHere(KadminError):
    """The ZooKeeper answers, but no broker ever registered below this chroot."""

    def __init__(self, connect: str) -> None:
        super().__init__(
            f"there is no cluster at {connect}: {paths.TOPICS} does not exist",
            hint="check the chroot; brokers make that znode when they start",
        )
        self.connect = connect


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicNames:
    """The names of all topics, sorted, and of those that wait for their deletion."""

    names: tuple[str, ...]
    marked_for_deletion: frozenset[str]


def read_topic_names(connection: Connection) -> TopicNames:
    """One round trip.

    Raises:
        NoClusterHere: there is no `/brokers/topics`.
    """
    names, marked = connection.children([paths.TOPICS, paths.DELETE_TOPICS])
    if names is None:
        raise NoClusterHere(connection.settings.connect)
    return TopicNames(names=tuple(names), marked_for_deletion=frozenset(marked or ()))
