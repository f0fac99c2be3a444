"""Does `kadmin consume --group` read as a member of a group, and commit what it has printed?"""

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from confluent_kafka import Consumer, TopicPartition

from cluster.zk import paths
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.support.brokers import Broker
from tests.support.cli import KadminRun, done, kadmin, running_kadmin
from tests.support.committing import config
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.clients]

FAST = (
    *("-X", "session.timeout.ms=6000", "-X", "heartbeat.interval.ms=100"),
    *("-X", "auto.commit.interval.ms=50"),
)


@pytest.fixture
def filled(broker: Broker, topic: str) -> str:
    """A topic of two partitions, with ten records in each."""
    client = Confluent(broker.bootstrap)
    client.create_topic(topic, 2)
    send(broker, topic, range(20))
    client.close()
    return topic


def send(broker: Broker, topic: str, numbers: range) -> None:
    client = Confluent(broker.bootstrap)
    client.produce(topic, [Sent(str(number).encode(), partition=number % 2) for number in numbers])
    client.close()


def consume(broker: Broker, topic: str, *arguments: str) -> tuple[str, ...]:
    wire = ("--bootstrap-server", broker.bootstrap)
    return ("consume", *wire, "--topic", topic, "--group", f"of-{topic}", *arguments)


def committed(broker: Broker, topic: str) -> dict[int, int]:
    """The committed offset of each partition that has one."""
    consumer = Consumer(config(broker.bootstrap, f"of-{topic}"))
    try:
        found = consumer.committed([TopicPartition(topic, number) for number in (0, 1)])
    finally:
        consumer.close()
    return {one.partition: one.offset for one in found if one.offset >= 0}


class Member:
    """A `kadmin consume` that runs beside the test."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def wait_for(self, what: str) -> None:
        """Read standard error until a line has *what*."""
        assert self.process.stderr is not None
        while what not in (line := self.process.stderr.readline().decode()):
            assert line, f"it ended before it wrote '{what}'"

    def read(self, count: int) -> list[str]:
        """Read *count* records."""
        assert self.process.stdout is not None
        return [self.process.stdout.readline().decode().strip() for _ in range(count)]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(OUTER_LIMIT_S)


@contextmanager
def member(broker: Broker, topic: str, *arguments: str) -> Iterator[Member]:
    with running_kadmin(*consume(broker, topic, "--from-beginning", *FAST, *arguments)) as process:
        yield Member(process)


def test_what_was_printed_is_committed_and_nothing_else(broker: Broker, filled: str) -> None:
    first = kadmin(*consume(broker, filled, "--from-beginning", "--max-messages", "7"))
    rest = kadmin(*consume(broker, filled, "--from-beginning", "--until-end"))
    again = kadmin(*consume(broker, filled, "--from-beginning", "--timeout-ms", "1"))

    assert [0, 0, 0] == [run.exit_code for run in (first, rest, again)]
    assert 7 == len(first.stdout.split())
    assert set(map(str, range(20))) == {*first.stdout.split(), *rest.stdout.split()}
    assert (13, "") == (len(rest.stdout.split()), again.stdout)
    assert f"group 'of-{filled}' assigns 2 partitions: {filled}-0, {filled}-1\n" in first.stderr
    assert f"group 'of-{filled}': what was printed is committed\n" in first.stderr


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_members_share_the_partitions_and_each_record_is_read_once(
    broker: Broker, filled: str, assignor: str
) -> None:
    one, two = f"{filled}-0", f"{filled}-1"
    with ExitStack() as stack:
        first = stack.enter_context(member(broker, filled, "--assignor", assignor))
        read = Counter(first.read(20))
        second = stack.enter_context(member(broker, filled, "--assignor", assignor))
        second.wait_for(f"assigns {filled}-")
        first.wait_for("revokes ")
        send(broker, filled, range(20, 40))
        read.update([*first.read(10), *second.read(10)])

        assert -signal.SIGTERM == first.end(signal.SIGTERM)
        second.wait_for(f"{one}, {two}" if assignor == "range" else f"assigns {filled}-")
        send(broker, filled, range(40, 60))
        read.update(second.read(20))
        assert 130 == second.end(signal.SIGINT)

    assert {str(number): 1 for number in range(60)} == read
    assert {0: 30, 1: 30} == committed(broker, filled)


def test_a_member_that_is_killed_is_replaced_and_nothing_is_skipped(
    broker: Broker, filled: str
) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(member(broker, filled))
        read = first.read(20)
        first.process.kill()
        send(broker, filled, range(20, 40))
        second = stack.enter_context(member(broker, filled))
        while len(set(read)) < 40:
            read += second.read(1)

    assert set(map(str, range(40))) == set(read)


def test_a_reader_that_has_seen_enough_ends_it_in_order(broker: Broker, filled: str) -> None:
    with running_kadmin(*consume(broker, filled, "--from-beginning")) as process:
        waiting = Member(process)
        waiting.read(20)
        assert process.stdout is not None
        process.stdout.close()
        send(broker, filled, range(20, 40))
        assert 0 == process.wait(OUTER_LIMIT_S)

    assert {0: 10, 1: 10} == committed(broker, filled)


def test_where_there_is_no_commit_the_end_is_committed_at_once(broker: Broker, filled: str) -> None:
    with running_kadmin(*consume(broker, filled, *FAST)) as process:
        Member(process).wait_for("assigns 2 partitions")
        wait_until(lambda: len(committed(broker, filled)) == 2, what="a commit of both ends")
        process.kill()
        process.wait(OUTER_LIMIT_S)
    send(broker, filled, range(20, 22))

    read = done(*consume(broker, filled, "--until-end"))
    assert {"20", "21"} == set(read.split())


def test_without_commits_a_group_stays_where_it_is(broker: Broker, filled: str) -> None:
    only_look = ("--from-beginning", "--until-end", "-X", "enable.auto.commit=false")

    read = done(*consume(broker, filled, *only_look))

    assert 20 == len(read.split())
    assert {} == committed(broker, filled)


def test_a_static_member_that_is_replaced_says_so(broker: Broker, filled: str) -> None:
    static = ("--group-instance-id", "reader-1")
    with ExitStack() as stack:
        first = stack.enter_context(member(broker, filled, *static))
        first.read(20)
        second = stack.enter_context(member(broker, filled, *static))
        second.wait_for("assigns 2 partitions")
        assert 1 == first.process.wait(OUTER_LIMIT_S)
        first.wait_for("another member has joined with the same group.instance.id ('reader-1')")


def test_refusals_of_the_coordinator_name_the_group(broker: Broker, filled: str) -> None:
    def refusal(*arguments: str) -> KadminRun:
        return kadmin(*consume(broker, filled, *arguments))

    short = refusal("-X", "session.timeout.ms=500", "-X", "heartbeat.interval.ms=100")
    with member(broker, filled, "--assignor", "range") as other:
        other.read(20)
        mixed = refusal("--assignor", "cooperative-sticky")

    assert [1, 1] == [short.exit_code, mixed.exit_code]
    assert f"group 'of-{filled}': its coordinator does not take this session" in short.stderr
    assert "its members use another assignor than cooperative-sticky" in mixed.stderr


@contextmanager
def old_member(connect: str, topic: str) -> Iterator[Member]:
    wanted = ("--topic", topic, "--group", f"of-{topic}", "--from-beginning")
    with running_kadmin("consume", "--zookeeper", connect, *wanted) as process:
        yield Member(process)


def test_members_in_zookeeper_share_a_topic_and_take_over(broker: Broker, filled: str) -> None:
    connect = connect_of(broker)
    with ExitStack() as stack:
        first = stack.enter_context(old_member(connect, filled))
        read = Counter(first.read(20))
        second = stack.enter_context(old_member(connect, filled))
        second.wait_for(f"assigns {filled}-")
        first.wait_for(f"assigns {filled}-")
        send(broker, filled, range(20, 40))
        read.update([*first.read(10), *second.read(10)])

        assert -signal.SIGTERM == first.end(signal.SIGTERM)
        second.wait_for("assigns 2 partitions")
        send(broker, filled, range(40, 60))
        read.update(second.read(20))
        assert 130 == second.end(signal.SIGINT)

    assert {str(number): 1 for number in range(60)} == read
    with client_of(connect) as client:
        group = paths.consumer_group(f"of-{filled}")
        offsets = [client.get(f"{group}/offsets/{filled}/{number}")[0] for number in (0, 1)]
        assert [b"30", b"30"] == offsets
        assert [] == client.get_children(f"{group}/ids")
        assert [] == client.get_children(f"{group}/owners/{filled}")


def test_a_member_in_zookeeper_whose_session_ends_joins_again(broker: Broker, filled: str) -> None:
    connect = connect_of(broker)
    with old_member(connect, filled) as reading, client_of(connect) as client:
        read = reading.read(20)
        ids = paths.consumer_ids(f"of-{filled}")
        (before,) = client.get_children(ids)
        expire_owner(client, connect, f"{ids}/{before}")
        reading.wait_for("revokes 2 partitions")
        reading.wait_for("assigns 2 partitions")
        (after,) = client.get_children(ids)
        send(broker, filled, range(20, 22))
        while not {"20", "21"} <= set(read):
            read += reading.read(1)

    assert before != after
    assert set(map(str, range(22))) == set(read)


def connect_of(broker: Broker) -> str:
    text = (broker.directory / "server.properties").read_text()
    return text.split("zookeeper.connect=")[1].split("\n")[0]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        # librdkafka waits for ever for a broker that has it.
        ("group.protocol=consumer", "do not serve groups of group.protocol=consumer; Kafka does"),
        ("session.timeout.ms=1", "its coordinator does not take this session.timeout.ms"),
    ],
)
def test_a_member_that_cannot_join_ends_and_has_committed_nothing(
    broker: Broker, filled: str, given: str, reason: str
) -> None:
    outcome = kadmin(*consume(broker, filled, "-X", given, "--until-end"))

    assert outcome.exit_code == 1
    assert reason in outcome.stderr
    assert "committed" not in outcome.stderr
