"""Clusters that `kadmin topics` is run on, and machines for `kadmin cluster`."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kadmin.local.state import BrokenState, cluster_names, read_cluster
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


@pytest.fixture
def clean_machine(home: Path) -> Iterator[None]:
    """No archive is made in the background, and no server of a cluster stays behind."""
    (home / "cache").mkdir()
    (home / "cache" / "kadmin").touch()  # Not a directory: a cache that cannot be written.
    yield
    for name in cluster_names():
        with suppress(BrokenState):
            cluster = read_cluster(name)
            if cluster is not None:
                for server in (*cluster.brokers, *cluster.servers):
                    server.kill()
