"""What `kadmin configs --alter` does: what is to be changed, and how it is carried out."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from cluster.model.config_entity import ConfigEntity, EntityKind
from kadmin.cli.configs.entities import entities_of
from kadmin.cli.files import read_text
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.execute.change import Change, carry_out
from kadmin.execute.configs import config_steps
from kadmin.plan.config_arguments import parse_assignments, parse_names, parse_properties
from kadmin.plan.config_plan import ConfigPlan, check_request
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.entities import EntitySelection, Wanted, options_of
from kadmin.plan.record_loss import question_of
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

    def question(plans: Sequence[ConfigPlan]) -> str | None:
        lossy_count = sum(bool(plan.losses) for plan in plans)
        # Nobody is surprised by a change of the one thing that he names, unless it loses records.
        if (len(plans) == 1 and not lossy_count) or options["yes"] or options["force"]:
            return None
        whose = str(plans[0].entity) if len(plans) == 1 else f"these {len(plans)} entities"
        return question_of(f"the configs of {whose}", lossy_count, len(plans))

    def meant(entities: Sequence[ConfigEntity]) -> list[ConfigEntity]:
        """Those that are changed: nothing is set where no broker reads it."""
        raw = [entity for entity in entities if entity.is_raw] if request.add else []
        for entity in raw:
            session.warn(
                f"{entity} has configs that no broker reads, and keeps them:"
                f" 'kadmin configs --alter {options_of(entity)} --delete-config KEY' removes them"
            )
        return [entity for entity in entities if entity not in raw]

    with session.configs() as admin:
        absence = admin.absence()
        if absence is not None:
            session.output.warn(
                f"no broker has ever registered here; is the chroot right? ({absence.connect})"
            )
        change: Change[ConfigPlan] = Change(
            steps=lambda: config_steps(admin, request, meant(entities_of(admin, selection))),
            lines=lambda plan: [str(plan)],
            warnings=lambda plan: plan.warnings,
            report=report,
            question=question,
            question_again=lambda plan: f"Change the configs of {plan.entity} so?",
        )
        carry_out(change, admin, session.output, is_dry_run=options["dry_run"])


def check_named(part: Wanted) -> None:
    if part.entity is None:
        raise UsageError(
            f"an entity name must be specified with --alter of {part.kind}",
            hint="--entity-name NAME, or --entity-default",
        )


def request_of(
    selection: EntitySelection, options: Mapping[str, Any], *, asks_brokers: bool
) -> ConfigRequest:
    """What the options ask for; of a SCRAM password only what is told to ZooKeeper, or brokers."""
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
