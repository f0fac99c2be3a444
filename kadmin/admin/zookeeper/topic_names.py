"""Names of topics: which topics are there, and which of them wait for their deletion?

Reads names only, and imports no more than that takes: it is what the shell waits for.
"""

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ
from cluster.model.topic_name import topic_name_problem
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
    faults = [fault for name in names if (fault := name_fault(name)) is not None]
    return TopicNames(
        names=tuple(name for name in names if topic_name_problem(name) is None),
        marked_for_deletion=frozenset(marked or ()),
        faults=tuple(faults),
    )


def name_fault(name: str) -> CorruptZnodeError | None:
    """What is wrong with a topic's znode that no topic can be called by: brokers leave it alone."""
    problem = topic_name_problem(name)
    return None if problem is None else CorruptZnodeError(paths.topic(name), NEVER_READ, problem)
