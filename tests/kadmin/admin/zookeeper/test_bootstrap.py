"""Are the brokers found that listen as it is asked for?"""

import json

import pytest

from cluster.zk import paths
from tests.support.cli import kadmin
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def register(chroot: str, broker_id: int, *endpoints: str) -> None:
    names = {name: name for name in ("PLAINTEXT", "SASL_SSL")}
    fields = {
        "version": 4,
        "host": None,
        "port": -1,
        "endpoints": list(endpoints),
        "listener_security_protocol_map": names,
        "jmx_port": -1,
        "timestamp": "1",
    }
    with client_of(chroot) as client:
        path = f"{paths.BROKER_IDS}/{broker_id}"
        client.create(path, json.dumps(fields).encode(), makepath=True)


def test_brokers_of_the_protocol_are_asked_and_a_damaged_registration_costs_nothing(
    chroot: str,
) -> None:
    register(chroot, 0, "SASL_SSL://127.0.0.1:1", "PLAINTEXT://127.0.0.1:2")
    register(chroot, 1, "PLAINTEXT://[::1]:3")
    with client_of(chroot) as client:
        client.create(f"{paths.BROKER_IDS}/2", b"{")

    outcome = kadmin("consume", "--topic", "t", "--zookeeper", chroot)

    assert outcome.exit_code == 5
    assert "cannot reach the brokers at 127.0.0.1:2,[::1]:3: " in outcome.stderr


def test_protocol_that_nobody_listens_for_is_named_with_those_that_are(chroot: str) -> None:
    register(chroot, 0, "SASL_SSL://127.0.0.1:1", "PLAINTEXT://127.0.0.1:2")

    outcome = kadmin("consume", "--topic", "t", "--zookeeper", chroot, "--broker-tls")

    assert outcome.exit_code == 1
    assert "no broker listens for SSL, only for PLAINTEXT, SASL_SSL" in outcome.stderr


@pytest.mark.parametrize(("options", "exit_code"), [(["--broker-tls"], 1), ([], 0)])
def test_check_takes_a_protocol_for_wrong_that_was_asked_for(
    chroot: str, options: list[str], exit_code: int
) -> None:
    register(chroot, 0, "SASL_SSL://127.0.0.1:1")
    with client_of(chroot) as client:
        client.ensure_path("/brokers/topics")

    outcome = kadmin("check", "--nagios", "--zookeeper", chroot, *options)
    told = kadmin("check", "--zookeeper", chroot, *options)

    listens = f"no broker listens for {'SSL' if options else 'PLAINTEXT'}, only for SASL_SSL"
    assert listens in told.stdout + told.stderr
    assert (told.exit_code == 1) == bool(exit_code)
    assert (outcome.exit_code == 3) == bool(exit_code)


def test_cluster_without_a_live_broker_is_unreachable(chroot: str) -> None:
    outcome = kadmin("produce", "--topic", "t", "--zookeeper", chroot)

    assert outcome.exit_code == 5
    assert "no broker is alive" in outcome.stderr
