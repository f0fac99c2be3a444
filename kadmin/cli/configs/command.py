"""`kadmin configs`: whose configs are meant, and are they to be seen or changed?

The reading action is here; what changes configs is in `kadmin.cli.configs.changes`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from cluster.model.config_entity import Entity, EntityKind
from kadmin.arguments.entities import DEFAULT, EntitySelection, select_entities
from kadmin.cli.common_options import dry_run_option, force_option, yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import action, chosen_action, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import UsageError
from kadmin.plan.entity_options import SHORT_OPTIONS

if TYPE_CHECKING:
    from cluster.model.config_entity import ConfigEntity
    from kadmin.admin.ports import ConfigAdmin

ACTIONS: Final = "Actions (exactly one)"
SELECTION: Final = "Whose configs"
SHORT: Final = "Whose configs, shorter"
CHANGE: Final = "Alter"
DESCRIBE: Final = "Describe"

ALL: Final = ("describe", "alter")

OF_KAFKA_ALONE: Final = {
    "broker-loggers": "--broker-logger",
    "client-metrics": "--client-metrics",
    "groups": "--group",
}
"""Entity types that Kafka's own tool has beside kadmin's, with their short options."""


class NotOurs(UsageError):
    """An entity type of Kafka's tool that kadmin has not."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"kadmin knows no configs of {kind}",
            hint=f"kafka-configs --bootstrap-server HOST:PORT --entity-type {kind} … knows them",
        )
        self.kind = kind


class EntityType(click.Choice[str]):
    """A kind of entity; those of Kafka's tool alone are refused with its name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in OF_KAFKA_ALONE:
            raise NotOurs(value)
        return super().convert(value, param, ctx)


def options_of_kafka_alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare their short options, so that they are not taken for misspelt ones."""

    def refuse(kind: str, _ctx: click.Context, _param: click.Parameter, value: Any) -> None:
        if value is not None:
            raise NotOurs(kind)

    for kind, name in OF_KAFKA_ALONE.items():
        callback = partial(refuse, kind)
        function = option(name, hidden=True, expose_value=False, callback=callback)(function)
    return function


@command("configs", short_help="See and change dynamic configs.", speaks_to_brokers=True)
@action("--describe", section=ACTIONS, help="Show what is set.")
@action("--alter", section=ACTIONS, help="Set and delete configs.")
@option(
    "--entity-type",
    "kinds",
    multiple=True,
    type=EntityType([kind.value for kind in EntityKind]),
    section=SELECTION,
    actions=ALL,
    help="Kind of entity; users and clients may be given together.",
)
@option(
    "--entity-name",
    "names",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    actions=ALL,
    help="Its name: one for each type, in the same order. A topic's may be a glob.",
)
@option(
    "--entity-default",
    "names",
    multiple=True,
    is_flag=True,
    flag_value=DEFAULT,
    type=str,
    section=SELECTION,
    actions=ALL,
    help="Instead of a name: the default for all that have none of their own.",
)
@option(
    "--topic",
    metavar="NAME",
    section=SHORT,
    actions=ALL,
    completes="topics",
    help="A topic, or a glob.",
)
@option("--broker", metavar="ID", section=SHORT, actions=ALL, completes="brokers", help="A broker.")
@option("--broker-defaults", is_flag=True, section=SHORT, actions=ALL, help="All brokers.")
@option(
    "--client",
    metavar="ID",
    section=SHORT,
    actions=ALL,
    help="A client id; with --user, of that user.",
)
@option(
    "--client-defaults",
    is_flag=True,
    section=SHORT,
    actions=ALL,
    help="All clients without one of their own.",
)
@option("--user", metavar="NAME", section=SHORT, actions=ALL, help="A user principal.")
@option(
    "--user-defaults",
    is_flag=True,
    section=SHORT,
    actions=ALL,
    help="All users without one of their own.",
)
@option("--ip", metavar="ADDRESS", section=SHORT, actions=ALL, help="An IP address.")
@option(
    "--ip-defaults",
    is_flag=True,
    section=SHORT,
    actions=ALL,
    help="All addresses without one of their own.",
)
@option(
    "--all",
    "all_",
    is_flag=True,
    section=DESCRIBE,
    actions=("describe",),
    help="All configs that a topic or broker can have, and where each value comes from.",
)
@watch_option(DESCRIBE, actions=("describe",))
@option(
    "--add-config",
    multiple=True,
    metavar="KEY=VALUE,…",
    section=CHANGE,
    actions=("alter",),
    completes="topic-configs=",
    help="What to set; brackets protect commas: 'cleanup.policy=[compact,delete]'.",
)
@option(
    "--add-config-file",
    metavar="FILE",
    section=CHANGE,
    actions=("alter",),
    help="Java properties file of what to set, - for standard input; keeps passwords out of the"
    " process list.",
)
@option(
    "--delete-config",
    multiple=True,
    metavar="KEY,…",
    section=CHANGE,
    actions=("alter",),
    completes="set-topic-configs",
    help="What to delete.",
)
@option(
    "--allow-unknown-configs",
    is_flag=True,
    section=CHANGE,
    actions=("alter",),
    help="Accept keys that Kafka does not know, for example those of plug-ins, unchecked.",
)
@option(
    "--allow-running-brokers",
    is_flag=True,
    section=CHANGE,
    actions=("alter",),
    help="Write broker configs to ZooKeeper while the brokers run, past their own checks.",
)
@option(
    "--allow-unknown-brokers",
    is_flag=True,
    section=CHANGE,
    actions=("alter",),
    help="Set configs of a broker that does not exist yet.",
)
@dry_run_option(("alter",))
@yes_option(("alter",))
@force_option(("alter",))
@options_of_kafka_alone
def configs(session: Session, **options: Any) -> None:
    """See and change dynamic configs, with the options of kafka-configs.

    Topics have overrides; brokers have dynamic configs and throttles; clients, users and IP
    addresses have quotas; and users have SCRAM credentials, which are made from a password. For the
    settings of kadmin itself see 'kadmin config'.

    It goes through ZooKeeper, or through the brokers if only --bootstrap-server names the cluster:
    topics and brokers from Kafka 1.1 on, quotas from 2.6, credentials from 2.7. If both are named,
    brokers that run receive the changes of their own configs, and check them. Brokers also know
    the values in their own files, and encrypt passwords among their configs.

    \b
    Examples:
      kadmin configs --describe --topic orders
      kadmin configs --alter --topic orders --add-config retention.ms=86400000
      kadmin configs --alter --topic 'logs-*' --delete-config retention.ms --dry-run
      kadmin configs --alter --broker 1 --add-config leader.replication.throttled.rate=50000000
      kadmin configs --alter --user ann --client-defaults --add-config producer_byte_rate=1048576
      kadmin configs --alter --user ann --add-config 'SCRAM-SHA-512=[iterations=8192,password=…]'
    """
    action = chosen_action(options)
    selection = selection_of(options)
    if action == "describe":
        with_all = options["all_"]
        watch(session, options["watch"], lambda: describe(session, selection, with_all=with_all))
    else:
        from kadmin.cli.configs.changes import alter

        alter(session, selection, options)


def selection_of(options: dict[str, Any]) -> EntitySelection:
    """Return the entities that the long and the short options name together."""
    short = []
    for kind, name in SHORT_OPTIONS.items():
        key = name.removeprefix("--")
        if options[key] is not None:
            short.append(Entity(kind, options[key]))
        if options.get(f"{key}_defaults"):
            short.append(Entity(kind, None))
    return select_entities([EntityKind(kind) for kind in options["kinds"]], options["names"], short)


def describe(session: Session, selection: EntitySelection, *, with_all: bool) -> None:
    from cluster.model import fault as subjects
    from kadmin.cli.configs.entities import (
        entities_of,
        is_absent_broker,
        require_broker,
        require_quota,
        require_user,
    )
    from kadmin.plan.config_values import KINDS_WITH_DEFAULTS
    from kadmin.render.configs import describe_document
    from kadmin.reports.unanswered import require_answers

    if with_all and selection.root.kind not in KINDS_WITH_DEFAULTS:
        raise click.UsageError("--all goes with topics and brokers only")
    with session.configs() as admin:
        absence = admin.absence()
        if absence is not None:
            raise absence
        entities = entities_of(admin, selection)
        named = selection.only_one()
        if named is not None and is_absent_broker(admin, named):
            require_broker(session, named)
            session.warn(
                f"broker {named.root.name} is not alive, and nothing is set for it:"
                " 'kadmin brokers --list' lists those that are"
            )
        if with_all:
            describe_all(session, admin, entities)
            return
        found, faults = admin.read(entities)
        user = selection.root.entity
        name = None if user is None or user.kind is not EntityKind.USERS else user.name
        is_empty = not faults and not any(config.values for config in found.values())
        if name is not None and is_empty:
            require_user(admin, name)
        if named is not None and is_empty:
            require_quota(admin, named)
    if selection.root.kind is EntityKind.USERS and selection.only_one() is None:
        # The znode of a user who has configs only together with clients is an empty parent.
        found = {each: config for each, config in found.items() if config.values}
    elif any(entity.is_raw for entity in found):
        found = {each: config for each, config in found.items() if config.values or not each.is_raw}
    session.output.show(describe_document(found, faults))
    shown = set(map(subjects.config, found))
    for fault in faults:
        session.output.warn(str(fault) if fault.subject in shown else f"left out: {fault}")
    require_answers(set(map(subjects.config, () if named is None else [named])) - shown, faults)


def describe_all(
    session: Session, admin: "ConfigAdmin", entities: "Sequence[ConfigEntity]"
) -> None:
    from kadmin.render.configs import describe_all_document

    values, faults = admin.read_all(entities)
    if not session.asks_brokers:
        session.output.note(
            "defaults are those of Kafka 3.9; what stands in the brokers' server.properties is not"
            " in ZooKeeper: --bootstrap-server shows it"
        )
    session.output.show(describe_all_document(values, faults))
    for fault in faults:
        session.output.warn(f"left out: {fault}")
