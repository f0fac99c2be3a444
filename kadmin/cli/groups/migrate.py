"""`kadmin groups migrate-offsets`: from where to where are which offsets copied?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import SAFETY, dry_run_option, yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import exactly_one, forbid, option
from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.plan.groups.changes import ResetPlan

SELECTION: Final = "Which groups and partitions"
DIRECTION: Final = "From where to where (exactly one)"


@command(
    "migrate-offsets",
    short_help="Copy offsets of groups from ZooKeeper to brokers, or back.",
    speaks_to_brokers=True,
)
@option(
    "--from-zookeeper",
    is_flag=True,
    section=DIRECTION,
    help="From groups of old consumers in ZooKeeper to groups that brokers keep.",
)
@option(
    "--to-zookeeper",
    is_flag=True,
    section=DIRECTION,
    help="From groups that brokers keep to groups of old consumers in ZooKeeper.",
)
@option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="groups",
    help="A group; several by repeating. A glob (*, ?, [) where no group has that very name.",
)
@option("--all-groups", is_flag=True, section=SELECTION, help="All groups that are there.")
@option(
    "--to-group",
    metavar="NAME",
    section=SELECTION,
    help="The group that gets the offsets of the only --group (default: one of the same name).",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME[:N,N]",
    section=SELECTION,
    completes="topics",
    help="Only these topics, or these partitions of one. Several by repeating; may be globs.",
)
@dry_run_option()
@option(
    "--rollback-file",
    metavar="FILE",
    section=SAFETY,
    help="Where to keep what is overwritten (default: a new file in this directory).",
)
@yes_option()
def migrate_offsets(session: Session, **options: Any) -> None:
    """Copy what groups have committed from ZooKeeper to brokers, or back.

    Consumers that leave ZooKeeper go on where the old ones have stopped: stop these, copy, start
    the new ones. The offsets of the source stay as they are.

    The plan has each partition before and after; no offset lies outside of its log, and partitions
    that are gone are left out, each with a warning. Neither the source nor the target may have
    members, not even one that joins meanwhile. What is overwritten at the target is first kept in a
    rollback file. Running it again changes nothing more.

    ZooKeeper has to be named; brokers may be, by --bootstrap-server, otherwise those that are
    registered there are asked (Kafka 0.10.1 and later). It always asks; scripts need --yes.

    Exits with 1 if a group does not exist or has committed nothing, with 6 if one has members, and
    with 1 if a coordinator, or ZooKeeper, refused a write.

    \b
    Examples:
      kadmin groups migrate-offsets --from-zookeeper --group billing --dry-run
      kadmin groups migrate-offsets --from-zookeeper --group billing --to-group billing-v2
      kadmin groups migrate-offsets --to-zookeeper --group billing --topic orders
    """
    from kadmin.app.groups import now_ms
    from kadmin.arguments.groups import GroupSelection, parse_scopes
    from kadmin.cli.groups.changes import change_groups
    from kadmin.cli.groups.places import leading_to_groups
    from kadmin.cli.rollback import new_rollback_path
    from kadmin.execute.migrate_offsets import OffsetMigrations
    from kadmin.render.groups.changes import migration_document, reset_plan_lines
    from kadmin.render.visible import visible

    check_options(options)
    partitions = parse_scopes(options["topics"])
    to_zookeeper = options["to_zookeeper"]
    path = options["rollback_file"] or new_rollback_path("groups", ".csv")
    at_ms = now_ms()
    leading = leading_to_groups(
        session, in_zookeeper=not to_zookeeper, changed_in_zookeeper=to_zookeeper
    )
    with leading, session.both_groups() as (in_zookeeper, of_brokers):
        source, target = in_zookeeper, of_brokers
        if to_zookeeper:
            source, target = target, source
        migrations = OffsetMigrations(
            source,
            target,
            GroupSelection(options["groups"]),
            options["to_group"],
            partitions,
            path,
            session,
            is_dry_run=options["dry_run"],
        )

        def lines(plan: "ResetPlan") -> Iterator[str]:
            places = ("brokers", "ZooKeeper") if to_zookeeper else ("ZooKeeper", "brokers")
            names = visible(migrations.sources[plan.group]), visible(plan.group)
            yield f"from group '{names[0]}' ({places[0]}) to group '{names[1]}' ({places[1]}):"
            yield from reset_plan_lines(plan, at_ms)

        def report(plans: "Sequence[ResetPlan]", *, is_dry_run: bool) -> None:
            if is_dry_run:
                for plan in plans:
                    for line in lines(plan):
                        session.note(line)
            if plans:
                session.output.show(
                    migration_document(
                        plans, migrations.sources, migrations.failed, at_ms, is_dry_run=is_dry_run
                    )
                )

        change_groups(
            session,
            migrations,
            is_confirmed=options["yes"],
            in_zookeeper=to_zookeeper,
            lines=lines,
            report=report,
            nothing="nothing to migrate",
        )


def check_options(options: dict[str, Any]) -> None:
    exactly_one(
        {
            "--from-zookeeper": options["from_zookeeper"],
            "--to-zookeeper": options["to_zookeeper"],
        },
        "from where to where",
    )
    if options["groups"] and options["all_groups"]:
        raise click.UsageError("--group and --all-groups both say which groups: give one of them")
    if not options["groups"] and not options["all_groups"]:
        raise click.UsageError("migrate-offsets needs --group or --all-groups")
    if options["to_group"] is not None:
        from kadmin.arguments.groups import GroupSelection

        forbid(["--all-groups"] if options["all_groups"] else [], "--to-group")
        if not options["to_group"]:
            raise click.UsageError("--to-group was given an empty name")
        if len(options["groups"]) > 1 or not GroupSelection(options["groups"]).is_by_name:
            raise click.UsageError("--to-group goes with one --group, which is no glob")
