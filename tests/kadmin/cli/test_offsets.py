"""`kadmin offsets` against a broker of ours; real ones in `tests/interop`."""

import csv
import json
from itertools import count
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.support.brokers import Broker, running_broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

NUMBERS = count(1)
OLD_MS, YOUNG_MS = 1_700_000_000_000, 1_700_000_060_000


class Cluster:
    def __init__(self, broker: Broker, zookeeper: str) -> None:
        self.broker = broker
        self.zookeeper = zookeeper

    def run(self, *arguments: str) -> KadminRun:
        return kadmin("offsets", *arguments, "--bootstrap-server", self.broker.bootstrap)

    def done(self, *arguments: str) -> str:
        return done("offsets", *arguments, "--bootstrap-server", self.broker.bootstrap)


@pytest.fixture
def cluster(one_broker: OneBroker) -> Cluster:
    return Cluster(one_broker.broker, one_broker.zookeeper)


@pytest.fixture
def topic(cluster: Cluster, tmp_path: Path) -> str:
    """Two partitions: the first holds two records, a minute apart, the other none."""
    name = f"told-{next(NUMBERS)}"
    wire = ("--topic", name, "--bootstrap-server", cluster.broker.bootstrap)
    layout = ("--partitions", "2", "--replication-factor", "1", "--config", "retention.ms=-1")
    done("topics", "--create", *wire, *layout, "--yes")
    path = tmp_path / "records"
    lines = [
        json.dumps({"value": "v", "partition": 0, "timestamp": moment})
        for moment in (YOUNG_MS, OLD_MS)
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    done("produce", *wire, "--format", "json", "--file", str(path))
    return name


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ((), ["0:2", "1:0"]),
        (("--time", "-1"), ["0:2", "1:0"]),
        (("--time", "earliest"), ["0:0", "1:0"]),
        (("--time", "max-timestamp"), ["0:0"]),
        (("--time", str(OLD_MS)), ["0:0"]),
        (("--time", str(YOUNG_MS + 1)), []),
        (("--partitions", "1"), ["1:0"]),
        (("--count",), ["0:0:2:2", "1:0:0:0"]),
        (("--count", "--time", str(YOUNG_MS + 1)), ["0::2:0", "1::0:0"]),
    ],
)
def test_lines_are_those_of_kafka_s_tool(
    cluster: Cluster, topic: str, moment: tuple[str, ...], expected: list[str]
) -> None:
    found = cluster.done("--topic", topic, *moment)

    assert [f"{topic}:{line}" for line in expected] == found.splitlines()


def test_documents_tell_times_and_counts(cluster: Cluster, topic: str) -> None:
    words = ("--topic", topic, "--time", "2023-11-14T22:14")
    plain = json.loads(cluster.done(*words, "--output", "json"))
    counted = json.loads(cluster.done(*words, "--count", "--output", "json"))
    rows = list(csv.DictReader(cluster.done(*words, "--output", "csv").splitlines()))

    assert ("kadmin.offsets/1", str(OLD_MS + 40_000)) == (plain["schema"], plain["time"])
    assert [(0, YOUNG_MS, None), (None, None, None)] == [
        (each["offset"], each["timestamp_ms"], each["count"]) for each in plain["partitions"]
    ]
    assert (None, []) == (plain["count"], plain["untold"])
    assert [(2, 2), (0, 0)] == [
        (each["end_offset"], each["count"]) for each in counted["partitions"]
    ]
    assert 2 == counted["count"]
    assert [("0", "0"), ("1", "")] == [(row["partition"], row["offset"]) for row in rows]


def test_a_long_list_may_be_sorted_and_cut(cluster: Cluster, topic: str) -> None:
    cut = cluster.run("--topic", topic, "--count", "--sort-by", "count", "--limit", "1")
    unsorted = cluster.run("--topic", topic, "--sort-by", "count")

    assert f"{topic}:0:0:2:2\n" == cut.stdout
    assert "2 offsets in 2 partitions\n1 partition not shown\n" == cut.stderr
    assert ExitCode.USAGE == unsorted.exit_code
    assert "--sort-by count needs --count" in unsorted.stderr


def test_the_sum_is_told_beside_the_lines(cluster: Cluster, topic: str) -> None:
    assert "2 offsets in 2 partitions\n" == cluster.run("--topic", topic, "--count").stderr


def test_globs_and_all_topics_are_understood(cluster: Cluster, topic: str) -> None:
    by_glob = cluster.done("--topic", f"{topic[:-1]}[{topic[-1]}]")
    everything = cluster.run()
    by_zookeeper = done("get-offsets", "--topic", topic, "--zookeeper", cluster.zookeeper)

    assert f"{topic}:0:2\n{topic}:1:0\n" == by_glob == by_zookeeper
    assert by_glob in everything.stdout
    # Another test may have left a partition without a leader: that alone is left out.
    left_out = [line for line in everything.stderr.splitlines() if "left out: " in line]
    assert all("left out: headless-" in line for line in left_out), everything
    assert everything.exit_code == (ExitCode.UNREACHABLE if left_out else ExitCode.DONE)


@pytest.mark.parametrize(
    "command", [("offsets",), ("log-dirs",), ("topics", "--describe"), ("configs", "--describe")]
)
def test_a_name_that_no_topic_has_is_told_with_its_reason(
    cluster: Cluster, command: tuple[str, ...]
) -> None:
    outcome = kadmin(*command, "--topic", "ordürs", "--bootstrap-server", cluster.broker.bootstrap)

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert "topic name 'ordürs' is illegal: it contains a character other than" in outcome.stderr
    assert "hint: use letters, digits, '.', '_' and '-', at most 249 of them" in outcome.stderr


def test_what_is_not_there_is_named(cluster: Cluster, topic: str) -> None:
    typo = cluster.run("--topic", f"{topic}x")
    partition = cluster.run("--topic", topic, "--partitions", "0,2")

    assert (ExitCode.FAILED, f"there is no topic '{topic}x'") == (
        typo.exit_code,
        typo.stderr.splitlines()[0].removeprefix("kadmin: "),
    )
    assert f"hint: did you mean {topic}" in typo.stderr
    assert (ExitCode.FAILED, "") == (partition.exit_code, partition.stdout)
    assert f"topic '{topic}' has no partition 2\n" in partition.stderr


def test_a_partition_without_a_leader_is_told_and_the_rest_is_shown(
    cluster: Cluster, tmp_path: Path
) -> None:
    name = f"headless-{next(NUMBERS)}"
    with running_broker(tmp_path / "other", cluster.zookeeper, 2) as other:
        create = ("topics", "--create", "--topic", name, "--zookeeper", cluster.zookeeper)
        done(*create, "--replica-assignment", "1,2")
        other.terminate()
        wait_until(
            lambda: "it has no leader" in cluster.run("--topic", name).stderr,
            what="the end of its leader, which the other broker has to hear of",
        )

    outcome = cluster.run("--topic", name)
    document = json.loads(cluster.run("--topic", name, "--output", "json").stdout)

    assert (ExitCode.UNREACHABLE, f"{name}:0:0\n") == (outcome.exit_code, outcome.stdout)
    assert f"warning: left out: {name}-1: it has no leader\n" in outcome.stderr
    assert f"hint: kadmin --bootstrap-server {cluster.broker.bootstrap} topics" in outcome.stderr
    assert [{"topic": name, "partition": 1, "reason": "it has no leader"}] == document["untold"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--time", "soon"), "'soon' is no time"),
        (("--partitions", "x"), "'x' are no numbers of partitions"),
        (("--topic-partitions", "t:0"), "--topic NAME --partitions N,N"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("offsets", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
