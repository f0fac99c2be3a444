"""Does kadmin's own way over the wire work with our brokers: topics, records, brokers?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.brokers import Broker, running_broker
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin
from tests.support.waiting import patiently, wait_until

pytestmark = [pytest.mark.zk, pytest.mark.clients]


def test_topic_is_made_filled_read_and_deleted(broker: Broker, topic: str, tmp_path: Path) -> None:
    wire = ("--bootstrap-server", broker.bootstrap)
    named = ("--topic", topic)
    path = tmp_path / "records"
    path.write_text("a:1\nb:2\na:3\n")

    done("topics", *wire, "--create", *named, "--partitions", "3", "--replication-factor", "1")
    described = done("topics", *wire, "--describe", *named)
    assert f"Topic: {topic}\tTopicId: " in described
    assert "PartitionCount: 3\tReplicationFactor: 1\tConfigs: \n" in described

    done("produce", *wire, *named, "--file", str(path), "--key-separator", ":")
    read = done(
        *("consume", *wire, *named, "--from-beginning", "--until-end"),
        *("--format", "key-value", "--key-separator", ":"),
    )
    assert sorted(read.splitlines()) == ["a:1", "a:3", "b:2"]
    assert read.index("a:1") < read.index("a:3")

    change = ("--partitions", "4", "--config", "retention.ms=86400000")
    done("topics", *wire, "--alter", *named, *change, "--yes")
    described = done("topics", *wire, "--describe", *named)
    assert "PartitionCount: 4\tReplicationFactor: 1\tConfigs: retention.ms=86400000\n" in described

    done("topics", *wire, "--delete", *named, "--yes", "--wait")
    assert kadmin("topics", *wire, "--describe", *named).exit_code == 1


def test_globs_name_topics_that_are_there(broker: Broker, topic: str) -> None:
    wire = ("--bootstrap-server", broker.bootstrap)
    for name in (f"{topic}-a", f"{topic}-b"):
        done("topics", *wire, "--create", "--topic", name)
        subprocess.run(
            [sys.executable, "-m", "kadmin", "produce", *wire, "--topic", name],
            input=f"{name}\n",
            text=True,
            check=True,
            cwd=CHECKOUT,
        )
    read = ("consume", *wire, "--from-beginning", "--until-end")

    assert {f"{topic}-a", f"{topic}-b"} == set(done(*read, "--topic", f"{topic}-*").split())
    assert "no topic matches 'QQQ*'" in kadmin(*read, "--topic", "QQQ*").stderr


def test_who_waits_for_records_is_told_so(broker: Broker, topic: str) -> None:
    wire = ("--bootstrap-server", broker.bootstrap, "--topic", topic)
    done("topics", *wire, "--create")
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "consume", *wire],
        stderr=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
    ) as waiting:
        assert waiting.stderr is not None
        line = waiting.stderr.readline()
        waiting.kill()

    assert f"no record yet, waiting for new ones of {topic}; Ctrl-C ends" in line
    assert "--until-end" in line


def test_mistyped_topic_is_not_made_by_the_hint(broker: Broker, topic: str) -> None:
    wire = ("--bootstrap-server", broker.bootstrap)
    done("topics", *wire, "--create", "--topic", topic)

    for command in ("produce", "consume"):
        near = kadmin(command, *wire, "--topic", f"{topic}x").stderr
        far = kadmin(command, *wire, "--topic", "QQQQQ").stderr
        assert f"hint: did you mean '{topic}'? 'kadmin " in near
        assert "topics --list' lists all there are\n" in far
        assert "--create" not in near + far


def test_a_collection_of_an_unknown_topic_is_not_begun(
    broker: Broker, topic: str, tmp_path: Path
) -> None:
    wire = ("--bootstrap-server", broker.bootstrap, "--topic", topic)

    outcome = kadmin("collect", str(tmp_path / "new"), "--wire", *wire)

    assert 1 == outcome.exit_code
    assert f"there is no topic '{topic}'" in outcome.stderr
    assert [] == list(tmp_path.iterdir())


def test_topic_has_the_counts_of_the_brokers_unless_it_says_others(
    broker: Broker, topic: str
) -> None:
    wire = ("--bootstrap-server", broker.bootstrap)

    outcome = kadmin("topics", *wire, "--create", "--topic", topic)
    done("topics", *wire, "--create", "--topic", f"{topic}-wide", "--partitions", "5")

    assert outcome.exit_code == 0
    assert "2 partitions" in outcome.stderr
    of_brokers = done("topics", *wire, "--describe", "--topic", topic)
    assert "PartitionCount: 2\tReplicationFactor: 1\t" in of_brokers
    own = done("topics", *wire, "--describe", "--topic", f"{topic}-wide")
    assert "PartitionCount: 5\tReplicationFactor: 1\t" in own


def test_record_that_is_too_large_for_the_topic_is_told_by_its_line(
    broker: Broker, topic: str, tmp_path: Path
) -> None:
    wire = ("--bootstrap-server", broker.bootstrap, "--topic", topic)
    path = tmp_path / "records"
    path.write_text("one\n" + "x" * 2000 + "\nthree\n")
    counts = ("--partitions", "1", "--replication-factor", "1")
    done("topics", *wire, "--create", *counts, "--config", "max.message.bytes=1000")

    outcome = kadmin("produce", *wire, "--file", str(path), "-X", "batch.num.messages=1")

    assert outcome.exit_code == 1
    assert f"line 2 of {path} was not delivered: message size too large" in outcome.stderr
    assert "one\nthree\n" == done("consume", *wire, "--from-beginning", "--until-end")


def test_partition_without_a_leader_is_named_and_the_others_can_be_read(
    broker: Broker, topic: str, tmp_path: Path
) -> None:
    (connect,) = re.findall(
        r"^zookeeper\.connect=(\S+)$",
        (broker.directory / "server.properties").read_text(),
        re.MULTILINE,
    )
    wire = ("--bootstrap-server", broker.bootstrap, "--topic", topic)
    listed = ("brokers", "--list", "--bootstrap-server", broker.bootstrap)
    with running_broker(tmp_path, connect, 2) as other:
        wait_until(lambda: "2" in done(*listed).split(), what="the broker to be heard of")
        done("topics", "--create", *wire, "--replica-assignment", f"{broker.broker_id},2")
        other.terminate()
    wait_until(
        lambda: "Leader: none" in done("topics", *wire, "--describe", "--unavailable-partitions"),
        what="the partition of the stopped broker to lose its leader",
    )

    leaderless = f"partition {topic}-1 has no leader"
    outcome = patiently(
        lambda timeout_s: kadmin("consume", *wire, "--until-end", "--timeout", str(timeout_s)),
        lambda outcome: leaderless in outcome.stderr,
    )

    assert (5, "") == (outcome.exit_code, outcome.stdout)
    assert leaderless in outcome.stderr
    assert f"topics --describe --topic {topic} --unavailable-partitions'" in outcome.stderr
    assert "" == done("consume", *wire, "--until-end", "--partition", "0")


def test_tls_at_a_listener_without_it_is_told_as_such(broker: Broker) -> None:
    # In a process of its own, since kafka-python leaves the sockets of failed handshakes behind.
    command = (sys.executable, "-m", "kadmin", "topics", "--list", "--broker-tls")
    way = ("--bootstrap-server", broker.bootstrap, "--timeout")
    outcome = patiently(
        lambda timeout_s: subprocess.run(
            [*command, *way, str(timeout_s)],
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        ),
        lambda outcome: "TLS: " in outcome.stderr,
    )

    assert (5, "") == (outcome.returncode, outcome.stdout)
    assert f"cannot reach the brokers at {broker.bootstrap}: TLS: " in outcome.stderr
    assert "does that listener speak TLS?" in outcome.stderr


def test_login_at_a_listener_that_takes_none_is_denied_by_all_commands(
    broker: Broker, topic: str, tmp_path: Path
) -> None:
    password = tmp_path / "password"
    password.write_text("swordfish\n")
    password.chmod(0o600)
    wire = ("--bootstrap-server", broker.bootstrap, "--broker-sasl", "plain")
    login = (*wire, "--broker-user", "ann", "--broker-password-file", str(password))

    for command in (("topics", "--list"), ("consume", "--topic", topic, "--until-end")):
        outcome = kadmin(*command, *login)
        assert (1, "") == (outcome.exit_code, outcome.stdout)
        assert f"kadmin: the brokers at {broker.bootstrap} denied access: " in outcome.stderr
        assert "hint: see --broker-sasl" in outcome.stderr


def test_brokers_are_seen(broker: Broker) -> None:
    listed = done("brokers", "--list", "--bootstrap-server", broker.bootstrap)
    described = done("brokers", "--describe", "--bootstrap-server", broker.bootstrap)

    assert len(listed.splitlines()) == 1
    assert f"Endpoints: PLAINTEXT://{broker.bootstrap}\t" in described
    assert "\tController: true\t" in described
