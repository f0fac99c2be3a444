"""What do all commands have in common: global options, their place in the help, the session?

Knows no single command.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from kadmin.settings.keys import BROKER_SECURITY, KEYS, SECURITY, Key, Value

if TYPE_CHECKING:
    from kadmin.admin.ports import ConfigAdmin, TopicAdmin
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.render.output import Output
    from kadmin.settings.brokers import BrokerSettings
    from kadmin.settings.resolve import Settings

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

FLAGS: Final = "kadmin.flags"
"""Key of `click.Context.meta` under which the global options given so far are kept."""


class Option(click.Option):
    """An option that knows its section of the help, for example `Filters`.

    *completes* names the values that the shell offers for it, a kind of
    `kadmin.cli.completion.VALUES` such as `topics`; None offers none.
    """

    def __init__(
        self,
        *args: Any,
        section: str = "Options",
        completes: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        self.completes = completes


class Argument(click.Argument):
    """An argument with the values that the shell offers for it, as for an `Option`."""

    def __init__(self, *args: Any, completes: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.completes = completes


class WholeNumber(click.IntRange):
    """A whole number within bounds, which errors do not call an "integer range"."""

    name = "whole number"


class Number(click.FloatRange):
    """A number within bounds, which errors do not call a "float range"."""

    name = "number"


def option(*declarations: str, section: str = "Options", **attributes: Any) -> Decorator:
    """`click.option` with a *section* of the help to stand in, and what it *completes*."""
    return click.option(*declarations, cls=Option, section=section, **attributes)


def argument(*declarations: str, **attributes: Any) -> Decorator:
    """`click.argument` with the values that it *completes*."""
    return click.argument(*declarations, cls=Argument, **attributes)


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
    """Fresh options for every setting that has one; they only note what was given."""
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
    return Option([key.option], type=KeyType(key), metavar=key.metavar, **common)


class Sectioned(click.Command):
    """A command whose help lists options by section and which takes the global options.

    Its help lists the options of security only where it *shows_security*.  One that
    *speaks_to_brokers* takes the settings of brokers, too.
    """

    def __init__(
        self,
        *args: Any,
        shows_security: bool = False,
        speaks_to_brokers: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.shows_security = shows_security
        self.speaks_to_brokers = speaks_to_brokers

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # Click's parser does not tell of which command an option lacks its argument.
            error.ctx = error.ctx or ctx
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.params, *self.own_global_options, *self.help_options(ctx)]

    @cached_property
    def own_global_options(self) -> list[Option]:
        return global_options(with_brokers=self.speaks_to_brokers)

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
            raise click.UsageError(self.unknown_command(ctx, args[0]), ctx)
        return super().resolve_command(ctx, args)

    def unknown_command(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.list_commands(ctx), n=1)
        question = f"did you mean '{near[0]}'?" if near else "the help lists them all"
        return f"there is no command '{ctx.command_path} {name}'; {question}"


class LazyGroup(Group):
    """A group that imports a command's module only when that command is asked for.

    *catalog* maps a name to (module, attribute, one line of help); *aliases* maps other names.
    """

    def __init__(
        self,
        *args: Any,
        catalog: dict[str, tuple[str, str, str]],
        aliases: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, shows_security=True, speaks_to_brokers=True, **kwargs)
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


class Session:
    """One run of kadmin: the settings, the output, and the way to the cluster."""

    def __init__(self, flags: dict[str, Value]) -> None:
        self.flags = flags

    @cached_property
    def settings(self) -> "Settings":
        from kadmin.settings.resolve import resolve

        return resolve(self.flags)

    @cached_property
    def output(self) -> "Output":
        from kadmin.render.output import Output

        return Output.of_settings(self.settings)

    @contextmanager
    def connect(self) -> Iterator["Connection"]:
        """Open a ZooKeeper session to the cluster that is meant, and close it at the end."""
        from kadmin.admin.zookeeper.connection import connect

        zookeeper = self.settings.zookeeper()
        self.warn_of_exposed_secrets()
        log = sys.stderr if self.settings.flag("debug") else None
        with connect(zookeeper, note=self.output.note, log=log) as connection:
            yield connection

    def brokers(self) -> "BrokerSettings":
        """How the brokers are reached that are meant: those named, or those ZooKeeper knows.

        Raises:
            UsageError: no cluster is named anywhere, or its settings make no safe connection.
        """
        from kadmin.settings.brokers import broker_settings, protocol_of_settings

        self.settings.check_cluster()
        bootstrap = self.settings.text("bootstrap_server")
        if bootstrap is not None:
            self.warn_of_exposed_secrets()
            return broker_settings(self.settings, bootstrap)
        from kadmin.admin.zookeeper.bootstrap import read_bootstrap

        with self.connect() as connection:
            bootstrap = read_bootstrap(connection, protocol_of_settings(self.settings))
        return broker_settings(self.settings, bootstrap)

    @property
    def asks_brokers(self) -> bool:
        """Whether brokers are named and no ZooKeeper, which knows more, is."""
        return (
            self.settings.text("zookeeper") is None
            and self.settings.text("bootstrap_server") is not None
        )

    @contextmanager
    def topics(self) -> Iterator["TopicAdmin"]:
        """Open a connection to whoever is to be asked about topics, and close it at the end."""
        if self.asks_brokers:
            from kadmin.admin.wire.wire_topics import WireTopics

            with self.connect_brokers() as brokers:
                yield WireTopics(brokers)
            return
        from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics

        with self.connect() as connection:
            yield ZooKeeperTopics(connection)

    @contextmanager
    def configs(self) -> Iterator["ConfigAdmin"]:
        """Open a connection to whoever is to be asked about configs, and close it at the end."""
        if self.asks_brokers:
            from kadmin.admin.wire.wire_configs import WireConfigs

            with self.connect_brokers() as brokers:
                yield WireConfigs(brokers, self.output.warn)
            return
        from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs

        with self.connect() as connection:
            yield ZooKeeperConfigs(connection)

    @contextmanager
    def connect_brokers(self) -> Iterator["WireConnection"]:
        """Connect to the brokers that are meant, and close the connections at the end."""
        from kadmin.admin.wire.opening import connect_brokers

        log = sys.stderr if self.settings.flag("debug") else None
        with connect_brokers(self.brokers(), log=log) as connection:
            yield connection

    def warn_of_exposed_secrets(self) -> None:
        path = self.settings.file.path
        for name in self.settings.exposed_secrets():
            self.output.warn(f"others can read {name} in {path}: chmod 600 {path}")


def pass_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the command's function a `Session` made of the global options given so far."""

    def call(*args: Any, **kwargs: Any) -> Any:
        ctx = click.get_current_context()
        return function(Session(ctx.meta.get(FLAGS, {})), *args, **kwargs)

    return update_wrapper(call, function)


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """Declare a kadmin command whose function takes the `Session` first."""

    def declare(function: Callable[..., Any]) -> Command:
        return click.command(name, cls=Command, **attributes)(pass_session(function))

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


def flag(name: str) -> str:
    """The option of the parameter *name*; a `_` at its end keeps Python's own words apart."""
    return "--" + name.rstrip("_").replace("_", "-")


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
