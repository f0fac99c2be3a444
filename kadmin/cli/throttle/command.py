"""`kadmin throttle`: which throttles are set, which are left behind, and away with these."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.broker_ids import broker_ids
from kadmin.cli.common_options import SAFETY, dry_run_option, yes_option
from kadmin.cli.frame import Group, group_command
from kadmin.cli.options import option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, KadminError
from kadmin.wording import counted

if TYPE_CHECKING:
    from cluster.model.fault import Fault
    from kadmin.plan.reassignment.standing_throttles import ThrottleView
    from kadmin.plan.reassignment.throttle_release import Release

SELECTION: Final = "Which throttles"


class ThrottlesLeft(KadminError):
    """Throttles are orphans, or an operator's own slow down replicas."""

    exit_code = ExitCode.FOUND

    def __init__(self, orphan_count: int, slowing_count: int) -> None:
        problems = []
        if orphan_count:
            verb = "is an orphan" if orphan_count == 1 else "are orphans"
            problems.append(f"{counted(orphan_count, 'throttle')} {verb}")
        if slowing_count:
            verb = "slows" if slowing_count == 1 else "slow"
            whose = counted(slowing_count, "throttle")
            problems.append(f"{whose} that no reassignment has set {verb} replicas down")
        hint = (
            "kadmin throttle release --dry-run"
            if orphan_count
            else "the lines above name the command that removes each; its operator may need it"
        )
        super().__init__("; ".join(problems), hint=hint)


@click.group("throttle", cls=Group, speaks_to_brokers=True)
def throttle() -> None:
    """See which throttles of replication are set, by whom and what they slow down, and release
    those that a reassignment has left behind.

    A throttle of a reassignment is in the lease of throttles, and is an orphan once nothing is
    being moved and no supervised run is under way. Any other is an operator's own, or another
    tool's: it is never touched unless its topic or broker is named.
    """


@group_command(throttle, "list", short_help="List all throttles.", speaks_to_brokers=True)
def list_(session: Session) -> None:
    """List all throttles: the rates of brokers and the throttled replicas of topics, each with who
    has set it and how many replicas it slows down now.

    \b
    Examples:
      kadmin throttle list
      kadmin throttle list --output csv
    """
    from kadmin.plan.reassignment.standing_throttles import standing_throttles
    from kadmin.render.throttles import list_document

    view = look(session)
    found = standing_throttles(view)
    session.output.show(list_document(found))
    if not found:
        session.note("no throttle is set")


@group_command(throttle, "doctor", short_help="Find throttles left behind.", speaks_to_brokers=True)
def doctor(session: Session) -> None:
    """Show for each throttle that is a finding who has set it, what it slows down and the command
    that removes it. The healthy ones are counted: 'kadmin throttle list' shows each.

    Exits with 4 if there is an orphan, or if a throttle that no reassignment has set slows
    replicas down: those that have to catch up, or are copied to another log directory.

    \b
    Examples:
      kadmin throttle doctor
      kadmin throttle doctor --output json
    """
    from kadmin.plan.reassignment.standing_throttles import (
        Holder,
        needed_for,
        standing_throttles,
    )
    from kadmin.render.throttles import doctor_document

    view = look(session)
    found = standing_throttles(view)
    session.output.show(doctor_document(found, needed_for(view), session.with_cluster))
    if not found:
        session.note("no throttle is set")
    for name in view.interrupted:
        session.warn(
            f"the run {name} is interrupted: 'kadmin reassign resume {name}' goes on with it, and"
            " sets its throttle again"
        )
    orphans = [each for each in found if each.holder is Holder.ORPHAN]
    slowing = [each for each in found if each.holder is Holder.OPERATOR and not each.is_healthy]
    if orphans or slowing:
        raise ThrottlesLeft(len(orphans), len(slowing))


def look(session: Session) -> "ThrottleView":
    from kadmin.app.moves import site
    from kadmin.execute.throttle_release import read_throttles

    with site(session) as opened:
        view, faults, damaged = read_throttles(opened, is_read=True)
    warn_of(session, faults, damaged)
    return view


def warn_of(session: Session, faults: "Iterable[Fault]", damaged: Iterable[str]) -> None:
    for fault in faults:
        session.warn(f"left out: {fault}")
    for error in damaged:
        session.warn(error)


@group_command(
    throttle, "release", short_help="Release throttles left behind.", speaks_to_brokers=True
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="topics",
    help="All throttles of this topic, an operator's own as well; several by repeating.",
)
@option(
    "--broker",
    "brokers",
    multiple=True,
    metavar="ID,ID",
    section=SELECTION,
    completes="brokers",
    help="All throttles of these brokers, an operator's own as well.",
)
@option(
    "--rollback-file",
    metavar="FILE",
    section=SAFETY,
    help="A new file for the commands that set them again; without it, one in this directory.",
)
@dry_run_option()
@yes_option()
def release(session: Session, **options: Any) -> None:
    """Release throttles that nothing needs any more.

    Without --topic and --broker, all orphans: where an operator had set a value before, it is
    restored. With them, only the throttles of these topics and brokers, and all of them are
    removed; kadmin always asks about those that no reassignment has set. What a reassignment that
    is under way needs is refused. Running the command again changes nothing more.

    \b
    Examples:
      kadmin throttle release --dry-run
      kadmin throttle release --yes
      kadmin throttle release --broker 3 --topic orders
    """
    from kadmin.app.moves import site
    from kadmin.cli.changing import make
    from kadmin.cli.rollback import new_rollback_path
    from kadmin.execute.throttle_release import Releasing
    from kadmin.quoting import quoted
    from kadmin.render.throttles import release_document, release_lines

    path = options["rollback_file"] or new_rollback_path("throttle", ".sh")

    def report(plans: "Sequence[Release]", *, is_dry_run: bool) -> None:
        file = path if change.has_rollback_file else None
        session.output.show(release_document(plans, file, is_dry_run=is_dry_run))

    with site(session) as opened:
        change = Releasing(
            opened,
            brokers=sorted(broker_ids(options["brokers"]) or ()),
            topics=options["topics"],
            rollback_path=path,
            with_cluster=session.with_cluster,
        )
        make(
            change,
            session.output,
            lines=release_lines,
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"],
            begun=lambda: session.output.note(f"rollback file: {path}"),
            nothing="nothing to release",
        )
    warn_of(session, change.faults, change.damaged)
    if change.need is not None:
        session.note(f"throttles of reassignments stay for now: {change.need}")
    if change.has_rollback_file:
        session.note(f"to set them again: sh {quoted(path)}")
