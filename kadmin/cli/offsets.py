"""`kadmin offsets`: where do partitions begin and end, where does a time begin in them?"""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.ordering import order_options
from kadmin.cli.partition_options import partition_numbers, partition_options
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option

if TYPE_CHECKING:
    from cluster.model.fault import Fault

SELECTION: Final = "Which partitions"
OFFSETS: Final = "Which offsets"
LOOK: Final = "What is shown"


@command("offsets", short_help="See the offsets of partitions.", speaks_to_brokers=True)
@partition_options(SELECTION, topic_help=" All topics without it.")
@option(
    "--exclude-internal",
    "--exclude-internal-topics",
    "exclude_internal",
    is_flag=True,
    section=SELECTION,
    help="Leave out internal topics.",
)
@option(
    "--time",
    "moment",
    metavar="WHEN",
    section=OFFSETS,
    help=(
        "latest (the default), earliest, max-timestamp (brokers from 3.0 on), or a time: "
        "the first record at or after it ('2026-11-20 03:12', -2h, ms since 1970). -1, -2 "
        "and -3 as in kafka-get-offsets."
    ),
)
@option(
    "--count",
    is_flag=True,
    section=OFFSETS,
    help="How many offsets there are from --time (otherwise earliest) to the end.",
)
@order_options(
    LOOK,
    ("name", "offset", "count"),
    "Which partitions come first: by name (unless given), or the highest offset, or count.",
)
@option("--plain", is_flag=True, section=LOOK, help="Kafka's lines, even on a terminal.")
@watch_option(LOOK)
def offsets(session: Session, **options: Any) -> None:
    """See the offsets of partitions, with the options of kafka-get-offsets.

    It asks the leaders (Kafka 0.10.1 and later; the brokers of --bootstrap-server, or those
    registered in ZooKeeper) where their partitions begin and end (the end is the next offset after
    what is committed), or for the first record at or after a time. A line is
    topic:partition:offset; a partition with no record that young has no line, as in Kafka's tool.

    --count appends the end and the number of offsets in between. That is an upper bound for the
    number of records: compaction leaves gaps, and transaction markers take offsets, too.

    Exits with 5 if some partitions have no leader, or their leader does not answer, and with 1 if a
    topic that was named may not be read.

    \b
    Examples:
      kadmin offsets --topic orders
      kadmin offsets --topic 'orders*' --time earliest --partitions 0,1
      kadmin offsets --topic orders --time '2026-11-20 03:12'
      kadmin offsets --topic orders --time -1h --count
      kadmin offsets --time -1h --count --sort-by count --limit 20
    """
    from kadmin.app.reading import read_offsets
    from kadmin.arguments.moments import parse_moment
    from kadmin.arguments.topics import selection_of
    from kadmin.plan.offsets import EARLIEST, LATEST, UnansweredOffsets
    from kadmin.render.offsets.offsets import hidden_line, offsets_document, total_line
    from kadmin.reports.offsets import Order, ranked
    from kadmin.reports.unanswered import require_answers

    selection = selection_of(
        options["topics"], is_regex=options["regex"], exclude_internal=options["exclude_internal"]
    )
    is_counted = options["count"]
    text = options["moment"]
    order = Order(options["sort_by"] or Order.NAME)
    if order is Order.COUNT and not is_counted:
        raise click.UsageError("--sort-by count needs --count")
    # Understood before any server is asked; a relative time moves on with every look.
    if text is not None:
        parse_moment(text, now_ms())
    wanted = partition_numbers(options)
    left_out: list[Fault] = []

    def leave_out(fault: "Fault") -> None:
        session.output.warn(f"left out: {fault}")
        left_out.append(fault)

    def show() -> None:
        left_out.clear()
        moment = (
            (EARLIEST if is_counted else LATEST) if text is None else parse_moment(text, now_ms())
        )
        report = read_offsets(session, selection, wanted, moment, leave_out, is_counted=is_counted)
        report = ranked(report, order, options["limit"])
        document = offsets_document(report)
        session.output.show(document, plain=options["plain"])
        if report.is_counted:
            session.output.note(total_line(report))
        if report.hidden:
            session.output.note(hidden_line(report))
        if document.pretty is None or not session.output.shows_tables(plain=options["plain"]):
            for partition, reason in report.unanswered.items():
                session.output.warn(f"left out: {partition}: {reason}")
        if report.unanswered:
            raise UnansweredOffsets(report.unanswered)

    watch(session, options["watch"], show)
    require_answers(selection.subjects, left_out)


def now_ms() -> int:
    return time.time_ns() // 1_000_000
