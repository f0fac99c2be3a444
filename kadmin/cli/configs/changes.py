"""What `kadmin configs --alter` does: understand, plan, show, confirm, write."""

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from cluster.model.config_entity import ConfigEntity, EntityKind
from kadmin.admin.ports import ConfigAdmin, ConfigSnapshot, Fence
from kadmin.cli.batch import Step, carry_out_steps, show_dry_run
from kadmin.cli.configs.command import entities_of
from kadmin.cli.frame import Session
from kadmin.errors import UsageError
from kadmin.execute.changes import Unreadable
from kadmin.plan.config_arguments import parse_assignments, parse_names, parse_properties
from kadmin.plan.config_plan import ConfigPlan, NotSet, check_request, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.entities import EntitySelection, Wanted
from kadmin.plan.scram import HASHES, SALT_SIZE, credential, parse_scram_request, salted_password
from kadmin.plan.select import NoSuchTopic
from kadmin.render.configs import ConfigChangeResult, alter_document


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
    with session.configs() as admin:
        absence = admin.absence()
        if absence is not None:
            session.output.warn(
                f"no broker has ever registered here; is the chroot right? ({absence.connect})"
            )
        fence = admin.fence()
        plans = plan_all(admin, request, entities_of(admin, selection))
        admin.rehearse(plans)
        if options["dry_run"]:
            results = [ConfigChangeResult(plan, "planned") for plan in plans]
            warnings = [warning for plan in plans for warning in plan.warnings]
            show_dry_run(session, alter_document(results, dry_run=True), warnings)
            return
        # Nobody is surprised by a change of the one thing that he names.
        asks = len(plans) > 1 and not (options["yes"] or options["force"])
        write_all(session, admin, request, plans, asks=asks, fence=fence)


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
        added |= parse_properties(read_file(options["add_config_file"]))
    deleted = parse_names(options["delete_config"])
    if not added and not deleted:
        raise click.UsageError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified"
            " with --alter"
        )
    if selection.root.kind is EntityKind.USERS and selection.client is None:
        added = {name: with_credential(name, value, asks_brokers) for name, value in added.items()}
    return ConfigRequest(add=added, delete=deleted)


def with_credential(name: str, value: str, asks_brokers: bool) -> str:
    if name not in HASHES:
        return value
    request, salt = parse_scram_request(name, value), secrets.token_bytes(SALT_SIZE)
    return salted_password(request, salt).text if asks_brokers else credential(request, salt)


def read_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(
            f"cannot read {name}: {reason}",
            hint="--add-config-file wants a Java properties file, a KEY=VALUE on each line",
        ) from error


def plan_all(
    admin: ConfigAdmin, request: ConfigRequest, entities: Sequence[ConfigEntity]
) -> list[ConfigPlan]:
    """Plan *request* for each of *entities*, from one look at the cluster.

    Raises:
        NotSet: a key to delete is not set; of several entities only those are left out that do not
            have it, as long as one has.
        Unreadable: the configs of one of them are damaged.
        NoSuchTopic: one of them is a topic that is gone.
    """
    snapshot = admin.snapshot(entities)
    for fault in snapshot.faults:
        raise Unreadable(fault) from fault
    plans = []
    missing: NotSet | None = None
    for entity in entities:
        try:
            plans.append(plan_one(snapshot, request, entity))
        except NotSet as error:
            missing = error
    if missing is not None and not plans:
        raise missing
    return plans


def plan_one(snapshot: ConfigSnapshot, request: ConfigRequest, entity: ConfigEntity) -> ConfigPlan:
    topic = None
    if entity.kind is EntityKind.TOPICS:
        name = str(entity.root.name)
        if name in snapshot.missing_topics:
            raise NoSuchTopic([name])
        topic = snapshot.topics.get(name)
    surroundings = Surroundings(
        brokers=snapshot.brokers,
        replication_factor=None if topic is None else topic.fewest_replicas,
        asks_brokers=snapshot.is_told_by_brokers,
    )
    return plan_change(entity, snapshot.configs[entity], request, surroundings)


def replan(admin: ConfigAdmin, request: ConfigRequest, entity: ConfigEntity) -> ConfigPlan:
    [plan] = plan_all(admin, request, [entity])
    return plan


def write_all(
    session: Session,
    admin: ConfigAdmin,
    request: ConfigRequest,
    plans: Sequence[ConfigPlan],
    *,
    asks: bool,
    fence: Fence,
) -> None:
    """Write the plans; what was written is shown even when one of them fails."""
    steps = [
        Step(
            plan=plan,
            replan=partial(replan, admin, request, plan.entity),
            show=partial(show, session, is_asked=asks),
            question=f"Change the configs of {plan.entity} so?" if asks else None,
        )
        for plan in plans
    ]
    question = f"Change the configs of these {len(plans)} entities?" if asks else None
    results: list[ConfigChangeResult] = []
    try:
        for plan in carry_out_steps(session, admin, steps, question, fence=fence):
            results.append(ConfigChangeResult(plan, "done" if plan.changes else "unchanged"))
    finally:
        session.output.show(alter_document(results, dry_run=False))


def show(session: Session, plan: ConfigPlan, *, is_asked: bool) -> None:
    """Show *plan*; also when quiet where the operator is asked about it."""
    say = session.output.tell if is_asked else session.output.note
    say(str(plan))
    for warning in plan.warnings:
        session.output.warn(warning)
