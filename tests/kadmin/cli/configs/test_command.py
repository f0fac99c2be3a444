"""`kadmin configs --describe` against a real ZooKeeper, in the lines of Kafka 2.8.2's tool."""

import csv
import io
from collections.abc import Iterator

import pytest
import yaml

from kadmin.errors import ExitCode
from tests.support.cli import kadmin
from tests.support.config_cluster import ConfigCluster as Cluster
from tests.support.config_cluster import make_cluster
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


@pytest.fixture
def cluster(chroot: str) -> Iterator[Cluster]:
    with client_of(chroot) as client:
        yield make_cluster(chroot, client)


def test_a_description_has_kafkas_line_with_the_keys_sorted(cluster: Cluster) -> None:
    cluster.set_config("topics/t2", retention_ms="80000", cleanup_policy="compact,delete")

    stdout = cluster.done("--describe", "--entity-type", "topics")

    assert stdout == (
        "Configs for topic 't1' are max.message.bytes=100000\n"
        "Configs for topic 't2' are cleanup.policy=compact,delete,retention.ms=80000\n"
    )


def test_a_topic_without_overrides_is_described_by_an_empty_line(cluster: Cluster) -> None:
    assert cluster.done("--describe", "--topic", "t2") == "Configs for topic 't2' are \n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--entity-type", "nosuch"], "'nosuch' is not one of"),
        ([], "At least one entity type must be specified"),
        (["--topic", "t1", "--broker", "1"], "Only 'users' and 'clients'"),
        (["--topic", "t1", "--yes"], "--yes does not go with --describe"),
        (["--client", "c", "--all"], "--all goes with topics and brokers only"),
    ],
)
def test_a_wrong_question_is_refused(cluster: Cluster, arguments: list[str], message: str) -> None:
    stderr = cluster.refused("--describe", *arguments, exit_code=ExitCode.USAGE)

    assert message.lower() in stderr.lower()


def test_describing_a_topic_that_does_not_exist_is_an_error(cluster: Cluster) -> None:
    assert "there is no topic 't11'" in cluster.refused("--describe", "--topic", "t11")


def test_brokers_are_listed_by_number(cluster: Cluster) -> None:
    for broker_id in ("10", "9", "<default>"):
        cluster.set_config(f"brokers/{broker_id}")

    assert cluster.done("--describe", "--entity-type", "brokers").splitlines() == [
        "Configs for default brokers are ",
        "Configs for brokers '9' are ",
        "Configs for brokers '10' are ",
    ]


def test_all_users_are_described_without_mere_parents(cluster: Cluster) -> None:
    cluster.done("--alter", "--user", "u", "--client", "c", "--add-config", "producer_byte_rate=1")
    cluster.done("--alter", "--user", "v", "--add-config", "producer_byte_rate=2")

    assert cluster.done("--describe", "--entity-type", "users") == (
        "Configs for user-principal 'v' are producer_byte_rate=2\n"
    )
    assert cluster.done("--describe", "--entity-type", "users", "--entity-type", "clients") == (
        "Configs for user-principal 'u', client-id 'c' are producer_byte_rate=1\n"
    )


def test_a_chroot_without_a_cluster_is_not_described(chroot: str) -> None:
    outcome = kadmin("configs", "--zookeeper", chroot, "--describe", "--entity-type", "topics")

    assert outcome.exit_code == ExitCode.FAILED
    assert "there is no cluster" in outcome.stderr


def test_a_znode_that_cannot_be_understood_does_not_hide_the_others(cluster: Cluster) -> None:
    cluster.client.create("/config/topics/t2", b"{")

    outcome = cluster.configs("--describe", "--entity-type", "topics")

    assert outcome.exit_code == 0
    assert outcome.stdout == "Configs for topic 't1' are max.message.bytes=100000\n"
    assert "warning: left out: /config/topics/t2" in outcome.stderr
    for every in ((), ("--all",)):
        document = cluster.document("--describe", "--entity-type", "topics", *every)
        assert [fault["path"] for fault in document["faults"]] == ["/config/topics/t2"]


def test_all_values_of_a_topic_are_told_with_their_origin(cluster: Cluster) -> None:
    cluster.set_config("brokers/<default>", log_retention_ms="7")

    lines = cluster.done("--describe", "--topic", "t1", "--all").splitlines()

    assert lines[0] == "All configs for topic t1 are:"
    assert (
        "  max.message.bytes=100000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:"
        "max.message.bytes=100000, DEFAULT_CONFIG:message.max.bytes=1048588}"
    ) in lines
    assert (
        "  retention.ms=7 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:"
        "log.retention.ms=7, DEFAULT_CONFIG:log.retention.ms=604800000}"
    ) in lines


def test_all_values_as_a_document(cluster: Cluster) -> None:
    document = cluster.document("--describe", "--topic", "t1", "--all")

    [entity] = document["entities"]
    [value] = [value for value in entity["configs"] if value["name"] == "max.message.bytes"]
    assert document["schema"] == "kadmin.configs.describe-all/1"
    assert value == {
        "name": "max.message.bytes",
        "value": "100000",
        "source": "DYNAMIC_TOPIC_CONFIG",
        "is_sensitive": False,
        "synonyms": [
            {
                "source": "DYNAMIC_TOPIC_CONFIG",
                "name": "max.message.bytes",
                "value": "100000",
            },
            {"source": "DEFAULT_CONFIG", "name": "message.max.bytes", "value": "1048588"},
        ],
        "type": "INT",
        "since": "0.8.2",
        "defaults_before": {"2.5": "1000012"},
    }


def test_descriptions_as_documents(cluster: Cluster) -> None:
    cluster.done(
        "--alter", "--user", "u", "--client-defaults", "--add-config", "producer_byte_rate=1"
    )
    question = ("--describe", "--entity-type", "users", "--entity-type", "clients")
    expected = {
        "schema": "kadmin.configs.describe/1",
        "entities": [
            {
                "entity": [{"type": "users", "name": "u"}, {"type": "clients", "name": None}],
                "path": "/config/users/u/clients/<default>",
                "configs": {"producer_byte_rate": "1"},
            }
        ],
        "faults": [],
    }

    assert cluster.document(*question) == expected
    assert yaml.safe_load(cluster.done("--output", "yaml", *question)) == expected
    rows = list(csv.reader(io.StringIO(cluster.done("--output", "csv", *question))))
    assert rows == [
        ["entity_type", "entity_name", "client", "name", "value"],
        ["users", "u", "<default>", "producer_byte_rate", "1"],
    ]


def test_a_broker_that_is_nowhere_is_named(cluster: Cluster) -> None:
    cluster.register("0")
    nowhere = cluster.configs("--describe", "--broker", "99")
    alive = cluster.configs("--describe", "--broker", "0")

    assert ExitCode.FAILED == nowhere.exit_code
    assert "kadmin: there is no broker 99\n" in nowhere.stderr
    assert (ExitCode.DONE, "") == (alive.exit_code, alive.stderr)
