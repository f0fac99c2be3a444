"""What a broker's process is told, driven with processes that are easier to watch."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kadmin
from kadmin.jvm import process
from kadmin.jvm.process import Process
from kadmin.local.broker import (
    BrokerFailed,
    BrokerServer,
    module_path,
    wait_until_brokers_serve,
)
from kadmin.local.server import NotRunning, ServerState
from kadmin.local.server_properties import BrokerMember
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.faults

STUBBORN = "trap 'echo term >> heard' TERM; echo up > ready; while :; do sleep 0.02; done"

Starter = Callable[[str], Process]


@pytest.fixture
def broker(tmp_path: Path) -> BrokerServer:
    member = BrokerMember(id=1, port=1)
    return BrokerServer(member=member, directory=tmp_path, zookeeper_connect="127.0.0.1:2")


@pytest.fixture
def run(broker: BrokerServer) -> Iterator[Starter]:
    """Runs a shell script in the place of *broker*'s process."""

    def run(script: str) -> Process:
        return process.start(
            ["/bin/sh", "-c", script],
            pid_file=broker.pid_file,
            log_file=broker.output_file,
            directory=broker.directory,
        )

    yield run
    broker.kill()


def run_stubborn(broker: BrokerServer, run: Starter) -> Process:
    running = run(STUBBORN)
    wait_until((broker.directory / "ready").exists, what="the trap")
    return running


def test_a_process_is_asked_to_end_only_once_since_the_second_time_would_end_it_at_once(
    broker: BrokerServer, run: Starter
) -> None:
    run_stubborn(broker, run)
    heard = broker.directory / "heard"

    broker.ask_to_end()
    wait_until(heard.exists, what="the request")
    broker.ask_to_end()
    has_ended = broker.ends_within(0.1)
    broker.kill()

    assert not has_ended
    assert "term\n" == heard.read_text()


def test_the_next_process_is_asked_again(broker: BrokerServer, run: Starter) -> None:
    run("exec sleep 900")
    broker.ask_to_end()
    # The command that asked is killed here: the mark of the request stays.
    wait_until(lambda: not broker.is_alive, what="the first end")
    run("exec sleep 900")

    broker.ask_to_end()

    assert broker.ends_within(10)
    assert not broker.pid_file.exists()
    assert not broker.ending_file.exists()


def test_a_disk_that_refuses_the_mark_keeps_nobody_from_stopping(
    broker: BrokerServer, run: Starter
) -> None:
    broker.ending_file.symlink_to(broker.directory / "no such directory" / "ending")
    run("exec sleep 900")

    broker.ask_to_end()

    assert broker.ends_within(10)
    assert not broker.ending_file.is_symlink()


def test_a_paused_process_hears_that_it_is_asked_to_end(broker: BrokerServer, run: Starter) -> None:
    run("exec sleep 900")
    broker.pause()
    state = broker.state(registered={1})

    broker.ask_to_end()

    assert ServerState.PAUSED == state
    assert broker.ends_within(10)


def test_what_is_alive_and_does_not_serve_is_starting_at_first_and_then_it_is_not(
    broker: BrokerServer, run: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long it has been there, the clock does not tell: it may be set."""
    run("exec sleep 900")
    for clock_s in (0, 2**33):
        os.utime(broker.pid_file, (clock_s, clock_s))
        young = broker.state(registered={1})
        assert ServerState.STARTING == young
    monkeypatch.setattr("kadmin.local.server.START_TIMEOUT_S", 0)
    old = broker.state(registered={1})
    broker.kill()

    assert (ServerState.STARTING, ServerState.NOT_SERVING) == (young, old)
    assert ServerState.DEAD == broker.state(registered={1})


@pytest.mark.parametrize("action", [BrokerServer.pause, BrokerServer.resume])
def test_what_does_not_run_is_neither_paused_nor_resumed(
    action: Callable[[BrokerServer], None], broker: BrokerServer, run: Starter
) -> None:
    with pytest.raises(NotRunning):
        action(broker)
    run("exec sleep 900").kill()
    with pytest.raises(NotRunning):
        action(broker)


def test_a_pid_file_that_now_names_another_process_signals_nobody(
    broker: BrokerServer, run: Starter
) -> None:
    stranger = run("exec sleep 900")
    noted = broker.pid_file.read_text()
    broker.pid_file.write_text(f"{stranger.pid} 1\n")

    state = broker.state(registered={1})
    broker.ask_to_end()
    broker.kill()
    is_alive = stranger.is_alive

    broker.pid_file.write_text(noted)
    assert (ServerState.DEAD, True) == (state, is_alive)


def test_waiting_ends_with_the_last_words_of_a_process_that_ended(
    broker: BrokerServer, run: Starter
) -> None:
    run("for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; done; exit 1")

    with pytest.raises(BrokerFailed, match="broker 1 ended before it served") as raised:
        wait_until_brokers_serve([broker], frozenset, timeout_s=OUTER_LIMIT_S)

    assert [f"  line {number}" for number in range(3, 11)] == list(raised.value.details)


def test_waiting_ends_in_time_and_leaves_the_process_alone(
    broker: BrokerServer, run: Starter
) -> None:
    run("exec sleep 900")

    with pytest.raises(BrokerFailed, match=r"does not serve after 0\.1 s; its last words:\n.*said"):
        wait_until_brokers_serve([broker], frozenset, timeout_s=0.1)

    assert broker.is_alive


def test_other_settings_than_those_of_the_start_are_noticed(tmp_path: Path) -> None:
    member = BrokerMember(id=1, port=1)
    before, after = (
        BrokerServer(
            member=member, directory=tmp_path, zookeeper_connect="127.0.0.1:2", settings=settings
        )
        for settings in ({"num.partitions": "1"}, {"num.partitions": "2"})
    )
    never_started = before.has_other_settings
    (tmp_path / "server.properties").write_text(before.properties_text())

    assert (False, False, True) == (
        never_started,
        before.has_other_settings,
        after.has_other_settings,
    )


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/home/me/checkout/kadmin", {"PYTHONPATH": "/home/me/checkout"}),
        ("/usr/lib/python3.11/site-packages/kadmin", {}),
        ("/usr/lib/python3/dist-packages/kadmin", {}),
    ],
)
def test_a_broker_of_a_checkout_is_of_that_checkout(
    place: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kadmin, "__path__", [place])

    assert expected == module_path()
