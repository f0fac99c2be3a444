"""Does every command that speaks to a cluster work once with Kafka 2.8.2 and 3.9.1, each way?

`make interop-smoke` runs these and the tests of other modules that are marked `smoke`.  What a
command does in detail is tested elsewhere; here it does its usual work, and both ways, ZooKeeper
and the brokers, must give the same answer.
"""

import gzip
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kadmin.cli.main import kadmin as root
from kadmin.cli.tree import CommandNode, command_tree
from kadmin.errors import ExitCode
from kadmin.plan.moves.plan_file import to_json
from kadmin.web.api.endpoints import ENDPOINTS
from kadmin.web.clusters import WatchedCluster
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop import outages, test_acls, test_metrics
from tests.interop.brokers import RealCluster
from tests.interop.kafka_tools import KafkaTools
from tests.interop.made_topics import create
from tests.interop.test_brokers_by_wire import known_to_both
from tests.interop.test_state_change_logs import copy_logs
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned
from tests.support.cli import done, kadmin
from tests.support.committing import commit
from tests.support.page import TOKENS, running_page, serving_of
from tests.support.waiting import OUTER_LIMIT_S, wait_until

# What it imports takes longer than most tests.
pytestmark = pytest.mark.slow

NUMBERS: Final = count(1)
VALUES: Final = ("one", "two", "three")

ZOOKEEPER: Final = "--zookeeper"
WIRE: Final = "--bootstrap-server"


@dataclass(frozen=True, slots=True)
class Way:
    """A cluster, and the option by which kadmin finds it; None for commands that only read files.

    *directory* is empty, and of this way alone.
    """

    cluster: RealCluster
    option: str | None
    directory: Path

    def done(self, *arguments: str) -> str:
        """What kadmin prints, which must succeed."""
        return done(*arguments, *self.where)

    def read(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--output", "json"))

    @property
    def where(self) -> tuple[str, ...]:
        if self.option is None:
            return ()
        connect = {ZOOKEEPER: self.cluster.zookeeper_connect, WIRE: self.cluster.bootstrap}
        return (self.option, connect[self.option])

    def topic(self, assignment: str = "0:1") -> str:
        """A new topic with this way's own name."""
        name = f"smoke-{next(NUMBERS)}"
        create(self.cluster, name, assignment)
        return name

    def topic_with_records(self) -> str:
        """One whose only partition has `VALUES` on both its brokers."""
        name = self.topic()
        # One time for all, and with it one size of the batch; not so old that it is deleted.
        now_ms = int(time.time() * 1000)
        records = [Sent(value.encode(), timestamp_ms=now_ms) for value in VALUES]
        Confluent(self.cluster.bootstrap).produce(name, records, acks="all")
        return name

    def file(self, text: str) -> str:
        path = self.directory / "input"
        path.write_text(text)
        return str(path)

    def log_dirs(self) -> list[str]:
        """The options of `collect` and `verify-replicas` that name the brokers' directories."""
        return [
            word
            for broker_id, broker in self.cluster.brokers.items()
            for word in ("--log-dir", f"{broker_id}={broker.directory / 'data'}")
        ]


def check(way: Way) -> object:
    outcome = kadmin("check", "--output", "json", *way.where)
    assert outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), outcome
    found = json.loads(outcome.stdout)
    assert len(way.cluster.brokers) == found["brokers"]
    return found["controller"]


def topics(way: Way) -> object:
    name = f"smoke-{next(NUMBERS)}"
    of_topic = ("--topic", name)
    way.done("topics", "--create", *of_topic, "--replica-assignment", "0:1", "--yes")
    way.done("topics", "--alter", *of_topic, "--partitions", "2", "--yes")
    way.done("topics", "--alter", *of_topic, "--config", "retention.ms=70000", "--yes")
    described = ""

    def has_all() -> bool:
        nonlocal described
        described = way.done("topics", "--describe", *of_topic)
        return described.count("\tIsr: ") == 2 and "none" not in described

    wait_until(has_all, what=f"two led partitions of {name}")
    assert name in way.done("topics", "--list").splitlines()
    way.done("topics", "--delete", *of_topic, "--yes", "--wait")
    assert name not in way.done("topics", "--list").splitlines()
    # The second partition was placed at random.
    first = described.replace(name, "NAME").splitlines()[:2]
    return [re.sub(r"TopicId: \S+", "TopicId: ID", line) for line in first]


def configs(way: Way) -> object:
    of_topic = ("--topic", way.topic())
    way.done("configs", "--alter", *of_topic, "--add-config", "retention.ms=70000", "--yes")

    def told() -> dict[str, str]:
        (found,) = way.read("configs", "--describe", *of_topic)["entities"]
        configs: dict[str, str] = found["configs"]
        return configs

    wait_until(lambda: told() == {"retention.ms": "70000"}, what="a config that was set")
    way.done("configs", "--alter", *of_topic, "--delete-config", "retention.ms", "--yes")
    wait_until(lambda: told() == {}, what="a config that was deleted")
    return way.read("configs", "--describe", "--broker", "0")


def brokers(way: Way) -> object:
    described = [known_to_both(each) for each in way.read("brokers", "--describe")["brokers"]]
    # A broker may know of a topic that was deleted a moment longer than ZooKeeper.
    return [(each["id"], each["rack"], each["has_endpoints"]) for each in described]


def controller(way: Way) -> object:
    return way.read("controller")["controller"]


def zookeeper(way: Way) -> object:
    (server,) = way.read("zookeeper")["servers"]
    assert server["state"] == "serving"
    return None


def api_versions(way: Way) -> object:
    return sorted(way.done("api-versions").splitlines())


def elect(way: Way) -> object:
    name = way.topic("0:1")
    outages.reassign(way.cluster, (name, 0), [1, 0])

    said = way.done("elect", "--topic", name, "--partition", "0")

    assert [1] == leaders(way, name)
    return said.replace(name, "NAME")


def leaders(way: Way, topic: str) -> list[int | None]:
    (found,) = way.read("topics", "--describe", "--topic", topic)["topics"]
    return [part["leader"] for part in found["partitions"]]


def reassign(way: Way) -> object:
    name = way.topic_with_records()
    moves = {"version": 1, "partitions": [{"topic": name, "partition": 0, "replicas": [1]}]}
    file = ("--reassignment-json-file", way.file(json.dumps(moves)))
    rollback = ("--rollback-file", str(way.directory / "rollback.json"))
    topics = way.directory / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": name}]}))
    named = ("--topics-to-move-json-file", str(topics), "--broker-list", "0")

    replace = ("--goal", "replace", "--replace", "0=1", "--topic", way.topic("0"))
    plan = way.read("reassign", "plan", *replace)
    assert (1, True) == (plan["lower_bound"], plan["optimal"])
    way.done("reassign", "--execute", *file, *rollback, "--throttle", "100000000", "--wait")
    verified = way.done("reassign", "--verify", *file)

    assert [1] == leaders(way, name)
    assert '"replicas":[0]' in way.done("reassign", "--generate", *named).replace(" ", "")
    assert "No partition reassignments found." in way.done("reassign", "--list")
    supervised(way, name)
    return verified.replace(name, "NAME")


def supervised(way: Way, name: str) -> None:
    """Run a plan and take it back."""
    plan = plan_of(planned(f"{name}-0", "1 -> 0"), cluster_id=None)

    way.done("reassign", "run", way.file(to_json(plan)), "--yes", "--throttle", "100000000")
    assert [0] == leaders(way, name)
    assert "done" == way.read("reassign", "status")["state"]
    way.done("reassign", "rollback", "--yes")
    assert [1] == leaders(way, name)
    assert "rolled-back" in way.done("reassign", "list")
    assert name not in way.done("throttle", "list")


def throttle(way: Way) -> object:
    """Release what a reassignment has left behind."""
    name = way.topic_with_records()
    moves = {"version": 1, "partitions": [{"topic": name, "partition": 0, "replicas": [1]}]}
    file = ("--reassignment-json-file", way.file(json.dumps(moves)), "--preserve-throttles")
    rollback = ("--rollback-file", str(way.directory / "rollback.json"))
    way.done("reassign", "--execute", *file, *rollback, "--throttle", "100000000", "--wait")

    found = way.read("throttle", "list")["throttles"]
    judged = kadmin("throttle", "doctor", *way.where)
    assert ExitCode.FOUND == judged.exit_code, judged
    assert "set by a reassignment that is over" in judged.stdout
    way.done("throttle", "release", "--yes", "--rollback-file", str(way.directory / "back.sh"))
    assert "" == way.done("throttle", "list")
    return [(each["path"].replace(name, "NAME"), each["config"], each["set_by"]) for each in found]


def log_dirs(way: Way) -> object:
    (line,) = (
        line
        for line in way.done("log-dirs", "--topic", way.topic_with_records()).splitlines()
        if line.startswith("{")
    )
    found = json.loads(line)
    sizes = [
        (broker["broker"], part["size"])
        for broker in found["brokers"]
        for directory in broker["logDirs"]
        for part in directory["partitions"]
    ]
    assert [0, 1] == sorted(broker for broker, _ in sizes)
    return sorted(sizes)


def offsets(way: Way) -> object:
    name = way.topic_with_records()
    wait_until_committed(way, name)
    told = [way.done("offsets", "--topic", name, "--time", at) for at in ("earliest", "1")]
    assert [f"{name}:0:0\n"] * 2 == told
    return told[0].replace(name, "NAME")


def wait_until_committed(way: Way, topic: str) -> None:
    """Wait until consumers may have all of `VALUES`."""
    wait_until(
        lambda: way.done("offsets", "--topic", topic) == f"{topic}:0:{len(VALUES)}\n",
        what=f"the records of {topic}",
    )


def wait_until_checkpointed(cluster: RealCluster, topic: str) -> None:
    """Wait until files prove that all of `VALUES` is committed."""
    checkpoints = [
        cluster.brokers[broker_id].directory / "data" / "replication-offset-checkpoint"
        for broker_id in (0, 1)
    ]
    line = f"{topic} 0 {len(VALUES)}\n"
    wait_until(
        lambda: all(path.exists() and line in path.read_text() for path in checkpoints),
        what=f"'{line.strip()}' in both checkpoints",
    )


def delete_records(way: Way) -> object:
    name = way.topic_with_records()
    wait_until_committed(way, name)

    way.done("delete-records", "--topic", name, "--before-offset", "2", "--yes")

    return way.done("offsets", "--topic", name, "--count").replace(name, "NAME")


def produce(way: Way) -> object:
    name = way.topic()

    way.done("produce", "--topic", name, "--file", way.file("".join(f"{v}\n" for v in VALUES)))

    got = Confluent(way.cluster.bootstrap).consume(name, 0, 0, len(VALUES))
    assert [value.encode() for value in VALUES] == [each.record.value for each in got]
    return None


def consume(way: Way) -> object:
    name = way.topic_with_records()
    wait_until_committed(way, name)

    said = way.done("consume", "--topic", name, "--from-beginning", "--until-end")

    assert list(VALUES) == said.split()
    member = ("consume", "--topic", name, "--group", f"of-{name}", "--from-beginning")
    assert list(VALUES[:2]) == way.done(*member, "--max-messages", "2").split()
    assert list(VALUES[2:]) == way.done(*member, "--until-end").split()
    return said


def perf(way: Way) -> object:
    """Write, read and send back a few records, with the lines that Kafka's own tools print."""
    name = f"smoke-{next(NUMBERS)}"
    at = ("--topic", name, "--yes")
    way.done("topics", "--create", *at, "--partitions", "1", "--replication-factor", "2", "--wait")
    written = way.done("perf", "produce", *at, "--num-records", "200", "--throughput", "20000")
    read = way.done("perf", "consume", "--topic", name, "--messages", "200")
    sent = way.done("perf", "end-to-end", *at, "--num-records", "3")
    way.done("perf", "load", *at, "--duration", "0.5", "--throughput", "100", "--outage", "3600")
    theirs = KafkaTools(
        way.cluster.release,
        java=way.cluster.java,
        class_path=way.cluster.class_path,
        directory=way.directory,
        bootstrap=way.cluster.bootstrap,
    )
    words = ("--num-records", "200", "--record-size", "100", "--throughput", "-1")
    props = ("--producer-props", f"bootstrap.servers={way.cluster.bootstrap}")
    last = theirs.done("producer-perf-test", "--topic", name, *words, *props)[-1]
    assert shape(last) == shape(written.splitlines()[-1])
    reading = ("--topic", name, "--messages", "200", "--timeout", "60000")
    header, row = theirs.done("consumer-perf-test", *reading)[-2:]
    assert [header, shape(row)] == [read.splitlines()[0], shape(read.splitlines()[1])]
    return [shape(line) for line in (*written.splitlines()[-1:], *read.splitlines(), sent)]


def shape(line: str) -> str:
    """What a line is but for its figures."""
    return re.sub(r"\d+", "N", line).replace("-N", "N")


def verify_replicas(way: Way) -> object:
    name = way.topic_with_records()
    live = way.read("verify-replicas", "--topic", name, "--until-caught-up")
    (partition,) = live["partitions"]
    assert [name, "equal", len(VALUES)] == [
        partition[key] for key in ("topic", "verdict", "compared_to")
    ]
    return [replica["broker"] for replica in partition["replicas"]]


def collect(way: Way) -> object:
    """By ZooKeeper with the brokers' files, by the wire without them; then as a collection."""
    name = way.topic_with_records()
    wait_until_checkpointed(way.cluster, name)
    directory = str(way.directory / "collected")
    source = ["--wire"] if way.option == WIRE else way.log_dirs()

    way.done("collect", directory, "--topic", name, *source)

    done("collect", directory, "--check")
    assert (way.directory / "collected" / "snapshot.json").is_file()
    found = json.loads(done("verify-replicas", directory, "--output", "json"))
    return [
        (part["verdict"], [replica["broker"] for replica in part["replicas"]])
        for part in found["partitions"]
    ]


def dump_log(way: Way) -> object:
    name = way.topic_with_records()
    (segment,) = (way.cluster.brokers[0].directory / "data" / f"{name}-0").glob("*.log")

    printed = way.done("dump-log", "--print-data-log", str(segment))

    assert list(VALUES) == re.findall(r"payload: (\w+)", printed)
    return None


def merge_logs(way: Way) -> object:
    way.topic()
    logs = copy_logs(way.cluster, way.directory)

    merged = kadmin("merge-logs", str(logs), "--master", "none")
    analyzed = kadmin("merge-logs", str(logs), "--master", "none", "--analyze")

    assert (ExitCode.DONE, ExitCode.DONE) == (merged.exit_code, analyzed.exit_code), analyzed
    assert "not understood: 0" in merged.stderr
    lines = sum(len(log.read_bytes().splitlines()) for log in logs.glob("*/*.log"))
    assert lines == len(merged.stdout.splitlines())
    return None


def groups(way: Way) -> object:
    name = way.topic_with_records()
    commit(way.cluster.bootstrap, f"group-of-{name}", name, 0, 1)
    of_group = ("--group", f"group-of-{name}")
    if way.option == ZOOKEEPER:
        # From here on it is the group of that name in ZooKeeper.
        way.done("groups", "migrate-offsets", "--to-zookeeper", *of_group, "--yes")
    assert f"group-of-{name}" in way.done("groups", "--list", "--topic", name).splitlines()
    (found,) = way.read("groups", "--describe", *of_group)["groups"]
    (row,) = found["partitions"]
    assert row["lag_ms"] > 0
    described = way.done("groups", "--describe", *of_group).replace(name, "NAME")
    kept = ("--rollback-file", str(way.directory / "back.csv"))
    way.done(
        "groups", "--reset-offsets", *of_group, "--all-topics", "--to-latest", "--execute", *kept
    )
    way.done("groups", "--verdict", *of_group, "--window", "0")
    others = ("--rollback-file", str(way.directory / "all.csv"))
    way.done("groups", "--delete", *of_group, "--yes", *others)
    assert f"group-of-{name}" not in way.done("groups", "--list").splitlines()
    return [line.split() for line in described.splitlines()]


def export(way: Way) -> object:
    name = way.topic_with_records()
    commit(way.cluster.bootstrap, f"group-of-{name}", name, 0, 1)
    path = way.directory / "kafka.prom"
    way.done("export", "--once", "--topic", name, "--output-file", str(path))
    samples = {
        (sample.name, sample.labels.get("consumergroup")): sample.value
        for family in text_string_to_metric_families(path.read_text())
        for sample in family.samples
    }
    group = f"group-of-{name}"
    assert samples["kafka_consumergroup_lag_seconds", group] > 0
    names = ("kafka_brokers", "kafka_topic_partition_current_offset", "kafka_exporter_up")
    numbers = [samples[each, None] for each in names]
    return [*numbers, samples["kafka_consumergroup_lag", group]]


def lead(way: Way) -> object:
    path, noted = "/elections/smoke", way.directory / "epoch"
    script = f"echo $KADMIN_LEADER_EPOCH > {noted}"
    assert "" == done("lead", path, *way.where, "--", "sh", "-c", script)
    assert int(noted.read_text()) > 0
    outcome = kadmin("lead", path, "--status", *way.where)
    assert ExitCode.FOUND == outcome.exit_code, outcome
    return None


def snapshot(way: Way) -> object:
    name = way.topic()
    file = str(way.directory / "saved.json.gz")

    way.done("snapshot", "save", file, "--groups")

    outcome = kadmin("snapshot", "diff", file, "--output", "json", *way.where)
    differences = json.loads(outcome.stdout)["differences"]
    assert [] == [each for each in differences if name in each["subject"]]
    # Versions and epochs of controllers are ZooKeeper's own.
    (found,) = (topic for topic in saved_in(file)["topics"] if topic["topic"] == name)
    (part,) = found["partitions"]
    shown = json.loads(done("snapshot", "show", file, "--output", "json"))
    sizes = [broker["size_bytes"] is None for broker in shown["brokers"]]
    kept = ("replicas", "leader", "isr", "leader_epoch")
    return [shown["cluster_id"], shown["controller"], sizes, [part[key] for key in kept]]


def saved_in(file: str) -> Any:
    return json.loads(gzip.decompress(Path(file).read_bytes()))


def simulate(way: Way) -> object:
    name = way.topic("0:1")

    outcome = kadmin("simulate", "--kill", "0", "--output", "json", *way.where)

    assert outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), outcome
    moved = json.loads(outcome.stdout)["leaders_moved"]
    (change,) = (each for each in moved if each["topic"] == name)
    assert (0, 1) == (change["leader_before"], change["leader_after"])
    return change["isr_after"]


def migration(way: Way) -> object:
    # Made by kadmin, so that a controller has given it an id where the release has these.
    name = f"smoke-{next(NUMBERS)}"
    way.done(
        "topics", "--create", "--topic", name, "--replica-assignment", "0:1", "--wait", "--yes"
    )
    outcome = kadmin("migration", "check", "--output", "json", *way.where)
    assert outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), outcome
    report = json.loads(outcome.stdout)
    assert [] == report["not_looked_at"]
    about = [each["kind"] for each in report["findings"] if name in each["topics"]]
    (preview,) = (
        each["records"]
        for each in way.read("migration", "preview")["records"]
        if each["type"] == "TOPIC_RECORD"
    )
    assert preview > 0
    assert kadmin("migration", "rollback-check", *way.where).exit_code == ExitCode.FOUND
    return [about, way.read("migration", "status")["phase"]]


def serve(way: Way) -> object:
    assert way.option is not None
    flag = {ZOOKEEPER: "zookeeper", WIRE: "bootstrap_server"}[way.option]
    cluster = WatchedCluster("one", {flag: way.where[1]}, interval_s=3600)
    name = way.topic()
    with running_page(serving_of(cluster, way.directory)) as page:
        for poll in cluster.poller.polls.values():
            poll.wait_beyond(0, OUTER_LIMIT_S)
        ann = page.browser("ann")
        pages = ("", "/brokers", "/topics", f"/topics/{name}", "/groups", "/moves", "/configs")
        for path in (*pages, "/acls", "/audit", "/changes"):
            assert 200 == ann.get(f"/clusters/one{path}").status_code, path
        token = {"Authorization": f"Bearer {TOKENS['rita']}"}
        for endpoint in ENDPOINTS:
            if "group" in endpoint.names:
                continue  # There may be none.
            path = endpoint.documented_path.format(cluster="one", topic=name)
            answer = page.base.get(path, headers=token)
            assert 200 == answer.status_code, answer.text
        made = f"smoke-{next(NUMBERS)}"
        ann.do("create-topic", topic=made, partitions="2", replication_factor="2")
        assert made in way.done("topics", "--list").splitlines()
        gone = ann.confirm(ann.plan("delete-topics", topics=made), typed=made)
        assert "Done." in gone.text, gone.text
        assert made not in way.done("topics", "--list").splitlines()
    return None


BOTH: Final = (ZOOKEEPER, WIRE)
FILES: Final = (None,)

SMOKE: Final[Mapping[str, tuple[Callable[[Way], object], tuple[str | None, ...]]]] = {
    "check": (check, BOTH),
    "topics": (topics, BOTH),
    "configs": (configs, BOTH),
    "brokers": (brokers, BOTH),
    "controller": (controller, BOTH),
    "zookeeper": (zookeeper, (ZOOKEEPER,)),
    "api-versions": (api_versions, BOTH),
    "elect": (elect, BOTH),
    "reassign": (reassign, BOTH),
    "throttle": (throttle, BOTH),
    "log-dirs": (log_dirs, BOTH),
    "offsets": (offsets, BOTH),
    "groups": (groups, BOTH),
    "delete-records": (delete_records, BOTH),
    "export": (export, BOTH),
    "lead": (lead, (ZOOKEEPER,)),
    "produce": (produce, BOTH),
    "consume": (consume, BOTH),
    "perf": (perf, BOTH),
    "merge-logs": (merge_logs, FILES),
    "verify-replicas": (verify_replicas, BOTH),
    "collect": (collect, BOTH),
    "dump-log": (dump_log, FILES),
    "snapshot": (snapshot, BOTH),
    "simulate": (simulate, BOTH),
    "migration": (migration, (ZOOKEEPER,)),
    "serve": (serve, BOTH),
}
"""What each command is used for, and by which ways."""

ELSEWHERE: Final = {
    "acls": test_acls.test_acls_are_told_and_changed_as_by_kafka_s_tool,
    "metrics": test_metrics.test_each_agent_has_the_same_numbers,
}
"""Tests, marked `smoke`, of commands that need a cluster of their own: brokers that authorize, or
with agents in their JVMs."""

OF_NO_CLUSTER: Final = {"cluster", "completion", "config", "help"}
"""Commands that ask no cluster of Kafka's, and read no files of it."""


@pytest.mark.interop
@pytest.mark.smoke
@pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
@pytest.mark.parametrize("command", SMOKE)
def test_every_command_does_its_work_by_each_way(
    cluster: RealCluster, command: str, tmp_path: Path
) -> None:
    use, ways = SMOKE[command]
    answers = []
    for number, option in enumerate(ways):
        directory = tmp_path / str(number)
        directory.mkdir()
        answers.append(use(Way(cluster, option, directory)))

    assert [answers[0]] * len(ways) == answers


def commands() -> dict[str, CommandNode]:
    return {command.name: command for command in command_tree(root).commands}


def test_no_command_that_speaks_to_a_cluster_is_forgotten() -> None:
    assert set(commands()) == SMOKE.keys() | ELSEWHERE.keys() | OF_NO_CLUSTER


def test_commands_that_can_ask_brokers_do_so() -> None:
    by_wire = {name for name, (_, ways) in SMOKE.items() if WIRE in ways}

    can_ask = {
        name
        for name, command in commands().items()
        if any(WIRE in option.names for option in command.options)
    }
    assert can_ask - OF_NO_CLUSTER - ELSEWHERE.keys() == by_wire


def test_what_is_tested_elsewhere_is_a_smoke_test_there() -> None:
    for test in ELSEWHERE.values():
        marks = [mark.name for mark in getattr(test, "pytestmark", ())]
        assert "smoke" in marks
