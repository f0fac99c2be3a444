"""Short ways to write targets down, and the cluster of the transcripts."""

from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.reassignment.targets import Target
from tests.kadmin.builders import brokers, cluster, ids, topic


def targets(*texts: str) -> dict[TopicPartition, Target]:
    """`t-0:1,2` lets partition 0 of t have the replicas 1 and 2."""
    return {
        part(name): Target(ids(replicas)) for name, replicas in (text.split(":") for text in texts)
    }


def part(text: str) -> TopicPartition:
    topic_name, _, number = text.rpartition("-")
    return TopicPartition(topic_name, int(number))


def kafka_cluster() -> ClusterSnapshot:
    """The cluster before the tool had reassigned anything."""
    return cluster(
        brokers("0:r0 1:r1 2:r2"),
        topic("big", "0,1"),
        topic("t1", "2,0 0,1 1,2 2,1 0,2"),
        topic("t2", "0,1 1,2 2,0 0,2 1,0 2,0"),
        topic("t3", "2,1,0 0,2,1"),
    )
