"""Do records get to real brokers and back as they were, and is it told what became of each?"""

import json
import signal
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.outages import reassign
from tests.interop.tools import Tools
from tests.support.cli import done, kadmin, running_kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.interop

of_two_releases = pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)

topic_numbers = count(1)


def made_topic(cluster: RealCluster, partitions: int = 1, *options: str) -> str:
    topic = f"records-{next(topic_numbers)}"
    # Some records are years old, and Kafka looks for such a while after it was started.
    kept = ("--config", "retention.ms=-1")
    done(
        *("topics", "--create", "--topic", topic, "--zookeeper", cluster.zookeeper_connect),
        *("--partitions", str(partitions), "--replication-factor", "1", "--yes", *kept, *options),
    )
    return topic


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], str]:
    def write(data: bytes) -> str:
        path = tmp_path / "input"
        path.write_bytes(data)
        return str(path)

    return write


def of(cluster: RealCluster) -> tuple[str, str]:
    return ("--bootstrap-server", cluster.bootstrap)


@of_two_releases
def test_records_of_every_kind_come_back_as_they_were(
    cluster: RealCluster, write: Callable[[bytes], str]
) -> None:
    topic = made_topic(cluster, 2)
    sent: list[dict[str, Any]] = [
        {"partition": 0, "key": "k", "value": "plain", "timestamp": 1_700_000_000_000},
        {"partition": 0, "key": None, "value": None, "timestamp": 1_700_000_000_001},
        {"partition": 0, "key_base64": "/wA=", "value": "", "timestamp": 1_700_000_000_002},
        {
            **{"partition": 1, "key": "", "value_base64": "gIE=", "timestamp": 1_700_000_000_003},
            "headers": [
                {"name": "trace", "value": "42"},
                {"name": "trace", "value_base64": "/w=="},
                {"name": "none", "value": None},
            ],
        },
    ]
    text = "".join(json.dumps(record) + "\n" for record in sent)

    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        file = ("--file", write(text.encode()), "--compression", codec)
        done("produce", *of(cluster), "--topic", topic, "--format", "json", *file)
    # The brokers are found by ZooKeeper here.
    through = ("--zookeeper", cluster.zookeeper_connect)
    lines = done(
        "consume", *through, "--topic", topic, "--from-beginning", "--until-end", "--output", "json"
    ).splitlines()

    records = [json.loads(line) for line in lines]
    assert len(records) == 5 * len(sent)
    by_partition = {
        partition: [record for record in records if record["partition"] == partition]
        for partition in (0, 1)
    }
    for partition, found in by_partition.items():
        assert [record["offset"] for record in found] == list(range(len(found)))
        expected = [record for record in sent if record["partition"] == partition] * 5
        assert [
            {"headers": [], **record, "topic": topic, "timestamp_type": "create_time"}
            for record in expected
        ] == [
            {name: found[name] for name in found if name not in ("offset", "leader_epoch")}
            for found in found
        ]


def test_text_is_that_of_kafkas_own_console_consumer(
    cluster_3_9: RealCluster, write: Callable[[bytes], str]
) -> None:
    topic = made_topic(cluster_3_9, 2)
    file = ("--file", write(b"a:1\nb:NULL\n:\n"), "--header", "h=v", "--header", "h=w")
    done(
        *("produce", *of(cluster_3_9), "--topic", topic, *file),
        *("--property", "parse.key=true", "--property", "key.separator=:"),
        *("--property", "null.marker=NULL"),
    )
    names = ("timestamp", "partition", "offset", "headers", "key", "value")
    printing = [word for name in names for word in ("--property", f"print.{name}=true")]

    theirs = cluster_3_9.tool(
        Tools(cluster_3_9).consumer_class(),
        *("--bootstrap-server", cluster_3_9.bootstrap, "--topic", topic, "--from-beginning"),
        *("--max-messages", "3", *printing),
    )
    ours = done(
        "consume", *of(cluster_3_9), "--topic", topic, "--from-beginning", "--until-end", *printing
    )

    assert sorted(theirs.stdout.splitlines()) == sorted(ours.splitlines())


@pytest.mark.parametrize(
    ("where", "values"),
    [
        (("--from-beginning",), "0 1 2 3 4 5 6 7 8 9"),
        (("--offset", "earliest", "--max-messages", "3"), "0 1 2"),
        (("--offset", "7"), "7 8 9"),
        (("--offset", "10"), ""),
        (("--offset", "-2"), "8 9"),
        (("--offset", "-99"), "0 1 2 3 4 5 6 7 8 9"),
        (("--offset", "latest"), ""),
        (("--offset", "@1700000004500"), "5 6 7 8 9"),
        (("--offset", "2023-11-14 22:13:28"), "8 9"),
        (("--offset", "-1s"), ""),
        (("--from-beginning", "--max-messages", "0"), ""),
    ],
)
def test_reading_begins_and_ends_where_it_was_said(
    ten_records: tuple[RealCluster, str], where: tuple[str, ...], values: str
) -> None:
    cluster, topic = ten_records

    text = done("consume", *of(cluster), "--topic", topic, "--until-end", *where)

    assert values.split() == text.split()


@pytest.fixture(scope="module")
def ten_records(
    cluster_3_9: RealCluster, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RealCluster, str]:
    """A topic with the values 0 to 9, a second after each other, from 1700000000 on."""
    topic = made_topic(cluster_3_9)
    path = tmp_path_factory.mktemp("records") / "ten"
    path.write_text(
        "".join(
            json.dumps({"value": str(number), "timestamp": 1_700_000_000_000 + 1000 * number})
            + "\n"
            for number in range(10)
        )
    )
    done("produce", *of(cluster_3_9), "--topic", topic, "--format", "json", "--file", str(path))
    return cluster_3_9, topic


def test_what_is_not_there_is_named(ten_records: tuple[RealCluster, str]) -> None:
    cluster, topic = ten_records
    for arguments, reason in (
        (("consume", "--topic", "nowhere"), "there is no topic 'nowhere'"),
        (("produce", "--topic", "nowhere"), "there is no topic 'nowhere'"),
        (("consume", "--topic", topic, "--partition", "1"), "there is no partition 1 in topic"),
        (
            ("consume", "--topic", topic, "--offset", "11"),
            f"no offset 11 in {topic}-0, which holds",
        ),
    ):
        outcome = kadmin(*arguments, *of(cluster))

        assert (1, "") == (outcome.exit_code, outcome.stdout)
        assert reason in outcome.stderr
    assert "nowhere" not in done("topics", "--list", "--zookeeper", cluster.zookeeper_connect)


@of_two_releases
def test_record_that_the_broker_refuses_is_told_by_its_line_and_the_others_arrive(
    cluster: RealCluster, write: Callable[[bytes], str]
) -> None:
    topic = made_topic(cluster, 1, "--config", "max.message.bytes=1000")
    file = write(b"one\n" + b"x" * 2000 + b"\nthree\n")

    # One by one, since a broker refuses a batch with all that is in it.
    outcome = kadmin(
        *("produce", *of(cluster), "--topic", topic, "--file", file, "--output", "json"),
        *("-X", "batch.num.messages=1"),
    )

    assert outcome.exit_code == 1
    assert f"line 2 of {file} was not delivered: message size too large" in outcome.stderr
    assert "1 of 3 records was not delivered" in outcome.stderr
    produced = json.loads(outcome.stdout)
    assert (2, 1, 8) == tuple(produced[name] for name in ("delivered", "failed", "bytes"))
    assert "one\nthree\n" == done(
        "consume", *of(cluster), "--topic", topic, "--from-beginning", "--until-end"
    )


def test_bad_line_ends_it_after_the_records_before_it_are_delivered(
    cluster_3_9: RealCluster, write: Callable[[bytes], str]
) -> None:
    topic = made_topic(cluster_3_9)
    file = write(b'{"value": "good"}\nbad\n{"value": "never read"}\n')

    outcome = kadmin(
        "produce", *of(cluster_3_9), "--topic", topic, "--format", "json", "--file", file
    )

    assert outcome.exit_code == 1
    assert f"line 2 of {file}: it is no JSON" in outcome.stderr
    assert "produced 1 record, " in outcome.stderr
    assert "good\n" == done(
        "consume", *of(cluster_3_9), "--topic", topic, "--from-beginning", "--until-end"
    )


def test_partition_that_takes_no_records_is_given_up_after_the_timeout(
    cluster_3_9: RealCluster, write: Callable[[bytes], str]
) -> None:
    topic = f"records-{next(topic_numbers)}"
    through = ("--zookeeper", cluster_3_9.zookeeper_connect, "--topic", topic)
    # The ISR will never be as large as it has to be.
    alone = ("--replica-assignment", "0:99", "--allow-unknown-brokers", "--yes")
    done("topics", "--create", *through, *alone, "--config", "min.insync.replicas=2")

    outcome = kadmin(
        *("produce", *of(cluster_3_9), "--topic", topic, "--file", write(b"a\nb\n")),
        *("--timeout", "2"),
    )
    # A topic with a replica where no broker is would wait for its deletion for ever.
    reassign(cluster_3_9, (topic, 0), [0])
    done("topics", "--delete", *through, "--yes")

    assert outcome.exit_code == 5
    assert f"did not acknowledge 2 of 2 records of topic '{topic}' within 2 s" in outcome.stderr


def test_password_opens_the_listener_that_wants_one_and_a_wrong_one_does_not(
    cluster_3_9: RealCluster, write: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = made_topic(cluster_3_9)
    through = ("--zookeeper", cluster_3_9.zookeeper_connect)
    credential = "SCRAM-SHA-512=[iterations=4096,password=swordfish]"
    done("configs", *through, "--alter", "--user", "ann", "--add-config", credential, "--yes")
    # The listener is chosen by its protocol among those that ZooKeeper knows.
    login = ("--broker-sasl", "scram-sha-512", "--broker-user", "ann")
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "swordfish")

    def produced() -> bool:
        file = ("--file", write(b"secret\n"))
        return kadmin("produce", *through, *login, "--topic", topic, *file).exit_code == 0

    wait_until(produced, what="brokers that know the password")
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "perch")
    outcome = kadmin("consume", *through, *login, "--topic", topic)

    assert outcome.exit_code == 1
    assert "denied access: " in outcome.stderr
    assert "perch" not in outcome.stderr
    properties = Path(write(b"")).with_name("client.properties")
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n"
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required"
        ' username="ann" password="swordfish";\n'
    )
    assert "secret\n" == done(
        *("consume", "--bootstrap-server", cluster_3_9.sasl_bootstrap, "--topic", topic),
        *("--consumer.config", str(properties), "--from-beginning", "--max-messages", "1"),
    )


@pytest.mark.faults
def test_waiting_for_records_ends_by_ctrl_c_or_when_nobody_reads_any_more(
    ten_records: tuple[RealCluster, str],
) -> None:
    cluster, topic = ten_records
    following = ("consume", *of(cluster), "--topic", topic, "--offset", "-1")
    with running_kadmin(*following) as interrupted, running_kadmin(*following) as left:
        assert interrupted.stdout is not None
        assert interrupted.stderr is not None
        assert left.stdout is not None
        assert b"9\n" == interrupted.stdout.readline()
        assert b"9\n" == left.stdout.readline()

        interrupted.send_signal(signal.SIGINT)
        left.stdout.close()

        assert 130 == interrupted.wait(OUTER_LIMIT_S)
        assert b"consumed 1 record, " in interrupted.stderr.read()
        assert 0 == left.wait(OUTER_LIMIT_S)


def test_rate_is_never_exceeded(
    ten_records: tuple[RealCluster, str], write: Callable[[bytes], str]
) -> None:
    cluster, topic = ten_records
    target = made_topic(cluster)

    produced = json.loads(
        done(
            *("produce", *of(cluster), "--topic", target, "--file", write(b"a\nb\nc\n")),
            *("--rate", "20", "--output", "json"),
        )
    )
    outcome = kadmin(
        *("consume", *of(cluster), "--topic", topic, "--from-beginning", "--until-end"),
        *("--rate", "50"),
    )

    assert produced["seconds"] >= 2 / 20
    seconds = float(outcome.stderr.partition(" in ")[2].partition(" s:")[0])
    assert seconds >= 9 / 50
