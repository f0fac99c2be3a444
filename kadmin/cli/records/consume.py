"""`kadmin consume`: which records are in a topic, from here to there?"""

import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, WholeNumber, forbid, option
from kadmin.cli.records.client_options import (
    client_options,
    client_properties,
    kafka_properties,
    truth,
)
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.records.lines import unescape
from kadmin.settings.keys import OutputFormat

if TYPE_CHECKING:
    from kadmin.jvm.interrupts import Hold
    from kadmin.records.forms import Writing
    from kadmin.records.positions import Start
    from kadmin.records.reader import ConsumeRequest, Membership, Reader

GROUP: Final = "As a member of a group"
BEGIN: Final = "Where it begins"
END: Final = "Where it ends (otherwise never)"
LOOK: Final = "What is shown"

PATIENCE_S: Final = 2.0
"""After that it is said that no record comes."""

ASSIGNORS: Final = ("range", "roundrobin", "cooperative-sticky")
OLD_ASSIGNORS: Final = ("range", "roundrobin")
GROUP_MAX: Final = 2**15 - 1
"""In bytes: what the strings of the protocol hold."""

FORMS: Final = ("value", "key-value", "json", "hex", "raw")
PRINTS: Final = ("timestamp", "partition", "offset", "epoch", "headers", "key", "value")
PROPERTIES: Final = (
    *(f"print.{name}" for name in PRINTS),
    *("key.separator", "line.separator", "null.literal"),
)


@command("consume", short_help="Read records of topics.", speaks_to_brokers=True)
@option(
    "--topic",
    "topics",
    required=True,
    multiple=True,
    metavar="NAME",
    completes="topics",
    help="A topic; several by repeating. Exact, unless it is a glob (*, ?, [).",
)
@option(
    "--partition",
    "--partitions",
    "partitions",
    multiple=True,
    metavar="N,N",
    help="Only these partitions; several by comma or by repeating.",
)
@option(
    "--isolation-level",
    type=click.Choice(("read_uncommitted", "read_committed")),
    default="read_uncommitted",
    show_default=True,
    help="Whether to read records of open and aborted transactions.",
)
@option(
    "--group",
    metavar="NAME",
    section=GROUP,
    completes="groups",
    help="Join this group: read what it assigns, from its commits on, and commit what is printed.",
)
@option(
    "--in-zookeeper",
    is_flag=True,
    section=GROUP,
    help=(
        "A group of old consumers (Kafka 0.8 to 1.1), whose members and offsets are there; so does"
        " --zookeeper without --bootstrap-server."
    ),
)
@option(
    "--group-instance-id",
    "instance_id",
    metavar="ID",
    section=GROUP,
    help="Be a static member of this id: who comes back in time gets the same partitions.",
)
@option(
    "--assignor",
    type=click.Choice(ASSIGNORS),
    section=GROUP,
    help="How the group shares the partitions, as its other members do; otherwise range, or"
    " roundrobin where they want that.",
)
@option("--from-beginning", is_flag=True, section=BEGIN, help="From the earliest record on.")
@option(
    "--offset",
    metavar="WHERE",
    section=BEGIN,
    help="earliest, latest (the default), an offset, -N for the last N records of each partition,"
    " a time ('2026-11-20 03:12', -2h), or @ and ms since 1970.",
)
@option(
    "--max-messages", type=WholeNumber(min=0), metavar="N", section=END, help="After N records."
)
@option(
    "--until-end",
    is_flag=True,
    section=END,
    help="Where the partitions end when it starts.",
)
@option(
    "--timeout-ms",
    type=WholeNumber(min=1),
    metavar="MS",
    section=END,
    help="When no record has come for so long.",
)
@option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    section=LOOK,
    help="The value (the default), key and value, all fields as a line of JSON, or the value's"
    " bytes in hexadecimal or raw, without newlines.",
)
@option(
    "--key-separator",
    metavar="TEXT",
    section=LOOK,
    help=r"What stands between the fields of text, otherwise a tab ('\t').",
)
@option(
    "--property",
    "kafka_property",
    multiple=True,
    metavar="NAME=VALUE",
    section=LOOK,
    help="As in Kafka's console consumer: print.key, print.offset and the like.",
)
@option(
    "--rate",
    type=Number(min=0.001),
    metavar="N",
    section=LOOK,
    help="At most so many records a second.",
)
@client_options("consumer")
def consume(session: Session, **options: Any) -> None:
    """Read records of topics and write them to standard output.

    It reads from the brokers (Kafka 0.10 and later) of --bootstrap-server, or from those registered
    in ZooKeeper. Records of one partition come in order. A summary on standard error says how many
    records it read, and how fast. --output json is the same as --format json.

    Without --group it commits no offsets. With it, standard error says which partitions the group
    assigns and revokes. A record is committed after it was written to standard output, so it comes
    at least once. The beginning that is asked for counts where the group has committed nothing;
    --until-end ends where the partitions end when they are assigned. Ctrl-C, SIGTERM and a reader
    that has seen enough end it in order: it commits, and leaves the group. --zookeeper without
    --bootstrap-server joins a group of old consumers, as Kafka's console consumer of 0.8 to 1.1
    does with it; so does --in-zookeeper for a cluster that is named otherwise.

    \b
    Examples:
      kadmin consume --topic orders --from-beginning --until-end
      kadmin consume --topic orders --offset -10 --until-end --format json
      kadmin consume --topic orders --partition 3 --offset 4711 --max-messages 1
      kadmin consume --topic orders --offset -30m --property print.timestamp=true
      kadmin consume --topic orders --group billing --from-beginning
      kadmin consume --topic orders --group billing --zookeeper zk1:2181/kafka
    """
    from kadmin.jvm.interrupts import Hold, ending_in_order

    if options["group"] is not None and session.names_only_zookeeper:
        options["in_zookeeper"] = True
    writing = writing_of(session, options)
    request = request_of(session, options)
    if request.membership is not None and sys.__stdout__ is None:
        raise UsageError(
            "standard output is closed, and what is written to it is committed",
            hint="redirect it to a file, or to /dev/null to skip records",
        )
    # Without a group nothing is left to be done, whatever ends it.
    with nullcontext(Hold()) if request.membership is None else ending_in_order() as hold:
        carry_out(session, request, writing, hold)


def opened(session: Session, request: "ConsumeRequest") -> AbstractContextManager["Reader"]:
    """Return the reader that *request* wants, to be opened."""
    if request.membership is not None:
        from kadmin.app.consuming import check_protocol, open_old_member

        if request.membership.is_in_zookeeper:
            return open_old_member(session, request)
        check_protocol(session, request.properties)
    from kadmin.records.consume import open_reader

    settings, debug = session.brokers(), session.settings.flag("debug")
    return open_reader(settings, request, note=session.note, warn=session.warn, debug=debug)


def carry_out(
    session: Session, request: "ConsumeRequest", writing: "Writing", hold: "Hold"
) -> None:
    """Write records as they come, and report their number, however reading ends."""
    from kadmin.records.forms import writer_of
    from kadmin.render.records import consumed_line, rate_line

    output = session.output
    text_of = writer_of(writing)
    with opened(session, request) as reader:
        stream = output.visible_bytes_stream()
        count = size_bytes = 0
        has_no_end = not request.stops_at_end and request.idle_s is None
        started = time.monotonic()
        try:
            with rate_line(output, is_shown=not output.is_terminal) as line:
                for batch in reader.batches():
                    hold.end()
                    if batch:
                        # Until the reader knows that it is out; or it would come again.
                        hold.begin()
                        # Counted first: a Ctrl-C may come as soon as it can be seen.
                        count += len(batch)
                        size_bytes += sum(map(len, batch))
                        stream.write(text_of(batch))
                        stream.flush()
                    else:
                        output.check_reader()
                        if count == 0 and has_no_end and time.monotonic() - started > PATIENCE_S:
                            output.note(waiting_line(request))
                            has_no_end = False  # Reported once.
                    line.show(count, size_bytes)
        finally:
            output.note(consumed_line(count, size_bytes, time.monotonic() - started))


def waiting_line(request: "ConsumeRequest") -> str:
    """Return the line that is shown when no record has come, and only Ctrl-C ends the wait."""
    from kadmin.records.positions import Place

    text = f"no record yet, waiting for new ones of {', '.join(request.topics)}; Ctrl-C ends"
    if request.start is Place.LATEST and request.membership is None:
        text += " (--from-beginning reads those that are there, --until-end ends behind them)"
    return text


def request_of(session: Session, options: Mapping[str, Any]) -> "ConsumeRequest":
    from kadmin.arguments.moments import parse_numbers
    from kadmin.records.member import commits
    from kadmin.records.reader import ConsumeRequest

    topics = topics_of(session, options["topics"])
    membership = membership_of(options)
    if options["partitions"] and len(topics) > 1:
        raise UsageError(
            "--partition needs one --topic, not several", hint="run it once for each topic"
        )
    texts = options["partitions"]
    numbers = sorted(parse_numbers(",".join(texts))) if texts else ()
    timeout_ms = options["timeout_ms"]
    properties = client_properties(session, options)
    if membership is not None and membership.is_in_zookeeper and not commits(properties):
        raise UsageError(
            "-X enable.auto.commit=false: a group of old consumers commits what is printed",
            hint="leave --group out to read without commits",
        )
    return ConsumeRequest(
        topics=topics,
        membership=membership,
        partitions=tuple(numbers),
        start=start_of(options),
        stops_at_end=options["until_end"],
        records_max=options["max_messages"],
        idle_s=None if timeout_ms is None else timeout_ms / 1000,
        rate=options["rate"],
        isolation=options["isolation_level"],
        properties=properties,
    )


def membership_of(options: Mapping[str, Any]) -> "Membership | None":
    """Return as whom a group is joined; None for none.

    Raises:
        UsageError: options that do not go together, or a name that no group or member can have.
    """
    from kadmin.records.reader import Membership

    group, instance_id, assignor = (options[name] for name in ("group", "instance_id", "assignor"))
    in_zookeeper = options["in_zookeeper"]
    if group is None:
        lonely = {
            "--group-instance-id": instance_id is not None,
            "--assignor": assignor is not None,
            "--in-zookeeper": in_zookeeper,
        }
        for name, is_given in lonely.items():
            if is_given:
                raise UsageError(f"{name} is about a group", hint="--group NAME")
        return None
    if not group:
        raise UsageError("--group: a group has a name", hint="kadmin groups --list")
    if not is_sendable(group):
        raise UsageError(
            f"--group '{group[:40]}': no broker knows a name that is not UTF-8, or is longer than"
            f" {GROUP_MAX:,} bytes",
            hint="kadmin groups --list",
        )
    if instance_id is not None and not re.fullmatch(r"[a-zA-Z0-9._-]{1,249}", instance_id):
        raise UsageError(
            f"--group-instance-id '{instance_id}': up to 249 letters, digits, '.', '_' and '-'",
            hint="--group-instance-id reader-1",
        )
    forbid(["--partition"] if options["partitions"] else [], "--group, which assigns partitions")
    if options["offset"] not in (None, "earliest", "latest"):
        raise UsageError(
            f"--offset {options['offset']}: a group reads on from what it has committed",
            hint=f"'kadmin groups --reset-offsets --group {group}' puts it elsewhere; --offset"
            " earliest and latest say where it begins without a commit",
        )
    if in_zookeeper:
        check_old_member(group, instance_id, assignor)
    return Membership(
        group=group, instance_id=instance_id, assignor=assignor, is_in_zookeeper=in_zookeeper
    )


def is_sendable(group: str) -> bool:
    """Return whether requests can name *group*."""
    try:
        return len(group.encode()) <= GROUP_MAX
    except UnicodeEncodeError:
        return False


def check_old_member(group: str, instance_id: str | None, assignor: str | None) -> None:
    """Raise UsageError for what groups of old consumers do not have."""
    from cluster.coordination.consumer_offsets import can_keep

    forbid(["--group-instance-id"] if instance_id is not None else [], "--in-zookeeper")
    if assignor not in (None, *OLD_ASSIGNORS):
        raise UsageError(
            f"--assignor {assignor}: old consumers have {' and '.join(OLD_ASSIGNORS)}",
            hint=f"--assignor {OLD_ASSIGNORS[0]}",
        )
    if not can_keep(group):
        raise UsageError(
            f"--group '{group}': ZooKeeper has no node of that name",
            hint="kadmin groups --in-zookeeper --list",
        )


def topics_of(session: Session, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the topics of *wanted*, its globs among the names that there are, without internal
    ones.

    Raises:
        NoSuchTopic: a glob matches nothing.
    """
    from kadmin.arguments.topics import selection_of
    from kadmin.plan.topic_refusals import is_glob

    if not any(map(is_glob, wanted)):
        return tuple(dict.fromkeys(wanted))
    selection = selection_of(wanted, is_regex=False, exclude_internal=True)
    with session.topics() as admin:
        return tuple(selection.require(admin.names().names))


def start_of(options: Mapping[str, Any]) -> "Start":
    from kadmin.records.positions import Place, parse_start

    if options["from_beginning"]:
        forbid(["--offset"] if options["offset"] is not None else [], "--from-beginning")
        return Place.EARLIEST
    if options["offset"] is None:
        return Place.LATEST
    return parse_start(options["offset"], now_ms=time.time_ns() // 1_000_000)


def writing_of(session: Session, options: Mapping[str, Any]) -> "Writing":
    """Return how records are shown.

    Raises:
        UsageError: options that contradict each other, or cannot be understood.
    """
    from kadmin.records.forms import FORM_FIELDS, Field, RecordForm, Writing

    form = RecordForm(form_of(session, options["form"]))
    kafka = kafka_properties(options["kafka_property"], PROPERTIES)
    separator = options["key_separator"]
    if form not in FORM_FIELDS:
        forbid(["--property"] if kafka else [], f"--format {form}")
        forbid(["--key-separator"] if separator is not None else [], f"--format {form}")
        return Writing(form=form)
    fields = set(FORM_FIELDS[form])
    for field in Field:
        name = f"print.{field}"
        if name in kafka:
            (fields.add if truth(name, kafka[name]) else fields.discard)(field)
    separator = kafka.get("key.separator", r"\t") if separator is None else separator
    return Writing(
        form=form,
        fields=frozenset(fields),
        separator=unescape(separator),
        ending=unescape(kafka.get("line.separator", r"\n")),
        null=unescape(kafka.get("null.literal", "null")),
    )


def form_of(session: Session, form: str | None) -> str:
    output = session.output.form
    if output is OutputFormat.TEXT:
        return "value" if form is None else form
    if output is not OutputFormat.JSON:
        raise UsageError(
            f"records have no form {output}, since they come one by one", hint="--output json"
        )
    if form not in (None, "json"):
        raise UsageError(f"--output json does not go with --format {form}", hint="give one of them")
    return "json"
