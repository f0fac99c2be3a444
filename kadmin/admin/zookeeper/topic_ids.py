"""Topics by their ids: which topics have an id that is asked for?

Reads the topics' own znodes, neither configs nor states: two round trips, and no more than what
holds the ids.
"""

from cluster.model.errors import CorruptZnodeError
from cluster.zk.steps import Steps, read
from kadmin.admin.answers import TopicsOfId
from kadmin.admin.zookeeper.faults import faults_of
from kadmin.admin.zookeeper.snapshot import decoding_topics, topics_in
from kadmin.admin.zookeeper.topic_names import read_topic_names


def find_topics_of_id(cluster: str, topic_id: str) -> Steps[TopicsOfId]:
    """Find the topics whose id is *topic_id*, written as brokers write it.

    Raises:
        NoClusterHere: there is no `/brokers/topics` at *cluster*.
    """
    names = (yield from read_topic_names(cluster)).names
    faults: list[CorruptZnodeError] = []
    request = decoding_topics(names)
    (reply,) = yield from read((request,))
    assignments = topics_in(names, request, reply, faults)
    return TopicsOfId(
        names=tuple(name for name, found in assignments.items() if found.topic_id == topic_id),
        faults=faults_of(faults),
    )
