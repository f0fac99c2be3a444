"""`kadmin migration`: is a cluster ready to leave ZooKeeper, and how far has it come?

Only `rollback-check --fix` writes.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import SAFETY, default_min_isr_option, ignore_option, yes_option
from kadmin.cli.frame import Group, group_command
from kadmin.cli.metrics import metrics_url_options, named_endpoints
from kadmin.cli.options import Number, forbid, option
from kadmin.cli.session import Session
from kadmin.cli.watching import clock, watch, watch_option
from kadmin.errors import ExitCode, UnreachableError

if TYPE_CHECKING:
    from pathlib import Path

    from kadmin.plan.migration.evidence import Damage
    from kadmin.plan.migration.findings import MigrationReport
    from kadmin.plan.migration.rollback import Fix

SCOPE: Final = "What is checked"
LOOK: Final = "How it is shown"
PAUSE_S: Final = 1.0
CONTROLLER_PORT: Final = 9093
"""That of Kafka's own examples, where none is named."""

KINDS: Final = (
    *("stale-migration", "unreadable", "topic-id", "dead-replica", "quota", "scram", "acl"),
    *("config-name", "password", "controller", "epoch", "release", "listener", "broker-id"),
    *("authorizer", "log-dirs", "broker-config", "znode-acl", "offline", "under-min-isr"),
    *("under-replicated", "no-state", "reassignment", "deletion", "election", "throttle"),
    *("log-dir-event", "silent-broker", "old-consumer", "old-client", "removed-config"),
    "foreign-znode",
)


@click.group("migration", cls=Group)
def migration() -> None:
    """See whether a cluster is ready to leave ZooKeeper for KRaft, how far its migration is, and
    whether there is a way back.

    All of it is read from ZooKeeper; 'check' asks brokers for their settings, too, and 'diff' reads
    the log of KRaft controllers. Only 'rollback-check --fix' writes.
    """


@group_command(migration, "check", short_help="See what stands in the way.", speaks_to_brokers=True)
@ignore_option(KINDS, SCOPE)
@default_min_isr_option(SCOPE)
@option(
    "--no-brokers",
    is_flag=True,
    section=SCOPE,
    help="Ask only ZooKeeper, and no broker about its settings.",
)
@metrics_url_options(SCOPE)
@option(
    "--wait-ready",
    type=Number(min=1),
    is_flag=False,
    flag_value=600.0,
    metavar="[SECONDS]",
    section=LOOK,
    help="Look again until the cluster is ready, for at most so many seconds (600).",
)
@option("--plain", is_flag=True, section=LOOK, help="Plain lines, even on a terminal.")
def check(session: Session, **options: Any) -> None:
    """See what would stop a migration to KRaft or break it, what must be quiet first, and what
    stops working after it; worst first, each with what the controllers would do, and a command that
    helps.

    Critical: what makes the controllers wait for ever, or end after they have taken the cluster, or
    loses data. Warnings: work that is under way, settings that differ, consumers that keep their
    offsets in ZooKeeper. Notes: what to know. What the controllers do was seen with Kafka 3.9.1,
    or is from its sources.

    Where the metrics of brokers are named, it finds the clients that Kafka 4.0 does not serve, too,
    by what brokers of Kafka 3.9 have counted since their start.

    Exits with 4 if anything is critical or a warning, otherwise with 0, and with 5 if no ZooKeeper
    answers.

    \b
    Examples:
      kadmin migration check
      kadmin migration check --no-brokers --output json
      kadmin migration check --ignore removed-config --wait-ready 900
      kadmin migration check --prometheus-url http://kafka-1:9404
    """
    from kadmin.render.migration.check import migration_document

    if options["wait_ready"] is not None:
        wait_until_ready(session, options)
    report = look(session, options)
    session.output.show(migration_document(report), plain=options["plain"])
    if not report.is_healthy:
        click.get_current_context().exit(ExitCode.FOUND)


def look(session: Session, options: dict[str, Any]) -> "MigrationReport":
    from dataclasses import replace

    from kadmin.app.migration import read_migration, with_metrics
    from kadmin.plan.migration.check import judge
    from kadmin.plan.migration.findings import MigrationKind

    evidence = read_migration(
        session,
        asks_brokers=not options["no_brokers"],
        default_min_isr=options["default_min_isr"],
    )
    endpoints = named_endpoints(options)
    if endpoints:
        evidence = with_metrics(session, evidence, endpoints)
    report = judge(evidence, [MigrationKind(name) for name in options["ignored"]])
    findings = tuple(
        each if each.command is None else replace(each, command=session.with_cluster(each.command))
        for each in report.findings
    )
    return replace(report, findings=findings)


def wait_until_ready(session: Session, options: dict[str, Any]) -> None:
    """Look again and again, through outages as well, until all is well or the time is over."""
    from kadmin.render.check import verdict

    deadline = time.monotonic() + options["wait_ready"]
    shown = ""
    while True:
        session.look_again()
        try:
            report = look(session, options)
            if report.is_healthy:
                return
            now = verdict(report)
        except UnreachableError as error:
            now = error.message
        if now != shown:
            session.output.note(f"waiting: {now}")
            shown = now
        if time.monotonic() >= deadline:
            return
        time.sleep(PAUSE_S)


@group_command(migration, "preview", short_help="Count the records that will be written.")
def preview(session: Session) -> None:
    """Count the records that the controllers will write when they copy the cluster, by type, and
    estimate how long that takes.

    Compare the counts with the line 'Completed migration of metadata from ZooKeeper to KRaft' in
    the log of the active controller, which has the same names. The time is by a measurement with
    Kafka 3.9.1: 100,000 partitions in 36 s, one controller, two cores that were busy beside it.

    \b
    Examples:
      kadmin migration preview
      kadmin migration preview --output json
    """
    from kadmin.app.migration import read_migration
    from kadmin.plan.migration.preview import preview as preview_of
    from kadmin.render.migration.preview import preview_document

    evidence = read_migration(session, asks_brokers=False)
    session.output.show(preview_document(preview_of(evidence)))


@group_command(migration, "status", short_help="See how far a migration is.")
@option("--plain", is_flag=True, help="Plain lines, even on a terminal.")
@watch_option()
def status(session: Session, **options: Any) -> None:
    """See how far a migration is, by ZooKeeper alone: who owns the cluster, which brokers are still
    registered there, what waits for what, what to do next, and what never to do.

    Exits with 4 if a znode that shows the phase cannot be read.

    \b
    Examples:
      kadmin migration status
      kadmin migration status --watch
      kadmin migration status --output json
    """
    from dataclasses import replace

    from kadmin.app.migration import read_migration
    from kadmin.plan.migration.status import status as status_of
    from kadmin.render.migration.status import status_document

    blind: list[Damage] = []

    def show() -> None:
        found = status_of(read_migration(session, asks_brokers=False))
        found = replace(found, command=session.with_cluster(found.command))
        session.output.show(status_document(found), plain=options["plain"])
        blind[:] = found.unreadable

    watch(session, options["watch"], show)
    if blind:
        click.get_current_context().exit(ExitCode.FOUND)


@group_command(
    migration,
    "diff",
    short_help="Compare ZooKeeper with the log of the controllers.",
    speaks_to_brokers=True,
)
@option(
    "--bootstrap-controller",
    metavar="HOST:PORT[,…]",
    help="The listeners of the KRaft controllers: the active one is asked for its log.",
)
@option(
    "--metadata-dir",
    metavar="DIR",
    help="The log directory of a KRaft controller, a copy of its __cluster_metadata-0, or a"
    " collection that has it.",
)
@watch_option()
def diff(session: Session, **options: Any) -> None:
    """Compare what ZooKeeper and the metadata log of the KRaft controllers have of the cluster
    while both are written: topics, ids, replicas, leaders, ISR, leader epochs, configs, quotas,
    SCRAM credentials, ACLs, delegation tokens and producer ids.

    The log is fetched from the active controller, which takes the right ClusterAction where the
    controllers have an authorizer (their listener is spoken to by --command-config or the broker
    security options), or read from its files. 'kadmin collect' copies these, too.

    What differs is read once more, so that a write under way is no difference. Values of passwords
    and credentials are compared, where the stores have them in the same form, and never shown.

    Exits with 4 if anything differs or cannot be read, and with 5 if no ZooKeeper answers.

    \b
    Examples:
      kadmin migration diff --bootstrap-controller c1:9093,c2:9093,c3:9093
      kadmin migration diff --bootstrap-controller c1:9093 --watch 10
      kadmin migration diff --bootstrap-controller c1:9093 --command-config admin.properties
      kadmin migration diff --metadata-dir /var/lib/kafka/controller
      kadmin migration diff --metadata-dir copied/__cluster_metadata-0 --output json
    """
    from kadmin.app.migration import compare_stores, reading_log
    from kadmin.render.migration.diff import diff_document

    if "bootstrap_server" in session.flags:
        raise click.UsageError("no broker is asked, but controllers: --bootstrap-controller")
    equal_since: str | None = None
    is_equal = False
    with reading_log(session, log_named(options)) as read_log:

        def show() -> None:
            nonlocal equal_since, is_equal
            report = compare_stores(session, read_log)
            is_equal = report.is_equal
            equal_since = (equal_since or clock()) if is_equal else None
            is_watched = options["watch"] is not None
            session.output.show(diff_document(report, equal_since if is_watched else None))

        watch(session, options["watch"], show)
    if not is_equal:
        click.get_current_context().exit(ExitCode.FOUND)


def log_named(options: dict[str, Any]) -> "str | Path":
    """Return the addresses of controllers, or the directory of a log: the one that is named.

    Raises:
        click.UsageError: none is, or both are, or what is named is no address.
    """
    from pathlib import Path

    from kadmin.settings.keys import normal_server

    addresses, directory = options["bootstrap_controller"], options["metadata_dir"]
    if (addresses is None) == (directory is None):
        raise click.UsageError(
            "give --bootstrap-controller HOST:PORT, or --metadata-dir DIR where the files of a"
            " controller are"
        )
    if addresses is None:
        return Path(directory)
    try:
        return ",".join(normal_server(each, CONTROLLER_PORT) for each in addresses.split(","))
    except ValueError as error:
        raise click.UsageError(f"--bootstrap-controller: {error}") from error


@group_command(migration, "rollback-check", short_help="See whether there is a way back.")
@option(
    "--fix",
    is_flag=True,
    section=SAFETY,
    help="Write what ZooKeeper needs for the way back, when all KRaft controllers are stopped.",
)
@option(
    "--dry-run",
    is_flag=True,
    section=SAFETY,
    help="With --fix: show what would be written, and write nothing.",
)
@yes_option(help="With --fix: do not ask.")
def rollback_check(session: Session, fix: bool, dry_run: bool, yes: bool) -> None:
    """See whether a migration can be rolled back now, in which order, and which partitions would
    be stranded by their epochs.

    --fix writes in one ZooKeeper transaction what is due: it raises /controller_epoch above the
    epochs that KRaft has written, deletes /controller, so that a broker is elected, and deletes
    /migration, so that another attempt copies the cluster again. It is refused while a KRaft
    controller writes to ZooKeeper (it does not notice one that waits), or while brokers have to be
    restarted before; it can be run again.

    Exits with 4 if there is no way back now, or if --fix is due.

    \b
    Examples:
      kadmin migration rollback-check
      kadmin migration rollback-check --fix --dry-run
      kadmin migration rollback-check --fix
    """
    if fix:
        mend(session, is_dry_run=dry_run, is_confirmed=yes)
        return
    forbid([name for name, given in (("--dry-run", dry_run), ("--yes", yes)) if given], "no --fix")
    from kadmin.app.migration import read_migration
    from kadmin.plan.migration.rollback import rollback
    from kadmin.render.migration.rollback import rollback_document

    report = rollback(read_migration(session, asks_brokers=False))
    session.output.show(rollback_document(report))
    if not report.is_safe or report.fix is not None:
        click.get_current_context().exit(ExitCode.FOUND)


def mend(session: Session, *, is_dry_run: bool, is_confirmed: bool) -> None:
    from kadmin.admin.zookeeper.migration.writing import RollbackWriter
    from kadmin.app.migration import evidence_of
    from kadmin.cli.changing import make
    from kadmin.execute.migration_rollback import GivingBack
    from kadmin.render.migration.rollback import fix_document

    def report(plans: "Sequence[Fix]", *, is_dry_run: bool) -> None:
        session.output.show(fix_document(plans, is_dry_run=is_dry_run))

    with session.connect() as connection:
        change = GivingBack(RollbackWriter(connection, time.sleep), lambda: evidence_of(connection))
        make(
            change,
            session.output,
            lines=lambda plan: plan.lines(),
            report=report,
            is_dry_run=is_dry_run,
            is_confirmed=is_confirmed,
            nothing="nothing to write: ZooKeeper is ready",
        )
