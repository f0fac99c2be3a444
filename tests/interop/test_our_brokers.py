"""Do Kafka's own tools, of an old and of the last release, find a Kafka behind our brokers?"""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.kafka_tools import KafkaTools, fetched_tools
from tests.interop.maven import Maven
from tests.support.brokers import Broker, running_broker
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

NUMBERS = count(1)


@pytest.fixture(scope="module")
def broker(
    zookeeper: ZooKeeperServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    directory = tmp_path_factory.mktemp("ours")
    with running_broker(directory, make_chroot(zookeeper)) as running:
        yield running


@pytest.fixture(scope="module", params=["2.8.2", "3.9.1"])
def tools(
    request: pytest.FixtureRequest,
    broker: Broker,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> KafkaTools:
    directory = tmp_path_factory.mktemp("tools")
    return fetched_tools(
        request.param, java=java, maven=maven, directory=directory, bootstrap=broker.bootstrap
    )


@pytest.fixture
def topic(broker: Broker) -> str:
    """A topic of two partitions."""
    name = f"tools-{next(NUMBERS)}"
    Confluent(broker.bootstrap).create_topic(name, 2)
    return name


@pytest.mark.smoke
def test_a_topic_is_made_enlarged_described_and_deleted(tools: KafkaTools) -> None:
    of_topic = ("--topic", f"made-{next(NUMBERS)}")

    tools.done("topics", "--create", *of_topic, "--partitions", "2")
    tools.done("topics", "--alter", *of_topic, "--partitions", "3")
    lines = tools.done("topics", "--describe", *of_topic)
    tools.done("topics", "--delete", *of_topic)
    again = tools.run("topics", "--delete", *of_topic)

    head, *partitions = (line.split("\t") for line in lines)
    assert {"PartitionCount: 3", "ReplicationFactor: 1"} <= {word.strip() for word in head}
    assert [f"Partition: {number}" for number in range(3)] == [line[2] for line in partitions]
    assert {"Leader: 1"} == {line[3] for line in partitions}
    assert again.exit_code == 1


def test_a_config_is_set_and_shown(tools: KafkaTools, topic: str) -> None:
    entity = ("--entity-type", "topics", "--entity-name", topic)

    tools.done("configs", "--alter", *entity, "--add-config", "retention.ms=12345")
    changed = tools.done("configs", "--describe", *entity)

    assert [
        "retention.ms=12345 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=12345}"
    ] == [line.strip() for line in changed if "retention.ms" in line]


@pytest.mark.smoke
def test_records_of_the_console_come_back_with_keys(
    tools: KafkaTools, topic: str, broker: Broker
) -> None:
    parsing = ("--property", "parse.key=true", "--property", "key.separator=:")
    sent = [f"{key}:value {number}" for number in range(20) for key in "abcd"]

    lines = "".join(f"{line}\n" for line in sent)
    tools.done("console-producer", "--topic", topic, *parsing, stdin=lines)
    here, there = (Confluent(broker.bootstrap).ends(topic, index)[1] for index in (0, 1))
    got = tools.done(
        *("console-consumer", "--topic", topic, "--partition", "0", "--offset", "earliest"),
        *("--max-messages", str(here), "--property", "print.key=true"),
        *("--property", "key.separator=:"),
    )

    assert len(sent) == here + there
    assert here == len(got) > 0
    keys = {line[0] for line in got}
    assert [line for line in sent if line[0] in keys] == got


def test_the_performance_tool_sends_idempotently_and_compressed(
    tools: KafkaTools, topic: str, broker: Broker
) -> None:
    settings = (f"bootstrap.servers={tools.bootstrap}", "acks=all")
    properties = (*settings, "enable.idempotence=true", "compression.type=lz4")

    lines = tools.done(
        *("producer-perf-test", "--topic", topic, "--num-records", "5000"),
        *("--record-size", "100", "--throughput", "-1", "--producer-props", *properties),
    )

    assert lines[-1].startswith("5000 records sent")
    ends = [Confluent(broker.bootstrap).ends(topic, index)[1] for index in (0, 1)]
    assert sum(ends) == 5000


def test_records_are_deleted_up_to_an_offset_and_sizes_are_told(
    tools: KafkaTools, topic: str, broker: Broker, tmp_path: Path
) -> None:
    values = [b"%0100d" % number for number in range(100)]
    Confluent(broker.bootstrap).produce(topic, [Sent(value) for value in values])
    request = tmp_path / "delete.json"
    place = {"topic": topic, "partition": 0, "offset": 42}
    request.write_text(json.dumps({"version": 1, "partitions": [place]}))

    deleted = tools.done("delete-records", "--offset-json-file", str(request))
    first = tools.done("get-offsets", "--topic", topic, "--time", "-2")
    described = tools.done("log-dirs", "--describe", "--topic-list", topic)

    assert any(f"partition: {topic}-0\tlow_watermark: 42" in line for line in deleted)
    assert [f"{topic}:0:42", f"{topic}:1:0"] == sorted(first)
    (directory,) = json.loads(described[-1])["brokers"][0]["logDirs"]
    assert str(broker.data) == directory["logDir"]
    sizes = {each["partition"]: each["size"] for each in directory["partitions"]}
    assert sizes[f"{topic}-0"] > 100 * 100
    assert sizes[f"{topic}-1"] == 0


def test_elections_are_asked_for_and_refused_in_kafkas_words(
    tools: KafkaTools, topic: str, tmp_path: Path
) -> None:
    preferred = ("--election-type", "preferred")
    request = tmp_path / "elect.json"
    places = [{"topic": topic, "partition": number} for number in (0, 77)]
    request.write_text(json.dumps({"partitions": places}))

    one = tools.done("leader-election", *preferred, "--topic", topic, "--partition", "1")
    of_all = tools.done("leader-election", *preferred, "--all-topic-partitions")
    unclean = tools.done(
        *("leader-election", "--election-type", "unclean", "--topic", topic, "--partition", "0")
    )
    wrong = tools.run("leader-election", *preferred, "--path-to-json-file", str(request))

    # Of those that need no election the older tool names none: it names what it has elected.
    first, second = ("", "") if tools.release == "2.8.2" else (f"{topic}-0", f"{topic}-1")
    valid = "Valid replica already elected for partitions"
    assert [f"{valid} {second}"] == one
    assert [] == [line for line in of_all if topic in line]
    assert [f"{valid} {first}"] == unclean
    assert wrong.exit_code == 1
    assert (
        f"Error completing leader election (PREFERRED) for partition: {topic}-77:"
        " org.apache.kafka.common.errors.UnknownTopicOrPartitionException:"
        " The partition does not exist."
    ) in wrong.stdout
