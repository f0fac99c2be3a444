import fcntl
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kadmin.jvm import process
from kadmin.jvm.process import Process, read_pid_file
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.faults

Starter = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Starts a shell command as servers are started; all are gone at the end."""
    started: list[Process] = []

    def start(script: str, holding: int | None = None) -> Process:
        started.append(
            process.start(
                ["/bin/sh", "-c", script],
                pid_file=tmp_path / "pid",
                log_file=tmp_path / "log",
                directory=tmp_path,
                holding=holding,
            )
        )
        return started[-1]

    yield start
    for each in started:
        each.kill()


def test_a_started_process_is_in_its_own_session_and_noted_with_its_start(
    start: Starter, tmp_path: Path
) -> None:
    running = start("exec sleep 900")

    assert running.is_alive
    assert running == read_pid_file(tmp_path / "pid")
    assert os.getsid(running.pid) != os.getsid(0)
    assert process.start_of(running.pid) == running.started


def test_output_goes_to_the_log_and_the_end_is_noticed(start: Starter, tmp_path: Path) -> None:
    running = start("pwd; echo sorry >&2")

    wait_until(lambda: not running.is_alive, what="the end of the script")
    assert f"{tmp_path}\nsorry\n" == (tmp_path / "log").read_text()


def test_stop_asks_first(start: Starter, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    running = start(f"trap 'echo bye; exit' TERM; touch {ready}; while :; do sleep 0.01; done")
    wait_until(ready.exists, what="the trap")

    running.stop(grace_s=OUTER_LIMIT_S)

    assert not running.is_alive
    assert "bye\n" == (tmp_path / "log").read_text()


def test_what_does_not_end_when_asked_is_killed(start: Starter, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    running = start(f"trap '' TERM; touch {ready}; while :; do sleep 0.01; done")
    wait_until(ready.exists, what="the trap")

    running.stop(grace_s=0.05)

    assert not running.is_alive


def test_a_paused_process_is_asked_first_as_well(start: Starter, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    running = start(f"trap 'echo bye; exit' TERM; touch {ready}; while :; do sleep 0.01; done")
    wait_until(ready.exists, what="the trap")
    running.signal(signal.SIGSTOP)
    wait_until(lambda: running.is_paused, what="the pause")

    running.stop(grace_s=OUTER_LIMIT_S)

    assert not running.is_alive
    assert "bye\n" == (tmp_path / "log").read_text()


def test_another_process_with_a_noted_id_is_never_signalled(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "900"]) as stranger:
        try:
            (tmp_path / "pid").write_text(f"{stranger.pid} 1\n")
            noted = read_pid_file(tmp_path / "pid")
            assert noted is not None

            noted.stop(grace_s=1)
            noted.kill()

            assert not noted.is_alive
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_an_ended_process_that_nobody_waited_for_is_not_alive() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "read x"], stdin=subprocess.PIPE) as child:
        started = process.start_of(child.pid)
        assert started is not None
        assert child.stdin is not None

        child.stdin.close()

        gone = Process(child.pid, started)
        wait_until(lambda: not gone.is_alive, what="the end of the child")


def test_ps_tells_the_same_start_every_time() -> None:
    first = process.start_by_ps(os.getpid())

    assert first is not None
    assert process.start_by_ps(os.getpid()) == first


@pytest.mark.parametrize("text", ["", "12", "12 345", "x 1\n", "-1 1\n", "\n"])
def test_a_torn_pid_file_notes_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "pid").write_text(text)

    assert read_pid_file(tmp_path / "pid") is None


def test_a_missing_pid_file_notes_nothing(tmp_path: Path) -> None:
    assert read_pid_file(tmp_path / "no" / "pid") is None


def test_the_lock_is_held_until_the_pid_is_noted_and_no_longer(
    start: Starter, tmp_path: Path
) -> None:
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    # The launcher cannot write into a pipe that nobody reads: it stops right before the note.
    os.mkfifo(tmp_path / "held")
    launcher = ["/bin/sh", "-c", process.DETACH, process.LAUNCHER, str(tmp_path / "held")]
    subprocess.run([*launcher, "sleep", "900"], stdin=lock, cwd=tmp_path, check=True)
    os.close(lock)
    again = os.open(tmp_path / "lock", os.O_RDWR)
    try:
        with pytest.raises(BlockingIOError):
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)

        pid = int((tmp_path / "held").read_text().split()[0])

        fcntl.flock(again, fcntl.LOCK_EX)  # Without end, were the lock the server's for good.
        started = process.start_of(pid)
        assert started is not None
        Process(pid, started).kill()
    finally:
        os.close(again)


def test_waiting_for_an_end_has_a_limit(start: Starter) -> None:
    running = start("exec sleep 900")
    before = time.monotonic()

    assert not running.ends_within(0.05)
    assert time.monotonic() - before >= 0.05


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names a system call by its number")
def test_a_process_whose_first_thread_is_gone_is_still_alive() -> None:
    # Its ports are open until the last thread is gone: a server started now would not get them.
    script = (
        "import ctypes, sys, threading\n"
        "threading.Thread(target=sys.stdin.read).start()\n"
        "print('ready', flush=True)\n"
        "ctypes.CDLL(None).syscall(60, 0)\n"  # exit of this one thread on x86-64 Linux
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b"ready\n"
        wait_until(lambda: process_state(child.pid) == "Z", what="the first thread")

        started = process.start_of(child.pid)

        assert started is not None
        child.kill()
        gone = Process(child.pid, started)
        wait_until(lambda: not gone.is_alive, what="the end of the child")


def process_state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_process_is_paused_between_the_two_signals_only(start: Starter) -> None:
    running = start("exec sleep 900")
    before = running.is_paused

    running.signal(signal.SIGSTOP)
    wait_until(lambda: running.is_paused, what="the pause")
    is_alive = running.is_alive
    running.signal(signal.SIGCONT)
    wait_until(lambda: not running.is_paused, what="the end of the pause")

    assert (False, True) == (before, is_alive)
    assert not Process(running.pid, "another start").is_paused


def test_the_environment_is_added_to(tmp_path: Path) -> None:
    added = process.start(
        ["/bin/sh", "-c", 'echo "$ADDED ${PATH:+kept}"'],
        pid_file=tmp_path / "pid",
        log_file=tmp_path / "log",
        directory=tmp_path,
        environment={"ADDED": "here"},
    )

    wait_until(lambda: not added.is_alive, what="the end of the script")
    assert "here kept\n" == (tmp_path / "log").read_text()
