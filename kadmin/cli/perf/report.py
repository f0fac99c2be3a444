"""`kadmin perf report`: six experiments, and a page with their plots."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import Number, WholeNumber, option
from kadmin.cli.perf.running import check_writable, write_file
from kadmin.cli.records.client_options import client_options, client_properties
from kadmin.cli.session import Session
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.app.perf_experiments import Point
    from kadmin.records.perf.tally import Result
    from kadmin.render.perf.report_page import Section, Side

NAMES: Final = ("producers", "message-size", "partitions", "replicas", "consumers", "pairs")
USUAL_S, USUAL_ROUNDS = 10.0, 3
QUICK_S, QUICK_ROUNDS = 1.0, 1


@command(
    "report",
    short_help="Run six experiments, and write a page with their plots.",
    speaks_to_brokers=True,
)
@option(
    "--html",
    default="perf-report.html",
    show_default=True,
    metavar="FILE",
    help="The page, whole by itself: it loads nothing.",
)
@option(
    "--only",
    multiple=True,
    type=click.Choice(NAMES),
    help="Only this experiment; several by repeating.",
)
@option(
    "--quick", is_flag=True, help="One round of a second each: a minute or two in all, and rough."
)
@option(
    "--duration",
    type=Number(min=0.1),
    metavar="SECONDS",
    help=f"How long producers write in each setting, otherwise {USUAL_S:g}.",
)
@option(
    "--rounds",
    type=WholeNumber(1, 100),
    metavar="N",
    help=f"How often each setting runs, otherwise {USUAL_ROUNDS} times; their median is shown.",
)
@client_options("producer")
@yes_option(section="Options", help="Do not ask before topics are made.")
def report(session: Session, **options: Any) -> None:
    """Measure what changes with producers, the size of records, partitions, replicas, consumers,
    and pairs of both, and write a page with a plot and a table for each.

    Every setting has a topic of its own, which is made for it and deleted after it. The page has
    the commands that repeat each figure, and what the machine was. Rounds go forwards and
    backwards in turn. Properties (-X) are the producers'.

    \b
    Examples:
      kadmin perf report --quick --yes
      kadmin perf report --only partitions --only replicas --html replicas.html -X acks=all --yes
    """
    from kadmin.app.perf_experiments import experiments, run_experiments
    from kadmin.records.perf.target import count_brokers
    from kadmin.render.perf.report_page import report_document, report_page

    seconds = options["duration"] or (QUICK_S if options["quick"] else USUAL_S)
    rounds = options["rounds"] or (QUICK_ROUNDS if options["quick"] else USUAL_ROUNDS)
    check_writable(options["html"], "--html")
    settings = session.brokers()
    properties = client_properties(session, options)
    brokers = count_brokers(settings)
    chosen = [
        one for one in experiments(brokers) if not options["only"] or one.name in options["only"]
    ]
    count = rounds * sum(len(one.settings) for one in chosen)
    say = session.output.note if options["yes"] else session.output.tell
    say(f"cluster: {session.output.cluster}")
    say(
        f"make {counted(count, 'topic')} one after another, write to each for {seconds:g} s, delete"
    )
    if not options["yes"]:
        session.output.ask(f"{session.output.cluster}: run these tests?")
    points = run_experiments(
        settings,
        chosen,
        seconds=seconds,
        rounds=rounds,
        properties=properties,
        note=session.output.note,
    )
    facts = [("cluster", f"{settings.bootstrap}, {counted(brokers, 'broker')}"), *facts_here()]
    facts.append(("each figure", f"median of {counted(rounds, 'round')} of {seconds:g} s"))
    sections = sections_of(points, seconds)
    write_file(options["html"], report_page(facts, sections), "--html")
    session.output.show(report_document(facts, sections))
    session.output.note(f"wrote {options['html']}")


def facts_here() -> Iterator[tuple[str, str]]:
    from kadmin.app.machine import load_average, machine_facts
    from kadmin.records.perf.clock import wall_ms
    from kadmin.render.perf.dates import java_date

    yield "when", java_date(wall_ms(), "yyyy-MM-dd HH:mm")
    yield from machine_facts()
    yield "load at the end", f"{load_average():.1f} (mean of a minute)"


def sections_of(points: "list[Point]", seconds: float) -> "list[Section]":
    from kadmin.app.perf_experiments import commands
    from kadmin.render.perf.report_page import Measured, Section

    by_name: dict[str, list[Point]] = {}
    for point in points:
        by_name.setdefault(point.experiment.name, []).append(point)
    return [
        Section(
            name=name,
            title=of_one[0].experiment.title,
            x_name=of_one[0].experiment.x_name,
            unit=of_one[0].experiment.unit,
            points=tuple(
                Measured(
                    label=point.setting.label,
                    sides=tuple(sides_of(point)),
                    commands=tuple(commands(point, seconds)),
                )
                for point in of_one
            ),
        )
        for name, of_one in by_name.items()
    ]


def sides_of(point: "Point") -> "Iterator[Side]":
    """Return what the experiment is about: where consumers read afterwards, only these."""
    if not point.setting.consumers or point.experiment.is_at_once:
        yield side_of("written", point.written)
    if point.read:
        yield side_of("read", point.read)


def side_of(name: str, results: "list[Result]") -> "Side":
    from kadmin.records.perf.tally import Tally
    from kadmin.render.perf.report_page import Side

    total = Tally()
    for result in results:
        total.add(result.tally)
    latency = total.latency()
    return Side(
        name=name,
        records_per_s=tuple(one.net(one.tally.records) for one in results),
        bytes_per_s=tuple(one.net(one.tally.bytes) for one in results),
        p50_ms=None if latency is None else latency.percentiles[50.0],
        p99_ms=None if latency is None else latency.percentiles[99.0],
    )
