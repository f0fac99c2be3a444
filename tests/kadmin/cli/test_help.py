"""`kadmin help`, and commands and options that are looked for in a group of like name."""

import pytest

from kadmin.errors import ExitCode
from tests.support.cli import done, kadmin


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
        ("cluster use prod", "did you mean 'kadmin config use'?"),
        ("cluster --describe", "kadmin brokers --describe"),
    ],
)
def test_a_neighbour_of_like_name_is_told_of(line: str, told: str) -> None:
    outcome = kadmin(*line.split())

    assert ExitCode.USAGE == outcome.exit_code
    assert told in outcome.stderr


def test_the_names_of_commands_are_completed() -> None:
    told = done("completion", "--values", "commands", "--current", "co")

    assert "collect\ncompletion\nconfig\nconfigs\nconsume\ncontroller\n" == told
