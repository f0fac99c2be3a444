"""`kadmin help`, and commands and options that are looked for in a group of like name."""

import sys
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from kadmin.render.output import Output
from tests.support.cli import done, kadmin, offered


@pytest.mark.parametrize(
    "names", [(), ("topics",), ("cluster", "up"), ("preferred-replica-election",)]
)
def test_it_shows_what_the_help_option_shows(names: tuple[str, ...]) -> None:
    assert done(*names, "--help") == done("help", *names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("topic",), "there is no command 'kadmin topic'; did you mean 'topics'?"),
        (("cluster", "upp"), "there is no command 'kadmin cluster upp'; did you mean 'up'?"),
        (("topics", "x"), "'kadmin topics' has no commands of its own"),
    ],
)
def test_what_is_no_command_is_named(names: tuple[str, ...], message: str) -> None:
    outcome = kadmin("help", *names)

    assert ExitCode.USAGE == outcome.exit_code
    assert f"kadmin: {message}\n" in outcome.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("config describe", "did you mean 'kadmin configs --describe'?"),
        ("config --describe --topic t", "kadmin configs --describe"),
        ("configs --use prod", "kadmin config use NAME"),
        ("cluster stop", "did you mean 'kadmin cluster down'?"),
        ("cluster use prod", "did you mean 'kadmin config use'?"),
        ("cluster --describe", "kadmin brokers --describe"),
    ],
)
def test_a_neighbour_of_like_name_is_told_of(line: str, told: str) -> None:
    outcome = kadmin(*line.split())

    assert ExitCode.USAGE == outcome.exit_code
    assert told in outcome.stderr


def test_the_names_of_commands_are_completed() -> None:
    told = offered("commands", "--current", "co")

    assert ["collect", "completion", "config", "configs", "consume", "controller"] == told


def test_help_that_is_longer_than_the_terminal_goes_through_the_pager(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paged = tmp_path / "paged"
    monkeypatch.setenv("LINES", "12")
    monkeypatch.setattr(Output, "is_terminal", True)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setenv("PAGER", f"cat > {paged}")

    shown = done("help", "topics")

    assert "" == shown
    assert paged.read_text() == done("topics", "--help")
    monkeypatch.setenv("PAGER", "no-such-pager 2>/dev/null")
    assert paged.read_text() == done("help", "topics")
    assert paged.read_text() == done("--no-pager", "help", "topics")


def test_help_is_there_when_the_settings_are_wrong(home: Path) -> None:
    config = home / ".config" / "kadmin" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("this is no TOML")

    assert done("help", "topics") == done("topics", "--help")
