"""`kadmin log-dirs`: how much lies in the log directories of brokers, and which have failed?"""

from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.broker_ids import broker_ids, broker_option
from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.ordering import order_options
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId

SELECTION: Final = "Which logs"
LOOK: Final = "What is shown"

GROUPINGS: Final = ("broker", "dir", "topic", "partition", "replica")


@command(
    "log-dirs",
    short_help="See how much data is in brokers' log directories.",
    speaks_to_brokers=True,
)
@broker_option(SELECTION)
@option(
    "--topic",
    "--topic-list",
    "topics",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="topics",
    help="Only this topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).",
)
@option("--regex", is_flag=True, section=SELECTION, help="Take --topic as regular expressions.")
@option("--exclude-internal", is_flag=True, section=SELECTION, help="Leave out internal topics.")
@option(
    "--describe",
    is_flag=True,
    section=LOOK,
    help="Accepted because kafka-log-dirs wants it; the command does nothing else.",
)
@option(
    "--by",
    "grouping",
    type=click.Choice(GROUPINGS),
    section=LOOK,
    help="What each row stands for, otherwise a directory; with it, none of Kafka's lines.",
)
@order_options(
    LOOK, ("name", "size", "lag"), "Which rows come first: by name (unless given), or the largest."
)
@option("--plain", is_flag=True, section=LOOK, help="Lines instead of a table, even on a terminal.")
@watch_option(LOOK)
def log_dirs(session: Session, **options: Any) -> None:
    """See how much lies in the log directories of brokers, with the options of kafka-log-dirs.

    It asks each broker (Kafka 1.0 and later) about its own directories, those of --bootstrap-server
    or those registered in ZooKeeper. Lag is how many records a replica is behind the high
    watermark; a row shows the largest of its replicas. A future replica is being copied from
    another directory of the same broker. Brokers report free space from 3.3 on. In a pipe, and with
    --plain, the lines are those of kafka-log-dirs unless --by, --sort-by or --limit is given.

    Brokers that are dead or did not answer come first, then directories that have failed. Exits
    with 4 if a directory has failed, with 5 if a broker is dead or did not answer, and with 1 if a
    topic that was named may not be read.

    \b
    Examples:
      kadmin log-dirs
      kadmin log-dirs --by topic --sort-by size --limit 10
      kadmin log-dirs --by replica --topic orders --sort-by lag
      kadmin log-dirs --describe --broker-list 0,1 --topic-list orders | tail -1 | jq
    """
    from kadmin.admin.wire.errors import SilentBrokers
    from kadmin.app.reading import read_log_dirs
    from kadmin.arguments.topics import selection_of
    from kadmin.plan.log_dirs import offline_dirs
    from kadmin.render.log_dirs import kafka_document, total_line, usage_document
    from kadmin.reports.log_dir_usage import Grouping, Order, usage_report
    from kadmin.reports.unanswered import require_answers

    selection = selection_of(
        options["topics"], is_regex=options["regex"], exclude_internal=options["exclude_internal"]
    )
    wanted = broker_ids(options["brokers"])
    failed: list[tuple[BrokerId, str]] = []
    left_out: list[Fault] = []

    def leave_out(fault: "Fault") -> None:
        session.output.warn(f"left out: {fault}")
        left_out.append(fault)

    def show() -> None:
        left_out.clear()
        found, silent, dead = read_log_dirs(session, selection, wanted, leave_out)
        report = usage_report(
            found,
            Grouping(options["grouping"] or "dir"),
            order=Order(options["sort_by"] or Order.NAME),
            limit=options["limit"],
            silent=silent,
            dead=dead,
        )
        is_as_kafka = not any(options[name] for name in ("grouping", "sort_by", "limit"))
        document = kafka_document(report, found) if is_as_kafka else usage_document(report)
        session.output.show(document, plain=options["plain"])
        session.output.note(total_line(report))
        failed[:] = offline_dirs(found)
        for broker, path in failed:
            session.output.warn(f"log directory {path} of broker {broker} has failed")
        for broker in dead:
            session.output.warn(f"broker {broker} is dead: its log directories are not included")
        if silent or dead:
            raise SilentBrokers(sorted({*silent, *dead}))

    watch(session, options["watch"], show)
    require_answers(selection.subjects, left_out)
    if failed:
        click.get_current_context().exit(ExitCode.FOUND)
