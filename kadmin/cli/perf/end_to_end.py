"""`kadmin perf end-to-end`: how long does one record take from a producer to a consumer?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, argument, option
from kadmin.cli.perf.options import (
    SIZE_MAX,
    comparison_options,
    figure_options,
    given_properties,
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
    from kadmin.records.perf.end_to_end import EndToEndTest
    from kadmin.records.perf.tally import Result

ACKS: Final = {"1": 1, "all": -1}
EVERY: Final = 1000
POSITIONAL: Final = "broker_list topic num_messages acks message_size [properties_file]"
USUAL_SIZE: Final = 100


@command(
    "end-to-end",
    short_help="Measure how long one record takes from a producer to a consumer.",
    speaks_to_brokers=True,
)
@argument("words", nargs=-1, metavar="[BROKERS TOPIC N ACKS SIZE [FILE]]")
@option("--topic", metavar="NAME", completes="topics", help="The topic.")
@option("--num-records", "records", type=WholeNumber(min=1), metavar="N", help="How many records.")
@option(
    "--record-size",
    "size",
    type=WholeNumber(1, SIZE_MAX),
    metavar="BYTES",
    help="Bytes of each value, otherwise 100.",
)
@option(
    "--producer-acks",
    "--acks",
    "acks",
    metavar="[1|all]",
    help="Whose acknowledgement the next record waits for; otherwise all.",
)
@option(
    "--warmup",
    type=WholeNumber(min=0),
    default=0,
    metavar="N",
    help="First send N records that do not count.",
)
@client_options("producer")
@figure_options()
@topic_options()
@comparison_options()
def end_to_end(session: Session, words: tuple[str, ...], **options: Any) -> None:
    """Send one record after another, each when the one before has been acknowledged and read, and
    measure the time in between.

    Prints the lines of Kafka's EndToEndLatency: one for each thousand, the average, and percentiles
    in whole ms; --output json has more of them, and with all digits. Properties are for producer
    and consumer alike, as in Kafka's file.

    \b
    Examples:
      kadmin perf end-to-end --create-topic --num-records 10000 --yes
      kadmin perf end-to-end broker1:9092 test 10000 all 100
    """
    options = with_positional(session, options, words)
    properties = client_properties(session, options)
    topic = topics_to_write(options, [options["topic"]] if options["topic"] else [])[0]
    sides = sides_of(session, options)
    test = test_of(options, topic, sides[0], properties)

    def run(side: Side, _emit: Emit) -> "Result":
        from kadmin.records.perf.end_to_end import run_end_to_end

        given = {**properties, **side.properties}
        one = replace(test, settings=side.settings, producer=given, consumer=given)
        return run_end_to_end(one, emit if len(sides) == 1 else lambda _number, _ms: None)

    def emit(number: int, ms: float) -> None:
        from kadmin.render.perf.lines import end_to_end_line

        if number % EVERY == 0:
            session.output.preface([end_to_end_line(number, ms)])

    def lines(result: "Result") -> Sequence[str]:
        from kadmin.render.perf.lines import end_to_end_lines

        return list(end_to_end_lines(result))

    shown = Test(
        schema="end-to-end",
        topic=topic,
        facts={"topic": topic, "record_size": test.size, "acks": options["acks"] or "all"},
        run=run,
        lines=lines,
        window_line=lambda _window: None,
    )
    what = (
        f"write {counted(test.records + test.warmup, 'record')} of {test.size:,} bytes one by one"
    )
    with topics_for(session, clusters_of(sides), [topic], options, what):
        carry_out(session, shown, sides, options)


def with_positional(
    session: Session, options: dict[str, Any], words: Sequence[str]
) -> dict[str, Any]:
    """Return *options* with those that Kafka's tool takes as *words*.

    Raises:
        UsageError: too few or too many of them, or one is no number.
    """
    if not words:
        return options
    if len(words) not in (5, 6) or not (words[2].isdigit() and words[4].isdigit()):
        raise UsageError(
            f"what is no option is as in Kafka's tool, {POSITIONAL}: '{' '.join(words)}' is not",
            hint="kadmin perf end-to-end --topic NAME --num-records N (Kafka 0.8 has ZooKeeper and"
            " a fetch time among the words: leave them out)",
        )
    given_properties(session, [f"bootstrap.servers={words[0]}"], "broker_list")
    return {
        **options,
        **{"topic": words[1], "records": int(words[2]), "acks": words[3], "size": int(words[4])},
        "property_file": words[5] if len(words) == 6 else options["property_file"],
    }


def test_of(
    options: Mapping[str, Any], topic: str, side: Side, properties: Mapping[str, str]
) -> "EndToEndTest":
    from kadmin.records.perf.end_to_end import EndToEndTest

    if options["records"] is None:
        raise click.UsageError("missing option '--num-records'")
    if (options["acks"] or "all") not in ACKS:
        raise UsageError(
            "latency testing requires synchronous acknowledgement: acks are 1 or all, not"
            f" '{options['acks']}'",
            hint="--producer-acks all",
        )
    return EndToEndTest(
        settings=side.settings,
        topic=topic,
        records=options["records"],
        size=options["size"] or USUAL_SIZE,
        acks=ACKS[options["acks"] or "all"],
        warmup=options["warmup"],
        producer=properties,
        consumer=properties,
    )
