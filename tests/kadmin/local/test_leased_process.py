"""A command runs as long as its lease is renewed, and nothing of it is left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.recipes.driver import now_ms
from kadmin.local import lease_guard, leased_process
from kadmin.local.leased_process import LeasedProcess
from tests.support.checkout import CHECKOUT
from tests.support.waiting import wait_until

HOUR_MS = 3_600_000

pytestmark = pytest.mark.slow


def started(script: str, *, end_ms: int = HOUR_MS, kill_ms: int = 2 * HOUR_MS) -> LeasedProcess:
    now = now_ms()
    return LeasedProcess(["sh", "-c", script], os.environ, now + end_ms, now + kill_ms)


def is_there(path: Path) -> bool:
    return path.exists() and path.read_text().endswith("\n")


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_clock_is_the_one_of_leases() -> None:
    assert abs(now_ms() - lease_guard.now_ms()) < 1000


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_the_status_is_the_commands(script: str, status: int) -> None:
    assert status == started(script).wait()


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -9 $$", 137)])
def test_a_command_is_guarded_without_waitid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, status: int
) -> None:
    """As on macOS."""
    guard, child = tmp_path / "guard.py", tmp_path / "child"
    guard.write_text(f"import os\ndel os.waitid\n{Path(lease_guard.__file__).read_text()}")
    monkeypatch.setattr(leased_process, "GUARD", guard)
    os.mkfifo(tmp_path / "fifo")
    waits = f"sh -c 'echo $$ > {child}; read never < {tmp_path}/fifo' &"

    assert status == started(f"{waits} until test -s {child}; do :; done; {script}").wait()

    pid = int(child.read_text())
    wait_until(lambda: not is_alive(pid), what="the end of the child")


def test_what_cannot_be_run_has_a_shells_status(tmp_path: Path) -> None:
    missing, no_program = tmp_path / "missing", tmp_path / "text"
    no_program.write_text("")
    now = now_ms()
    statuses = [
        LeasedProcess([str(each)], os.environ, now + HOUR_MS, now + HOUR_MS).wait()
        for each in (missing, no_program)
    ]

    assert [lease_guard.NOT_FOUND, lease_guard.CANNOT_RUN] == statuses


def test_a_lease_that_is_not_renewed_ends_the_command() -> None:
    assert 128 + signal.SIGTERM == started("exec tail -f /dev/null", end_ms=1).wait()


def test_a_command_that_does_not_end_is_killed_when_the_lease_is_over(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    process = started(f"trap '' TERM; echo > {ready}; tail -f /dev/null")
    wait_until(lambda: is_there(ready), what="the command")
    process.renew(now_ms(), now_ms() + 200)

    assert 128 + signal.SIGKILL == process.wait()


def test_a_renewed_lease_goes_on(tmp_path: Path) -> None:
    go_on = tmp_path / "fifo"
    os.mkfifo(go_on)
    # A lease that is over at once, were it not for the next one.
    process = started(f"read line < {go_on}; exit 3", end_ms=HOUR_MS, kill_ms=HOUR_MS + 1)
    process.renew(now_ms() + 2 * HOUR_MS, now_ms() + 3 * HOUR_MS)
    go_on.write_text("now\n")

    assert 3 == process.wait()


def test_a_signal_reaches_the_command_and_what_it_has_started(tmp_path: Path) -> None:
    child, noted = tmp_path / "child", tmp_path / "noted"
    os.mkfifo(tmp_path / "fifo")
    script = (
        f"trap 'echo got > {noted}; exit 5' INT;"
        f" sh -c 'echo $$ > {child}; read never < {tmp_path}/fifo' & wait"
    )
    process = started(script)
    wait_until(lambda: is_there(child), what="the child")
    process.signal(signal.SIGINT)

    assert 5 == process.wait()
    assert "got\n" == noted.read_text()


@pytest.mark.parametrize("way", ["ends", "is killed"])
def test_nothing_is_left_of_what_has_left_the_group(tmp_path: Path, way: str) -> None:
    """As `timeout` does, and what it runs; here without a parent that would end it."""
    child, daemon = tmp_path / "child", tmp_path / "daemon"
    os.mkfifo(tmp_path / "fifo")
    daemon.write_text(
        f"trap : TERM; echo $$ > {child}; while :; do read never < {tmp_path}/fifo; done"
    )
    last = "exit 0" if way == "ends" else "while :; do wait; done"
    script = f"trap : TERM; (setsid sh {daemon} &); until test -s {child}; do :; done; {last}"
    process = started(script)
    wait_until(lambda: is_there(child), what="the child")
    if way == "is killed":
        process.renew(now_ms(), now_ms() + 200)

    assert process.wait() == (0 if way == "ends" else 128 + signal.SIGKILL)
    pid = int(child.read_text())
    wait_until(lambda: not is_alive(pid), what="the end of the child")


def test_nothing_that_the_command_has_started_is_left(tmp_path: Path) -> None:
    child = tmp_path / "child"
    os.mkfifo(tmp_path / "fifo")
    script = (
        f"sh -c 'echo $$ > {child}; read never < {tmp_path}/fifo' &"
        f" until test -s {child}; do :; done"
    )
    assert 0 == started(script).wait()

    pid = int(child.read_text())
    wait_until(lambda: not is_alive(pid), what="the end of the child")


def test_the_command_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    pid_file, noted, fifo = tmp_path / "pid", tmp_path / "noted", tmp_path / "fifo"
    script = f"trap 'echo TERM > {noted}; exit' TERM; echo $$ > {pid_file}; read never < {fifo}"
    os.mkfifo(fifo)
    program = (
        "import os, sys\n"
        "from kadmin.local.leased_process import LeasedProcess\n"
        f"process = LeasedProcess(['sh', '-c', sys.argv[1]], os.environ, {now_ms() + HOUR_MS},"
        f" {now_ms() + 2 * HOUR_MS})\n"
        "process.wait()\n"
    )
    starter = subprocess.Popen([sys.executable, "-c", program, script], cwd=CHECKOUT)
    try:
        wait_until(lambda: is_there(pid_file), what="the command")
    finally:
        starter.kill()
        starter.wait()

    pid = int(pid_file.read_text())
    wait_until(lambda: not is_alive(pid), what="the end of the command")
    assert "TERM\n" == noted.read_text()


@pytest.mark.parametrize("is_starter_killed", [False, True])
def test_the_command_ends_with_a_guard_that_is_killed(
    tmp_path: Path, is_starter_killed: bool
) -> None:
    child = tmp_path / "child"
    os.mkfifo(tmp_path / "fifo")
    # What Linux kills by itself is the command; of its children kadmin takes care.
    inner = f"echo $$ > {child}; read never < {tmp_path}/fifo"
    script = f"trap '' TERM; {inner}" if is_starter_killed else f"sh -c '{inner}' & wait"
    program = (
        "import os, sys\n"
        "from kadmin.local.leased_process import LeasedProcess\n"
        f"process = LeasedProcess(['sh', '-c', sys.argv[1]], os.environ, {now_ms() + HOUR_MS},"
        f" {now_ms() + 2 * HOUR_MS})\n"
        "print(process._guard.pid, flush=True)\n"
        "sys.exit(process.wait())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, script], cwd=CHECKOUT, stdout=subprocess.PIPE
    ) as starter:
        try:
            assert starter.stdout is not None
            guard = int(starter.stdout.readline())
            wait_until(lambda: is_there(child), what="the command")
        finally:
            if is_starter_killed:
                starter.send_signal(signal.SIGSTOP)
            os.kill(guard, signal.SIGKILL)
            if is_starter_killed:
                starter.kill()

    pid = int(child.read_text())
    wait_until(lambda: not is_alive(pid), what="the end of the command")
    assert (-signal.SIGKILL if is_starter_killed else 128 + signal.SIGKILL) == starter.returncode


def test_an_empty_command_is_not_found_even_with_standard_error_closed() -> None:
    now = now_ms()
    error = os.dup(2)
    os.close(2)
    try:
        status = LeasedProcess([""], os.environ, now + HOUR_MS, now + HOUR_MS).wait()
    finally:
        os.dup2(error, 2)
        os.close(error)

    assert lease_guard.NOT_FOUND == status
