"""Options and arguments of commands: how they are declared, and which go together.

Knows no single command.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

import click

LOCAL_CLUSTER: Final = "local"
"""The cluster of this machine that is meant when none is named."""

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class Option(click.Option):
    """An option that knows its *section* of the help, for example `Filters`.

    *completes* names the values that the shell offers for it, a kind of
    `kadmin.cli.live_values.VALUES` such as `topics`; None offers none.  An option that *is_action*
    selects what a command does; in such a command every other option lists the *actions* that it
    goes with, by their names without dashes.
    """

    def __init__(
        self,
        *args: Any,
        section: str = "Options",
        completes: str | None = None,
        actions: Sequence[str] | None = None,
        is_action: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        self.completes = completes
        self.actions = actions
        self.is_action = is_action


class Argument(click.Argument):
    """An argument with the values that the shell offers for it, as for an `Option`."""

    def __init__(self, *args: Any, completes: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.completes = completes


class WholeNumber(click.IntRange):
    """A whole number within bounds, which errors do not call an "integer range"."""

    name = "whole number"


class ByteRate(WholeNumber):
    """Bytes per second, as a whole number or with a unit: `50000000`, `50MB`, `48MiB`."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = str(value).strip()
        if re.search(r"[KMGT]b(?:/s)?$", text):
            self.fail(f"{text!r} could be bits: write 'B' for bytes, as in 50MB", param, ctx)
        parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?(?:/s)?", text, re.I)
        if parts is not None:
            factor, power = (1024 if parts[3] else 1000), "kmgt".index(parts[2].lower()) + 1
            value = int(Decimal(parts[1]) * factor**power)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A finite number within bounds, which errors do not call a "float range"."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a valid number", param, ctx)
        return number


class Percent(Number):
    """A number of percent, with or without the sign: `85`, `85%`."""

    name = "percent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        return super().convert(str(value).strip().removesuffix("%"), param, ctx)


def option(*declarations: str, **attributes: Any) -> Decorator:
    """Declare `click.option` with the attributes of an `Option`."""
    return click.option(*declarations, cls=Option, **attributes)


def action(*declarations: str, **attributes: Any) -> Decorator:
    """Declare an option that selects what the command does; one of them has to be given."""
    return option(*declarations, is_flag=True, is_action=True, **attributes)


def argument(*declarations: str, **attributes: Any) -> Decorator:
    """Declare `click.argument` with the values that it *completes*."""
    return click.argument(*declarations, cls=Argument, **attributes)


def declared(*options: Decorator) -> Decorator:
    """Declare *options* in this order."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for add in reversed(options):
            function = add(function)
        return function

    return declare


def chosen_action(values: Mapping[str, Any]) -> str:
    """Return which action *values*, those of the running command's parameters, ask for.

    Raises:
        click.UsageError: none or several, or another option is given that does not go with it.
    """
    options = own_options(values)
    name = exactly_one(
        {option.opts[0]: values[name] for name, option in options.items() if option.is_action},
        "which action is meant",
    )
    action = name.removeprefix("--")
    forbid(
        [
            options[given].opts[0]
            for given in given_options(values)
            if action not in (options[given].actions or (action,))
        ],
        name,
    )
    return action


def given_options(values: Mapping[str, Any]) -> list[str]:
    """Return those parameters of the running command whose *values* say anything, but for its
    actions.

    A default does not, even where it is written out.
    """
    return [
        name
        for name, option in own_options(values).items()
        if not option.is_action and is_given(option, values[name])
    ]


def own_options(values: Mapping[str, Any]) -> dict[str, Option]:
    """Return the options of the running command that have *values*, by parameter."""
    return {
        str(param.name): param
        for param in click.get_current_context().command.params
        if isinstance(param, Option) and param.name in values
    }


def is_given(option: Option, value: object) -> bool:
    # Not by a comparison with False, which zero is equal to.
    if value is None or value is False or value == ():
        return False
    default = option.default
    if isinstance(default, str) and not isinstance(value, str):
        default = option.type.convert(default, option, None)
    return bool(value != default)


def flag(name: str) -> str:
    """Return the option of the parameter *name*."""
    return "--" + name.replace("_", "-")


def exactly_one(given: dict[str, bool], what: str) -> str:
    """Name the one option of *given* that is set.

    Raises:
        click.UsageError: none or several are.
    """
    names = [name for name, is_set in given.items() if is_set]
    if len(names) != 1:
        raise click.UsageError(f"{what}: give exactly one of " + ", ".join(given))
    return names[0]


def forbid(used: Sequence[str], reason: str) -> None:
    """Refuse the options of *used*, if any, because of *reason*."""
    if used:
        verb = "does" if len(used) == 1 else "do"
        raise click.UsageError(f"{', '.join(used)} {verb} not go with {reason}")
