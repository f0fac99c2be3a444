"""A broker as a process: how it starts, what it refuses, and that it keeps what it acknowledged."""

import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.formats.record_batch import whole_batches
from cluster.wire.api_keys import ApiKey
from kadmin.errors import ExitCode
from tests.support.brokers import (
    Broker,
    fetch,
    lead,
    produce,
    run_to_end,
    running_broker,
    spawn,
    start_broker,
    write_properties,
)
from tests.support.controlling import Controller, be_controller
from tests.support.expiry import expire_owner
from tests.support.serving import RawClient, serving
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of, hold_controller, running_server

pytestmark = [pytest.mark.zk, pytest.mark.faults]

TOPIC = "orders"


@pytest.fixture
def chroot(chroot: str) -> str:
    """A corner of ZooKeeper in which the tests are the controller."""
    hold_controller(chroot)
    return chroot


@pytest.fixture
def broker(tmp_path: Path, chroot: str) -> Iterator[Broker]:
    """A broker that leads partition 0 of a topic."""
    with running_broker(tmp_path / "b1", chroot) as running:
        assert lead(running.port, running.broker_id, {TOPIC: 1}) == [0]
        yield running


def start_again(broker: Broker, connect: str, *, leader_epoch: int = 1) -> Broker:
    again = start_broker(broker.directory, connect, broker.broker_id)
    broker.process, broker.port = again.process, again.port
    assert lead(broker.port, broker.broker_id, {TOPIC: 1}, leader_epoch=leader_epoch) == [0]
    return broker


def offsets(content: bytes) -> list[int]:
    return [header.base_offset for _, header in whole_batches(content)]


def node_of(connect: str, path: str) -> tuple[bytes, int]:
    with client_of(connect) as client:
        data, stat = client.get(path)
        return data, stat.czxid


def test_what_was_acknowledged_is_served_after_an_orderly_end_also_under_load(
    broker: Broker, chroot: str, tmp_path: Path
) -> None:
    """Another broker is refused its log directories; server.log sums up what was asked."""
    with broker.client() as client:
        answers = [produce(client, TOPIC, values=10, acks=acks) for acks in (1, -1, 1)]
        before = fetch(client, TOPIC)
    others = write_properties(tmp_path / "b2", chroot, 2, {"log.dirs": str(broker.data)})
    while_in_use = run_to_end(others)
    status = broker.terminate()
    marked = (broker.data / ".kafka_cleanshutdown").exists()
    with client_of(chroot) as zookeeper:
        registered = zookeeper.get_children("/brokers/ids")
    first_log = broker.log()
    afterwards = run_to_end(others)
    start_again(broker, chroot)
    with broker.client() as client:
        after = fetch(client, TOPIC)
        following = produce(client, TOPIC, values=1)

    assert [(0, 0), (0, 10), (0, 20)] == [(one.error_code, one.base_offset) for one in answers]
    assert (status, marked, registered) == (0, True, [])
    assert before == after
    assert following.base_offset == 30
    assert re.search(
        r" INFO api=PRODUCE count=3 mean_ms=\d+\.\d{3} p99_ms=[\d.]+ max_ms=[\d.]+"
        r" queue_ms=[\d.]+ remote_ms=[\d.]+ ",
        first_log,
    )
    assert re.search(
        r" INFO controller_event=ControllerChange count=\d+ mean_ms=[\d.]+ p99_ms=[\d.]+"
        r" max_ms=[\d.]+ queue_ms=[\d.]+ queue_ms_max=[\d.]+",
        first_log,
    )
    assert while_in_use.returncode == afterwards.returncode == ExitCode.REFUSED
    assert f"{broker.data}: another process has its lock" in while_in_use.stderr
    assert f"{broker.data}: it is broker 1's, not 2's" in afterwards.stderr

    acknowledged = acknowledged_until_the_end(broker)
    start_again(broker, chroot, leader_epoch=2)
    with broker.client() as client:
        found = offsets(fetch(client, TOPIC))

    assert [0, 10, 20, 30] == found[:4]
    assert set(acknowledged) <= set(found)
    assert found[4:] == list(range(31, 31 + 3 * len(found[4:]), 3))
    assert "has lost" not in broker.log()


def acknowledged_until_the_end(broker: Broker) -> list[int]:
    """End *broker* in order under load; the offsets of the batches that it acknowledged."""
    acknowledged: list[int] = []
    is_under_way = threading.Event()

    def keep_producing() -> None:
        with broker.client() as client:
            while True:
                try:
                    answer = produce(client, TOPIC, values=3)
                except (OSError, AssertionError):
                    return
                if answer.error_code == 0:
                    acknowledged.append(answer.base_offset)
                if len(acknowledged) == 50:
                    is_under_way.set()

    producers = [threading.Thread(target=keep_producing) for _ in range(4)]
    for producer in producers:
        producer.start()
    assert is_under_way.wait(OUTER_LIMIT_S)
    status = broker.terminate()
    for producer in producers:
        producer.join(OUTER_LIMIT_S)
    assert status == 0
    return acknowledged


def test_a_killed_broker_starts_again_at_once_and_cuts_only_a_torn_end(
    broker: Broker, chroot: str
) -> None:
    with broker.client() as client:
        for _ in range(20):
            produce(client, TOPIC, values=50)
        before = fetch(client, TOPIC)
    _, first_epoch = node_of(chroot, "/brokers/ids/1")
    broker.kill()
    start_again(broker, chroot)
    _, second_epoch = node_of(chroot, "/brokers/ids/1")
    with broker.client() as client:
        after = fetch(client, TOPIC)
        produce(client, TOPIC, values=5)

    assert before == after
    assert second_epoch > first_epoch
    assert "which an earlier session of this broker left" in broker.log()
    assert "has lost" not in broker.log()

    broker.kill()
    segment = broker.data / f"{TOPIC}-0/{0:020}.log"
    os.truncate(segment, segment.stat().st_size - 7)
    start_again(broker, chroot, leader_epoch=2)
    with broker.client() as client:
        found = fetch(client, TOPIC)

    assert before == found
    told = f"The log of {TOPIC}-0 in {broker.data}"
    assert f"{told} has lost what was not whole" in broker.log()
    (aside,) = (broker.data / f"{TOPIC}-0").glob("*.set-aside-1")
    assert f"{told}: lost tail: offsets 1000 and on, {aside.stat().st_size} bytes" in broker.log()
    assert aside.name in broker.log()


def test_a_paused_broker_whose_session_expires_registers_again(tmp_path: Path, chroot: str) -> None:
    with running_broker(tmp_path / "b1", chroot) as broker:
        lead(broker.port, 1, {TOPIC: 1})
        with client_of(chroot) as zookeeper:
            _, before = zookeeper.get("/brokers/ids/1")
            broker.process.send_signal(signal.SIGSTOP)
            expire_owner(zookeeper, chroot, "/brokers/ids/1")
            broker.process.send_signal(signal.SIGCONT)
            wait_until(
                lambda: zookeeper.exists("/brokers/ids/1") is not None,
                what="registration",
            )
            _, after = zookeeper.get("/brokers/ids/1")
        with broker.client() as client:
            answer = produce(client, TOPIC, values=1)

    assert after.czxid > before.czxid
    assert answer.error_code == 0
    assert "nothing is written until the broker is registered again" in broker.log()


# What is refused.


def test_the_id_of_a_running_broker_and_unknown_versions_are_refused_and_it_runs_on(
    broker: Broker, tmp_path: Path, chroot: str
) -> None:
    refused = run_to_end(write_properties(tmp_path / "b2", chroot))
    with broker.client() as client, RawClient(broker.port) as other:
        other.socket.sendall(b"\0\0\0\x0a\0\x03\x00\x63\0\0\0\1\xff\xff")
        is_closed = other.is_closed()
        still_serves = produce(client, TOPIC, values=1).error_code == 0

    assert refused.returncode == ExitCode.REFUSED
    said = f"another broker has this id: it is at PLAINTEXT://127.0.0.1:{broker.port}"
    assert f"broker 1 cannot register: {said}" in refused.stderr
    assert "leaderships" not in (tmp_path / "b2" / "logs" / "server.log").read_text()
    assert is_closed
    assert f"api key {ApiKey.METADATA.value} in version 99 is not served" in broker.log()
    assert still_serves


def test_a_broker_without_an_id_keeps_the_one_that_it_was_given(
    tmp_path: Path, chroot: str
) -> None:
    for _ in range(2):
        broker = start_broker(tmp_path / "b", chroot, -1)
        with client_of(chroot) as zookeeper:
            registered = zookeeper.get_children("/brokers/ids")
        status = broker.terminate()

        assert (status, registered) == (0, ["1001"])


def test_wrong_settings_are_told_on_stderr_and_nothing_is_made(tmp_path: Path) -> None:
    settings = {"num.partitions": "none", "listeners": "SSL://:0"}
    refused = run_to_end(write_properties(tmp_path / "b", "127.0.0.1:1", 1, settings))

    assert refused.returncode == ExitCode.USAGE
    assert len(refused.stderr.splitlines()) == 2
    assert not (tmp_path / "b/logs").exists()
    assert not (tmp_path / "b/data").exists()


def test_a_zookeeper_that_is_not_there_is_waited_for_no_longer_than_said(tmp_path: Path) -> None:
    settings = {"zookeeper.connection.timeout.ms": "300"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        connect = f"127.0.0.1:{free.getsockname()[1]}"
    refused = run_to_end(write_properties(tmp_path / "b", connect, 1, settings))

    assert refused.returncode == ExitCode.UNREACHABLE
    assert f"no session with ZooKeeper at {connect} within 300 ms" in refused.stderr
    assert " INFO The broker has ended " in refused.stderr


def test_a_directory_of_logs_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = {"kafka.logs.dir": str(tmp_path / "file/logs")}
    refused = run_to_end(write_properties(tmp_path / "b", "127.0.0.1:1", 1, settings))

    assert refused.returncode == ExitCode.FAILED
    said = refused.stderr.splitlines()
    assert f"cannot write logs: {tmp_path}/file/logs: not a directory" == said[0]
    assert said[1].startswith("hint: set kafka.logs.dir")


def test_a_port_that_is_taken_is_told_by_name(tmp_path: Path, chroot: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = {"listeners": f"PLAINTEXT://{address}"}
        refused = run_to_end(write_properties(tmp_path / "b", chroot, 1, settings))

    assert refused.returncode == ExitCode.FAILED
    assert f"cannot listen at {address}: Address already in use" in refused.stderr


# The end.


def test_the_controller_is_asked_until_no_leadership_remains(tmp_path: Path, chroot: str) -> None:
    controller = Controller(kept_times=1)
    settings = {"controlled.shutdown.retry.backoff.ms": "1"}
    with (
        serving(controller) as server,
        running_broker(tmp_path / "b1", chroot, settings=settings) as broker,
    ):
        be_controller(chroot, server.port)
        _, epoch = node_of(chroot, "/brokers/ids/1")
        status = broker.terminate()

    assert status == 0
    assert [(1, epoch)] * 2 == [tuple(request.body) for request in controller.asked]
    assert "1 partitions are still led by this broker" in broker.log()


def test_a_second_signal_ends_a_broker_that_waits_for_a_silent_controller(
    tmp_path: Path, chroot: str
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        running_broker(tmp_path / "b1", chroot) as broker,
    ):
        be_controller(chroot, silent.getsockname()[1])
        broker.process.send_signal(signal.SIGTERM)
        asked, _ = silent.accept()
        broker.process.send_signal(signal.SIGINT)
        status = broker.process.wait(OUTER_LIMIT_S)
        asked.close()

    assert status == -signal.SIGINT


def test_a_broker_ends_in_order_although_zookeeper_is_gone(tmp_path: Path) -> None:
    with running_server(tmp_path / "zookeeper") as server:
        broker = start_broker(tmp_path / "b1", server.connect)
        server.kill()
        wait_until(lambda: "connection to ZooKeeper is lost" in broker.log(), what="the loss")
        status = broker.terminate()

    assert status == 0
    assert (broker.data / ".kafka_cleanshutdown").exists()
    assert "Without ZooKeeper no controller is found" in broker.log()


def test_a_broker_can_be_asked_to_end_before_it_has_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connect = f"127.0.0.1:{silent.getsockname()[1]}"
        properties = write_properties(tmp_path / "b", connect)
        process = spawn(properties)
        connected, _ = silent.accept()
        process.send_signal(signal.SIGTERM)
        status = process.wait(OUTER_LIMIT_S)
        connected.close()

    assert status == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_broker_ends_in_order_by_a_signal_that_its_starter_ignores(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A shell ignores SIGINT for what a script starts in the background."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        properties = write_properties(tmp_path / "b", f"127.0.0.1:{silent.getsockname()[1]}")
        former = signal.signal(number, signal.SIG_IGN)
        try:
            process = spawn(properties)
        finally:
            signal.signal(number, former)
        try:
            connected, _ = silent.accept()
            process.send_signal(number)
            status = process.wait(OUTER_LIMIT_S)
            connected.close()
        finally:
            process.kill()
            process.wait()

    assert status == 0
