"""`kadmin produce`: how do the lines of a file or of standard input become records of a topic?"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, WholeNumber, option
from kadmin.cli.records.client_options import (
    client_options,
    client_properties,
    kafka_properties,
    truth,
)
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.records.lines import LineForm, Reading, read_records, unescape
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.records.delivery import Delivery
    from kadmin.records.produce import ProduceRequest, Sender

RECORDS: Final = "Records"
DELIVERY: Final = "Delivery"

ACKS: Final = {"0": 0, "1": 1, "-1": -1, "all": -1}
CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
PROPERTIES: Final = ("parse.key", "key.separator", "null.marker")


@command("produce", short_help="Write records to a topic.", speaks_to_brokers=True)
@option("--topic", required=True, metavar="NAME", completes="topics", help="The topic.")
@option(
    "--partition",
    type=WholeNumber(0, 2**31 - 1),
    metavar="N",
    help="Write all to this partition; otherwise the key decides, or chance.",
)
@option("--file", metavar="FILE", help="Read this file instead of standard input ('-').")
@option(
    "--format",
    "form",
    type=click.Choice([*map(str, LineForm)]),
    section=RECORDS,
    help="What a line holds: a value (the default), key and value, JSON, or hexadecimal bytes."
    " raw makes one record of the whole input.",
)
@option(
    "--key-separator",
    metavar="TEXT",
    section=RECORDS,
    help="Lines are a key and a value with this in between; otherwise a tab ('\\t').",
)
@option("--key", metavar="TEXT", section=RECORDS, help="The key for all records without one.")
@option(
    "--header",
    multiple=True,
    metavar="NAME=VALUE",
    section=RECORDS,
    help="A header for all records that have none; may be repeated.",
)
@option(
    "--null-marker",
    metavar="TEXT",
    section=RECORDS,
    help="This text, as a key or a value, means null.",
)
@option(
    "--property",
    "kafka_property",
    multiple=True,
    metavar="NAME=VALUE",
    section=RECORDS,
    help="As in Kafka's console producer: " + ", ".join(PROPERTIES) + ".",
)
@option(
    "--max-messages",
    type=WholeNumber(min=0),
    metavar="N",
    section=RECORDS,
    help="Stop after so many records.",
)
@option(
    "--acks",
    "--request-required-acks",
    "acks",
    type=click.Choice(tuple(ACKS)),
    default="all",
    show_default=True,
    section=DELIVERY,
    help="Whose acknowledgement to wait for: nobody's, the leader's, or the whole ISR's.",
)
@option(
    "--compression",
    "--compression-codec",
    "compression",
    type=click.Choice(CODECS),
    default="none",
    show_default=True,
    section=DELIVERY,
    help="Compress batches.",
)
@option(
    "--idempotence/--no-idempotence",
    default=None,
    section=DELIVERY,
    help="No record twice and none out of order, whatever is retried; on with acks=all.",
)
@option(
    "--rate",
    type=Number(min=0.001),
    metavar="N",
    section=DELIVERY,
    help="At most so many records a second.",
)
@client_options("producer")
def produce(session: Session, **options: Any) -> None:
    """Write records to a topic: one for each line of standard input or of a file.

    It writes to the brokers (Kafka 0.10 and later) of --bootstrap-server, or to those registered in
    ZooKeeper. A topic that does not exist is not created. The command waits until every record is
    delivered; it reports those that fail with their line and then exits with 1. A summary on
    standard error says how many records it wrote, how fast, and how long deliveries took.

    \b
    Examples:
      kadmin produce --topic orders --file orders.txt
      kadmin produce --topic orders --key-separator : --compression zstd
      kadmin consume --topic orders --until-end --format json | kadmin produce --topic copy \
--format json
    """
    from kadmin.records.produce import open_sender
    from kadmin.render.records import rate_line

    reading, request = reading_of(options), request_of(session, options)
    settings = session.brokers()
    debug = session.settings.flag("debug")
    # It would write over what is being typed.
    with rate_line(session.output, is_shown=not is_typed(options["file"])) as line:

        def report(summary: Any) -> None:
            line.show(summary.delivered, summary.bytes)

        with (
            open_sender(settings, request, report, debug=debug) as sender,
            source(session, options["file"]) as (stream, name),
        ):
            if reading.partition is not None:
                sender.require_partition(reading.partition)
            records = read_records(stream, name, reading)
            carry_out(session, sender, islice(records, options["max_messages"]), name)


def carry_out(session: Session, sender: "Sender", records: Iterator[Any], name: str) -> None:
    """Send all *records* of the source *name*; report what became of them, however it ends."""
    from kadmin.records.produce import produce as send_all
    from kadmin.render.records import ProducedView, produced_document, produced_line

    started = time.monotonic()
    try:
        send_all(sender, records, lambda count: session.output.note(waiting_line(count)))
    finally:
        summary = sender.summary
        tell_failures(session, summary, name)
        p50, p99 = summary.latencies.percentile(50), summary.latencies.percentile(99)
        produced = ProducedView(
            topic=sender.request.topic,
            delivered=summary.delivered,
            failed=summary.failed,
            in_doubt=summary.in_doubt,
            bytes=summary.bytes,
            seconds=time.monotonic() - started,
            p50_ms=None if p50 is None else p50 * 1000,
            p99_ms=None if p99 is None else p99 * 1000,
        )
        session.output.show(produced_document(produced))
        session.output.note(produced_line(produced))


def tell_failures(session: Session, summary: "Delivery", name: str) -> None:
    """Name the lines of the source *name* that failed, and where it was left."""
    for line, reason, is_in_doubt in sorted(summary.failures):
        what = "may not have been delivered" if is_in_doubt else "was not delivered"
        session.output.warn(f"line {line} of {name} {what}: {reason}")
    if more := summary.failed - len(summary.failures) - summary.given_up:
        session.output.warn(f"… and {more:,} more")
    if summary.given_up:
        given_up = counted(summary.given_up, "record")
        session.output.warn(f"{given_up} may be in the topic or not: no broker has answered yet")
    if summary.unsent_from is not None:
        session.output.warn(f"nothing from line {summary.unsent_from} of {name} on was sent")


def waiting_line(count: int) -> str:
    """Return what is said to who has pressed Ctrl-C."""
    records = counted(count, "record")
    return f"waiting for the answers to {records}; Ctrl-C again stops waiting"


def is_typed(path: str | None) -> bool:
    """Return whether the records that come from *path* are typed at a terminal."""
    return path in (None, "-") and sys.stdin.isatty()


@contextmanager
def source(session: Session, path: str | None) -> Iterator[tuple[BinaryIO, str]]:
    """Yield the bytes to read, and what errors call them.

    Raises:
        UsageError: the file cannot be read.
    """
    if path in (None, "-"):
        if is_typed(path):
            session.output.note("each line is a record; Ctrl-D ends")
        yield sys.stdin.buffer, "standard input"
        return
    assert path is not None
    try:
        stream = open(path, "rb")  # noqa: SIM115 - closed below, but its errors are others'
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", hint="check its name, owner and mode"
        ) from error
    with stream:
        yield stream, path


def reading_of(options: Mapping[str, Any]) -> Reading:
    """Return how the input is understood.

    Raises:
        UsageError: options that contradict each other, or cannot be understood.
    """
    kafka = kafka_properties(options["kafka_property"], PROPERTIES)
    separator = options["key_separator"]
    form = options["form"]
    if form is None:
        has_keys = separator is not None or truth("parse.key", kafka.get("parse.key", "false"))
        form = LineForm.KEY_VALUE if has_keys else LineForm.VALUE
    form = LineForm(form)
    if separator is not None and form is not LineForm.KEY_VALUE:
        raise UsageError(
            f"--key-separator does not go with --format {form}", hint="--format key-value"
        )
    separator = kafka.get("key.separator", r"\t") if separator is None else separator
    if not separator:
        raise UsageError(
            "an empty separator separates nothing", hint="--key-separator : or another text"
        )
    marker = options["null_marker"]
    marker = kafka.get("null.marker") if marker is None else marker
    return Reading(
        form=form,
        separator=unescape(separator),
        null_marker=None if marker is None else unescape(marker),
        key=None if options["key"] is None else unescape(options["key"]),
        headers=tuple(map(header_of, options["header"])),
        partition=options["partition"],
    )


def header_of(text: str) -> tuple[str, bytes]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UsageError(f"the header '{text}' is not NAME=VALUE", hint="--header trace=42")
    return name, unescape(value)


def request_of(session: Session, options: Mapping[str, Any]) -> "ProduceRequest":
    from kadmin.records.produce import ProduceRequest

    acks = ACKS[options["acks"]]
    is_idempotent = options["idempotence"]
    if is_idempotent and acks != -1:
        raise UsageError(
            f"--idempotence needs the word of the whole ISR, not --acks {acks}",
            hint="leave out one of them",
        )
    return ProduceRequest(
        topic=options["topic"],
        acks=acks,
        is_idempotent=acks == -1 if is_idempotent is None else is_idempotent,
        compression=options["compression"],
        rate=options["rate"],
        properties=client_properties(session, options),
    )
