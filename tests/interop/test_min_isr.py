"""Does kadmin find the partitions short of replicas that 3.9.1's own tool finds over its API?"""

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.outages import killed, wait_until_led
from tests.interop.tools import Tools
from tests.support.cli import done

pytestmark = pytest.mark.interop

MIN_ISR_1 = ("--config", "min.insync.replicas=1")
MIN_ISR_2 = ("--config", "min.insync.replicas=2")

CREATED = {
    "two-of-two": ("--replica-assignment", "0:1,1:0", *MIN_ISR_2),
    "one-of-two": ("--replica-assignment", "0:1,1:0", *MIN_ISR_1),
    "two-of-one": ("--replica-assignment", "0,1", *MIN_ISR_2),
    "default-of-one": ("--replica-assignment", "0,1"),
}

FILTERS = (
    "--under-min-isr-partitions",
    "--at-min-isr-partitions",
    "--under-replicated-partitions",
    "--unavailable-partitions",
)


@pytest.fixture(scope="module")
def tools(cluster_3_9: RealCluster) -> Tools:
    """The tools of a cluster whose topics have every relation of ISR to min ISR."""
    for name, options in CREATED.items():
        kadmin(cluster_3_9, "--create", "--topic", name, *options, "--yes")
    wait_until_led(cluster_3_9)
    return Tools(cluster_3_9)


def kadmin(cluster: RealCluster, *arguments: str) -> str:
    return done("topics", "--zookeeper", cluster.zookeeper_connect, *arguments)


def theirs(tools: Tools, condition: str) -> list[str]:
    """The lines of Kafka's tool, whose order is that of a hash table, as 2.8 wrote them."""
    said = tools.topics("--describe", condition)
    assert said.exit_code == 0, said
    return sorted(line.partition("\tElr:")[0] for line in said.stdout.splitlines())


def ours(tools: Tools, condition: str) -> list[str]:
    return sorted(kadmin(tools.cluster, "--describe", condition).splitlines())


def named(lines: list[str]) -> set[str]:
    """The partitions of this module's topics in *lines*."""
    words = [line.split("\t") for line in lines]
    found = {f"{word[1].removeprefix('Topic: ')}-{word[2][-1]}" for word in words}
    return {name for name in found if name.rpartition("-")[0] in CREATED}


def differences(
    found: dict[str, list[str]], expected: dict[str, list[str]]
) -> dict[str, list[str]]:
    """The lines that only one of them has, by condition, whole in the message of a failure."""
    return {
        condition: sorted({*lines} ^ {*expected[condition]})
        for condition, lines in found.items()
        if lines != expected[condition]
    }


def test_a_healthy_cluster_has_the_same_partitions_short_of_replicas(tools: Tools) -> None:
    found = {condition: ours(tools, condition) for condition in FILTERS}

    assert found == {condition: theirs(tools, condition) for condition in FILTERS}
    assert named(found["--under-min-isr-partitions"]) == {"two-of-one-0", "two-of-one-1"}
    assert named(found["--at-min-isr-partitions"]) == {
        "two-of-two-0",
        "two-of-two-1",
        "default-of-one-0",
        "default-of-one-1",
    }


def test_a_dead_broker_leaves_the_same_partitions_short_of_replicas(tools: Tools) -> None:
    with killed(tools.cluster, 1):
        found = {condition: ours(tools, condition) for condition in FILTERS}
        expected = {condition: theirs(tools, condition) for condition in FILTERS}

    assert differences(found, expected) == {}
    assert named(found["--under-min-isr-partitions"]) == {
        "two-of-two-0",
        "two-of-two-1",
        "two-of-one-0",
        "two-of-one-1",
        "default-of-one-1",
    }
    assert named(found["--at-min-isr-partitions"]) == {
        "one-of-two-0",
        "one-of-two-1",
        "default-of-one-0",
        # Without a leader it is under min ISR as well, by Kafka's reckoning.
        "default-of-one-1",
    }
