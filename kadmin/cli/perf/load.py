"""`kadmin perf load`: a steady load, and what of the cluster was unavailable meanwhile."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, WholeNumber, option
from kadmin.cli.perf.options import SIZE_MAX, reporting_option, topic_options, topics_to_write
from kadmin.cli.perf.targets import topics_for
from kadmin.cli.records.client_options import client_options, client_properties
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, KadminError
from kadmin.settings.keys import OutputFormat
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.records.perf.load import LoadResult, LoadTest, LoadWindow

PACE: Final = "Pace"
FOUND: Final = "What counts as unavailable"
SIZE_MIN: Final = 16
"""Bytes: each record has the mark of its load, and its number."""


class Unavailable(KadminError):
    """Partitions could not be written or read for a time, or records were lost."""

    exit_code = ExitCode.FOUND

    def __init__(self, result: "LoadResult") -> None:
        problems = []
        incidents = len(result.write_incidents) + len(result.read_incidents)
        if incidents:
            problems.append(counted(incidents, "outage"))
        if result.written.failed:
            problems.append(f"{counted(result.written.failed, 'record')} not acknowledged")
        if result.unread:
            lost = counted(sum(result.unread.values()), "record")
            problems.append(f"{lost} acknowledged and never read")
        super().__init__(
            "the load found " + ", ".join(problems),
            hint="kadmin merge-logs DIR --analyze shows who led the partitions meanwhile",
        )


@command(
    "load",
    short_help="Write and read at a steady rate, and find what was unavailable, and when.",
    speaks_to_brokers=True,
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    completes="topics",
    help="A topic; several by repeating.",
)
@option(
    "--throughput",
    type=Number(min=0.1),
    default=1000,
    show_default=True,
    metavar="RATE",
    section=PACE,
    help="Records per second in all; each partition gets one in turn.",
)
@option(
    "--duration",
    type=Number(min=0.1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    section=PACE,
    help="For how long; Ctrl-C ends it before, with its result.",
)
@option(
    "--record-size",
    "size",
    type=WholeNumber(SIZE_MIN, SIZE_MAX),
    default=100,
    show_default=True,
    metavar="BYTES",
    section=PACE,
    help="Bytes of each value.",
)
@option(
    "--producers",
    type=WholeNumber(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    section=PACE,
    help="How many producers share the records.",
)
@option(
    "--consumers",
    type=WholeNumber(0, 100),
    default=1,
    show_default=True,
    metavar="N",
    section=PACE,
    help="How many consumers share the partitions; 0 for none.",
)
@option(
    "--outage",
    type=Number(min=0.001),
    default=1,
    show_default=True,
    metavar="SECONDS",
    section=FOUND,
    help="A partition is unavailable when a record takes that long, or fails.",
)
@reporting_option(1000)
@client_options("producer")
@topic_options()
def load(session: Session, **options: Any) -> None:
    """Write and read records at a steady rate on all partitions of topics, and show the time and
    length of each outage: to try what clients see while brokers fail over.

    A row for each interval has rates, latencies from when a record was to be sent until it was
    acknowledged and until it was read, errors, and records that wait. Then come the outages: from
    when to when partitions took no records or gave none, and which; records that were acknowledged
    and never read; and those that were read twice or out of order. Properties (-X) are the
    producers'. Exits with 4 if there was any outage or loss.

    \b
    Examples:
      kadmin perf load --create-topic --partitions 12 --replication-factor 3 --yes
      kadmin perf load --topic test --throughput 5000 --duration 600 -X acks=1 --yes
      kadmin perf load --topic test --outage 0.2 --output json --yes
    """
    from kadmin.records.perf.load import run_load
    from kadmin.render.perf.load import HEADER, load_document, window_line

    topics = topics_to_write(options, options["topics"])
    test = test_of(session, options, topics)
    is_text = session.output.form is OutputFormat.TEXT
    windows: list[LoadWindow] = []

    def emit(window: "LoadWindow") -> None:
        from kadmin.records.perf.clock import wall_ms

        if is_text and len(windows) % max(10, session.output.rows - 2) == 0:
            session.output.preface([HEADER])
        windows.append(window)
        row = window_line(window, wall_ms() - window.at_s * 1000)
        if is_text:
            session.output.preface([row])
        else:
            session.output.note(row)

    what = (
        f"write {test.rate:,g} records of {test.size:,} bytes a second for {test.seconds:g} s,"
        f" with {counted(test.producers, 'producer')} and {counted(test.consumers, 'consumer')}"
    )
    with topics_for(session, [test.settings], topics, options, what):
        result = run_load(test, emit)
    facts = {"topics": list(topics), "throughput": test.rate, "outage_s": test.threshold_s}
    session.output.show(load_document(facts, result, windows))
    session.output.flush()
    if result.write_incidents or result.read_incidents or result.unread or result.written.failed:
        raise Unavailable(result)


def test_of(session: Session, options: Mapping[str, Any], topics: tuple[str, ...]) -> "LoadTest":
    from kadmin.records.perf.load import LoadTest

    if len(set(topics)) < len(topics):
        raise click.UsageError("--topic: a topic is named twice")
    return LoadTest(
        settings=session.brokers(),
        topics=topics,
        rate=options["throughput"],
        seconds=options["duration"],
        size=options["size"],
        producers=options["producers"],
        consumers=options["consumers"],
        interval_s=options["reporting_interval"] / 1000,
        threshold_s=options["outage"],
        producer=client_properties(session, options),
    )
