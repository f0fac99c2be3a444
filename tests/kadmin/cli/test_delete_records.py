"""`kadmin delete-records` against brokers of ours; real ones in `tests/interop`."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kadmin.errors import ExitCode
from tests.support.asking import AskingKadmin
from tests.support.brokers import Broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

NUMBERS = count(1)
FIRST_MS = 1_700_000_000_000


class Cluster:
    def __init__(self, broker: Broker) -> None:
        self.wire = ("--bootstrap-server", broker.bootstrap)

    def run(self, *arguments: str) -> KadminRun:
        return kadmin("delete-records", *arguments, *self.wire)

    def refused(self, *arguments: str) -> KadminRun:
        firsts = ("offsets", "--topic", "deleted-*", "--time", "earliest", *self.wire)
        before = done(*firsts)
        outcome = self.run(*arguments)
        assert outcome.stdout == ""
        assert before == done(*firsts)
        return outcome

    def firsts(self, topic: str) -> list[int]:
        told = done("offsets", "--topic", topic, "--time", "earliest", *self.wire)
        return [int(line.rpartition(":")[2]) for line in told.splitlines()]


@pytest.fixture
def cluster(one_broker: OneBroker) -> Cluster:
    return Cluster(one_broker.broker)


@pytest.fixture
def topic(cluster: Cluster, tmp_path: Path) -> str:
    """Two partitions with five records each, a second apart."""
    name = f"deleted-{next(NUMBERS)}"
    create = ("topics", "--create", "--topic", name, "--config", "retention.ms=-1", "--yes")
    done(*create, "--partitions", "2", "--replication-factor", "1", *cluster.wire)
    path = tmp_path / "records"
    lines = [
        json.dumps({"value": "v", "partition": part, "timestamp": FIRST_MS + 1000 * number})
        for part in (0, 1)
        for number in range(5)
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    done("produce", "--topic", name, "--format", "json", "--file", str(path), *cluster.wire)
    return name


def test_what_is_before_an_offset_is_deleted_and_twice_is_once(
    cluster: Cluster, topic: str
) -> None:
    words = ("--topic", topic, "--partitions", "1", "--before-offset", "3", "--yes")

    outcome = cluster.run(*words)
    again = cluster.run(*words)

    assert ExitCode.DONE == outcome.exit_code == again.exit_code
    assert (
        "Executing records delete operation\nRecords delete operation completed:\n"
        f"partition: {topic}-1\tlow_watermark: 3\n" == outcome.stdout == again.stdout
    )
    assert f"  {topic}-1: records 0 to 2, 3 records; 2 stay\n" in outcome.stderr
    assert "plan: delete 0 records of 0 partitions" in again.stderr
    assert [0, 3] == cluster.firsts(topic)
    read = ("consume", "--topic", topic, "--from-beginning", "--until-end")
    assert 7 == len(done(*read, *cluster.wire).splitlines())


def test_what_is_older_than_a_time_is_deleted(cluster: Cluster, topic: str) -> None:
    outcome = cluster.run("--topic", topic, "--before-time", str(FIRST_MS + 1500), "--yes")

    assert ExitCode.DONE == outcome.exit_code
    assert [2, 2] == cluster.firsts(topic)


def test_a_file_of_kafka_s_tool_says_what_goes(
    cluster: Cluster, topic: str, tmp_path: Path
) -> None:
    path = tmp_path / "offsets.json"
    entries = [
        {"topic": topic, "partition": 0, "offset": -1},
        {"topic": topic, "partition": 1, "offset": 1},
    ]
    path.write_text(json.dumps({"version": 1, "partitions": entries}))
    words = ("--offset-json-file", str(path), "--output", "json")

    planned: Any = json.loads(cluster.run(*words, "--dry-run").stdout)
    before = cluster.firsts(topic)
    made: Any = json.loads(cluster.run(*words, "--yes").stdout)

    assert [("planned", 0, 5, 5, None), ("planned", 0, 1, 1, None)] == [
        fields(each) for each in planned["partitions"]
    ]
    assert [0, 0] == before
    assert [("deleted", 0, 5, 5, 5), ("deleted", 0, 1, 1, 1)] == [
        fields(each) for each in made["partitions"]
    ]
    assert (True, False) == (planned["dry_run"], made["dry_run"])
    assert [5, 1] == cluster.firsts(topic)


def fields(each: dict[str, Any]) -> tuple[Any, ...]:
    names = ("outcome", "start_offset", "before_offset", "records", "low_watermark")
    return tuple(each[name] for name in names)


def test_a_pipe_wants_yes_and_a_terminal_is_asked(cluster: Cluster, topic: str) -> None:
    words = ("--topic", topic, "--before-offset", "latest")

    in_pipe = cluster.refused(*words)
    with AskingKadmin("delete-records", *words, *cluster.wire) as asking:
        asking.read_until("[y/N]: ")
        asking.answer("n")
        declined = asking.exit_code()
    after_no = cluster.firsts(topic)
    with AskingKadmin("delete-records", *words, *cluster.wire) as agreeing:
        agreeing.read_until("[y/N]: ")
        agreeing.answer("y")
        agreed = agreeing.exit_code()

    assert ExitCode.REFUSED == in_pipe.exit_code == declined
    assert f"  {topic}-0: records 0 to 4, 5 records: all that it has\n" in in_pipe.stderr
    assert "hint: add --yes" in in_pipe.stderr
    assert "Delete these 10 records of 2 partitions for good? [y/N]: " in asking.said
    assert [0, 0] == after_no
    assert (ExitCode.DONE, [5, 5]) == (agreed, cluster.firsts(topic))


def test_what_cannot_be_deleted_is_refused_as_a_whole(
    cluster: Cluster, topic: str, tmp_path: Path
) -> None:
    path = tmp_path / "offsets.json"
    entries = [
        {"topic": topic, "partition": 0, "offset": 2},
        {"topic": topic, "partition": 7, "offset": 2},
    ]
    path.write_text(json.dumps({"partitions": entries}))

    too_far = cluster.refused("--topic", topic, "--before-offset", "6", "--yes")
    missing = cluster.refused("--offset-json-file", str(path), "--yes")
    typo = cluster.refused("--topic", f"{topic}x", "--before-offset", "1", "--yes")

    assert ExitCode.FAILED == too_far.exit_code == missing.exit_code == typo.exit_code
    assert (
        f"nothing is deleted: {topic}-0 ends at 5, before offset 6; {topic}-1 ends at 5"
        in too_far.stderr
    )
    assert f"nothing is deleted: {topic}-7: there is no such partition\n" in missing.stderr
    assert f"there is no topic '{topic}x'" in typo.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "give exactly one of --before-offset, --before-time, --offset-json-file"),
        (("--before-offset", "1"), "--before-offset needs --topic"),
        (("--topic", "t", "--before-offset", "soon"), "'soon' is no offset"),
        (("--topic", "t", "--before-offset", "-2"), "'-2' is no offset"),
        (("--topic", "t", "--before-offset", "-1", "--yes"), "--before-offset takes no -1"),
        (("--topic", "t", "--before-offset=-1"), "hint: --before-offset latest takes all"),
        (("--topic", "t", "--before-time", "latest"), "--before-time takes a time"),
        (("--topic", "t", "--offset-json-file", "-"), "--topic does not go with --offset-json"),
        (("--offset-json-file", "/nowhere"), "cannot read /nowhere"),
        (("--topic", "t", "--before-time", "-1h", "--before-offset", "1"), "give exactly one of"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("delete-records", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
