"""Does every option of a command with actions say with which of them it goes, and is that kept?
Is none told as one that kadmin has not?
"""

from collections.abc import Iterator

import click
import pytest

from kadmin.cli.kafka_options import OF_ANY_COMMAND, OF_COMMAND
from kadmin.cli.main import kadmin as root
from kadmin.cli.options import ByteRate, Option
from kadmin.errors import ExitCode
from tests.support.cli import kadmin


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its words after `kadmin`."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def options_of(command: click.Command) -> list[Option]:
    return [param for param in command.params if isinstance(param, Option) and param.expose_value]


def actions_of(command: click.Command) -> list[str]:
    return [option.opts[0].removeprefix("--") for option in options_of(command) if option.is_action]


WITH_ACTIONS = {name: command for name, command in commands(root) if actions_of(command)}
OPTIONS = [
    pytest.param(command, option, id=f"{name} {option.opts[0]}")
    for name, command in WITH_ACTIONS.items()
    for option in options_of(command)
    if not option.is_action
]
WRONG_PAIRS = [
    pytest.param(name, action, option, id=f"{name} --{action} {option.opts[0]}")
    for name, command in WITH_ACTIONS.items()
    for option in options_of(command)
    for action in actions_of(command)
    if not option.is_action and option.actions is not None and action not in option.actions
]


def test_commands_with_actions_are_found() -> None:
    assert {"topics", "configs", "brokers"} <= WITH_ACTIONS.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_option_says_with_which_actions_it_goes(command: click.Command, option: Option) -> None:
    assert option.actions is not None, f"give {option.opts[0]} its actions=(…)"
    assert option.actions
    assert set(option.actions) <= set(actions_of(command))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "action", "option"), WRONG_PAIRS)
def test_option_is_refused_with_any_other_action(name: str, action: str, option: Option) -> None:
    word = option.type.choices[0] if isinstance(option.type, click.Choice) else "7"
    value = [] if option.is_flag or option._flag_needs_value else [word]

    outcome = kadmin(name, f"--{action}", option.opts[0], *value)

    assert ExitCode.USAGE == outcome.exit_code
    assert f"kadmin: {option.opts[0]} does not go with --{action}\n" in outcome.stderr


def option_names(command: click.Command) -> set[str]:
    return {
        name
        for param in command.get_params(click.Context(command))
        if isinstance(param, click.Option) and not param.hidden
        for name in param.opts
    }


def test_options_that_kadmin_has_are_not_told_as_kafka_s() -> None:
    every_command = [root, *(command for _, command in commands(root))]
    names = set().union(*map(option_names, every_command))

    assert {"--zookeeper", "--topic", "--under-replicated-partitions", "--brokers"} <= names
    assert set() == names & OF_ANY_COMMAND.keys()
    of_commands = dict(commands(root))
    for name, instead in OF_COMMAND.items():
        assert set() == option_names(of_commands[name]) & instead.keys()


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("50000000", 50_000_000),
        ("10MB", 10_000_000),
        ("10 mb/s", 10_000_000),
        ("48MiB", 48 << 20),
        ("1.5k", 1500),
        ("2G", 2_000_000_000),
    ],
)
def test_a_rate_may_have_a_unit(text: str, rate: int) -> None:
    assert rate == ByteRate(min=1).convert(text, None, None)


@pytest.mark.parametrize("text", ["0", "10 apples", "MB", "-1MB", "0MB", "1e6", "10Mb", "1 Gb/s"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        ByteRate(min=1).convert(text, None, None)
