"""Are snapshots of too old brokers whole but for what these lack, and do they say what that is?"""

import json
from pathlib import Path

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create
from tests.support.cli import done, kadmin
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop


def differences(before: Path, after: Path, name: str) -> list[str]:
    """What of *name* two files differ in; other tests leave all sorts of things in a cluster."""
    outcome = kadmin("snapshot", "diff", str(before), str(after), "--output", "json")
    subjects = [each["subject"] for each in json.loads(outcome.stdout)["differences"]]
    return [subject for subject in subjects if name in subject]


@pytest.mark.parametrize("cluster", ["1.1.1"], indirect=True)
def test_an_old_cluster_is_saved_both_ways(cluster: RealCluster, tmp_path: Path) -> None:
    create(cluster, "saved-alone", "0:1")
    by_zookeeper, by_brokers = tmp_path / "zookeeper.json", tmp_path / "brokers.json"
    done("snapshot", "save", str(by_zookeeper), "--zookeeper", cluster.zookeeper_connect)
    done("snapshot", "save", str(by_brokers), "--bootstrap-server", cluster.bootstrap, "--groups")

    found = json.loads(by_brokers.read_text())
    assert {"config", "acls"} == {fault["thing"] for fault in found["faults"]}
    assert {"brokers", "users", "clients", "ips", ""} >= {
        fault["name"] for fault in found["faults"]
    }
    assert [] == differences(by_zookeeper, by_brokers, "saved-")
    outcome = kadmin("simulate", "--snapshot", str(by_brokers), "--kill", "0", "--output", "json")
    moved = json.loads(outcome.stdout)["leaders_moved"]
    assert "saved-alone" in {each["topic"] for each in moved}


@pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
def test_brokers_know_all_that_zookeeper_does(cluster: RealCluster, tmp_path: Path) -> None:
    create(cluster, "saved-both-ways", "0:1")
    at = ("--zookeeper", cluster.zookeeper_connect)
    topic = ("--topic", "saved-both-ways", "--add-config", "min.insync.replicas=2", "--yes")
    done("configs", *at, "--alter", *topic)
    user = ("--user", "saved", "--add-config", "consumer_byte_rate=7", "--yes")
    done("configs", *at, "--alter", *user)
    by_zookeeper, by_brokers = tmp_path / "zookeeper.json", tmp_path / "brokers.json"

    def are_the_same() -> bool:
        """Brokers learn of topics and configs a moment after ZooKeeper."""
        wire = ("--bootstrap-server", cluster.bootstrap)
        done("snapshot", "save", str(by_zookeeper), *at, "--force")
        done("snapshot", "save", str(by_brokers), *wire, "--force")
        return differences(by_zookeeper, by_brokers, "saved") == []

    wait_until(are_the_same, what="snapshots without differences")
    for file in (by_zookeeper, by_brokers):
        found = json.loads(file.read_text())
        assert {"min.insync.replicas": "2"} in [each["configs"] for each in found["topics"]]
        assert {"consumer_byte_rate": "7"} in [each["values"] for each in found["configs"]]
