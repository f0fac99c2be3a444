"""Does kadmin check real clusters of every release, and find ill what Kafka's tool finds ill?"""

import json
from typing import Any, Final

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.outages import killed, wait_until_dead, wait_until_led
from tests.interop.releases import version_tuple
from tests.interop.tools import Tools
from tests.support.cli import done, kadmin_process

pytestmark = pytest.mark.interop

REPLICAS_ARE_MISSING: Final = ("offline", "under-min-isr", "at-min-isr", "under-replicated")


def checked(*way: str) -> dict[str, Any]:
    outcome = kadmin_process("check", *way, "--output", "json")
    assert outcome.exit_code in (0, 4), outcome
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def test_a_cluster_of_every_release_is_looked_at(cluster: RealCluster) -> None:
    found = checked("--zookeeper", cluster.zookeeper_connect)

    assert len(cluster.brokers) == found["brokers"]
    assert found["controller"] in cluster.brokers
    assert "versions" not in {each["kind"] for each in found["findings"]}
    # Other tests have topics with replicas on brokers that never were.
    dead = [each for each in found["findings"] if each["kind"] == "dead-broker"]
    assert set(cluster.brokers).isdisjoint(broker for each in dead for broker in each["brokers"])
    # What brokers are asked about grew with the releases.
    gaps = [gap.partition(":")[0] for gap in found["not_looked_at"]]
    version = version_tuple(cluster.release)
    if version >= (1, 1):
        assert [] == gaps
    elif version >= (0, 10):
        assert ["log directories"] == gaps


@pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
def test_what_lacks_a_broker_is_what_kafka_s_tool_calls_under_replicated(
    cluster: RealCluster,
) -> None:
    made = ("--replica-assignment", "0:1,1:0", "--if-not-exists")
    create = ("topics", "--create", "--topic", "checked", *made)
    done(*create, "--zookeeper", cluster.zookeeper_connect)
    wait_until_led(cluster)
    with killed(cluster, 1):
        wait_until_dead(cluster, 1)
        by_zookeeper = checked("--zookeeper", cluster.zookeeper_connect)
        by_wire = checked("--bootstrap-server", cluster.bootstrap_of(0))
        told = Tools(cluster).topics("--describe", "--under-replicated-partitions").stdout

    theirs = {
        f"{words[1].split()[1]}-{words[2].split()[1]}"
        for words in (line.split("\t") for line in told.splitlines())
    }
    assert {"checked-0", "checked-1"} <= theirs
    for found in (by_zookeeper, by_wire):
        ours = {
            name
            for each in found["findings"]
            if each["kind"] in REPLICAS_ARE_MISSING
            for name in each["partitions"]
        }
        # A topic of another test whose only replica is there has no leader, and lacks none to it.
        assert theirs <= ours
        assert {"checked-0", "checked-1"} == {name for name in ours if name.startswith("checked-")}
        dead = [each["brokers"] for each in found["findings"] if each["kind"] == "dead-broker"]
        assert [1] in dead
