"""`kadmin configs --alter` against a real ZooKeeper that holds what brokers would have written.

The lines and znodes are those of Kafka 2.8.2's tool in the recorded sessions 67 to 71.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.zk.topics import encode_assignment
from kadmin.errors import ExitCode
from tests.kadmin.builders import assignment
from tests.support.asking import AskingKadmin
from tests.support.cli import kadmin
from tests.support.config_cluster import ConfigCluster as Cluster
from tests.support.config_cluster import make_cluster
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


@pytest.fixture
def cluster(chroot: str) -> Iterator[Cluster]:
    with client_of(chroot) as client:
        yield make_cluster(chroot, client)


def test_a_topics_configs_are_set_as_by_kafka(cluster: Cluster) -> None:
    stdout = cluster.done(
        *("--alter", "--entity-type", "topics", "--entity-name", "t1"),
        *("--add-config", "retention.ms=80000,cleanup.policy=[compact,delete]"),
    )

    assert stdout == "Completed updating config for entity: topic 't1'.\n"
    assert json.loads(cluster.data("/config/topics/t1") or b"") == {
        "version": 1,
        "config": {
            "max.message.bytes": "100000",
            "retention.ms": "80000",
            "cleanup.policy": "compact,delete",
        },
    }
    assert cluster.notifications() == ['{"version":2,"entity_path":"topics/t1"}']


def test_a_key_is_deleted_and_the_rest_stays(cluster: Cluster) -> None:
    cluster.set_config("topics/t2", retention_ms="1", segment_ms="2")

    cluster.done("--alter", "--topic", "t2", "--delete-config", "retention.ms")

    assert cluster.data("/config/topics/t2") == b'{"version":1,"config":{"segment.ms":"2"}}'


def test_data_and_notification_are_of_one_transaction_in_that_order(cluster: Cluster) -> None:
    cluster.done("--alter", "--topic", "t1", "--add-config", "retention.ms=1")

    [name] = cluster.client.get_children("/config/changes")
    change = cluster.client.exists(f"/config/changes/{name}")
    data = cluster.client.exists("/config/topics/t1")
    assert change.czxid == data.mzxid


def test_what_is_set_already_is_not_written_again(cluster: Cluster) -> None:
    before = cluster.everything()

    outcome = cluster.configs(
        "--alter", "--topic", "t1", "--add-config", "max.message.bytes=100000"
    )

    assert outcome.exit_code == 0
    assert outcome.stdout == "Completed updating config for entity: topic 't1'.\n"
    assert "stay as they are" in outcome.stderr
    assert cluster.everything() == before


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (
            ["--topic", "t1", "--delete-config", "segment.bytes"],
            ExitCode.FAILED,
            "Invalid config(s): segment.bytes",
        ),
        (
            ["--topic", "t1", "--add-config", "no.such=1"],
            ExitCode.FAILED,
            "Unknown topic config name: no.such",
        ),
        (
            ["--topic", "t1", "--add-config", "retention.ms"],
            ExitCode.USAGE,
            'all configs to be added must be in the format "key=val"',
        ),
        (
            ["--topic", "nosuch", "--add-config", "retention.ms=1"],
            ExitCode.FAILED,
            "there is no topic 'nosuch'",
        ),
        (
            ["--topic", "nosuch-*", "--add-config", "retention.ms=1"],
            ExitCode.FAILED,
            "no topic matches 'nosuch-*'",
        ),
        (
            ["--entity-type", "topics", "--add-config", "retention.ms=1"],
            ExitCode.USAGE,
            "an entity name must be specified with --alter of topics",
        ),
        (
            ["--topic", "t1"],
            ExitCode.USAGE,
            "at least one of --add-config, --add-config-file, or --delete-config",
        ),
        (
            ["--describe", "--topic", "t1"],
            ExitCode.USAGE,
            "give exactly one of --describe, --alter",
        ),
        (
            ["--broker", "x", "--add-config", "leader.replication.throttled.rate=1"],
            ExitCode.USAGE,
            "must be a valid integer broker id, but it is: x",
        ),
        (
            ["--broker", "1", "--add-config", "sasl.jaas.config=hush"],
            ExitCode.REFUSED,
            "password.encoder.secret",
        ),
        (
            ["--topic", "t1", "--add-config", "a=1", "--add-config-file", "/nowhere"],
            ExitCode.USAGE,
            "only one of --add-config or --add-config-file",
        ),
        (
            ["--topic", "t1", "--add-config-file", "/nowhere"],
            ExitCode.USAGE,
            "cannot read /nowhere",
        ),
        (["--topic", "t1", "--add-config", "a=1", "--all"], ExitCode.USAGE, "--all does not go"),
        (
            ["--topic", "logs-*", "--add-config", "retention.ms=1"],
            ExitCode.REFUSED,
            "add --yes",
        ),
    ],
)
def test_a_wrong_change_is_refused_and_nothing_is_written(
    cluster: Cluster, arguments: list[str], exit_code: ExitCode, message: str
) -> None:
    stderr = cluster.refused("--alter", *arguments, exit_code=exit_code)

    assert message.lower() in stderr.lower()
    assert exit_code != ExitCode.USAGE or "\nhint: " in stderr
    assert "hush" not in stderr


def test_a_dry_run_shows_the_plan_and_writes_nothing(cluster: Cluster) -> None:
    before = cluster.everything()

    outcome = cluster.configs(
        "--alter", "--topic", "t1", "--add-config", "retention.ms=5", "--dry-run"
    )

    assert outcome.exit_code == 0
    assert outcome.stdout == (
        "plan: configs of topic 't1'\n  + retention.ms=5\n  may delete records older than 5 ms\n"
    )
    assert "nothing was written" in outcome.stderr
    assert cluster.everything() == before


def test_several_topics_are_changed_when_that_is_confirmed(cluster: Cluster) -> None:
    stdout = cluster.done(
        "--alter", "--topic", "logs-*,t1", "--add-config", "retention.ms=5", "--yes"
    )

    assert stdout.splitlines() == [
        f"Completed updating config for entity: topic '{name}'."
        for name in ("logs-a", "logs-b", "t1")
    ]
    assert len(cluster.notifications()) == 3


def test_a_key_is_deleted_from_those_of_several_topics_that_have_it(cluster: Cluster) -> None:
    cluster.set_config("topics/logs-a", retention_ms="1")

    stdout = cluster.done(
        "--alter", "--topic", "logs-*", "--delete-config", "retention.ms", "--force"
    )

    assert stdout == "Completed updating config for entity: topic 'logs-a'.\n"
    assert "Invalid config(s)" in cluster.refused(
        "--alter", "--topic", "logs-*", "--delete-config", "retention.ms", "--force"
    )


def test_each_of_several_topics_is_judged_by_its_own_replicas(cluster: Cluster) -> None:
    cluster.client.set("/brokers/topics/logs-a", encode_assignment(assignment("0 1")))

    outcome = cluster.configs(
        "--alter", "--topic", "logs-*", "--add-config", "min.insync.replicas=2", "--dry-run"
    )

    assert outcome.exit_code == 0
    assert outcome.stderr.splitlines() == [
        f"cluster: {cluster.connect}",
        "warning: min.insync.replicas=2 is more than the 1 replicas of a partition:"
        " producers with acks=all will be refused",
        "dry run: nothing was written",
    ]


def test_a_brokers_throttle_is_set_for_a_dead_broker_with_a_warning(cluster: Cluster) -> None:
    outcome = cluster.configs(
        "--alter", "--broker", "9", "--add-config", "leader.replication.throttled.rate=1"
    )

    assert outcome.exit_code == 0
    assert outcome.stdout == "Completed updating config for entity: brokers '9'.\n"
    assert "warning: broker 9 is not alive" in outcome.stderr
    assert cluster.data("/config/brokers/9") == (
        b'{"version":1,"config":{"leader.replication.throttled.rate":"1"}}'
    )
    assert cluster.notifications() == ['{"version":2,"entity_path":"brokers/9"}']


def test_all_brokers_are_named_as_default(cluster: Cluster) -> None:
    cluster.register("0")

    change = ("--alter", "--broker-defaults", "--add-config", "log.cleaner.threads=2")
    assert "a broker is running" in cluster.refused(*change, exit_code=ExitCode.REFUSED)
    cluster.done(*change, "--allow-running-brokers")

    assert cluster.done("--describe", "--entity-type", "brokers") == (
        "Configs for default brokers are log.cleaner.threads=2\n"
    )
    assert cluster.notifications() == ['{"version":2,"entity_path":"brokers/<default>"}']


def test_quotas_of_a_users_client_stand_below_the_user(cluster: Cluster) -> None:
    stdout = cluster.done(
        *("--alter", "--entity-type", "users", "--entity-name", "u 1"),
        *("--entity-type", "clients", "--entity-default", "--add-config", "request_percentage=50"),
    )

    assert stdout == (
        "Completed updating config for entity: user-principal 'u 1', default client-id.\n"
    )
    assert cluster.data("/config/users/u%201/clients/<default>") == (
        b'{"version":1,"config":{"request_percentage":"50"}}'
    )
    assert cluster.notifications() == [
        '{"version":2,"entity_path":"users/u%201/clients/<default>"}'
    ]
    described = cluster.done("--describe", "--user", "u 1", "--client-defaults")
    assert described == (
        "Configs for user-principal 'u 1', default client-id are request_percentage=50\n"
    )


def test_missing_parents_are_made_with_null_data(cluster: Cluster) -> None:
    cluster.done("--alter", "--user", "u", "--client", "c", "--add-config", "producer_byte_rate=1")

    assert cluster.data("/config/users/u") is None
    assert cluster.data("/config/users/u/clients") is None


def test_a_users_own_config_goes_into_the_parent_that_was_there(cluster: Cluster) -> None:
    cluster.done("--alter", "--user", "u", "--client", "c", "--add-config", "producer_byte_rate=1")

    cluster.done("--alter", "--user", "u", "--add-config", "producer_byte_rate=2")

    assert cluster.data("/config/users/u") == b'{"version":1,"config":{"producer_byte_rate":"2"}}'


def test_an_address_can_be_limited(cluster: Cluster) -> None:
    cluster.done("--alter", "--ip", "10.0.0.1", "--add-config", "connection_creation_rate=5")
    cluster.done("--alter", "--ip-defaults", "--add-config", "connection_creation_rate=9")

    assert cluster.done("--describe", "--entity-type", "ips") == (
        "Configs for default ips are connection_creation_rate=9\n"
        "Configs for ips '10.0.0.1' are connection_creation_rate=5\n"
    )


def test_a_password_becomes_a_credential_and_shows_nowhere(cluster: Cluster) -> None:
    arguments = ("--user", "u", "--add-config", "SCRAM-SHA-256=[iterations=8192,password=hush]")
    dry = cluster.configs("--alter", "--dry-run", "--output", "json", *arguments)
    outcome = cluster.configs("--alter", *arguments)

    stored = json.loads(cluster.data("/config/users/u") or b"")["config"]["SCRAM-SHA-256"]
    fields = dict(field.split("=", 1) for field in stored.split(","))
    assert list(fields) == ["salt", "stored_key", "server_key", "iterations"]
    assert fields["iterations"] == "8192"
    assert len(base64.b64decode(fields["stored_key"])) == 32
    shown = f"{dry}{outcome}" + cluster.done("--describe", "--user", "u", "--output", "json")
    for secret in ("hush", fields["salt"], fields["stored_key"], fields["server_key"]):
        assert secret not in shown
    assert cluster.done("--describe", "--user", "u") == (
        "Configs for user-principal 'u' are SCRAM-SHA-256=iterations=8192\n"
    )


def test_each_credential_has_a_salt_of_its_own(cluster: Cluster) -> None:
    for user in ("u", "v"):
        cluster.done("--alter", "--user", user, "--add-config", "SCRAM-SHA-512=[password=same]")

    assert cluster.data("/config/users/u") != cluster.data("/config/users/v")


def test_too_few_iterations_are_refused(cluster: Cluster) -> None:
    stderr = cluster.refused(
        "--alter", "--user", "u", "--add-config", "SCRAM-SHA-256=[iterations=10,password=hush]"
    )

    assert "Iterations 10 is less than the minimum 4096 required for SCRAM-SHA-256" in stderr
    assert "hush" not in stderr


def test_configs_can_come_from_a_file(cluster: Cluster, home: Path) -> None:
    file = home / "user.properties"
    file.write_text("# quota\nproducer_byte_rate=5\nSCRAM-SHA-256=password=hush\n")

    cluster.done("--alter", "--user", "u", "--add-config-file", str(file))

    assert cluster.done("--describe", "--user", "u") == (
        "Configs for user-principal 'u' are SCRAM-SHA-256=iterations=4096,producer_byte_rate=5\n"
    )


def test_a_user_can_be_made_before_the_first_broker_starts(chroot: str) -> None:
    with client_of(chroot) as client:
        cluster = Cluster(chroot, client)
        outcome = cluster.configs(
            "--alter", "--user", "broker", "--add-config", "SCRAM-SHA-256=[password=x]"
        )

        assert outcome.exit_code == 0
        assert "no broker has ever registered here" in outcome.stderr
        assert cluster.data("/config/users/broker") is not None
        assert len(cluster.notifications()) == 1


@pytest.mark.parametrize(
    "action", [["--describe"], ["--alter", "--add-config", "producer_byte_rate=1"]]
)
def test_a_chroot_that_does_not_exist_is_told(chroot: str, action: list[str]) -> None:
    outcome = kadmin("configs", "--zookeeper", f"{chroot}/typo", "--user", "u", *action)

    assert outcome.exit_code == ExitCode.FAILED
    assert "/typo" in outcome.stderr


@pytest.mark.parametrize(
    ("version", "notification"),
    [
        (1, '"t1"'),
        (2, '{"version":1,"entity_type":"topics","entity_name":"t1"}'),
        (3, '{"version":1,"entity_type":"topics","entity_name":"t1"}'),
        (4, '{"version":2,"entity_path":"topics/t1"}'),
        (5, '{"version":2,"entity_path":"topics/t1"}'),
    ],
)
def test_brokers_are_told_in_the_form_that_the_oldest_one_reads(
    cluster: Cluster, version: int, notification: str
) -> None:
    cluster.register("0", version)
    cluster.register("1")

    cluster.done("--alter", "--topic", "t1", "--add-config", "retention.ms=1")

    assert cluster.notifications() == [notification]


def test_configs_that_an_old_broker_cannot_have_are_refused(cluster: Cluster) -> None:
    cluster.register("0", version=1)

    stderr = cluster.refused(
        *("--alter", "--user", "u", "--add-config", "producer_byte_rate=1"),
        exit_code=ExitCode.REFUSED,
    )

    assert "Kafka 0.8.2 or older" in stderr


def test_a_cluster_that_kraft_owns_is_refused(cluster: Cluster) -> None:
    cluster.client.create(
        "/controller",
        b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":7}',
    )

    stderr = cluster.refused(
        *("--alter", "--topic", "t1", "--add-config", "retention.ms=1"),
        exit_code=ExitCode.REFUSED,
    )

    assert "a KRaft controller owns this cluster" in stderr


def test_a_znode_that_cannot_be_understood_is_not_overwritten(cluster: Cluster) -> None:
    cluster.client.create("/config/topics/t2", b"{")

    stderr = cluster.refused(
        *("--alter", "--topic", "t2", "--add-config", "retention.ms=1"),
        exit_code=ExitCode.REFUSED,
    )

    assert "/config/topics/t2" in stderr


def test_fields_that_we_do_not_know_stay(cluster: Cluster) -> None:
    cluster.client.create("/config/topics/t2", b'{"version":1,"config":{"future.key":"x"},"new":1}')

    cluster.done("--alter", "--topic", "t2", "--add-config", "retention.ms=1")

    assert json.loads(cluster.data("/config/topics/t2") or b"") == {
        "version": 1,
        "config": {"future.key": "x", "retention.ms": "1"},
        "new": 1,
    }


def test_changes_as_documents(cluster: Cluster) -> None:
    change = ("--alter", "--topic", "t1", "--add-config", "max.message.bytes=5,retention.ms=1")
    changes = [
        {"name": "max.message.bytes", "before": "100000", "after": "5"},
        {"name": "retention.ms", "before": None, "after": "1"},
    ]

    may_delete = [{"config": "retention.ms", "records": "records older than 1 ms"}]
    planned = cluster.document("--dry-run", *change)
    done = cluster.document(*change)
    again = cluster.document(*change)

    entity = {"entity": [{"type": "topics", "name": "t1"}], "path": "/config/topics/t1"}
    assert planned == {
        "schema": "kadmin.configs.alter/1",
        "dry_run": True,
        "changes": [{**entity, "outcome": "planned", "changes": changes, "may_delete": may_delete}],
    }
    assert done["changes"] == [
        {**entity, "outcome": "done", "changes": changes, "may_delete": may_delete}
    ]
    assert again["changes"] == [{**entity, "outcome": "unchanged", "changes": [], "may_delete": []}]


def test_changes_made_at_the_same_time_are_all_kept(cluster: Cluster) -> None:
    """Four processes set a key each of the same topic; none may undo another's."""
    keys = ("retention.ms", "segment.ms", "flush.ms", "delete.retention.ms")
    command = (sys.executable, "-m", "kadmin", "configs", "--zookeeper", cluster.connect)
    processes = [
        subprocess.Popen(
            [*command, "--alter", "--topic", "t1", "--add-config", f"{key}=5", "--yes"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for key in keys
    ]

    complaints = [process.communicate(timeout=OUTER_LIMIT_S)[1] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0, 0], complaints
    assert cluster.document("--describe", "--topic", "t1")["entities"][0]["configs"] == {
        "max.message.bytes": "100000",
        **dict.fromkeys(keys, "5"),
    }
    assert len(cluster.notifications()) == 4


def test_a_key_of_a_plugin_can_be_set(cluster: Cluster) -> None:
    change = ("--alter", "--topic", "t2", "--add-config", "plugin.key=x")
    assert "Unknown topic config name: plugin.key" in cluster.refused(*change)

    cluster.done(*change, "--allow-unknown-configs")

    assert cluster.data("/config/topics/t2") == b'{"version":1,"config":{"plugin.key":"x"}}'


def test_what_changes_while_kadmin_asks_is_asked_again(cluster: Cluster) -> None:
    change = ("--alter", "--topic", "logs-*", "--add-config", "retention.ms=5")
    with AskingKadmin("configs", "--zookeeper", cluster.connect, *change) as asking:
        asking.read_until(
            "Change the configs of these 2 entities, which may delete records? [y/N]: "
        )
        cluster.set_config("topics/logs-b", retention_ms="1")
        asking.answer("y")
        asking.read_until("Change the configs of topic 'logs-b' so? [y/N]: ")
        asking.answer("n")

        assert asking.exit_code() == ExitCode.REFUSED
    assert "~ retention.ms: 1 -> 5" in asking.said
    assert "Completed updating config for entity: topic 'logs-a'." in asking.said
    assert "entity: topic 'logs-b'." not in asking.said
    assert cluster.data("/config/topics/logs-b") == b'{"version":1,"config":{"retention.ms":"1"}}'


def test_a_topic_that_goes_while_kadmin_asks_is_named(cluster: Cluster) -> None:
    change = ("--alter", "--topic", "logs-*", "--add-config", "retention.ms=5")
    with AskingKadmin("configs", "--zookeeper", cluster.connect, *change) as asking:
        asking.read_until(
            "Change the configs of these 2 entities, which may delete records? [y/N]: "
        )
        cluster.client.delete("/brokers/topics/logs-b")
        asking.answer("y")

        assert asking.exit_code() == ExitCode.FAILED
    assert "Completed updating config for entity: topic 'logs-a'." in asking.said
    assert "there is no topic 'logs-b'" in asking.said
    assert cluster.client.exists("/config/topics/logs-b") is None


def test_a_change_that_may_delete_records_is_asked_about(cluster: Cluster) -> None:
    cluster.set_config("topics/logs-a", retention_ms="60000")
    shorter = ("--alter", "--topic", "logs-a", "--add-config", "retention.ms=30000")
    longer = ("--alter", "--topic", "logs-a", "--add-config", "retention.ms=90000")

    stderr = cluster.refused(*shorter, exit_code=ExitCode.REFUSED)
    with AskingKadmin("configs", "--zookeeper", cluster.connect, *shorter) as asking:
        asking.read_until("Change the configs of topic 'logs-a', which may delete records? [y/N]: ")
        asking.answer("y")
        assert asking.exit_code() == 0

    assert "  may delete records older than 30 s\n" in stderr
    assert "add --yes" in stderr
    assert cluster.configs(*longer).exit_code == 0


def test_a_default_says_how_many_topics_may_lose_records(cluster: Cluster) -> None:
    cluster.set_config("topics/logs-a", retention_ms="60000")

    stderr = cluster.refused(
        *("--alter", "--broker-defaults", "--add-config", "log.retention.ms=3600000"),
        exit_code=ExitCode.REFUSED,
    )

    assert "  may delete records older than 1 h, on 3 topics without retention.ms\n" in stderr


RATE = "leader.replication.throttled.rate"


@pytest.mark.parametrize(
    ("path", "document", "told"),
    [
        ("brokers/1", {"version": 1, "config": {RATE: 1000}}, f"the value of '{RATE}' is not text"),
        ("brokers/1", {"version": 1, "config": {RATE: None}}, f"the value of '{RATE}' is not text"),
        ("brokers/1", {"version": 1, "config": {}, RATE: 1000}, f"'{RATE}' stands beside 'config'"),
        ("brokers/1", {"version": 1, RATE: "1000"}, "has no object 'config'"),
        ("brokers/<default>", {"config": {RATE: [1]}}, f"the value of '{RATE}' is not text"),
    ],
)
def test_a_throttle_that_no_broker_reads_is_told_replaced_and_removed(
    cluster: Cluster, path: str, document: dict[str, object], told: str
) -> None:
    name = path.removeprefix("brokers/")
    of = ["--broker-defaults"] if name == "<default>" else ["--broker", name]
    written = json.dumps(document).encode()
    cluster.client.create(f"/config/{path}", written, makepath=True)

    shown = cluster.configs("--describe", *of)
    cluster.done("--alter", *of, "--add-config", f"{RATE}=2000")
    replaced = json.loads(cluster.data(f"/config/{path}") or b"")
    cluster.client.set(f"/config/{path}", written)
    cluster.done("--alter", *of, "--delete-config", RATE)

    assert (ExitCode.DONE, True) == (shown.exit_code, told in shown.stderr)
    assert {"version": 1, "config": {RATE: "2000"}} == replaced
    assert {"version": 1, "config": {}} == json.loads(cluster.data(f"/config/{path}") or b"")


def test_what_a_change_leaves_unread_is_kept_and_warned_of(cluster: Cluster) -> None:
    cluster.client.create("/config/brokers/1", b'{"config":{"x":7}}', makepath=True)

    outcome = cluster.configs("--alter", "--broker", "1", "--add-config", f"{RATE}=2000")

    assert "the value of x is not text, so no broker reads these configs" in outcome.stderr
    assert {RATE: "2000", "x": 7} == json.loads(cluster.data("/config/brokers/1") or b"")["config"]


def test_a_topic_s_number_is_mended_by_a_change_of_the_topic(cluster: Cluster) -> None:
    cluster.client.set("/config/topics/t1", b'{"config":{"retention.ms":7}}')

    outcome = kadmin(
        *("topics", "--alter", "--topic", "t1", "--config", "retention.ms=8", "--yes"),
        *("--zookeeper", cluster.connect),
    )

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert {"retention.ms": "8"} == json.loads(cluster.data("/config/topics/t1") or b"")["config"]


@pytest.mark.parametrize(
    ("path", "of"),
    [
        ("users/CN=pump", ["--user", "CN=pump"]),
        ("users/CN=pump,OU=x", ["--user", "CN=pump,OU=x"]),
        ("users/a+b", ["--user", "a b"]),
        ("users/CN%3dpump", ["--user", "CN=pump"]),
        ("users/ann/clients/c=1", ["--user", "ann", "--client", "c=1"]),
        ("clients/a b", ["--client", "a b"]),
        ("ips/fd00::1", ["--ip", "fd00::1"]),
    ],
)
def test_configs_under_a_name_that_is_not_encoded_are_shown_and_removed(
    cluster: Cluster, path: str, of: list[str]
) -> None:
    key = "connection_creation_rate" if path.startswith("ips/") else "producer_byte_rate"
    written = json.dumps({"version": 1, "config": {key: "7"}}).encode()
    cluster.client.create(f"/config/{path}", written, makepath=True)

    shown = cluster.configs("--describe", *of)
    kinds = [word for word in path.split("/")[::2] for word in ("--entity-type", word)]
    of_all = cluster.configs("--describe", *kinds)
    added = cluster.configs("--alter", *of, "--add-config", f"{key}=8")
    cluster.done("--alter", *of, "--delete-config", key)

    name = path.split("/")[-1]
    for each in (shown, of_all):
        assert f"{name}' (its znode is not URL-encoded) are {key}=7" in each.stdout
        assert f"/config/{path} (zkVersion 0): its name is not URL-encoded" in each.stderr
    assert "has configs that no broker reads" in added.stderr
    assert {"version": 1, "config": {}} == json.loads(cluster.data(f"/config/{path}") or b"")
    assert f"{key}=7" not in cluster.configs("--describe", *of).stdout
