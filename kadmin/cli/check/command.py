"""`kadmin check`: is the cluster well, and if not, what is the worst and what helps?"""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import (
    behind_after_option,
    default_min_isr_option,
    ignore_option,
    window_option,
)
from kadmin.cli.frame import command
from kadmin.cli.options import Number, flag, forbid, given_options, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode, KadminError, UnreachableError
from kadmin.wording import counted_partitions

if TYPE_CHECKING:
    from kadmin.app.groups import GroupLooks
    from kadmin.plan.check.findings import CheckReport
    from kadmin.plan.groups.verdict import GroupVerdict

SCOPE: Final = "What is checked"
LOOK: Final = "How it is shown"

KINDS: Final = (
    *(
        "controller",
        "offline",
        "refused",
        "damaged",
        "under-min-isr",
        "zookeeper",
        "log-dir",
        "quorum",
        "dead-broker",
    ),
    *(
        "silent-broker",
        "address",
        "at-min-isr",
        "under-replicated",
        "unreadable",
        "recovering",
        "unclean",
        "internal-topic",
        "refuses-records",
        "unserved",
        "deletion",
        "reassignment",
    ),
    *("election", "throttle", "stray-log", "versions", "racks", "stuck-group", "lagging-group"),
    *("not-preferred", "restarted", "skew"),
)

PAUSE_S: Final = 1.0


@command("check", short_help="See what is wrong in the cluster.", speaks_to_brokers=True)
@ignore_option(KINDS, SCOPE)
@option(
    "--unreadable",
    type=click.Choice(["critical", "warning", "note"]),
    default="warning",
    show_default=True,
    section=SCOPE,
    help="How bad it is that something cannot be read; it is named in any case.",
)
@default_min_isr_option(SCOPE)
@option(
    "--no-brokers",
    is_flag=True,
    section=SCOPE,
    help="Ask only ZooKeeper, and no broker about its log directories and versions.",
)
@option(
    "--groups",
    "judges_groups",
    is_flag=True,
    section=SCOPE,
    help="Judge the groups of consumers, too, as 'kadmin groups --verdict' does.",
)
@behind_after_option(SCOPE, help="With --groups: how long a record may be unread.")
@window_option(
    SCOPE,
    10.0,
    help="With --groups: look twice, so far apart; longer than they take to commit. 0 looks once.",
)
@option(
    "--nagios",
    is_flag=True,
    section=LOOK,
    help="One line and the exit codes of a Nagios plugin: 0 ok, 1 warning, 2 critical, 3 unknown.",
)
@option(
    "--wait-healthy",
    type=Number(min=1),
    is_flag=False,
    flag_value=600.0,
    metavar="[SECONDS]",
    section=LOOK,
    help="Look again until the cluster is healthy, for at most so many seconds (600).",
)
@option("--plain", is_flag=True, section=LOOK, help="Plain lines, even on a terminal.")
@watch_option(LOOK)
def check(session: Session, **options: Any) -> None:
    """See what is wrong in the cluster, worst first, by cause, each with a command that helps.

    It reads brokers, controller, topics and pending requests from ZooKeeper, asks each ZooKeeper
    server whether it serves, and each broker about its log directories and the requests that it
    serves. If only --bootstrap-server names the cluster, it asks the brokers for what they know,
    and says at the end what could not be checked.

    Critical: no controller, offline partitions, partitions under min ISR or without replicas,
    failed log directories, ZooKeepers that do not form one ensemble, internal topics without
    compaction. Warnings: ZooKeepers that are down, brokers that are dead or do not answer, replicas
    out of the ISR, replicas and ISRs that somebody damaged, data that cannot be read (--unreadable
    says how bad that is), deletions and reassignments that hang, throttles left behind, logs that
    no replica uses, topics that allow unclean elections, brokers of different releases, replicas
    that are not spread over racks. Notes: leaders that are not the preferred ones, skew, and work
    in progress. Exits with 4 if anything is critical or a warning, otherwise with 0.

    --groups also asks coordinators and leaders about all groups of consumers, twice, --window
    apart. It is a warning if one is behind, stalled, stopped or rewound.

    \b
    Examples:
      kadmin check
      kadmin check --ignore racks --ignore versions --output json
      kadmin check --wait-healthy 900        # between two steps of a rolling restart
      kadmin check --nagios --timeout 10
      kadmin check --groups --behind-after 300
    """
    check_group_options(options)
    looks = group_looks(session, options) if options["judges_groups"] else None
    used = {
        "--watch": options["watch"] is not None,
        "--wait-healthy": options["wait_healthy"] is not None,
    }
    others = [name for name, is_used in used.items() if is_used]
    if options["nagios"]:
        forbid(others, "--nagios")
        tell_nagios(session, options, looks)
    if len(others) > 1:
        forbid(others[:1], others[1])
    healthy = [True]

    def show() -> None:
        from kadmin.render.check import check_document

        report = look(session, options, looks)
        session.output.show(check_document(report), plain=options["plain"])
        healthy[:] = [report.is_healthy]

    if options["wait_healthy"] is not None:
        wait_until_healthy(session, options, looks)
    watch(session, options["watch"], show)
    if not healthy[0]:
        click.get_current_context().exit(ExitCode.FOUND)


def check_group_options(options: dict[str, Any]) -> None:
    if options["judges_groups"]:
        forbid(["--no-brokers"] if options["no_brokers"] else [], "--groups: brokers keep these")
        return
    given = [name for name in given_options(options) if name in ("behind_after", "window")]
    if given:
        raise click.UsageError(f"{flag(given[0])} needs --groups")


def group_looks(session: Session, options: dict[str, Any]) -> "GroupLooks":
    from kadmin.app.groups import GroupLooks
    from kadmin.arguments.groups import GroupSelection, PartitionFilter

    return GroupLooks(session, GroupSelection(()), PartitionFilter(), options["window"])


def look(session: Session, options: dict[str, Any], looks: "GroupLooks | None") -> "CheckReport":
    from dataclasses import replace

    from kadmin.app.evidence import read_evidence
    from kadmin.plan.check.findings import Kind, Severity
    from kadmin.plan.check.judge import judge

    # First, since it may take a while: what is read of the cluster is from its end.
    groups, gaps = ((), ()) if looks is None else judged_groups(looks, options)
    evidence = read_evidence(
        session,
        default_min_isr=options["default_min_isr"],
        asks_brokers=not options["no_brokers"],
    )
    evidence = replace(evidence, groups=groups, unlooked=(*evidence.unlooked, *gaps))
    report = judge(
        evidence,
        [Kind(name) for name in options["ignored"]],
        unreadable=Severity(options["unreadable"]),
    )
    findings = tuple(
        each if each.command is None else replace(each, command=session.with_cluster(each.command))
        for each in report.findings
    )
    return replace(report, findings=findings)


def judged_groups(
    looks: "GroupLooks", options: dict[str, Any]
) -> "tuple[tuple[GroupVerdict, ...], tuple[str, ...]]":
    """Return the verdicts on all groups, and which could not be had, with the reasons."""
    try:
        unanswered = looks.look() if options["watch"] is not None else looks.look_twice()
    except KadminError as error:
        # The rest has its time anew.
        looks.session.look_again()
        return (), (f"groups of consumers: {error.message}",)
    verdicts = looks.history.verdicts(round(1000 * options["behind_after"]))
    gaps = [f"group '{name}': {why}" for name, why in sorted(unanswered.items())]
    unknown = sorted({row.partition for each in verdicts for row in each.unknown})
    if unknown:
        gaps.append(f"how far groups are in {counted_partitions(unknown)}: no leader answers")
    return tuple(verdicts), tuple(gaps)


def tell_nagios(session: Session, options: dict[str, Any], looks: "GroupLooks | None") -> None:
    """Print one line and exit with Nagios' code, whatever happens."""
    from kadmin.render.check import NAGIOS_CODES, NagiosCode, nagios_line, unknown_line

    try:
        report = look(session, options, looks)
    except KadminError as error:
        click.echo(unknown_line(error.message))
        click.get_current_context().exit(NagiosCode.UNKNOWN)
    click.echo(nagios_line(report))
    click.get_current_context().exit(NAGIOS_CODES[report.worst])


def wait_until_healthy(
    session: Session, options: dict[str, Any], looks: "GroupLooks | None"
) -> None:
    """Look again and again, through outages as well, until all is well or the time is over."""
    from kadmin.render.check import verdict

    deadline = time.monotonic() + options["wait_healthy"]
    reported = ""
    while True:
        session.look_again()
        try:
            report = look(session, options, looks)
            if report.is_healthy:
                return
            now = verdict(report)
        except UnreachableError as error:
            now = error.message
        if now != reported:
            session.output.note(f"waiting: {now}")
            reported = now
        if time.monotonic() >= deadline:
            return
        time.sleep(PAUSE_S)
