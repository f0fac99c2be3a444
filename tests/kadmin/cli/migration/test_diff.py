"""`kadmin migration diff` of a cluster that lies in ZooKeeper, and a log in a directory."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kazoo.client import KazooClient

from cluster.model.topic_id import topic_id_bytes
from cluster.wire.messages.metadata_records import PartitionRecord, TopicRecord
from cluster.zk import paths
from cluster.zk.controller import encode_migration
from kadmin.app import migration as app
from kadmin.errors import ExitCode
from tests.cluster.formats.coordinator_records import segment
from tests.cluster.formats.metadata_records import value_of
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import migration
from tests.support.cli import kadmin
from tests.support.silent_servers import answering_server
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.clients]


@pytest.fixture
def client(chroot: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[KazooClient]:
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    monkeypatch.setattr(app, "LOOK_AGAIN_S", (0.0,))
    write_snapshot(chroot, cluster(brokers("0:a 1:b"), topic("t", "0,1")))
    with client_of(chroot) as client:
        client.delete(paths.PRODUCER_ID_BLOCK)
        client.create(paths.PRODUCER_ID_BLOCK, None)
        client.create(paths.MIGRATION, encode_migration(migration(1)))
        yield client


@pytest.fixture
def copied(client: KazooClient, tmp_path: Path) -> Path:
    """A log with the very topic."""
    topic_id = topic_id_bytes(json.loads(client.get(paths.topic("t"))[0])["topic_id"])
    partition = PartitionRecord(0, topic_id, [0, 1], [0, 1], leader=0, leader_epoch=0)
    values = [value_of(each, 0) for each in (TopicRecord("t", topic_id), partition)]
    (tmp_path / f"{0:020}.log").write_bytes(segment([(None, value) for value in values]))
    return tmp_path


def compared(directory: Path) -> tuple[int, dict[str, Any]]:
    words = ("--metadata-dir", str(directory), "--output", "json")
    outcome = kadmin("migration", "diff", *words)
    return outcome.exit_code, json.loads(outcome.stdout)


def test_equal_stores_are_equal_and_one_changed_by_hand_is_found(
    client: KazooClient, copied: Path
) -> None:
    code, found = compared(copied)
    assert (ExitCode.DONE, True, False) == (code, found["equal"], found["behind"])

    client.set(paths.topic_config("t"), b'{"version":1,"config":{"retention.ms":"1"}}')
    code, found = compared(copied)

    assert (ExitCode.FOUND, False) == (code, found["equal"])
    only = {"thing": "topic t", "property": "config retention.ms", "zookeeper": "1", "kraft": None}
    assert [only] == found["differences"]
    text = kadmin("migration", "diff", "--metadata-dir", str(copied)).stdout.splitlines()
    assert "1 difference in 8 values" == text[0]
    assert "  topic t: config retention.ms: ZooKeeper 1, KRaft missing" == text[1]
    assert text[2].startswith("ZooKeeper is up to date: written up to offset 1;")


def test_before_the_copy_nothing_is_named_as_missing(client: KazooClient, copied: Path) -> None:
    client.set(paths.MIGRATION, encode_migration(migration(-1)))
    client.set(paths.topic_config("t"), b'{"version":1,"config":{"retention.ms":"1"}}')

    outcome = kadmin("migration", "diff", "--metadata-dir", str(copied))

    assert ExitCode.FOUND == outcome.exit_code
    assert [
        "the controllers have not copied this cluster: kadmin migration status shows why"
    ] == outcome.stdout.splitlines()


def test_a_znode_that_cannot_be_read_is_no_equality(client: KazooClient, copied: Path) -> None:
    client.ensure_path("/config/users")
    client.create("/config/users/ann", b"{nope")

    code, found = compared(copied)

    assert (ExitCode.FOUND, False) == (code, found["equal"])
    assert ["/config/users/ann"] == found["unreadable"]


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        (".", ExitCode.FAILED, "there is no metadata log of KRaft"),
        ("nowhere", ExitCode.FAILED, "nowhere: No such file or directory"),
    ],
)
def test_a_directory_without_a_log_is_refused(
    client: KazooClient, tmp_path: Path, name: str, code: ExitCode, reason: str
) -> None:
    outcome = kadmin("migration", "diff", "--metadata-dir", str(tmp_path / name))

    assert code == outcome.exit_code
    assert reason in outcome.stderr
    assert "hint: --metadata-dir DIR" in outcome.stderr


def test_a_collection_has_the_log_of_one_controller(client: KazooClient, copied: Path) -> None:
    log = copied / "broker-3000" / "data" / "__cluster_metadata-0"
    log.mkdir(parents=True)
    for each in copied.glob("*.log"):
        each.rename(log / each.name)
    (copied / "manifest.json").write_text("{}")

    assert ExitCode.DONE == compared(copied)[0]

    (copied / "broker-3001" / "data" / "__cluster_metadata-0").mkdir(parents=True)
    outcome = kadmin("migration", "diff", "--metadata-dir", str(copied))
    assert (ExitCode.FAILED, True) == (
        outcome.exit_code,
        "__cluster_metadata-0: name one of them" in outcome.stderr,
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "give --bootstrap-controller HOST:PORT, or --metadata-dir DIR"),
        (("--bootstrap-controller", "c1:9093", "--metadata-dir", "."), "give --bootstrap-"),
        (("--bootstrap-controller", "c1:x"), "'c1:x' is not HOST:PORT"),
        (("--bootstrap-server", "b1:9092"), "no broker is asked, but controllers"),
    ],
)
def test_the_log_is_named_once(words: tuple[str, ...], reason: str) -> None:
    outcome = kadmin("migration", "diff", *words)

    assert (ExitCode.USAGE, True) == (outcome.exit_code, reason in outcome.stderr)


def test_controllers_that_do_not_answer_are_unreachable(client: KazooClient) -> None:
    outcome = kadmin("migration", "diff", "--bootstrap-controller", "127.0.0.1:1")

    assert ExitCode.UNREACHABLE == outcome.exit_code
    assert "cannot fetch the metadata log from the controllers at 127.0.0.1:1: " in outcome.stderr


@pytest.mark.parametrize(
    ("login", "reason"),
    [
        ("", "does that listener speak PLAINTEXT?"),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
            "sasl.jaas.config=L required username=ann password=x;\n",
            "it hangs up on user 'ann': is the password right",
        ),
    ],
)
def test_a_controller_that_hangs_up_is_asked_about_in_the_words_of_its_listener(
    client: KazooClient, tmp_path: Path, login: str, reason: str
) -> None:
    config = tmp_path / "admin.properties"
    config.write_text(login)
    config.chmod(0o600)
    with answering_server(lambda _: b"") as address:
        outcome = kadmin(
            *("migration", "diff", "--bootstrap-controller", address),
            *("--command-config", str(config)),
        )

    assert (ExitCode.UNREACHABLE, True) == (outcome.exit_code, reason in outcome.stderr)
