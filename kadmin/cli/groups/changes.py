"""What `kadmin groups --reset-offsets`, `--delete` and `--delete-offsets` do."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kadmin.app.groups import now_ms
from kadmin.cli.changing import Report, make
from kadmin.cli.files import STDIN
from kadmin.cli.groups.places import COMMAND, IN_ZOOKEEPER
from kadmin.cli.hint_command import command_line
from kadmin.cli.options import exactly_one, flag, forbid
from kadmin.cli.rollback import new_rollback_path
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.quoting import quoted
from kadmin.settings.keys import OutputFormat

if TYPE_CHECKING:
    from kadmin.arguments.groups import GroupSelection, PartitionFilter
    from kadmin.execute.groups import GroupChange
    from kadmin.plan.groups.changes import (
        GroupDeletionPlan,
        GroupPlan,
        OffsetDeletionPlan,
        ResetPlan,
        Wanted,
    )

Plan = TypeVar("Plan", bound="GroupPlan")

SPECS: Final = (
    *("to_earliest", "to_latest", "to_current", "to_offset", "to_datetime", "by_duration"),
    *("shift_by", "from_file"),
)
"""The parameters of which exactly one names the offsets that a group is reset to."""


def reset_offsets(session: Session, options: Mapping[str, Any]) -> None:
    from kadmin.execute.groups import OffsetResets
    from kadmin.render.groups.changes import reset_document, reset_plan_lines

    wanted, selection, partitions = reset_of(options)
    if options["execute"] and options["dry_run"]:
        raise click.UsageError("give only one of --execute, --dry-run")
    if options["execute"] and options["export"]:
        raise click.UsageError("--export shows a dry run: give it without --execute")
    is_dry_run = not options["execute"]
    path = options["rollback_file"] or new_rollback_path("groups", ".csv")
    at_ms = now_ms()
    with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
        resets = OffsetResets(
            admin, selection, partitions, wanted, path, session, is_dry_run=is_dry_run
        )

        def report(plans: "Sequence[ResetPlan]", *, is_dry_run: bool) -> None:
            if is_dry_run and options["export"]:
                with_groups = len(plans) > 1 or len(selection.wanted) != 1
                show_export(session, plans, with_groups=with_groups)
                return
            if is_dry_run:
                for plan in plans:
                    for line in reset_plan_lines(plan, at_ms, None):
                        session.note(line)
            if plans:
                session.output.show(
                    reset_document(plans, resets.failed, at_ms, is_dry_run=is_dry_run)
                )

        change_groups(
            session,
            resets,
            is_confirmed=options["yes"],
            in_zookeeper=options["in_zookeeper"],
            lines=lambda plan: reset_plan_lines(plan, at_ms),
            report=report,
            nothing="nothing to reset",
        )
    if is_dry_run and not options["export"] and options["from_file"] != STDIN:
        given = {**options, "execute": True}
        session.note(f"next: {command_line('groups', given, without=('dry_run',))}")


def show_export(session: Session, plans: "Sequence[ResetPlan]", *, with_groups: bool) -> None:
    """Show the new offsets in the form that --from-file takes, with names of groups as they are:
    a pipe takes any character."""
    from kadmin.render.groups.changes import export_lines, reset_document

    if session.output.form is OutputFormat.TEXT:
        for line in export_lines(plans, with_groups=with_groups):
            session.output.line(line)
    else:
        session.output.show(reset_document(plans, {}, 0, is_dry_run=True))


def change_groups(
    session: Session,
    change: "GroupChange[Plan]",
    *,
    is_confirmed: bool,
    in_zookeeper: bool,
    lines: Callable[[Plan], Iterable[str]],
    report: Report[Plan],
    nothing: str = "",
) -> None:
    """Make *change* of groups that brokers keep, or ZooKeeper; note where its rollback file is and
    how it is taken back.

    Raises:
        NotChanged: not all was done.
    """
    make(
        change,
        session.output,
        lines=lines,
        report=report,
        is_dry_run=change.is_dry_run,
        is_confirmed=is_confirmed,
        begun=lambda: session.note(f"rollback file: {change.rollback_path}"),
        nothing=nothing,
    )
    if change.has_rollback_file and not change.failed:
        command = IN_ZOOKEEPER if in_zookeeper else COMMAND
        file = quoted(change.rollback_path)
        session.note(f"to undo it: {command} --reset-offsets --from-file {file} --execute")
    change.check()


def reset_of(
    options: Mapping[str, Any],
) -> "tuple[Wanted, GroupSelection, PartitionFilter]":
    """Return what is to be reset to what, by the options.

    Raises:
        click.UsageError: none or several say it, or they do not go together.
        UsageError: the value of one cannot be understood.
    """
    from kadmin.arguments.groups import GroupSelection, parse_scopes

    # Zero is an offset, and no records a shift.
    given = {flag(name): options[name] is not None and options[name] is not False for name in SPECS}
    chosen = exactly_one(given, "to which offsets")
    is_from_file = chosen == "--from-file"
    if options["all_topics"]:
        forbid(["--topic"] if options["topics"] else [], "--all-topics")
    if not options["topics"] and not options["all_topics"] and not is_from_file:
        raise click.UsageError("one of the reset scopes should be defined: --all-topics, --topic")
    wanted = wanted_by(chosen, options)
    if not options["groups"] and not options["all_groups"] and not names_groups(wanted):
        raise click.UsageError("--reset-offsets needs --group or --all-groups")
    return wanted, GroupSelection(options["groups"]), parse_scopes(options["topics"])


def names_groups(wanted: "Wanted") -> bool:
    from kadmin.plan.groups.changes import FromFile

    return isinstance(wanted, FromFile) and None not in wanted.offsets


def wanted_by(chosen: str, options: Mapping[str, Any]) -> "Wanted":
    from kadmin.arguments.group_offsets_file import FILE_HINT, parse_group_offsets
    from kadmin.arguments.groups import parse_duration_ms
    from kadmin.arguments.times import parse_time
    from kadmin.cli.files import read_text
    from kadmin.plan.groups.changes import Edge, FromFile, ShiftBy, ToOffset, ToTime

    match chosen:
        case "--to-earliest":
            return Edge.EARLIEST
        case "--to-latest":
            return Edge.LATEST
        case "--to-current":
            return Edge.CURRENT
        case "--to-offset":
            return ToOffset(options["to_offset"])
        case "--to-datetime":
            return ToTime(max(0, parse_time(options["to_datetime"], now_ms())))
        case "--by-duration":
            return ToTime(max(0, now_ms() - parse_duration_ms(options["by_duration"])))
        case "--shift-by":
            text = options["shift_by"].strip()
            if not re.fullmatch(r"[+-]?\d{1,18}", text):
                raise UsageError(f"'{text}' is no number of records", hint="--shift-by -100")
            return ShiftBy(int(text))
    path = options["from_file"]
    return FromFile(parse_group_offsets(read_text(path, FILE_HINT), path))


def delete_offsets(session: Session, options: Mapping[str, Any]) -> None:
    from kadmin.arguments.groups import GroupSelection, parse_scopes
    from kadmin.execute.groups import OffsetDeletions
    from kadmin.render.groups.changes import (
        offset_deletion_document,
        offset_deletion_plan_lines,
    )

    require_groups_named(options, "--delete-offsets")
    if not options["topics"]:
        raise click.UsageError("--delete-offsets needs --topic")
    path = options["rollback_file"] or new_rollback_path("groups", ".csv")
    with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
        deletions = OffsetDeletions(
            admin,
            GroupSelection(options["groups"]),
            parse_scopes(options["topics"]),
            path,
            session,
            is_dry_run=options["dry_run"],
        )

        def report(plans: "Sequence[OffsetDeletionPlan]", *, is_dry_run: bool) -> None:
            if plans:
                session.output.show(
                    offset_deletion_document(plans, deletions.failed, is_dry_run=is_dry_run)
                )

        change_groups(
            session,
            deletions,
            is_confirmed=options["yes"],
            in_zookeeper=options["in_zookeeper"],
            lines=offset_deletion_plan_lines,
            report=report,
            nothing="nothing to delete: no offset is committed there",
        )


def delete_groups(session: Session, options: Mapping[str, Any]) -> None:
    from kadmin.arguments.groups import GroupSelection
    from kadmin.execute.groups import GroupDeletions
    from kadmin.render.groups.changes import group_deletion_document, group_deletion_plan_lines

    require_groups_named(options, "--delete")
    path = options["rollback_file"] or new_rollback_path("groups", ".csv")
    with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
        deletions = GroupDeletions(
            admin,
            GroupSelection(options["groups"]),
            path,
            session,
            is_dry_run=options["dry_run"],
        )

        def report(plans: "Sequence[GroupDeletionPlan]", *, is_dry_run: bool) -> None:
            if plans:
                session.output.show(
                    group_deletion_document(plans, deletions.failed, is_dry_run=is_dry_run)
                )

        change_groups(
            session,
            deletions,
            is_confirmed=options["yes"],
            in_zookeeper=options["in_zookeeper"],
            lines=group_deletion_plan_lines,
            report=report,
        )


def require_groups_named(options: Mapping[str, Any], action: str) -> None:
    if not options["groups"] and not options["all_groups"]:
        raise click.UsageError(f"{action} needs --group or --all-groups")
