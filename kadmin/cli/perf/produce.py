"""`kadmin perf produce`: how fast are records written?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, WholeNumber, argument, option
from kadmin.cli.perf.options import (
    SIZE_MAX,
    comparison_options,
    figure_options,
    given_properties,
    processes_option,
    reporting_option,
    topic_options,
    topics_to_write,
)
from kadmin.cli.perf.running import Emit, Side, Test, carry_out, clusters_of, sides_of
from kadmin.cli.perf.targets import topics_for
from kadmin.cli.records.client_options import client_options, client_properties
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.records.perf.produce import ProduceTest
    from kadmin.records.perf.records import RecordSpec
    from kadmin.records.perf.tally import Result

RECORDS: Final = "Records"
PACE: Final = "Pace"
DISTRIBUTIONS: Final = ("uniform", "sequential", "zipf")
USUAL_SIZE: Final = 100
OLD_FORM: Final = "topic num_records record_size target_records_sec [prop=value]..."


@command(
    "produce",
    short_help="Measure how fast records are written.",
    speaks_to_brokers=True,
    takes_several=("--producer-props",),
)
@argument("words", nargs=-1, metavar="[TOPIC N SIZE RATE [NAME=VALUE]...]")
@option("-1", "is_unlimited", is_flag=True, hidden=True)
@option("--topic", metavar="NAME", completes="topics", help="The topic.")
@option(
    "--num-records",
    "--messages",
    "records",
    type=WholeNumber(min=1),
    metavar="N",
    section=RECORDS,
    help="How many records.",
)
@option(
    "--duration",
    type=Number(min=0.1),
    metavar="SECONDS",
    section=RECORDS,
    help="For how long, instead of or beside a number of records.",
)
@option(
    "--record-size",
    "--message-size",
    "size",
    type=WholeNumber(1, SIZE_MAX),
    metavar="BYTES",
    section=RECORDS,
    help="Bytes of each value, random letters; otherwise 100.",
)
@option(
    "--payload-file",
    metavar="FILE",
    section=RECORDS,
    help="Draw the values from this file.",
)
@option(
    "--payload-delimiter",
    default=r"\n",
    metavar="TEXT",
    section=RECORDS,
    help="What stands between the values of the file, otherwise a line's end.",
)
@option(
    "--payload-monotonic",
    is_flag=True,
    section=RECORDS,
    help="The values are the records' numbers, from 0 on.",
)
@option(
    "--keys",
    type=WholeNumber(1, 10_000_000),
    metavar="N",
    section=RECORDS,
    help="Give records one of N keys; otherwise they have none.",
)
@option(
    "--key-distribution",
    type=click.Choice(DISTRIBUTIONS),
    section=RECORDS,
    help="Which of the keys: any (the default), in turn, or a few most often.",
)
@option(
    "--throughput",
    type=Number(min=-1),
    default=-1,
    show_default=True,
    metavar="RATE",
    section=PACE,
    help="Records per second at most; -1 for as many as can be. Latency counts from when a record"
    " was to be sent, also if it had to wait for others.",
)
@option(
    "--warmup",
    "--warmup-records",
    "warmup",
    type=WholeNumber(min=0),
    default=0,
    metavar="N",
    section=PACE,
    help="First send N records that do not count.",
)
@processes_option("How many producers, each in a process, share the records and the rate.", PACE)
@reporting_option(5000, PACE)
@option(
    "--producer-props",
    multiple=True,
    metavar="NAME=VALUE...",
    section="Client",
    help="Properties as Kafka's tool takes them: all words up to the next option.",
)
@client_options("producer")
@option(
    "--print-metrics",
    is_flag=True,
    section="Figures",
    help="Print librdkafka's statistics at the end.",
)
@figure_options()
@topic_options()
@comparison_options()
def produce(session: Session, words: tuple[str, ...], **options: Any) -> None:
    """Write records to a topic as fast as it goes, or at a rate, and measure how long each takes to
    be acknowledged.

    Prints the lines of kafka-producer-perf-test; a terminal gets a histogram as well. With a rate,
    latency counts from the time when a record was to be sent by the rate, and not from when the
    producer came to send it: where brokers stop, all that had to wait counts as well (no
    coordinated omission). acks are those of all replicas, and batches are librdkafka's, unless
    properties say otherwise. Above 50 records a batch some are timed, and all are counted.

    Records stay in a topic that was there before; --create-topic makes one for the test and deletes
    it. Exits with 1 if records were not delivered.

    \b
    Examples:
      kadmin perf produce --create-topic --partitions 6 --num-records 1000000 --yes
      kadmin perf produce --topic test --num-records 500000 --record-size 1000 --throughput 20000 \
--producer-props bootstrap.servers=broker1:9092 acks=1
      kadmin perf produce --create-topic --duration 20 --compare linger.ms=0 linger.ms=20 --yes
      kadmin perf produce --create-topic --num-records 1000000 --processes 2 --svg rate.svg --yes
    """
    from kadmin.render.perf.lines import metric_lines, produced_line, produced_window_line

    options = with_old_form(options, words)
    properties = {
        **client_properties(session, options),
        **given_properties(session, options["producer_props"], "--producer-props"),
    }
    topic = topics_to_write(options, [options["topic"]] if options["topic"] else [])[0]
    spec = spec_of(options)
    sides = sides_of(session, options)
    test = test_of(options, topic, spec, sides[0], properties)

    def run(side: Side, emit: Emit) -> "Result":
        from kadmin.records.perf.processes import run_together
        from kadmin.records.perf.produce import run_producer

        one = replace(test, settings=side.settings, properties={**properties, **side.properties})
        return run_together(run_producer, one.shared_by(options["processes"]), emit)

    def lines(result: "Result") -> Sequence[str]:
        return [produced_line(result), *metric_lines(result.metrics)]

    shown = Test(
        schema="produce",
        topic=topic,
        facts=facts_of(test, options),
        run=run,
        lines=lines,
        window_line=produced_window_line,
    )
    with topics_for(session, clusters_of(sides), [topic], options, plan_line(test, options)):
        carry_out(session, shown, sides, options)


def with_old_form(options: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """Return *options* with those that Kafka 0.8.2's tool takes as *words*.

    Raises:
        UsageError: too few of them, or one is no number.
    """
    if not words:
        return options
    plain = [word for word in words if "=" not in word]
    # A rate of -1 looks like an option to the parser.
    plain += ["-1"] * options["is_unlimited"]
    if len(plain) != 4:
        raise UsageError(
            f"what is no option is as in Kafka 0.8.2, {OLD_FORM}; {len(plain)} words are not four",
            hint="kadmin perf produce --topic NAME --num-records N",
        )
    topic, *numbers = plain
    try:
        records, size, rate = int(numbers[0]), int(numbers[1]), float(numbers[2])
    except ValueError as error:
        raise UsageError(
            f"'{' '.join(plain)}' is not {OLD_FORM}",
            hint="kadmin perf produce --topic NAME --num-records N",
        ) from error
    properties = (*options["producer_props"], *(word for word in words if "=" in word))
    return {
        **options,
        **{"topic": topic, "records": records, "size": size, "throughput": rate},
        "producer_props": properties,
    }


def spec_of(options: Mapping[str, Any]) -> "RecordSpec":
    """Return which records are meant.

    Raises:
        UsageError: several kinds of values, a file without any, or a distribution of no keys.
    """
    from kadmin.cli.perf.payloads import payloads_of
    from kadmin.records.perf.records import KeyDistribution, RecordSpec

    given = {
        "--record-size": options["size"] is not None,
        "--payload-file": options["payload_file"] is not None,
        "--payload-monotonic": options["payload_monotonic"],
    }
    names = [name for name, is_set in given.items() if is_set]
    if len(names) > 1:
        raise click.UsageError(f"{' and '.join(names)} do not go together")
    if options["key_distribution"] is not None and options["keys"] is None:
        raise click.UsageError("--key-distribution needs --keys")
    return RecordSpec(
        size=options["size"] or USUAL_SIZE,
        payloads=payloads_of(options["payload_file"], options["payload_delimiter"]),
        is_monotonic=options["payload_monotonic"],
        key_count=options["keys"] or 0,
        keys=KeyDistribution(options["key_distribution"] or "uniform"),
    )


def test_of(
    options: Mapping[str, Any],
    topic: str,
    spec: "RecordSpec",
    side: Side,
    properties: Mapping[str, str],
) -> "ProduceTest":
    """Return what is run.

    Raises:
        click.UsageError: it has no end, or no pace.
    """
    from kadmin.records.perf.produce import ProduceTest

    if options["records"] is None and options["duration"] is None:
        raise click.UsageError("--num-records or --duration: when does it end?")
    rate = options["throughput"]
    if rate == 0 or -1 < rate < 0:
        raise click.UsageError("--throughput is above 0, or -1 for no limit")
    if options["records"] is not None and options["records"] < options["processes"]:
        raise click.UsageError("--processes: there are fewer records than that")
    return ProduceTest(
        settings=side.settings,
        topic=topic,
        spec=spec,
        records=options["records"],
        seconds=options["duration"],
        rate=None if rate < 0 else rate,
        warmup=options["warmup"],
        interval_s=options["reporting_interval"] / 1000,
        wants_metrics=options["print_metrics"],
        properties=properties,
    )


def facts_of(test: "ProduceTest", options: Mapping[str, Any]) -> Mapping[str, object]:
    return {
        "topic": test.topic,
        "processes": options["processes"],
        "record_size": test.spec.mean_size,
        "throughput": test.rate,
        "acks": test.properties.get("acks", "all"),
    }


def plan_line(test: "ProduceTest", options: Mapping[str, Any]) -> str:
    """Return what is going to be written."""
    amount = f"{test.seconds:g} s of records" if test.records is None else ""
    if test.records is not None:
        amount = counted(test.records, "record")
        amount += f", {test.seconds:g} s at most," if test.seconds is not None else ""
    pace = "as fast as it goes" if test.rate is None else f"at {test.rate:,g} a second"
    times = ""
    if options["compare"] is not None:
        from kadmin.cli.perf.running import ROUNDS

        times = f", {2 * (options['rounds'] or ROUNDS)} times"
    warmup = f", after {test.warmup:,} to warm up" if test.warmup else ""
    return f"write {amount} of {test.spec.mean_size:,} bytes {pace}{warmup}{times}"
