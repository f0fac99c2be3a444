"""Does every command that asks brokers do its work where there is no ZooKeeper any more?"""

import json
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import pytest

from kadmin.admin.wire.metadata_log import MetadataLogCopy
from kadmin.app.metadata_log import read_image
from kadmin.budget import Budget
from kadmin.errors import ExitCode
from kadmin.settings.brokers import BrokerSettings
from tests.interop.broker_settings import LOOPBACK
from tests.interop.brokers import RealCluster
from tests.interop.dump import Dump
from tests.interop.kafka_tools import KafkaTools
from tests.interop.kraft import CONTROLLER_ID, KRaftCluster, kraft_cluster
from tests.interop.maven import Maven
from tests.interop.releases import KRAFT
from tests.interop.test_smoke import NUMBERS, SMOKE, WIRE, Way, leaders
from tests.support.cli import kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.interop

OF_ZOOKEEPER: Final = {"zookeeper", "lead", "migration"}
"""Commands that ask ZooKeeper alone."""


class KRaftWay(Way):
    """A way that makes its topics by the brokers."""

    __slots__ = ()

    @property
    def where(self) -> tuple[str, ...]:
        return (WIRE, self.cluster.bootstrap)

    def topic(self, assignment: str = "0:1") -> str:
        name = f"smoke-{next(NUMBERS)}"
        of_topic = ("--topic", name, "--replica-assignment", assignment)
        self.done("topics", "--create", *of_topic, "--wait", "--yes")
        return name


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("3.9.1", marks=[pytest.mark.smoke, pytest.mark.xdist_group("kraft-3.9.1")]),
        pytest.param("4.1.0", marks=pytest.mark.xdist_group("kraft-4.1.0")),
    ],
)
def kraft(
    request: pytest.FixtureRequest,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KRaftCluster]:
    directory = tmp_path_factory.mktemp("kraft")
    with kraft_cluster(request.param, java=java, maven=maven, directory=directory) as cluster:
        yield cluster


@pytest.fixture
def way(kraft: KRaftCluster, tmp_path: Path) -> KRaftWay:
    # It has what the commands' uses need of a cluster.
    return KRaftWay(cast(RealCluster, kraft), WIRE, tmp_path)


BY_WIRE: Final = sorted(name for name, (_, ways) in SMOKE.items() if WIRE in ways)


@pytest.mark.parametrize("command", [name for name in BY_WIRE if name != "elect"])
def test_every_command_that_asks_brokers_does_its_work(way: KRaftWay, command: str) -> None:
    use, _ = SMOKE[command]
    use(way)


def test_a_preferred_leader_is_elected(way: KRaftWay) -> None:
    name = way.topic("0:1")
    moves = {"version": 1, "partitions": [{"topic": name, "partition": 0, "replicas": [1, 0]}]}
    file = ("--reassignment-json-file", way.file(json.dumps(moves)))
    rollback = ("--rollback-file", str(way.directory / "rollback.json"))
    way.done("reassign", "--execute", *file, *rollback, "--wait")

    way.done("elect", "--topic", name, "--partition", "0")

    assert [1] == leaders(way, name)


def test_a_topic_is_described_in_the_lines_of_kafkas_tool_with_eligible_leaders(
    way: KRaftWay,
) -> None:
    cluster = way.cluster
    theirs = KafkaTools(
        cluster.release,
        java=cluster.java,
        class_path=cluster.class_path,
        directory=way.directory,
        bootstrap=cluster.bootstrap,
    )
    # Kafka 4 sets it for all brokers, and Kafka's tool shows that as a config of each topic.
    name = way.topic("0:1")
    min_isr = ("--add-config", "min.insync.replicas=1")
    way.done("configs", "--alter", "--topic", name, *min_isr, "--yes")
    described = ("--describe", "--topic", name)

    ours = way.done("topics", *described).splitlines()

    assert ours == [line for line in theirs.done("topics", *described) if "Topic: " in line]
    assert "\tElr: \tLastKnownElr: " in ours[1]


def test_the_quorum_is_told_with_who_follows_it(way: KRaftWay) -> None:
    def told() -> Any:
        return way.read("controller")

    def has_all() -> bool:
        quorum = told()["quorum"]
        return {"leader", "observer"} == {each["role"] for each in quorum["replicas"]} and all(
            each["lag"] is not None for each in quorum["replicas"]
        )

    wait_until(has_all, what="a quorum whose nodes are known")
    assert (CONTROLLER_ID, "kraft") == (told()["controller"], told()["owner"])
    roles = {each["node"]: each["role"] for each in told()["quorum"]["replicas"]}
    assert {CONTROLLER_ID: "leader", 0: "observer", 1: "observer"} == roles
    levels = {each["feature"]: each["level_name"] for each in told()["features"]}
    assert way.cluster.release[:3] == levels["metadata.version"][:3]
    assert "0" == levels["kraft.version"]


def test_acls_are_changed(way: KRaftWay) -> None:
    of_topic = ("--topic", way.topic())
    allowed = ("--allow-principal", "User:alice", "--operation", "Read")
    way.done("acls", "--add", *of_topic, *allowed, "--yes")
    wait_until(lambda: "User:alice" in way.done("acls", "--list", *of_topic), what="the ACL")

    way.done("acls", "--remove", *of_topic, *allowed, "--yes")

    wait_until(lambda: "User:alice" not in way.done("acls", "--list", *of_topic), what="no ACL")


@pytest.mark.parametrize("entity", ["groups", "client-metrics"])
def test_configs_that_only_kraft_has_are_refused_with_who_knows_them(
    way: KRaftWay, entity: str
) -> None:
    described = ("configs", "--describe", "--entity-type", entity, "--entity-name", "x")

    outcome = kadmin(*described, *way.where)

    assert ExitCode.USAGE == outcome.exit_code
    assert f"--entity-type {entity}" in outcome.stderr


def test_credentials_of_both_mechanisms_are_set_by_one_command(way: KRaftWay) -> None:
    both = "SCRAM-SHA-256=[iterations=4096,password=a],SCRAM-SHA-512=[iterations=4096,password=b]"
    of_bob = ("--entity-type", "users", "--entity-name", "bob")

    way.done("configs", "--alter", *of_bob, "--add-config", both, "--yes")

    def described() -> str:
        return way.done("configs", "--describe", *of_bob)

    wait_until(
        lambda: all(name in described() for name in ("SCRAM-SHA-256", "SCRAM-SHA-512")),
        what="both credentials",
    )


def test_brokers_whose_controllers_do_not_answer_still_describe_topics(
    way: KRaftWay, kraft: KRaftCluster
) -> None:
    name = way.topic()
    controller = kraft.controller.server.process
    assert controller is not None
    where = (*way.where, "--timeout", "6")
    controller.send_signal(signal.SIGSTOP)
    try:
        topics = kadmin("topics", "--describe", "--topic", name, *where)
        check = kadmin("check", *where)
    finally:
        controller.send_signal(signal.SIGCONT)

    assert f"Topic: {name}\tPartition: 0\tLeader: 0" in topics.stdout, topics
    assert "the controllers do not answer" in topics.stderr
    assert ExitCode.FOUND == check.exit_code, check
    assert (
        "who the controller is: not known from the brokers: the controllers do not" in check.stdout
    )
    # Whoever was fenced meanwhile comes back.
    wait_until(lambda: "0\n1\n" == way.done("brokers", "--list"), what="both brokers")


def test_a_controller_among_the_addresses_is_passed_over_and_alone_is_named(
    kraft: KRaftCluster,
) -> None:
    controller = f"{LOOPBACK}:{kraft.controller.place.port}"

    alone = kadmin("topics", "--list", WIRE, controller)
    among = kadmin("topics", "--list", WIRE, f"{controller},{kraft.bootstrap}")

    assert ExitCode.UNREACHABLE == alone.exit_code
    assert f"{controller}: that is a KRaft controller, which serves no clients" in alone.stderr
    assert ExitCode.DONE == among.exit_code, among


@pytest.mark.parametrize("command", sorted(OF_ZOOKEEPER))
def test_what_asks_zookeeper_alone_does_not_take_brokers(way: KRaftWay, command: str) -> None:
    words = {"zookeeper": (), "lead": ("/x", "--", "true"), "migration": ("status",)}

    outcome = kadmin(command, *way.where, *words[command])

    assert ExitCode.USAGE == outcome.exit_code, outcome


def test_the_metadata_log_is_fetched_from_the_active_controller(
    way: KRaftWay, kraft: KRaftCluster
) -> None:
    """What is fetched, from the beginning and from where the copy ends, adds up to the log."""
    address = f"{LOOPBACK}:{kraft.controller.place.port}"
    copy = MetadataLogCopy(
        BrokerSettings(bootstrap=address, timeout_s=OUTER_LIMIT_S), way.directory
    )
    copy.update(Budget(OUTER_LIMIT_S))
    name = way.topic()
    copy.update(Budget(OUTER_LIMIT_S))

    fetched = read_image(way.directory).facts()

    written = read_image(kraft.controller.directory / "data").facts()
    assert fetched == written
    assert any(fact.thing == f"topic {name}" for fact in fetched)


def test_the_metadata_log_is_printed_to_the_byte(
    way: KRaftWay, kraft: KRaftCluster, java: str, maven: Maven
) -> None:
    way.topic()
    written = kraft.controller.directory / "data" / "__cluster_metadata-0" / f"{0:020}.log"
    # A copy: the controller goes on writing.
    log = way.directory / written.name
    shutil.copy(written, log)
    bootstrap = kraft.controller.directory / "data" / "bootstrap.checkpoint"
    files, decoder = [log, bootstrap], "--cluster-metadata-decoder"

    theirs = Dump(java, maven.class_path(KRAFT[kraft.release]))(files, decoder)

    outcome = kadmin("dump-log", decoder, *map(str, files))
    ours = outcome.stdout
    if kraft.release < "4":
        # Only from 4 on Kafka's tool has the fields of this record.
        ours = re.sub(r"LeaderChange: .*", "controlType: LEADER_CHANGE(2)", ours)
    assert theirs == ours.splitlines()
    assert 0 == outcome.exit_code, outcome.stderr
    assert sum("PARTITION_RECORD" in line for line in theirs) > 0
