"""Do produce and consume refuse what they cannot do, and fail soon where no broker answers?"""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kadmin.local.ports import free_ports
from tests.support.cli import done, kadmin

pytestmark = pytest.mark.clients

LOOPBACK = "127.0.0.1"
PRODUCE = ("produce", "--topic", "t", "--bootstrap-server", "b:1")
CONSUME = ("consume", "--topic", "t", "--bootstrap-server", "b:1")


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections, and never says a word."""
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("produce", "--bootstrap-server", "b:1"), "missing option '--topic'"),
        ((*PRODUCE, "--bootstrap-server", "b:x"), "'b:x' is not HOST:PORT"),
        ((*PRODUCE, "--acks", "1", "--idempotence"), "--idempotence needs the word of the whole"),
        ((*PRODUCE, "--format", "json", "--key-separator", ":"), "--key-separator does not go"),
        ((*PRODUCE, "--key-separator", ""), "an empty separator separates nothing"),
        ((*PRODUCE, "--header", "x"), "the header 'x' is not NAME=VALUE"),
        ((*PRODUCE, "--property", "print.key=true"), "there is no such property here"),
        ((*PRODUCE, "--property", "parse.key=1"), "it is true or false"),
        ((*PRODUCE, "-X", "group.id=g"), "a group is named otherwise than by group.id"),
        ((*CONSUME, "-X", "enable.auto.offset.store=true"), "is committed when it is printed"),
        ((*CONSUME, "--group", ""), "a group has a name"),
        ((*CONSUME, "--group", "\udcff"), "a name that is not UTF-8"),
        ((*CONSUME, "--group", "g" * 32_768), "longer than 32,767 bytes"),
        (
            (*CONSUME, "--group", "g", "--in-zookeeper", "-X", "enable.auto.commit=False"),
            "a group of old consumers commits what is printed",
        ),
        ((*CONSUME, "--assignor", "range"), "--assignor is about a group"),
        ((*CONSUME, "--group-instance-id", "a"), "--group-instance-id is about a group"),
        ((*CONSUME, "--in-zookeeper"), "--in-zookeeper is about a group"),
        (
            (*CONSUME, "--group", "g", "--in-zookeeper", "--group-instance-id", "a"),
            "--group-instance-id does not go with --in-zookeeper",
        ),
        (
            (*CONSUME, "--group", "g", "--in-zookeeper", "--assignor", "cooperative-sticky"),
            "old consumers have range and roundrobin",
        ),
        ((*CONSUME, "--group", "a/b", "--in-zookeeper"), "ZooKeeper has no node of that name"),
        ((*CONSUME, "--group", "g", "--in-zookeeper"), "only brokers are named"),
        ((*CONSUME, "--group", "g", "--group-instance-id", "a b"), "up to 249 letters"),
        ((*CONSUME, "--group", "g", "--partition", "0"), "--partition does not go with --group"),
        ((*CONSUME, "--group", "g", "--offset", "-10"), "reads on from what it has committed"),
        ((*PRODUCE, "-X", "acks"), "-X takes NAME=VALUE"),
        ((*PRODUCE, "--property-file", "/nowhere"), "cannot read the property file /nowhere"),
        ((*PRODUCE, "-X", "nonsense=1"), 'no such configuration property: "nonsense"'),
        ((*PRODUCE, "--broker-tls-ca", "ca"), "needs --broker-tls"),
        ((*CONSUME, "--from-beginning", "--offset", "3"), "--offset does not go with --from"),
        ((*CONSUME, "--offset", "soon"), "'soon' is no offset and no time"),
        ((*CONSUME, "--topic", "u", "--partition", "0"), "--partition needs one --topic"),
        ((*CONSUME, "--output", "csv"), "records have no form csv"),
        ((*CONSUME, "--output", "json", "--format", "hex"), "--output json does not go with"),
        ((*CONSUME, "--format", "raw", "--key-separator", ":"), "--key-separator does not go"),
        ((*CONSUME, "--format", "hex", "--property", "print.key=true"), "--property does not go"),
        (("consume", "--topic", "t"), "no cluster is named"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin(*arguments)

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr.lower() or reason in outcome.stderr


@pytest.mark.parametrize("command", ["produce", "consume"])
def test_refused_connection_is_told_at_once_whatever_the_timeout(command: str) -> None:
    (port,) = free_ports(1, LOOPBACK)

    outcome = kadmin(
        *(command, "--topic", "t", "--bootstrap-server", f"{LOOPBACK}:{port}"),
        *("--timeout", "3600"),
    )

    assert (5, "") == (outcome.exit_code, outcome.stdout)
    assert f"cannot reach the brokers at {LOOPBACK}:{port}: " in outcome.stderr
    assert "connection refused" in outcome.stderr


def test_server_that_says_nothing_is_given_up_after_the_timeout(silent_port: int) -> None:
    address = f"{LOOPBACK}:{silent_port}"

    outcome = kadmin("consume", "--topic", "t", "--bootstrap-server", address, "--timeout", "1")

    assert outcome.exit_code == 5
    assert f"cannot reach the brokers at {address}: no answer within 1 s" in outcome.stderr


def test_password_is_shown_nowhere(silent_port: int, tmp_path: Path) -> None:
    properties = tmp_path / "client.properties"
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=ann\nsasl.password=swordfish\n"
    )
    properties.chmod(0o644)

    outcome = kadmin(
        *("consume", "--topic", "t", "--bootstrap-server", f"{LOOPBACK}:{silent_port}"),
        *("--timeout", "1", "--debug", "--property-file", str(properties)),
        *("-X", "ssl.key.password=perch"),
    )

    assert outcome.exit_code == 5
    assert f"others can read a password in {properties}: chmod 600" in outcome.stderr
    assert "others can see ssl.key.password in the list of processes" in outcome.stderr
    assert "swordfish" not in outcome.stderr
    assert "perch" not in outcome.stderr


def test_named_cluster_may_have_brokers_only_and_is_shown_with_them() -> None:
    done("config", "add", "dev", "--bootstrap-server", "b1,b2:9093", "--use")

    assert "bootstrap_server" in done("config", "show")
    assert "b1:9092,b2:9093" in done("config", "list")
    outcome = kadmin("zookeeper")
    assert outcome.exit_code == 2
    assert "only brokers are named, and this command asks ZooKeeper" in outcome.stderr
