"""Is it the same to ask ZooKeeper of topics and to ask brokers, and to change them by either?"""

import json
from typing import Any

import pytest

from kadmin.errors import ExitCode
from tests.interop.brokers import RealCluster
from tests.interop.outages import killed
from tests.support.cli import KadminRun, done, kadmin
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

of_two_releases = pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)

FILTERS = (
    "--under-replicated-partitions",
    "--unavailable-partitions",
    "--under-min-isr-partitions",
    "--at-min-isr-partitions",
    "--non-preferred-leader-partitions",
    "--topics-with-overrides",
)


def by_wire(cluster: RealCluster, *arguments: str) -> KadminRun:
    return kadmin("topics", *arguments, "--bootstrap-server", cluster.bootstrap)


def by_zookeeper(cluster: RealCluster, *arguments: str) -> KadminRun:
    return kadmin("topics", *arguments, "--zookeeper", cluster.zookeeper_connect)


def changed(cluster: RealCluster, *arguments: str) -> str:
    outcome = by_wire(cluster, *arguments)
    assert outcome.exit_code == 0, outcome
    return outcome.stdout


def assert_the_same(cluster: RealCluster, *arguments: str) -> str:
    """Both ways print the same, once every broker has heard of what was written; returns it."""
    answers: list[KadminRun] = []

    def are_the_same() -> bool:
        answers[:] = by_zookeeper(cluster, *arguments), by_wire(cluster, *arguments)
        return answers[0].stdout == answers[1].stdout

    wait_until(are_the_same, what=f"the same both ways: topics {' '.join(arguments)}")
    assert [0, 0] == [answer.exit_code for answer in answers]
    return answers[0].stdout


@of_two_releases
def test_topic_lives_the_same_life_by_the_wire(cluster: RealCluster) -> None:
    """Create, describe, alter, delete over the wire; ZooKeeper tells the same at each step."""
    topic = ("--topic", "wired")
    configs = ("--config", "cleanup.policy=compact", "--config", "retention.ms=86400000")
    create = ("--create", *topic, "--partitions", "2", "--replication-factor", "2", *configs)

    placed = (*create, "--start-index", "0")
    planned = changed(cluster, *placed, "--dry-run")
    assert planned == by_zookeeper(cluster, *placed, "--dry-run").stdout
    assert "wired" not in done("topics", "--list", "--zookeeper", cluster.zookeeper_connect)

    assert "Created topic wired." in changed(cluster, *placed, "--yes")
    text = assert_the_same(cluster, "--describe", *topic)
    assert "\tConfigs: cleanup.policy=compact,retention.ms=86400000\n" in text
    assert "\tTopicId: " in text
    topic_id = text.partition("TopicId: ")[2].partition("\t")[0]
    assert_the_same(cluster, "--describe", "--topic-id", topic_id)

    again = by_wire(cluster, *create, "--yes")
    assert (1, "") == (again.exit_code, again.stdout)
    assert "topic 'wired' already exists" in again.stderr
    changed(cluster, *create, "--if-not-exists", "--yes")

    config = ("--config", "retention.ms=1000", "--delete-config", "cleanup.policy")
    text = changed(cluster, "--alter", *topic, *config, "--partitions", "4", "--yes")
    assert "Updated config for topic wired." in text
    assert "Adding partitions succeeded!" in text
    text = assert_the_same(cluster, "--describe", *topic)
    assert "PartitionCount: 4\tReplicationFactor: 2\tConfigs: retention.ms=1000\n" in text

    asked = by_wire(cluster, "--delete", *topic)
    assert asked.exit_code == 6
    assert "Topic wired is marked" in changed(cluster, "--delete", *topic, "--yes", "--wait")
    assert "wired" not in assert_the_same(cluster, "--list")
    gone = by_wire(cluster, "--describe", *topic)
    assert gone.exit_code == 1
    assert "there is no topic 'wired'" in gone.stderr


@of_two_releases
def test_every_form_and_filter_says_the_same_both_ways(cluster: RealCluster) -> None:
    done(
        *("topics", "--create", "--topic", "both-ways", "--zookeeper", cluster.zookeeper_connect),
        *("--replica-assignment", "0:1,1:0", "--config", "min.insync.replicas=2"),
        *("--if-not-exists", "--yes"),
    )
    assert_the_same(cluster, "--list")
    assert_the_same(cluster, "--list", "--exclude-internal", "--output", "csv")
    # Not all topics: other tests leave some that wait for their deletion, which brokers hide.
    mine = ("--describe", "--topic", "both-*")
    for options in ((), ("--output", "csv"), *((name,) for name in FILTERS)):
        assert_the_same(cluster, *mine, *options)

    def told(text: str) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(text)
        for topic in body["topics"]:
            for partition in topic["partitions"]:
                partition.pop("controller_epoch")  # ZooKeeper alone knows it.
        return body

    here = told(by_zookeeper(cluster, *mine, "--output", "json").stdout)
    there = told(by_wire(cluster, *mine, "--output", "json").stdout)
    assert here == there
    assert [2, 2] == [part["min_isr"] for part in there["topics"][0]["partitions"]]


def test_what_brokers_refuse_is_told_with_their_reason(cluster_2_8: RealCluster) -> None:
    """A config that came with 3.6: brokers of 2.8 do not know it."""
    create = ("--create", "--topic", "refused", "--partitions", "1", "--replication-factor", "1")

    refused = by_wire(cluster_2_8, *create, "--config", "local.retention.ms=5", "--yes")

    assert (1, "") == (refused.exit_code, refused.stdout)
    assert "the brokers refuse to create topic 'refused': " in refused.stderr
    assert "Unknown topic config name: local.retention.ms" in refused.stderr


@pytest.mark.parametrize("cluster", ["1.1.1"], indirect=True)
def test_brokers_too_old_to_tell_enough_are_named(cluster: RealCluster) -> None:
    outcome = by_wire(cluster, "--list")

    assert (1, "") == (outcome.exit_code, outcome.stdout)
    assert "brokers of release 1.1 do not return enough about topics" in outcome.stderr


@of_two_releases
def test_a_topic_that_waits_for_a_dead_broker_to_be_deleted_is_not_gone(
    cluster: RealCluster,
) -> None:
    changed(cluster, "--create", "--topic", "going", "--replica-assignment", "0:1")
    anew = ("--create", "--topic", "going", "--partitions", "1", "--replication-factor", "1")
    with killed(cluster, 1):
        waited = by_wire(
            cluster, *["--delete", "--topic", "going", "--yes", "--wait", "--timeout", "3"]
        )
        again = by_wire(cluster, *anew)
        spared = by_wire(cluster, *anew, "--if-not-exists")
    wait_until(
        lambda: by_wire(cluster, *anew).exit_code == 0,
        what="the end of the deletion",
    )

    assert ExitCode.IN_PROGRESS == waited.exit_code
    assert ExitCode.FAILED == again.exit_code
    assert "kadmin: topic 'going' already exists and is marked for deletion" in again.stderr
    assert ExitCode.DONE == spared.exit_code
