"""Does a batch arrive that its broker cannot take yet, while it takes those behind it?

A leader that knows nothing of a producer takes any of its batches for the first one, so that what
it refused for the moment is behind what was sent later.
"""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.model.error_codes import ErrorCode
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.brokers import running_broker
from tests.support.cli import done, kadmin, running_kadmin
from tests.support.produce_proxy import ProduceProxy
from tests.support.proxy import serving
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("first-batches"),
]


@pytest.fixture(scope="module")
def broker_behind_proxy(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[ProduceProxy]:
    """What stands between a broker and its clients."""
    (port,) = free_ports(1, "127.0.0.1")
    with serving(ProduceProxy(port)) as proxy:
        settings = {
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "advertised.listeners": f"PLAINTEXT://{proxy.address}",
        }
        directory = tmp_path_factory.mktemp("broker")
        with running_broker(directory, make_chroot(zookeeper), 1, settings):
            yield proxy


@pytest.fixture
def proxy(broker_behind_proxy: ProduceProxy) -> ProduceProxy:
    """What hands everything on, until it is told otherwise."""
    broker_behind_proxy.refuse(ErrorCode.NONE, 0)
    broker_behind_proxy.hold(0)
    return broker_behind_proxy


def made(proxy: ProduceProxy, topic: str) -> tuple[str, ...]:
    """Make *topic*, of one partition; the words that name it."""
    wire = ("--topic", topic, "--bootstrap-server", proxy.address)
    done("topics", "--create", *wire, "--partitions", "1", "--replication-factor", "1", "--yes")
    return wire


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    ],
)
def test_first_batches_that_are_refused_for_the_moment_arrive_before_the_others(
    proxy: ProduceProxy, tmp_path: Path, error: ErrorCode, times: int
) -> None:
    topic = f"{error.name.lower()}-{times}"
    wire = made(proxy, topic)
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(10)))

    proxy.refuse(error, times)
    outcome = kadmin("produce", *wire, "--file", str(records), "-X", "batch.num.messages=1")

    assert 0 == outcome.exit_code, outcome
    assert records.read_text() == done("consume", *wire, "--from-beginning", "--until-end")


def test_nothing_is_sent_behind_a_first_batch_whose_answer_is_missing(
    proxy: ProduceProxy, tmp_path: Path
) -> None:
    """A leader that moves meanwhile takes what is behind, and refuses the first one then."""
    wire = made(proxy, "held")
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(50)))
    proxy.hold(1.5)

    done("produce", *wire, "--file", str(records), "-X", "batch.num.messages=1")

    assert 1 == proxy.most_under_way[0], "the first one goes alone"
    assert 1 < proxy.most_under_way[1], "the others do not wait for each other"
    assert records.read_text() == done("consume", *wire, "--from-beginning", "--until-end")


def test_record_that_the_broker_may_have_skipped_is_told_where_keys_go_nobody_knows_where(
    proxy: ProduceProxy, tmp_path: Path
) -> None:
    wire = made(proxy, "several")
    records = tmp_path / "records"
    records.write_text("one\ntwo\nthree\n")
    proxy.refuse(ErrorCode.NOT_ENOUGH_REPLICAS, 1, waits=True)

    unknown = ("-X", "batch.num.messages=1", "-X", "partitioner=fnv1a", "--key", "k")
    outcome = kadmin("produce", *wire, "--file", str(records), *unknown, "--output", "json")

    assert 1 == outcome.exit_code
    assert (
        f"warning: line 1 of {records} may not have been delivered: a later record was accepted,"
    ) in outcome.stderr
    assert "1 of 3 records was not acknowledged (1 may be in the topic)" in outcome.stderr
    assert "; 1 record failed, 1 may be in the topic" in outcome.stderr
    produced = json.loads(outcome.stdout)
    assert (2, 1, 1) == tuple(produced[name] for name in ("delivered", "failed", "in_doubt"))
    assert "two\nthree\n" == done("consume", *wire, "--from-beginning", "--until-end")


def test_a_broker_that_has_forgotten_its_producer_ends_it_and_every_record_is_counted(
    proxy: ProduceProxy, tmp_path: Path
) -> None:
    wire = made(proxy, "forgotten")
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(40)))
    # Of those that are under way none is next: what was before them is lost.
    proxy.refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, 40, after=1)

    one_by_one = ("-X", "batch.num.messages=1", "--output", "json")
    outcome = kadmin("produce", *wire, "--file", str(records), *one_by_one)

    assert 1 == outcome.exit_code
    assert f"line 2 of {records} may not have been delivered: " in outcome.stderr
    assert "compare the topic with the input before the rest is sent" in outcome.stderr
    assert "internal error" not in outcome.stderr
    produced = json.loads(outcome.stdout)
    assert 1 == produced["delivered"]
    assert 1 <= produced["in_doubt"] <= produced["failed"]
    assert f"{produced['failed']} of {1 + produced['failed']} records were not" in outcome.stderr
    assert "record 0\n" == done("consume", *wire, "--from-beginning", "--until-end")


def test_after_an_answer_that_never_came_it_is_told_where_the_input_was_left(
    proxy: ProduceProxy, tmp_path: Path
) -> None:
    wire = made(proxy, "silent")
    records = tmp_path / "records"
    records.write_text("one\ntwo\nthree\n")
    proxy.hold(60)

    outcome = kadmin("produce", *wire, "--file", str(records), "--timeout", "5")
    proxy.release()

    assert 5 == outcome.exit_code
    assert f"line 1 of {records} may not have been delivered: message timed out" in outcome.stderr
    assert f"line 2 of {records} was not delivered: it was not sent, since" in outcome.stderr
    assert f"nothing from line 3 of {records} on was sent" in outcome.stderr
    assert "did not acknowledge 2 of 2 records of topic 'silent' within 5 s" in outcome.stderr
    assert "one\n" == done("consume", *wire, "--from-beginning", "--until-end")


def test_topic_that_is_deleted_meanwhile_stays_deleted_and_that_is_told(
    proxy: ProduceProxy,
) -> None:
    wire = made(proxy, "deleted")
    with running_kadmin("produce", *wire, "--timeout", "5", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"one\n")
        process.stdin.flush()
        wait_until(
            lambda: "one\n" == done("consume", *wire, "--from-beginning", "--until-end"),
            what="the first record",
        )
        done("topics", "--delete", *wire, "--yes")
        wait_until(
            lambda: "deleted" not in done("topics", "--list", *wire[2:]).split(),
            what="a topic that is gone",
        )
        _, stderr = process.communicate(b"two\nthree\n", timeout=OUTER_LIMIT_S)

    assert 1 == process.returncode
    assert b"topic 'deleted' has been deleted meanwhile: 2 of 3 records were not" in stderr
    assert "deleted" not in done("topics", "--list", *wire[2:]).split()


@pytest.mark.parametrize("lines", ["one\n", "one\ntwo\nthree\n"])
def test_who_presses_ctrl_c_is_told_of_the_answers_that_are_waited_for(
    proxy: ProduceProxy, tmp_path: Path, lines: str
) -> None:
    """At the end of the input, and where records wait for the first one."""
    topic = f"interrupted-{len(lines)}"
    wire = made(proxy, topic)
    records = tmp_path / "records"
    records.write_text(lines)
    proxy.hold(60)
    with running_kadmin("produce", *wire, "--file", str(records), "--output", "json") as process:
        assert process.stderr is not None
        wait_until(lambda: proxy.under_way > 0, what="the record")
        process.send_signal(signal.SIGINT)
        waiting = process.stderr.readline()
        proxy.release()
        stdout, stderr = process.communicate(timeout=OUTER_LIMIT_S)

    assert waiting == b"waiting for the answers to 1 record; Ctrl-C again stops waiting\n"
    assert 130 == process.returncode
    assert (b"nothing from line 2 of" in stderr) == (lines != "one\n")
    assert b"failed" not in stderr
    produced = json.loads(stdout)
    assert (1, 0, 0) == tuple(produced[name] for name in ("delivered", "failed", "in_doubt"))
    assert "one\n" == done("consume", *wire, "--from-beginning", "--until-end")


def test_who_presses_ctrl_c_twice_hears_what_is_left_open(proxy: ProduceProxy) -> None:
    wire = made(proxy, "given-up")
    proxy.hold(60)
    with running_kadmin("produce", *wire, "--output", "json", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"one\n")
        process.stdin.flush()
        wait_until(lambda: proxy.under_way > 0, what="the record")
        process.send_signal(signal.SIGINT)
        waiting = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=OUTER_LIMIT_S)
    proxy.release()

    assert waiting == b"waiting for the answers to 1 record; Ctrl-C again stops waiting\n"
    assert 130 == process.returncode
    assert b"warning: 1 record may be in the topic or not: no broker has answered yet" in stderr
    assert b"; 1 record failed, 1 may be in the topic" in stderr
    produced = json.loads(stdout)
    assert (0, 1, 1) == tuple(produced[name] for name in ("delivered", "failed", "in_doubt"))
