"""Clusters that kadmin is run on, in ZooKeeper only."""

import pytest

from tests.kadmin.builders import cluster, topic
from tests.kadmin.cli.topics.runs import RACKED, SICK
from tests.support.znodes import write_snapshot


@pytest.fixture
def sick(chroot, monkeypatch):
    """A cluster with every ailment, named by the environment."""
    write_snapshot(chroot, SICK)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


@pytest.fixture
def healthy(chroot, monkeypatch):
    """Three brokers with racks, an idle controller and one topic."""
    write_snapshot(chroot, cluster(RACKED, topic("users", "0,1 1,2")))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot
