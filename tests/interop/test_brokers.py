"""Does kadmin tell the live brokers and the controller of every release as they registered?"""

import json

import pytest

from tests.interop import znodes
from tests.interop.brokers import RealCluster
from tests.support.cli import done

pytestmark = pytest.mark.interop


def answer(cluster: RealCluster, *arguments: str) -> dict[str, object]:
    form = ("--zookeeper", cluster.zookeeper_connect, "--output", "json")
    document: dict[str, object] = json.loads(done(*arguments, *form))
    return document


def test_the_brokers_are_listed_with_their_endpoints_and_racks(cluster: RealCluster) -> None:
    described = answer(cluster, "brokers", "--describe")["brokers"]

    assert isinstance(described, list)
    # Another test's topic may name a broker that never was; it is told as dead.
    live = [broker for broker in described if broker["state"] == "live"]
    assert [broker["id"] for broker in live] == sorted(cluster.brokers)
    for broker, real in zip(live, cluster.brokers.values(), strict=True):
        assert f"PLAINTEXT://127.0.0.1:{real.place.port}" in broker["endpoints"]
        assert broker["rack"] == real.place.rack


def test_the_controller_is_the_one_that_the_brokers_elected(cluster: RealCluster) -> None:
    elected = znodes.document(cluster, "/controller")["brokerid"]

    told = answer(cluster, "controller")

    assert told["controller"] == elected
    assert told["epoch"] == znodes.document(cluster, "/controller_epoch")
