"""The tree of commands, options and arguments, as values that can be written out.

What completions, man pages and the command reference are made from.  Knows click's objects, and
no form of text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import click

from kadmin.cli.frame import LazyGroup

HELP_WIDTH: Final = 100
"""Width of a captured `--help`, whatever the terminal."""

PATH_METAVARS: Final = frozenset({"FILE", "DIR", "DIRECTORY", "PATH"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What a shell may offer where a value is expected; all empty where it can offer nothing.

    *choices* are all values that there are; *live* names a kind of `kadmin completion --values`.
    """

    choices: tuple[str, ...] = ()
    live: str | None = None
    is_path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionNode:
    """An option: *names* holds all its spellings, *metavar* is empty for a flag.

    *requires_value* is false for a flag and for an option whose value may be left out.
    """

    names: tuple[str, ...]
    metavar: str
    requires_value: bool
    section: str
    help: str
    values: Values
    repeats: bool
    is_global: bool

    @property
    def takes_value(self) -> bool:
        return self.metavar != ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentNode:
    """A positional argument."""

    metavar: str
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandNode:
    """A command and those below it; *path* starts with `kadmin`.

    *paragraphs* are the help without its examples; *examples* are shell lines.
    """

    path: tuple[str, ...]
    usage: str
    summary: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    options: tuple[OptionNode, ...]
    arguments: tuple[ArgumentNode, ...]
    commands: tuple["CommandNode", ...]
    help_text: str

    @property
    def name(self) -> str:
        return self.path[-1]

    def walk(self) -> Iterator["CommandNode"]:
        """Yield this command, then all below it, depth first."""
        yield self
        for command in self.commands:
            yield from command.walk()


def command_tree(root: click.Command) -> CommandNode:
    """Return all that can be typed after *root*'s name.

    Hidden commands and options are left out.
    """
    assert root.name is not None
    return node_of(root, None, root.name)


def node_of(command: click.Command, parent: click.Context | None, name: str) -> CommandNode:
    ctx = click.Context(
        command,
        parent=parent,
        info_name=name,
        terminal_width=HELP_WIDTH,
        **command.context_settings,
    )
    params = command.get_params(ctx)
    paragraphs, examples = split_help(command.help or "")
    return CommandNode(
        path=tuple(ctx.command_path.split()),
        usage=" ".join(command.collect_usage_pieces(ctx)),
        summary=command.get_short_help_str(limit=HELP_WIDTH),
        paragraphs=paragraphs,
        examples=examples,
        options=tuple(
            option_node(param, ctx)
            for param in params
            if isinstance(param, click.Option) and not param.hidden
        ),
        arguments=tuple(
            ArgumentNode(metavar=param.make_metavar(ctx), values=values_of(param, ""))
            for param in params
            if isinstance(param, click.Argument) and not getattr(param, "hidden", False)
        ),
        commands=tuple(subcommands(command, ctx)),
        help_text=command.get_help(ctx),
    )


def subcommands(command: click.Command, ctx: click.Context) -> Iterator[CommandNode]:
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(ctx):
        subcommand = command.get_command(ctx, name)
        assert subcommand is not None
        if not subcommand.hidden:
            node = node_of(subcommand, ctx, name)
            if isinstance(command, LazyGroup):
                # One line for one command, wherever it is shown.
                node = replace(node, summary=command.catalog[name][2])
            yield node


def option_node(option: click.Option, ctx: click.Context) -> OptionNode:
    takes_value = not option.is_flag and not option.count
    metavar = option.make_metavar(ctx).strip() if takes_value else ""
    record = option.get_help_record(ctx)
    assert record is not None
    return OptionNode(
        names=(*option.opts, *option.secondary_opts),
        metavar=metavar,
        # click keeps this one to itself, but a shell has to know which word a value is.
        requires_value=takes_value and not option._flag_needs_value,
        section=getattr(option, "section", "Global options"),
        help=record[1],
        values=values_of(option, metavar) if takes_value else Values(),
        repeats=option.multiple,
        is_global=option.expose_value is False,
    )


def values_of(param: click.Parameter, metavar: str) -> Values:
    if isinstance(param.type, click.Choice):
        return Values(choices=tuple(str(choice) for choice in param.type.choices))
    live = getattr(param, "completes", None)
    if live is not None and "=" in metavar:
        # What is typed first is a key, so there is more to come after it.
        live = live.removesuffix("=") + "="
    is_path = isinstance(param.type, click.Path | click.File) or metavar in PATH_METAVARS
    return Values(live=live, is_path=is_path and live is None)


def split_help(help_text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paragraphs of a command's help, and the lines of the one that starts
    `Examples:`."""
    paragraphs: list[str] = []
    examples: list[str] = []
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        lines = [line.strip() for line in paragraph.split("\n") if line.strip() not in ("", "\b")]
        if lines and lines[0] in ("Examples:", "Example:"):
            examples += lines[1:]
        elif lines:
            paragraphs.append(" ".join(lines))
    return tuple(paragraphs), tuple(examples)
