"""The frame of all commands: global options, sections of the help, groups that import lazily.

Knows no single command.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import Any, Final, TypeAlias

import click

from kadmin.called_name import as_called
from kadmin.cli.options import Option, forbid, is_given
from kadmin.errors import UsageError
from kadmin.settings.keys import BROKER_SECURITY, KEYS, SECURITY, Key, Value

Catalog: TypeAlias = Mapping[str, tuple[str, str, str]]
"""Of each command of a `LazyGroup`: module, attribute, one line of help."""

FLAGS: Final = "kadmin.flags"
"""Key of `click.Context.meta` under which the global options given so far are kept."""

ELSEWHERE: Final = {
    **{("config", name): f"kadmin configs --{name}" for name in ("describe", "alter")},
    ("config", "up"): "kadmin cluster up",
    **{("cluster", name): f"kadmin config {name}" for name in ("add", "use", "show", "remove")},
    **{("cluster", name): f"kadmin {name}" for name in ("brokers", "check", "topics")},
    ("cluster", "describe"): "kadmin check",
    ("cluster", "start"): "kadmin cluster up",
    ("cluster", "stop"): "kadmin cluster down",
}
"""Commands that are looked for in a group of like name: group and name, and where it is."""

HELP_OPTIONS: Final = ("--help", "-h")


class KeyType(click.ParamType):  # type: ignore[type-arg]  # generic only for newer click
    """Parses a flag's text as the setting *key* does."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.name = key.metavar or key.name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Value:
        try:
            return self.key.parse(str(value))
        except ValueError as error:
            self.fail(f"'{value}' {error}" if "'" not in str(error) else str(error), param, ctx)


def global_options(*, with_brokers: bool) -> list[Option]:
    """Return fresh options for every setting that has one; they only note what was given."""
    return [
        global_option(key)
        for key in KEYS
        if key.has_option and (with_brokers or not key.of_brokers)
    ]


def global_option(key: Key) -> Option:
    def note(ctx: click.Context, param: click.Parameter, value: Value) -> None:
        if value is not None:
            ctx.meta.setdefault(FLAGS, {})[key.name] = value

    common: dict[str, Any] = {
        "help": key.help,
        "section": key.section,
        "expose_value": False,
        "callback": note,
        "default": None,
        "completes": "clusters" if key.name == "cluster" else None,
        # Known before the options of a command are looked at, which may name the cluster as well.
        "is_eager": key.name == "cluster",
    }
    if key.is_flag:
        return Option([key.option], is_flag=True, flag_value=True, type=click.BOOL, **common)
    if key.choices:
        return Option([key.option], type=click.Choice(key.choices), **common)
    names = [key.option, *key.kafkas, key.name] if key.kafkas else [key.option]
    return Option(names, type=KeyType(key), metavar=key.metavar, **common)


class Sectioned(click.Command):
    """A command whose help lists options by section and which takes the global options.

    Its help lists the options of security only where it *shows_security*.  One that
    *speaks_to_brokers* takes the settings of brokers, too.  *without_value* has options that want a
    value, each with the one that is meant where there is none; each of *takes_several* takes all
    words with a `=` that follow.
    """

    def __init__(
        self,
        *args: Any,
        shows_security: bool = False,
        speaks_to_brokers: bool = False,
        without_value: Mapping[str, str] | None = None,
        takes_several: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.without_value = without_value or {}
        self.takes_several = takes_several
        self.shows_security = shows_security
        self.speaks_to_brokers = speaks_to_brokers

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            meant = meant_options(args, self.without_value)
            return super().parse_args(ctx, list(repeated_options(meant, self.takes_several)))
        except click.UsageError as error:
            # The error of click's parser lacks the command whose option has no argument.
            error.ctx = error.ctx or ctx
            raise

    def get_help(self, ctx: click.Context) -> str:
        return as_called(super().get_help(ctx))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.params, *self.own_global_options, *self.help_options(ctx)]

    @cached_property
    def own_global_options(self) -> list[Option]:
        """The global options, but those that the command declares in its own way."""
        own = {name for param in self.params for name in param.opts}
        return [
            each
            for each in global_options(with_brokers=self.speaks_to_brokers)
            if own.isdisjoint(each.opts)
        ]

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        # Of every context alike: click keeps the option that it made for the first one.
        return list(HELP_OPTIONS)

    def help_options(self, ctx: click.Context) -> list[click.Parameter]:
        help_option = self.get_help_option(ctx)
        return [help_option] if help_option is not None else []

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            section = getattr(param, "section", "Global options")
            if isinstance(param, click.Argument) or record is None:
                continue  # The first line of the help names the arguments.
            if section not in (SECURITY, BROKER_SECURITY) or self.shows_security:
                sections.setdefault(section, []).append(record)
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)
        if not self.shows_security:
            formatter.write_paragraph()
            whose = "ZooKeeper and broker" if self.speaks_to_brokers else "ZooKeeper"
            formatter.write_text(f"{whose} security options: see 'kadmin --help'.")


class Command(Sectioned):
    """A kadmin command; its function takes the `Session` first."""


class Group(Sectioned, click.Group):
    """A group of kadmin commands."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        Sectioned.format_options(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            if ctx.parent is None and (instead := self.instead_of_tool(ctx, args[0])) is not None:
                raise UsageError(f"there is no command 'kadmin {args[0]}'", hint=instead)
            raise click.UsageError(self.unknown_command(ctx, args[0]), ctx)
        return super().resolve_command(ctx, args)

    def unknown_command(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches

        other = ELSEWHERE.get((ctx.command.name or "", name))
        if other is not None:
            return f"there is no command '{ctx.command_path} {name}'; did you mean '{other}'?"
        near = get_close_matches(name, self.list_commands(ctx), n=1)
        question = f"did you mean '{near[0]}'?" if near else "the help lists them all"
        return f"there is no command '{ctx.command_path} {name}'; {question}"

    def instead_of_tool(self, ctx: click.Context, name: str) -> str | None:
        """Return what stands for the tool of Kafka that is called *name*, if it is one."""
        from kadmin.cli.kafka_options import OF_TOOL, tool_named

        tool = tool_named(name)
        if tool == "cluster" or self.get_command(ctx, tool) is None:
            return OF_TOOL.get(tool)
        command = self.get_command(ctx, tool)
        return None if command is None else f"kadmin {command.name}"


class LazyGroup(Group):
    """A group that imports a command's module only when that command is asked for.

    *aliases* maps other names to those of *catalog*.
    """

    def __init__(
        self,
        *args: Any,
        catalog: Catalog,
        aliases: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.catalog = catalog
        self.aliases = aliases or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.catalog)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.catalog.get(self.aliases.get(cmd_name, cmd_name))
        if entry is None:
            return None
        command = getattr(import_module(entry[0]), entry[1])
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in self.catalog.items()])


class CommandWithSubcommands(LazyGroup):
    """A kadmin command with options of its own, some of whose jobs are subcommands.

    None of its own options goes with a subcommand; global options may stand before it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(
            *args,
            invoke_without_command=True,
            subcommand_metavar="[COMMAND [ARGS]...]",
            **kwargs,
        )

    def invoke(self, ctx: click.Context) -> Any:
        name = next(iter((*ctx._protected_args, *ctx.args)), None)
        used = [
            param.opts[0]
            for param in self.params
            if isinstance(param, Option) and is_given(param, ctx.params.get(str(param.name)))
        ]
        if name is not None and self.get_command(ctx, name) is not None:
            with ctx:
                forbid(used, f"'{ctx.command_path} {name}'")
        return super().invoke(ctx)


def meant_options(args: Sequence[str], without_value: Mapping[str, str]) -> Iterator[str]:
    """Return *args* with the other option of *without_value* where a value is missing: at the
    end, or where an option follows."""
    for number, word in enumerate(args):
        if word == "--":
            yield from args[number:]
            return
        is_bare = number + 1 == len(args) or args[number + 1].startswith("-")
        yield without_value.get(word, word) if is_bare else word


def repeated_options(args: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """Return *args* with an option of *names* repeated before each further `NAME=VALUE` of its."""
    option, is_first = "", False
    for word in args:
        if word.startswith("-"):
            option, is_first = word if word in names else "", True
        elif option and not is_first:
            if "=" in word:
                yield option
            else:
                option = ""
        elif option:
            is_first = False
        yield word


def pass_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the command's function a `Session` made of the global options given so far."""

    def call(*args: Any, **kwargs: Any) -> Any:
        from kadmin.cli.session import Session

        ctx = click.get_current_context()
        session = Session(ctx.meta.get(FLAGS, {}))
        try:
            return function(session, *args, **kwargs)
        finally:
            session.name_down_servers()

    return update_wrapper(call, function)


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """Declare a kadmin command whose function takes the `Session` first."""

    def declare(function: Callable[..., Any]) -> Command:
        return click.command(name, cls=Command, **attributes)(pass_session(function))

    return declare


def command_with_subcommands(
    name: str, subcommands: Catalog, **attributes: Any
) -> Callable[[Callable[..., Any]], CommandWithSubcommands]:
    """Declare a kadmin command as `command` does; its function is for its own options alone."""

    def declare(function: Callable[..., Any]) -> CommandWithSubcommands:
        called = pass_session(function)

        def without_subcommand(**options: Any) -> None:
            if click.get_current_context().invoked_subcommand is None:
                called(**options)

        cls, catalog = CommandWithSubcommands, subcommands
        declared = click.command(name, cls=cls, catalog=catalog, **attributes)
        return declared(update_wrapper(without_subcommand, called))

    return declare


def group_command(
    group: Group, name: str, **attributes: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command of *group* whose function takes the `Session` first."""

    def declare(function: Callable[..., Any]) -> Command:
        made = command(name, **attributes)(function)
        group.add_command(made)
        return made

    return declare
