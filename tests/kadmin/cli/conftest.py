"""Clusters that kadmin is run on: in ZooKeeper only, or of one broker of ours."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.kadmin.builders import cluster, topic
from tests.kadmin.cli.topics.runs import RACKED, SICK
from tests.support.brokers import Broker, running_broker
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import make_chroot


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


class OneBroker(NamedTuple):
    """A broker that tests share, and its ZooKeeper."""

    broker: Broker
    zookeeper: str


@pytest.fixture(scope="session")
def one_broker(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[OneBroker]:
    """For tests in the group "one-broker" of xdist, each of which keeps to topics of its own."""
    connect = make_chroot(zookeeper)
    # Alone, it has to have all that groups need.
    settings = {
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "2",
        "group.initial.rebalance.delay.ms": "0",
        "kafka.metrics.reporters": "prometheus,jolokia",
    }
    directory = tmp_path_factory.mktemp("broker")
    with running_broker(directory, connect, settings=settings) as broker:
        yield OneBroker(broker, connect)
