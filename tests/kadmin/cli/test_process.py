"""Does kadmin end as a good process does: its exit code, its streams, its signals?"""

import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from kadmin.version import VERSION
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.sockets

KADMIN = (sys.executable, "-m", "kadmin")
WITH_TEST_COMMANDS = (sys.executable, "-m", "tests.support.commands")


def run(
    *arguments: str, command: tuple[str, ...] = WITH_TEST_COMMANDS, **env: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=CHECKOUT,
        env={**os.environ, **env},
    )


@contextmanager
def closed_port() -> Iterator[str]:
    """An address where nobody listens, and nobody else may in the meantime."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def silent_port() -> Iterator[str]:
    """An address that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_version_is_the_packages_own() -> None:
    outcome = run("--version", command=KADMIN)

    assert (0, f"kadmin {VERSION}\n") == (outcome.returncode, outcome.stdout)


def test_closed_port_is_unreachable_at_once_and_shows_no_trace() -> None:
    with closed_port() as address:
        outcome = run("brokers", "--list", "--zookeeper", address, "--timeout", "3600")

    assert (5, "") == (outcome.returncode, outcome.stdout)
    message, hint = outcome.stderr.splitlines()
    expected = f"cannot reach ZooKeeper at {address}: connection refused"
    assert f"kadmin: {expected}" == message
    assert hint.startswith("hint: check the address")


def test_silent_port_is_unreachable_within_the_timeout() -> None:
    with silent_port() as address:
        outcome = run("brokers", "--list", "--zookeeper", address, "--timeout", "300ms")

    assert 5 == outcome.returncode
    assert f"cannot reach ZooKeeper at {address}: no answer" in outcome.stderr


def test_debug_shows_the_trace_and_the_clients_log_on_stderr() -> None:
    with closed_port() as address:
        arguments = ("brokers", "--list", "--zookeeper", address, "--timeout", "3600")
        outcome = run(*arguments, "--debug")
        by_variable = run(*arguments, KADMIN_DEBUG="TRUE")

    for each in (outcome, by_variable):
        assert (5, "") == (each.returncode, each.stdout)
        assert "Traceback" in each.stderr
        assert "Connecting to 127.0.0.1" in each.stderr


def test_unexpected_failure_has_no_trace_unless_asked_for() -> None:
    outcome = run("failing")
    assert (1, "") == (outcome.returncode, outcome.stdout)
    assert (
        "about to fail\n"
        "kadmin: internal error: ZeroDivisionError: no such luck\n"
        "hint: add --debug for the trace, and report it\n" == outcome.stderr
    )

    outcome = run("failing", "--debug")
    assert 1 == outcome.returncode
    assert 'raise ZeroDivisionError("no such luck")' in outcome.stderr


def test_quiet_drops_the_notes_and_keeps_the_errors() -> None:
    outcome = run("failing", "--quiet")

    assert "about to fail" not in outcome.stderr
    assert "no such luck" in outcome.stderr


def test_reader_that_has_seen_enough_is_no_error() -> None:
    process = subprocess.Popen(
        [*WITH_TEST_COMMANDS, "printing", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=CHECKOUT,
    )
    assert process.stdout is not None
    assert b"line\n" == process.stdout.readline()
    process.stdout.close()

    assert process.stderr is not None
    assert b"" == process.stderr.read()
    process.stderr.close()
    assert 0 == process.wait()


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("config", "show"), ("table",)])
def test_reader_that_is_gone_before_the_first_line_is_no_error(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    outcome = subprocess.run(
        [*WITH_TEST_COMMANDS, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=CHECKOUT,
        check=False,
    )
    os.close(writing)

    assert (0, b"") == (outcome.returncode, outcome.stderr)


def test_nobody_reading_the_notes_does_not_cost_the_result() -> None:
    reading, writing = os.pipe()
    os.close(reading)

    outcome = subprocess.run(
        [*WITH_TEST_COMMANDS, "printing", "--output", "json"],
        stdout=subprocess.PIPE,
        stderr=writing,
        cwd=CHECKOUT,
        check=False,
    )
    os.close(writing)

    assert (0, b'{"schema": "kadmin.test.printing/1", "lines": 200000}\n') == (
        outcome.returncode,
        outcome.stdout,
    )


@pytest.mark.parametrize("arguments", [("--help",), ("printing",)])
def test_full_disk_is_a_failure_that_says_so(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        outcome = subprocess.run(
            [*WITH_TEST_COMMANDS, *arguments, "--quiet"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=CHECKOUT,
            text=True,
            check=False,
        )

    assert 1 == outcome.returncode
    assert "kadmin: cannot write the result: No space left on device\n" == outcome.stderr


@pytest.mark.parametrize("full", ["stdout", "stderr"])
def test_full_disk_does_not_hide_why_a_change_failed(full: str) -> None:
    with open("/dev/full", "w") as device:
        outcome = subprocess.run(
            [*WITH_TEST_COMMANDS, "half-done"],
            stdout=device if full == "stdout" else subprocess.PIPE,
            stderr=device if full == "stderr" else subprocess.PIPE,
            cwd=CHECKOUT,
            text=True,
            check=False,
        )

    assert ExitCode.REFUSED == outcome.returncode
    if full == "stderr":
        assert "first half\n" == outcome.stdout
    else:
        assert outcome.stderr == (
            "first half\nkadmin: the second half was refused\nhint: look at the first half\n"
            "kadmin: cannot write the result: No space left on device\n"
        )


def test_closed_standard_streams_are_no_error() -> None:
    shell = f"exec {' '.join(WITH_TEST_COMMANDS)} table >&- 2>&- <&-"

    assert 0 == subprocess.run(["sh", "-c", shell], cwd=CHECKOUT, check=False).returncode


def test_no_group_commits_what_goes_to_a_closed_standard_output() -> None:
    words = f"{sys.executable} -m kadmin consume --topic t --group g --bootstrap-server b:1"
    outcome = subprocess.run(
        ["sh", "-c", f"exec {words} >&-"], cwd=CHECKOUT, stderr=subprocess.PIPE, check=False
    )

    assert ExitCode.USAGE == outcome.returncode
    assert outcome.stderr.startswith(b"kadmin: standard output is closed")


def test_locale_without_some_letters_costs_only_those_letters() -> None:
    outcome = run("table", PYTHONIOENCODING="ascii")

    assert (0, "br\\xe4cket\n") == (outcome.returncode, outcome.stdout)


def test_question_without_a_terminal_is_refused() -> None:
    outcome = run("asking")

    assert (6, "") == (outcome.returncode, outcome.stdout)
    assert "kadmin: not confirmed, and there is no terminal to ask on" in outcome.stderr
    assert "hint: add --yes" in outcome.stderr


def test_interrupt_while_waiting_for_a_server_ends_with_130() -> None:
    with silent_port() as address:
        process = subprocess.Popen(
            [*KADMIN, "brokers", "--list", "--zookeeper", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        assert f"waiting for ZooKeeper at {address}\n" == process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=OUTER_LIMIT_S)

    assert (130, "", "kadmin: interrupted\n") == (process.returncode, stdout, stderr)


class Terminal:
    """kadmin on a terminal of its own, of which *said* is all that appeared so far."""

    def __init__(self, *arguments: str) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(CHECKOUT)
            os.execv(sys.executable, [*WITH_TEST_COMMANDS, *arguments])
        self.said = ""

    def says(self, text: str) -> bool:
        self.said += os.read(self.descriptor, 4096).decode()
        return text in self.said

    def types(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def end(self) -> int:
        """Read until it ends; returns its exit code."""
        try:
            while chunk := os.read(self.descriptor, 4096):
                self.said += chunk.decode()
        except OSError:  # Linux tells the end of a terminal that way.
            pass
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.parametrize(
    ("typed", "exit_code", "last"),
    [
        ("y\n", 0, "deleted"),
        ("YES\n", 0, "deleted"),
        ("n\n", 6, "kadmin: not confirmed; nothing was written"),
        ("\n", 6, "kadmin: not confirmed; nothing was written"),
        ("yesterday\n", 6, "kadmin: not confirmed; nothing was written"),
        ("\x04", 6, "kadmin: not confirmed; nothing was written"),
        ("\x03", 130, "kadmin: interrupted"),
    ],
    ids=["y", "YES", "n", "enter", "yesterday", "ctrl-d", "ctrl-c"],
)
def test_question_on_a_terminal_takes_only_a_yes(typed: str, exit_code: int, last: str) -> None:
    terminal = Terminal("asking")
    question = "delete everything? [y/N]: "
    wait_until(lambda: terminal.says(question), what="the question")

    terminal.types(typed)

    assert exit_code == terminal.end()
    assert last == terminal.said.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "env", "is_styled"),
    [((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False)],
)
def test_terminal_gets_a_styled_table_unless_colours_are_unwanted(
    arguments: tuple[str, ...],
    env: dict[str, str],
    is_styled: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    terminal = Terminal("table", *arguments)

    assert 0 == terminal.end()
    assert "head" in terminal.said
    assert is_styled is ("\x1b[" in terminal.said)


def test_pipe_gets_plain_lines() -> None:
    assert "bräcket\n" == run("table").stdout


def test_a_ctrl_c_that_python_met_while_it_made_a_class_ends_as_any_other(tmp_path: Path) -> None:
    """As `dataclass` does in a module that is imported just then."""
    (tmp_path / "interrupted.py").write_text("""
import kadmin.__main__
import kadmin.cli.main

def run(arguments):
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 130

kadmin.cli.main.run = run
kadmin.__main__.main()
""")
    path = f"{tmp_path}{os.pathsep}{CHECKOUT}"

    ended = run(command=(sys.executable, "-m", "interrupted"), PYTHONPATH=path)

    assert 130 == ended.returncode, ended.stderr


def test_a_ctrl_c_that_met_a_callback_of_python_is_not_lost(tmp_path: Path) -> None:
    """As that of the lock of a module that was imported just then."""
    (tmp_path / "interrupted.py").write_text("""
import threading
import weakref
import kadmin.__main__
import kadmin.cli.main

class Lock:
    pass

def interrupt(_):
    raise KeyboardInterrupt

def run(arguments):
    lock = Lock()
    called_back = weakref.ref(lock, interrupt)
    del lock
    threading.Event().wait()

kadmin.cli.main.run = run
kadmin.__main__.main()
""")
    path = f"{tmp_path}{os.pathsep}{CHECKOUT}"

    ended = run(command=(sys.executable, "-m", "interrupted"), PYTHONPATH=path)

    assert (130, "") == (ended.returncode, ended.stderr)
