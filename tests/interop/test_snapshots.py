"""Are snapshots of too old brokers whole but for what these lack, and do they say what that is?"""

import json
from pathlib import Path

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create
from tests.support.cli import done, kadmin

pytestmark = pytest.mark.interop


@pytest.mark.parametrize("cluster", ["1.1.1"], indirect=True)
def test_an_old_cluster_is_saved_both_ways(cluster: RealCluster, tmp_path: Path) -> None:
    create(cluster, "saved", "0:1")
    by_zookeeper, by_brokers = tmp_path / "zookeeper.json", tmp_path / "brokers.json"
    done("snapshot", "save", str(by_zookeeper), "--zookeeper", cluster.zookeeper_connect)
    done("snapshot", "save", str(by_brokers), "--bootstrap-server", cluster.bootstrap, "--groups")

    assert [] == json.loads(by_zookeeper.read_text())["faults"]
    found = json.loads(by_brokers.read_text())
    assert {"config", "acls"} == {fault["thing"] for fault in found["faults"]}
    assert {"brokers", "users", "clients", "ips", ""} >= {
        fault["name"] for fault in found["faults"]
    }
    assert "no differences" in done("snapshot", "diff", str(by_zookeeper), str(by_brokers))
    outcome = kadmin("simulate", "--snapshot", str(by_brokers), "--kill", "0", "--output", "json")
    moved = json.loads(outcome.stdout)["leaders_moved"]
    assert "saved" in {each["topic"] for each in moved}
