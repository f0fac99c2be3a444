"""Does kadmin tell and change ACLs of real brokers as Kafka's own tool does, by either way?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kadmin.errors import ExitCode
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.one_broker import one_broker, start
from tests.support.cli import done, kadmin
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.interop

SETTINGS: Final = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    # Whoever comes by the listener that asks for no name: kadmin and Kafka's tool.
    "super.users": "User:ANONYMOUS",
}


@pytest.fixture(params=["2.8.2", "3.9.1"])
def kafka(
    request: pytest.FixtureRequest, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> Iterator[RealCluster]:
    """One broker that lets nobody in but us."""
    with one_broker(
        request.param, chroot, java=java, maven=maven, directory=tmp_path, settings=SETTINGS
    ) as cluster:
        start(cluster)
        yield cluster


def by_kafka(kafka: RealCluster, *words: str) -> list[str]:
    tool = kafka.tool("kafka.admin.AclCommand", "--bootstrap-server", kafka.bootstrap, *words)
    assert tool.exit_code == 0, tool
    return tool.stdout.splitlines()


def in_no_order(lines: list[str]) -> list[str]:
    """Kafka's tool has none, and blanks around whichever ACLs come first and last."""
    return sorted(line.strip() for line in lines)


def by_zookeeper(kafka: RealCluster, *words: str) -> list[str]:
    return done("acls", *words, "--zookeeper", kafka.zookeeper_connect).splitlines()


def by_wire(kafka: RealCluster, *words: str) -> list[str]:
    return done("acls", *words, "--bootstrap-server", kafka.bootstrap).splitlines()


def wait_until_the_same(kafka: RealCluster) -> list[str]:
    """What both ways tell, once the broker has heard of what was written."""
    wait_until(
        lambda: by_zookeeper(kafka, "--list") == by_wire(kafka, "--list"),
        what="the same ACLs by ZooKeeper and by the wire",
    )
    return by_wire(kafka, "--list")


@pytest.mark.smoke
def test_acls_are_told_and_changed_as_by_kafka_s_tool(kafka: RealCluster) -> None:
    ann, prefixed = ("--allow-principal", "User:ann"), ("--resource-pattern-type", "prefixed")
    producer = ("--producer", "--topic", "a", "--transactional-id", "tx", "--idempotent")
    consumer = ("--consumer", "--topic", "team-", "--group", "team-", *prefixed)
    denied = ("--deny-principal", "User:bob", "--deny-host", "10.0.0.1", "--operation", "Alter")

    theirs = by_kafka(kafka, "--add", *ann, *producer)
    again = kadmin(
        "acls", "--add", *ann, *producer, "--zookeeper", kafka.zookeeper_connect, "--output", "json"
    )
    by_zookeeper(kafka, "--add", *ann, *consumer)
    by_wire(kafka, "--add", *denied, "--kafka-cluster", "--topic", "a", "--yes")
    listed = wait_until_the_same(kafka)

    assert again.exit_code == 0, again
    assert 3 == again.stdout.count('"outcome": "unchanged"')
    assert set(listed) > {line for line in theirs if line.startswith("Current")}
    assert in_no_order(listed) == in_no_order(by_kafka(kafka, "--list"))
    matching = ("--topic", "a", "--topic", "team-1", "--resource-pattern-type", "match")
    some = ("--list", *matching, "--principal", "User:bob", "--principal", "User:ann")
    assert in_no_order(by_kafka(kafka, *some)) == in_no_order(by_wire(kafka, *some))

    by_zookeeper(kafka, "--remove", *ann, *consumer, "--yes")
    by_wire(kafka, "--remove", *denied, "--kafka-cluster", "--yes")
    by_zookeeper(kafka, "--remove", "--topic", "a", "--yes")
    left = wait_until_the_same(kafka)

    assert [
        "Current ACLs for resource `ResourcePattern(resourceType=CLUSTER, name=kafka-cluster,"
        " patternType=LITERAL)`: ",
        "Current ACLs for resource `ResourcePattern(resourceType=TRANSACTIONAL_ID, name=tx,"
        " patternType=LITERAL)`: ",
    ] == [line for line in left if line.startswith("Current")]
    with client_of(kafka.zookeeper_connect) as client:
        assert [] == client.get_children("/kafka-acl/Topic")
        assert [] == client.get_children("/kafka-acl-extended/prefixed/Topic")


@pytest.mark.parametrize("cluster", ["3.9.1"], indirect=True)
def test_brokers_without_an_authorizer_have_no_acls(cluster: RealCluster) -> None:
    outcome = kadmin("acls", "--list", "--bootstrap-server", cluster.bootstrap)

    assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
    assert "have no authorizer: there are no ACLs\n" in outcome.stderr
