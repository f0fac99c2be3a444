"""Real clusters and old ZooKeeper servers for the tests of this directory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.interop.brokers import RealCluster
from tests.interop.fleet import Fleet
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import ZOOKEEPER, chosen_releases
from tests.interop.tools import Tools
from tests.interop.zookeepers import OldZooKeeper

HERE: Final = Path(__file__).parent


# Before xdist reads the groups, which it does last only if this file was loaded later than xdist.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of one real cluster run in one process, which alone starts it."""
    for item in items:
        if item.path.is_relative_to(HERE) and (server := server_of(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(server))


def server_of(item: pytest.Item) -> str | None:
    """The server that a test needs; None where it starts its own, or none."""
    assert isinstance(item, pytest.Function)
    params = item.callspec.params if hasattr(item, "callspec") else {}
    for fixture, release in (("cluster_2_8", "2.8.2"), ("cluster_3_9", "3.9.1")):
        if fixture in item.fixturenames:
            return f"kafka-{release}"
    for fixture, kind in (("cluster", "kafka"), ("old_zookeeper", "zookeeper")):
        if fixture in params:
            return f"{kind}-{params[fixture]}"
    return None


@pytest.fixture(scope="session")
def fleet(
    zookeeper: ZooKeeperServer,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Fleet]:
    fleet = Fleet(
        zookeeper_connect=zookeeper.connect,
        java=java,
        directory=tmp_path_factory.mktemp("kafka"),
        maven=maven,
    )
    yield fleet
    fleet.kill()


def cluster_of(fleet: Fleet, release: str) -> RealCluster:
    with needing_maven():
        return fleet.cluster(release)


@pytest.fixture(scope="session", params=chosen_releases())
def cluster(request: pytest.FixtureRequest, fleet: Fleet) -> RealCluster:
    """Every release in turn."""
    return cluster_of(fleet, request.param)


@pytest.fixture(scope="session")
def tools(cluster: RealCluster) -> Tools:
    return Tools(cluster)


@pytest.fixture(scope="session")
def cluster_2_8(fleet: Fleet) -> RealCluster:
    """Three brokers in three racks of the release whose lines kadmin prints."""
    return cluster_of(fleet, "2.8.2")


@pytest.fixture(scope="session")
def cluster_3_9(fleet: Fleet) -> RealCluster:
    """Two brokers of the last release with ZooKeeper, whose tools only know the admin API."""
    return cluster_of(fleet, "3.9.1")


@pytest.fixture(scope="session", params=ZOOKEEPER)
def old_zookeeper(
    request: pytest.FixtureRequest,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[OldZooKeeper]:
    """A server that knows no multiRead, of each release in turn."""
    with needing_maven():
        class_path = maven.class_path(ZOOKEEPER[request.param])
    directory: Path = tmp_path_factory.mktemp("zookeeper")
    server = OldZooKeeper(java=java, class_path=class_path, directory=directory)
    try:
        server.start()
        yield server
    finally:
        server.kill()
