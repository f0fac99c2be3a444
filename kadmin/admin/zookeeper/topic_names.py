"""Names of topics: which topics are there, and which of them wait for their deletion?

Reads names only, and imports no more than that takes: it is what the shell waits for.
"""

from cluster.zk import paths
from kadmin.admin.answers import NoClusterHere, TopicNames
from kadmin.admin.zookeeper.connection import Connection


def read_topic_names(connection: Connection) -> TopicNames:
    """One round trip.

    Raises:
        NoClusterHere: there is no `/brokers/topics`.
    """
    names, marked = connection.children([paths.TOPICS, paths.DELETE_TOPICS])
    if names is None:
        raise NoClusterHere(connection.settings.connect, paths.TOPICS)
    return TopicNames(names=tuple(names), marked_for_deletion=frozenset(marked or ()))
