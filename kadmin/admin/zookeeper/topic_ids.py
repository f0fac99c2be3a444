"""Topics by their ids: which topics have an id that is asked for?

Reads the topics' own znodes, neither configs nor states: two round trips, and no more than what
holds the ids.
"""

from cluster.model.errors import CorruptZnodeError
from cluster.zk import paths
from kadmin.admin.answers import TopicsOfId
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import decode_topics, denial
from kadmin.admin.zookeeper.topic_names import read_topic_names


def find_topics_of_id(connection: Connection, topic_id: str) -> TopicsOfId:
    """Find the topics whose id is *topic_id*, written as brokers write it.

    Raises:
        NoClusterHere: there is no `/brokers/topics`.
    """
    names = read_topic_names(connection).names
    denied: list[str] = []
    faults: list[CorruptZnodeError] = []
    nodes = connection.read([paths.topic(name) for name in names], denied)
    assignments = decode_topics(names, nodes, faults)
    return TopicsOfId(
        names=tuple(name for name, found in assignments.items() if found.topic_id == topic_id),
        faults=(*faults, *map(denial, denied)),
    )
