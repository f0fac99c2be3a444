"""Does kadmin describe a cluster byte for byte as 2.8.2's own tool does over ZooKeeper?"""

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.outages import killed, wait_until_deleted, wait_until_led
from tests.interop.tools import Tools
from tests.support.cli import done

pytestmark = pytest.mark.interop

CREATED = {
    "plain": ("--partitions", "3", "--replication-factor", "2"),
    "with.dots": ("--partitions", "1", "--replication-factor", "1"),
    "configured": (
        *("--partitions", "2", "--replication-factor", "3"),
        *("--config", "min.insync.replicas=2"),
        *("--config", "retention.ms=60000"),
        *("--config", "cleanup.policy=compact"),
    ),
    "only-on-2": ("--replica-assignment", "2,2"),
    # Kafka's tool takes a broker that does not exist; the partition is under-replicated for ever.
    "half-imagined": ("--replica-assignment", "0:9,1:0"),
}

QUESTIONS = {
    "list": ("--list",),
    "list without internal topics": ("--list", "--exclude-internal"),
    "describe": ("--describe",),
    "one topic": ("--describe", "--topic", "configured"),
    "two topics": ("--describe", "--topic", "plain,only-on-2"),
    "without internal topics": ("--describe", "--exclude-internal"),
    "overrides": ("--describe", "--topics-with-overrides"),
    "under-replicated": ("--describe", "--under-replicated-partitions"),
    "unavailable": ("--describe", "--unavailable-partitions"),
}


@pytest.fixture(scope="module")
def tools(cluster_2_8: RealCluster) -> Tools:
    """The tools of a cluster with topics of every kind, all made by Kafka itself."""
    tools = Tools(cluster_2_8)
    for name, options in CREATED.items():
        assert tools.topics("--create", "--topic", name, *options).exit_code == 0
    # The first consumer in a group makes the brokers create their internal topic.
    tools.produce("plain", "record")
    assert tools.consume("plain", 1) == ["record"]
    wait_until_led(cluster_2_8)
    return tools


def ours(tools: Tools, *question: str) -> str:
    return done("topics", "--zookeeper", tools.cluster.zookeeper_connect, *question)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))
def test_a_healthy_cluster_is_described_byte_for_byte(
    tools: Tools, question: tuple[str, ...]
) -> None:
    theirs = tools.topics(*question)

    assert theirs.exit_code == 0, theirs
    assert ours(tools, *question) == theirs.stdout


def test_a_cluster_with_a_dead_broker_is_described_byte_for_byte(tools: Tools) -> None:
    ours(tools, "--create", "--topic", "doomed-on-2", "--replica-assignment", "2")

    with killed(tools.cluster, 2):
        ours(tools, "--delete", "--topic", "doomed-on-2", "--yes")
        theirs = {name: tools.topics(*question) for name, question in QUESTIONS.items()}
        answers = {name: ours(tools, *question) for name, question in QUESTIONS.items()}
    wait_until_deleted(tools.cluster, "doomed-on-2")

    assert answers == {name: run.stdout for name, run in theirs.items()}
    assert "\tTopic: only-on-2\tPartition: 0\tLeader: none\t" in answers["unavailable"]
    assert "doomed-on-2 - marked for deletion\n" in answers["list"]
