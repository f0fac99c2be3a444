"""Do real brokers of every release take up the topics that kadmin makes, changes and deletes?"""

from pathlib import Path

import pytest

from tests.interop import znodes
from tests.interop.brokers import RealCluster
from tests.interop.outages import wait_until_led
from tests.interop.tools import Tools
from tests.support.cli import done
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.interop


def logs_of(cluster: RealCluster, topic: str, partition: int) -> list[Path]:
    """The directories that the brokers keep for *partition*."""
    return [
        broker.directory / "data" / f"{topic}-{partition}"
        for broker in cluster.brokers.values()
        if (broker.directory / "data" / f"{topic}-{partition}").is_dir()
    ]


def size_of(directory: Path) -> int:
    return sum(segment.stat().st_size for segment in directory.glob("*.log"))


def partition_lines(text: str) -> list[str]:
    """The partition lines of a description, without what later releases append."""
    lines = [line.partition("\tElr:")[0] for line in text.splitlines()]
    return [line for line in lines if line.startswith("\t")]


def topics(cluster: RealCluster, *arguments: str) -> str:
    return done("topics", "--zookeeper", cluster.zookeeper_connect, *arguments)


def test_a_created_topic_is_led_and_served(cluster: RealCluster, tools: Tools) -> None:
    size = ("--partitions", "3", "--replication-factor", "2")

    said = topics(cluster, "--create", "--topic", "served", *size, "--config", "flush.messages=1")

    assert said == "Created topic served.\n"
    described = topics(cluster, "--describe", "--topic", "served")
    assert "Configs: flush.messages=1\n" in described
    assert "Leader: none" not in described
    assert partition_lines(described) == partition_lines(
        tools.topics("--describe", "--topic", "served").stdout
    )
    tools.produce("served", "one", "two", "three")
    assert tools.consume("served", 3) == ["one", "three", "two"]


def test_a_created_topic_follows_the_assignment_that_was_given(cluster: RealCluster) -> None:
    topics(cluster, "--create", "--topic", "assigned", "--replica-assignment", "1,0,1")

    first, second = cluster.brokers[0].directory / "data", cluster.brokers[1].directory / "data"
    expected = [[second / "assigned-0"], [first / "assigned-1"], [second / "assigned-2"]]
    wait_until(
        lambda: expected == [logs_of(cluster, "assigned", partition) for partition in range(3)],
        what="the partitions' directories on the brokers that were named",
    )


def test_added_partitions_are_led_and_served(cluster: RealCluster, tools: Tools) -> None:
    size = ("--partitions", "1", "--replication-factor", "2")
    topics(cluster, "--create", "--topic", "grown", *size)

    said = topics(cluster, "--alter", "--topic", "grown", "--partitions", "4")

    assert said == "Adding partitions succeeded!\n"
    lines = [f"key-{number}:value-{number}" for number in range(40)]
    tools.produce_with_keys("grown", *lines)
    assert tools.consume("grown", 40) == sorted(line.partition(":")[2] for line in lines)
    for partition in range(4):
        directories = logs_of(cluster, "grown", partition)
        assert len(directories) == 2
        assert all(size_of(directory) > 0 for directory in directories)


def test_a_deleted_topic_is_removed_by_the_brokers(cluster: RealCluster, tools: Tools) -> None:
    topics(cluster, "--create", "--topic", "doomed", "--replica-assignment", "0:1,1:0")
    tools.produce("doomed", "gone soon")

    said = topics(cluster, "--delete", "--topic", "doomed", "--yes", "--wait")

    assert said.startswith("Topic doomed is marked for deletion.\n")
    assert "doomed" not in znodes.names(cluster, "/brokers/topics")
    assert "doomed" not in znodes.names(cluster, "/config/topics")
    assert "doomed" not in znodes.names(cluster, "/admin/delete_topics")
    assert "doomed" not in tools.topics("--list").stdout.splitlines()
    wait_until(
        lambda: not logs_of(cluster, "doomed", 0) + logs_of(cluster, "doomed", 1),
        what="the end of the partitions' directories",
    )


def test_a_name_can_be_used_again_once_its_topic_is_gone(
    cluster: RealCluster, tools: Tools
) -> None:
    first = ("--replica-assignment", "0:1,1:0", "--config", "max.message.bytes=50", "--yes")
    topics(cluster, "--create", "--topic", "again", *first)
    topics(cluster, "--delete", "--topic", "again", "--yes", "--wait")

    topics(cluster, "--create", "--topic", "again", "--replica-assignment", "1:0")

    tools.produce("again", "longer than the fifty bytes that were allowed the first time")
    assert len(tools.consume("again", 1)) == 1


def test_a_topic_of_kafkas_own_tool_is_described_with_its_lines(
    cluster: RealCluster, tools: Tools
) -> None:
    size = ("--partitions", "5", "--replication-factor", "2")
    tools.topics("--create", "--topic", "theirs", *size, "--config", "retention.ms=60000")
    wait_until_led(cluster)

    ours = topics(cluster, "--describe", "--topic", "theirs")

    theirs = tools.topics("--describe", "--topic", "theirs").stdout
    assert partition_lines(ours) == partition_lines(theirs)
    assert len(partition_lines(ours)) == 5
    assert "\tPartitionCount: 5\tReplicationFactor: 2\tConfigs: retention.ms=60000\n" in ours


def test_a_description_leaves_no_trace_in_zookeeper(cluster: RealCluster) -> None:
    with client_of(cluster.zookeeper_connect) as client:
        before = client.get("/brokers/topics")[1]

        topics(cluster, "--describe")
        topics(cluster, "--list")

        assert client.get("/brokers/topics")[1] == before
