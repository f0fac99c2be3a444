"""What `kadmin configs --alter` does: what is to be changed, and how it is carried out."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from cluster.model.config_entity import EntityKind
from kadmin.app.actions.configs import configs_to_change
from kadmin.arguments.configs import parse_assignments, parse_names, parse_properties
from kadmin.arguments.entities import EntitySelection, Wanted
from kadmin.cli.changing import make
from kadmin.cli.configs.entities import entities_of, is_absent_broker, require_broker
from kadmin.cli.files import read_text
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.execute.configs import ConfigChange
from kadmin.plan.config_plan import ConfigPlan, check_request
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.scram import HASHES, SALT_SIZE, credential, parse_scram_request, salted_password
from kadmin.render.configs import alter_document

FILE_HINT: Final = "--add-config-file wants a Java properties file, a KEY=VALUE on each line"


def alter(session: Session, selection: EntitySelection, options: Mapping[str, Any]) -> None:
    """Change the configs of all entities that are meant: plan every one, then write one by one."""
    for part in selection.parts:
        check_named(part)
    asks_brokers = session.asks_brokers
    request = request_of(selection, options, asks_brokers=asks_brokers)
    named = selection.only_one()
    assert named is not None
    check_request(
        named,
        request,
        allow_unknown=options["allow_unknown_configs"],
        asks_brokers=asks_brokers,
    )

    def report(plans: Sequence[ConfigPlan], *, is_dry_run: bool) -> None:
        session.output.show(alter_document(plans, is_dry_run=is_dry_run))

    with configs_to_change(session, named, request) as admin:
        absence = admin.absence()
        if absence is not None:
            session.output.warn(
                f"no broker has ever registered here; is the chroot right? ({absence.connect})"
            )
        if not options["allow_unknown_brokers"] and is_absent_broker(admin, named):
            require_broker(
                session, named, "--allow-unknown-brokers sets what one to come will read"
            )
        make(
            ConfigChange(admin, request, lambda: entities_of(admin, selection), session),
            session.output,
            lines=lambda plan: [str(plan)],
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"] or options["force"],
        )


def check_named(part: Wanted) -> None:
    if part.entity is None:
        raise UsageError(
            f"an entity name must be specified with --alter of {part.kind}",
            hint="--entity-name NAME, or --entity-default",
        )


def request_of(
    selection: EntitySelection, options: Mapping[str, Any], *, asks_brokers: bool
) -> ConfigRequest:
    """Return the request of the options; with a SCRAM password only the part that ZooKeeper, or
    brokers, receive."""
    if options["add_config"] and options["add_config_file"]:
        raise click.UsageError("Only one of --add-config or --add-config-file must be specified")
    added: dict[str, str] = {}
    for text in options["add_config"]:
        added |= parse_assignments(text)
    if options["add_config_file"]:
        added |= parse_properties(read_text(options["add_config_file"], FILE_HINT))
    deleted = parse_names(options["delete_config"])
    if not added and not deleted:
        raise click.UsageError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified"
            " with --alter"
        )
    if selection.root.kind is EntityKind.USERS and selection.client is None:
        added = {name: with_credential(name, value, asks_brokers) for name, value in added.items()}
    return ConfigRequest(
        add=added, delete=deleted, allow_running_brokers=options["allow_running_brokers"]
    )


def with_credential(name: str, value: str, asks_brokers: bool) -> str:
    if name not in HASHES:
        return value
    request, salt = parse_scram_request(name, value), secrets.token_bytes(SALT_SIZE)
    return salted_password(request, salt).text if asks_brokers else credential(request, salt)
