"""`kadmin perf consume`: how fast are records read?"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, option
from kadmin.cli.perf.options import (
    SIZE_MAX,
    comparison_options,
    figure_options,
    given_properties,
    processes_option,
    reporting_option,
)
from kadmin.cli.perf.running import Emit, Side, Test, carry_out, sides_of
from kadmin.cli.records.client_options import client_options, client_properties
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.records.perf.consume import ConsumeTest
    from kadmin.records.perf.tally import Result, Window

LINES: Final = "Lines"
USUAL_DATE: Final = "yyyy-MM-dd HH:mm:ss:SSS"


@command(
    "consume",
    short_help="Measure how fast records are read.",
    speaks_to_brokers=True,
    takes_several=("--consumer-props",),
)
@option("--topic", required=True, metavar="NAME", completes="topics", help="The topic.")
@option(
    "--messages",
    "--num-records",
    "records",
    type=WholeNumber(min=1),
    required=True,
    metavar="N",
    help="How many records.",
)
@option(
    "--group",
    metavar="NAME",
    completes="groups",
    help="The group that is joined, otherwise perf-consumer- and a random number. Nothing is"
    " committed.",
)
@option(
    "--from-latest",
    is_flag=True,
    help="Begin with what is written from now on; otherwise at the earliest record.",
)
@option(
    "--timeout-ms",
    type=WholeNumber(min=1),
    default=10_000,
    show_default=True,
    metavar="MS",
    help="End when no record has come for this time.",
)
@option(
    "--latency",
    is_flag=True,
    help="Measure how old records are when they are read, by their timestamps and the clock here.",
)
@processes_option("How many members of the group, each in a process of its own.")
@option(
    "--fetch-size",
    type=WholeNumber(1, SIZE_MAX),
    metavar="BYTES",
    section="Client",
    help="Bytes of one partition in one answer, otherwise 1048576.",
)
@option(
    "--socket-buffer-size",
    type=WholeNumber(1, 100_000_000),
    metavar="BYTES",
    section="Client",
    help="Receive buffer of a connection, otherwise the system's.",
)
@option(
    "--consumer-props",
    multiple=True,
    metavar="NAME=VALUE...",
    section="Client",
    help="Properties: all words up to the next option.",
)
@client_options("consumer")
@option(
    "--show-detailed-stats",
    is_flag=True,
    section=LINES,
    help="A line after each --reporting-interval.",
)
@reporting_option(5000, LINES)
@option(
    "--print-metrics",
    is_flag=True,
    section=LINES,
    help="Print librdkafka's statistics at the end.",
)
@option("--hide-header", is_flag=True, section=LINES, help="Leave out the first line.")
@option(
    "--date-format",
    default=USUAL_DATE,
    metavar="PATTERN",
    section=LINES,
    help=f"Times as Java's SimpleDateFormat writes them, otherwise {USUAL_DATE}.",
)
@figure_options()
@comparison_options()
def consume(session: Session, **options: Any) -> None:
    """Read records of a topic as fast as it goes, and measure how many come in a second.

    Prints the lines of kafka-consumer-perf-test: times, MB (of 1,048,576 bytes) and records in all
    and in a second, how long it took to join the group, and the same without that time. It commits
    nothing, so that a group is left as it was; a group whose members are at work shares its
    partitions with this one meanwhile. Kafka's --timeout is --timeout-ms here: --timeout is how
    long kadmin waits for servers.

    \b
    Examples:
      kadmin perf consume --topic test --messages 1000000
      kadmin perf consume --topic test --messages 5000000 --show-detailed-stats --processes 2
      kadmin perf consume --topic test --messages 1000000 --compare fetch.min.bytes=1 \
fetch.min.bytes=100000
    """
    from kadmin.render.perf.lines import (
        CONSUMED_HEADER,
        DETAILED_HEADER,
        consumed_line,
        metric_lines,
    )

    check_date(options["date_format"])
    properties = properties_of(session, options)
    sides = sides_of(session, options)
    test = test_of(options, sides[0], properties)
    for side in sides:
        look_for(side, test.topic)
    is_detailed = options["show_detailed_stats"]

    def run(side: Side, emit: Emit) -> "Result":
        from kadmin.records.perf.consume import run_consumer
        from kadmin.records.perf.processes import run_together

        # A group of its own for each run: none waits for the members of the one before.
        group = options["group"] or f"perf-consumer-{secrets.randbelow(100_000)}"
        one = replace(
            test,
            settings=side.settings,
            group=group,
            properties={**properties, **side.properties},
        )
        result = run_together(run_consumer, [one] * options["processes"], emit)
        if result.tally.records < test.records and not result.is_interrupted:
            session.warn(
                f"exiting before consuming the expected number of messages: timeout"
                f" ({options['timeout_ms']} ms) exceeded. You can use the --timeout-ms option to"
                " increase the timeout."
            )
        return result

    def lines(result: "Result") -> list[str]:
        # With details Kafka's tool prints no total.
        total = [] if is_detailed else [consumed_line(result, options["date_format"])]
        return [*total, *metric_lines(result.metrics)]

    def start() -> list[str]:
        header = DETAILED_HEADER if is_detailed else CONSUMED_HEADER
        return [] if options["hide_header"] else [header]

    shown = Test(
        schema="consume",
        topic=test.topic,
        facts={"topic": test.topic, "processes": options["processes"]},
        run=run,
        lines=lines,
        window_line=window_lines(options) if is_detailed else lambda _window: None,
        start=start,
    )
    session.note(f"read {counted(test.records, 'record')} of topic '{test.topic}'")
    carry_out(session, shown, sides, options)


def window_lines(options: Mapping[str, Any]) -> "Callable[[Window], str]":
    """Return what makes the detailed lines, whose times begin with the first of them."""
    from kadmin.records.perf.clock import wall_ms
    from kadmin.render.perf.lines import DetailedLines

    lines: list[DetailedLines] = []

    def line(window: "Window") -> str:
        if not lines:
            lines.append(DetailedLines(wall_ms() - window.at_s * 1000, options["date_format"]))
        return lines[0].line(window)

    return line


def check_date(pattern: str) -> None:
    from kadmin.render.perf.dates import java_date

    try:
        java_date(0, pattern)
    except ValueError as error:
        raise UsageError(f"--date-format {pattern}: {error}", hint=f"'{USUAL_DATE}'") from error


def properties_of(session: Session, options: Mapping[str, Any]) -> dict[str, str]:
    found = {
        **client_properties(session, options),
        **given_properties(session, options["consumer_props"], "--consumer-props"),
    }
    if options["fetch_size"] is not None:
        found["fetch.message.max.bytes"] = str(options["fetch_size"])
    if options["socket_buffer_size"] is not None:
        found["socket.receive.buffer.bytes"] = str(options["socket_buffer_size"])
    return found


def test_of(options: Mapping[str, Any], side: Side, properties: Mapping[str, str]) -> "ConsumeTest":
    from kadmin.records.perf.consume import ConsumeTest

    if not options["topic"]:
        raise click.UsageError("--topic was given an empty name")
    if options["group"] is not None and not options["group"]:
        raise click.UsageError("--group: a group has a name")
    return ConsumeTest(
        settings=side.settings,
        topic=options["topic"],
        group=options["group"] or "",
        records=options["records"],
        idle_s=options["timeout_ms"] / 1000,
        from_latest=options["from_latest"],
        is_timed=options["latency"],
        wants_metrics=options["print_metrics"],
        interval_s=options["reporting_interval"] / 1000,
        properties=properties,
    )


def look_for(side: Side, topic: str) -> None:
    """See that brokers answer and have *topic*; a consumer would wait for it."""
    from kadmin.records.perf.target import look_at

    look_at(side.settings, [topic])
