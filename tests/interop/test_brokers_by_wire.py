"""Do brokers of every release tell over the wire what ZooKeeper knows of them?"""

import json
from typing import Any

import pytest

from tests.interop.brokers import RealCluster
from tests.support.cli import done, kadmin
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

KNOWN_TO_ZOOKEEPER_ALONE = ("epoch", "since", "registration_version", "endpoints")


def both_ways(cluster: RealCluster, *arguments: str) -> tuple[str, str]:
    """What kadmin prints over ZooKeeper, and over the wire."""
    return (
        done(*arguments, "--zookeeper", cluster.zookeeper_connect),
        done(*arguments, "--bootstrap-server", cluster.bootstrap),
    )


@pytest.mark.parametrize("cluster", ["1.1.1", "2.8.2", "3.9.1"], indirect=True)
def test_brokers_are_the_same_both_ways(cluster: RealCluster) -> None:
    topic = ("topics", "--zookeeper", cluster.zookeeper_connect, "--topic", "spread", "--yes")
    done(*topic, "--create", "--partitions", "3", "--replication-factor", "2", "--if-not-exists")

    described = ("brokers", "--describe", "--output", "json")
    found: list[list[dict[str, Any]]] = []

    def are_the_same() -> bool:
        found[:] = (json.loads(text)["brokers"] for text in both_ways(cluster, *described))
        here, there = (list(map(known_to_both, brokers)) for brokers in found)
        return here == there

    # A broker hears of a topic, or of one that was started, a moment after ZooKeeper.
    wait_until(are_the_same, what="the same both ways")
    one, other = both_ways(cluster, "brokers", "--list")
    assert one == other
    for here, there in zip(*found, strict=True):
        # Replicas may be meant to be on a broker that does not exist.
        assert len(there["endpoints"]) == (1 if here["endpoints"] else 0)
        assert set(there["endpoints"]) <= set(here["endpoints"])
        assert (None, None, None) == (
            there["epoch"],
            there["since"],
            there["registration_version"],
        )


def known_to_both(record: dict[str, Any]) -> dict[str, Any]:
    """By the wire only one listener is told of, but whether there is any, both know."""
    known = {name: value for name, value in record.items() if name not in KNOWN_TO_ZOOKEEPER_ALONE}
    return known | {"has_endpoints": len(record["endpoints"]) > 0}


def test_listener_that_wants_a_password_is_no_good_without_one(cluster_3_9: RealCluster) -> None:
    outcome = kadmin("brokers", "--list", "--bootstrap-server", cluster_3_9.sasl_bootstrap)

    assert outcome.exit_code == 5
    assert f"cannot reach the brokers at {cluster_3_9.sasl_bootstrap}: " in outcome.stderr
    assert "disconnected" in outcome.stderr
