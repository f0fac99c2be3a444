"""Does kadmin tell of real brokers what Kafka's own tools of their release tell?"""

import json
import re
from itertools import count
from pathlib import Path

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.kafka_tools import CLASSES, MOVED, KafkaTools
from tests.interop.outages import wait_until_led
from tests.interop.releases import version_tuple
from tests.interop.tools import Tools
from tests.support.cli import done, kadmin

pytestmark = [
    pytest.mark.interop,
    pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True),
]

NUMBERS = count(1)


@pytest.fixture
def topic(cluster: RealCluster) -> str:
    """Two partitions on two brokers, with three records."""
    name = f"daily-{next(NUMBERS)}"
    create = ("topics", "--create", "--topic", name, "--replica-assignment", "0:1,1:0")
    done(*create, "--zookeeper", cluster.zookeeper_connect)
    wait_until_led(cluster)
    Tools(cluster).produce_with_keys(name, "a:1", "b:2", "c:3")
    return name


def ours(cluster: RealCluster, *arguments: str) -> list[str]:
    return done(*arguments, "--bootstrap-server", cluster.bootstrap).splitlines()


def theirs(cluster: RealCluster, name: str, *arguments: str) -> list[str]:
    has_moved = version_tuple(cluster.release) >= MOVED
    is_old = name == "get-offsets" and not has_moved
    servers = ("--broker-list" if is_old else "--bootstrap-server", cluster.bootstrap)
    outcome = cluster.tool(CLASSES[name][has_moved], *servers, *arguments)
    assert outcome.exit_code == 0, outcome
    return outcome.stdout.splitlines()


@pytest.mark.parametrize("moment", ["-1", "-2", "0"])
def test_offsets_are_those_of_kafka_s_tool(cluster: RealCluster, topic: str, moment: str) -> None:
    of_topic = ("--topic", topic, "--time", moment)

    told = ours(cluster, "offsets", *of_topic)
    tool = theirs(cluster, "get-offsets", *of_topic)

    # Before 3.0 the tool wrote a line without an offset, too.
    assert [line for line in tool if not line.endswith(":")] == told
    assert told


def test_log_directories_are_those_of_kafka_s_tool(cluster: RealCluster, topic: str) -> None:
    told = ours(cluster, "log-dirs", "--describe", "--broker-list", "0,1", "--topic-list", topic)
    of_topic = ("--describe", "--broker-list", "0,1", "--topic-list", topic)
    tool = theirs(cluster, "log-dirs", *of_topic)

    assert sorted_dirs(tool) == sorted_dirs(told)
    assert tool[0] == told[0]


def sorted_dirs(lines: list[str]) -> object:
    """What kafka-log-dirs says, whose order is that of a hash table."""
    (document,) = (json.loads(line) for line in lines if line.startswith("{"))
    return {
        broker["broker"]: {
            directory["logDir"]: (
                directory["error"],
                sorted(directory["partitions"], key=lambda each: str(each["partition"])),
            )
            for directory in broker["logDirs"]
        }
        for broker in document["brokers"]
    }


def test_records_are_deleted_in_the_words_of_kafka_s_tool(
    cluster: RealCluster, topic: str, tmp_path: Path
) -> None:
    ends = [line.rpartition(":") for line in ours(cluster, "offsets", "--topic", topic)]
    counts = [int(end) for _, _, end in ends]
    path = tmp_path / "offsets.json"
    entries = [{"topic": topic, "partition": part, "offset": -1} for part in (0, 1)]
    path.write_text(json.dumps({"version": 1, "partitions": entries}))

    told = ours(cluster, "delete-records", "--offset-json-file", str(path), "--yes")
    tool = theirs(cluster, "delete-records", "--offset-json-file", str(path))

    assert 3 == sum(counts)
    assert sorted(tool) == sorted(told)
    assert [f"{topic}:{number}:{end}:{end}:0" for number, end in enumerate(counts)] == ours(
        cluster, "offsets", "--topic", topic, "--count"
    )


def test_a_topic_that_is_only_compacted_is_left_to_its_cleaner(cluster: RealCluster) -> None:
    name = f"compacted-{next(NUMBERS)}"
    made = ("--replica-assignment", "0:1", "--config", "cleanup.policy=compact")
    done("topics", "--create", "--topic", name, *made, "--zookeeper", cluster.zookeeper_connect)
    wait_until_led(cluster)
    Tools(cluster).produce_with_keys(name, "a:1", "b:2")
    delete = ("delete-records", "--topic", name, "--before-offset", "latest", "--yes")

    refused = kadmin(*delete, "--bootstrap-server", cluster.bootstrap)

    assert 1 == refused.exit_code
    assert f"partition: {name}-0\terror: Request parameters do not satisfy" in refused.stdout
    assert f"the records of 1 partition: {name}-0 could not be deleted\n" in refused.stderr


def test_the_versions_of_requests_are_those_of_kafka_s_tool(cluster: RealCluster) -> None:
    told = ours(cluster, "api-versions")
    tool = theirs(cluster, "broker-api-versions")

    assert heads(tool) == heads(told)
    assert len(ranges(told)) > 80
    assert ranges(tool) == ranges(told)


def ranges(lines: list[str]) -> list[str]:
    """Number and versions of each API: names have changed, and what the tool's own client makes of
    them, or knows that no broker does, is not ours to tell."""
    matches = (re.match(r"\t[\w()]+?\((\d+)\): (\d+(?: to \d+)?)\b", line) for line in lines)
    return sorted(f"{match[1]} {match[2]}" for match in matches if match)


def heads(lines: list[str]) -> list[str]:
    """The lines that name a broker, without what 3.9 knows of KRaft."""
    found = (line.replace(" isFenced: false", "") for line in lines if " -> (" in line)
    return sorted(found)


def test_replicas_are_verified_in_the_words_of_kafka_s_tool(cluster: RealCluster) -> None:
    name = f"verified-{next(NUMBERS)}"
    create = ("topics", "--create", "--topic", name, "--replica-assignment", "0:1")
    done(*create, "--zookeeper", cluster.zookeeper_connect)
    wait_until_led(cluster)
    Tools(cluster).produce_with_keys(name, "a:1", "b:2", "c:3")
    of_topic = ("--topic-white-list", name, "--time", "-2")
    tools = KafkaTools(
        cluster.release,
        java=cluster.java,
        class_path=cluster.class_path,
        directory=cluster.directory,
        bootstrap=cluster.bootstrap,
    )

    plain = ("--broker-list", cluster.bootstrap, *of_topic, "--until-caught-up", "--plain")
    told = done("replica-verification", *plain).splitlines()
    found = json.loads(
        done(
            *("verify-replicas", "--bootstrap-server", cluster.bootstrap, "--topic", name),
            *("--until-caught-up", "--output", "json"),
        )
    )
    with tools.started("replica-verification", *of_topic, "--report-interval-ms", "100") as tool:
        assert tool.stdout is not None
        # It says that it is deprecated, too, and how far it is until it has caught up.
        lines = (line.rstrip() for line in tool.stdout if re.match(r"\d{4}-.*: ", line))
        theirs_told = [next(lines), next(line for line in lines if "max lag is 0 " in line)]

    assert [without_time(line) for line in theirs_told] == [without_time(line) for line in told]
    assert f"max lag is 0 for partition {name}-0 at offset 3 among 1 partitions" in told[1]
    (partition,) = found["partitions"]
    assert ("equal", 3, ["0", "1"]) == (
        partition["verdict"],
        partition["compared_to"],
        [replica["broker"] for replica in partition["replicas"]],
    )


def without_time(line: str) -> str:
    """A line of the tool, which ended its first one with a full stop until 3.6."""
    return re.sub(r"^\S+ \d\d:\d\d:\d\d,\d{3}: ", "", line).rstrip(".")
