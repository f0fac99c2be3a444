"""`kadmin verify-replicas`: are replicas equal, in collected log directories or as brokers serve
them?"""

import tarfile
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import KeyType, command
from kadmin.cli.options import WholeNumber, forbid, given_options, option, own_options
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, KadminError, UsageError
from kadmin.extras import Extra, require_extra
from kadmin.settings.keys import Key

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.jobs.collected_replicas import FoundReplica, LogDirArgument, Unreadable
    from kadmin.plan.select import TopicSelection

INT32_MAX: Final = 2**31 - 1
SHOWN_MAX: Final = 5

FILES: Final = "From log directories"
BROKERS: Final = "From brokers"
TOPICS: Final = "Which topics"


@command(
    "verify-replicas",
    short_help="Prove that replicas are equal, as files or as brokers serve them.",
    speaks_to_brokers=True,
)
@option(
    "--log-dir",
    "log_dirs",
    metavar="BROKER=PATH",
    multiple=True,
    section=FILES,
    help="Log directories of a broker: a directory above them, or a .tar.gz; may be repeated.",
)
@option(
    "--deep",
    is_flag=True,
    section=FILES,
    help="Read all records, also those of batches that are the same everywhere.",
)
@option(
    "--broker-list",
    type=KeyType(Key.by_name("bootstrap_server")),
    metavar="HOST:PORT[,…]",
    section=BROKERS,
    help="What kafka-replica-verification calls --bootstrap-server.",
)
@option(
    "--time",
    "moment",
    metavar="WHEN",
    section=BROKERS,
    help="From where: latest, earliest, or a time: the first record that is not older"
    " ('2026-11-20 03:12', -2h, ms since 1970). -1 and -2 as in kafka-replica-verification."
    " Otherwise latest, with --until-caught-up earliest.",
)
@option(
    "--until-caught-up",
    is_flag=True,
    section=BROKERS,
    help="End when all that was committed at the beginning is compared.",
)
@option(
    "--rounds",
    type=WholeNumber(min=1),
    metavar="N",
    section=BROKERS,
    help="End after N rounds: in each, every replica is asked for its next records.",
)
@option(
    "--fetch-size",
    type=WholeNumber(min=1, max=INT32_MAX),
    metavar="BYTES",
    default=1024**2,
    show_default=True,
    section=BROKERS,
    help="How much is read of a replica at once.",
)
@option(
    "--max-rate",
    type=WholeNumber(min=1),
    metavar="BYTES",
    section=BROKERS,
    help="Read no more than so many bytes a second, of all brokers together.",
)
@option(
    "--max-wait-ms",
    type=WholeNumber(min=0, max=60_000),
    metavar="MS",
    default=1000,
    show_default=True,
    section=BROKERS,
    help="How long to wait where there is nothing new.",
)
@option(
    "--report-interval-ms",
    type=WholeNumber(min=1),
    metavar="MS",
    default=30_000,
    show_default=True,
    section=BROKERS,
    help="How often it is told how far it is.",
)
@option(
    "--plain",
    is_flag=True,
    section=BROKERS,
    help="Lines of kafka-replica-verification on standard output, and no result.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    section=TOPICS,
    help="Only this topic, or those that match this glob; may be repeated.",
)
@option(
    "--topics-include",
    "--topic-white-list",
    "pattern",
    metavar="REGEX",
    section=TOPICS,
    help="Only the topics whose names match this regular expression, as in"
    " kafka-replica-verification.",
)
@option(
    "--compacted",
    multiple=True,
    metavar="TOPIC",
    section=TOPICS,
    help="A topic that is compacted, or a glob of some: records may be missing. Known where"
    " checkpoints or brokers say so.",
)
def verify_replicas(session: Session, **options: Any) -> None:
    """Prove that the replicas of each partition are equal, or find where not.

    With --log-dir from log directories: copy those of the brokers, best with their checkpoints,
    and name each with its broker's id. Every Kafka release, message format and codec is read, and
    what an embedded broker wrote. No broker is asked. Compared are the offsets below the least
    checkpointed high watermark, from the highest log start on. An archive is unpacked into the
    directory for temporary files.

    Without it from brokers, from Kafka 0.11 on: those of --bootstrap-server, or those that
    ZooKeeper knows. Each replica is read where it is, up to its high watermark, and the other
    replicas wait for the last one. What is read is compared and forgotten. That goes on until
    Ctrl-C, or to the end that --until-caught-up, --rounds or --timeout sets; the timeout is for
    all of it. A broker that does not answer for ten seconds is named, and the others are compared
    without it. With --plain the lines are those of kafka-replica-verification, but the comparison
    goes on where that tool gives up.

    Compared is batch by batch, and record by record where batches differ, so that other borders
    of batches or another codec make no difference. Where a log was compacted, records may be
    missing.

    Told is of each partition whether its replicas are equal, one is lagging, they differ (the
    first offset, which replicas have what in which leader epoch, and whether a truncation did not
    happen or it is corruption), or one is damaged by itself: wrong checksums, offsets that are
    missing or out of order; in files torn ends, an end before the log's own high watermark,
    indexes that lie. The worst come first.

    Of a partition that only one of the brokers has nothing is proven, but that it is not damaged
    by itself: it is told as single. In log directories a broker has a partition once: twice under
    one id is refused.

    Exits with 4 when something differs or is damaged, with 5 when not all could be read, it ended
    before all had caught up, or log directories hold a partition that is single. Needs
    kadmin[spark], which brings NumPy.

    \b
    Examples:
      kadmin verify-replicas --log-dir 1=b1/data --log-dir 2=b2/data --log-dir 3=b3.tar.gz
      kadmin verify-replicas --log-dir 1=b1 --log-dir 2=b2 --topic orders --deep --output json
      kadmin verify-replicas --until-caught-up --max-rate 50000000
      kadmin replica-verification --broker-list b1:9092 --topic-white-list 'orders.*' --plain
    """
    require_extra("verify-replicas", Extra.SPARK, "numpy")
    selection = topics_of(options["topics"], options["pattern"])
    if options["log_dirs"]:
        given = [own_options(options)[name] for name in given_options(options)]
        used = [each.opts[0] for each in given if each.section == BROKERS]
        forbid(used, "--log-dir, which asks no broker")
        verify_files(
            session, options["log_dirs"], selection, options["compacted"], deep=options["deep"]
        )
    else:
        if options["deep"]:
            forbid(["--deep"], "brokers, only with --log-dir")
        from kadmin.cli.verify_live import verify_live
        from kadmin.segments.compare import Verdict

        results, is_unfinished = verify_live(session, selection, options)
        code = exit_code(
            # Of files others may be somewhere; here a partition has no other replica.
            [each.verdict for each in results if each.verdict is not Verdict.SINGLE],
            has_unreadable=is_unfinished or any(each.unreadable for each in results),
        )
        click.get_current_context().exit(code)


def topics_of(topics: Sequence[str], pattern: str | None) -> "TopicSelection":
    """The topics that the options mean."""
    from kadmin.plan.select import selection_of

    if pattern is None:
        return selection_of(topics, is_regex=False)
    if topics:
        forbid(["--topic"], "--topics-include")
    return selection_of([pattern], is_regex=True)


def verify_files(
    session: Session,
    log_dirs: Sequence[str],
    selection: "TopicSelection",
    compacted: tuple[str, ...],
    *,
    deep: bool,
) -> None:
    """Compare what is in log directories."""
    from kadmin.jobs.collected_replicas import (
        Unreadable,
        by_partition,
        find_replicas,
        holds_log_directory,
        unpacked,
    )
    from kadmin.jobs.verify import verify_partition
    from kadmin.plan.select import TopicSelection
    from kadmin.render.verify_replicas import summary_line, verified_document

    unreadable: list[Unreadable] = []
    empty: list[Unreadable] = []
    found: list[FoundReplica] = []
    arguments = arguments_of(log_dirs)
    with ExitStack() as opened:
        for argument in arguments:
            try:
                root = opened.enter_context(unpacked(argument))
            except (OSError, tarfile.TarError, EOFError) as error:
                unreadable.append(cannot_open(argument, error))
                continue
            told = len(unreadable)
            here = list(find_replicas(argument, root, unreadable.append))
            if not here and len(unreadable) == told and not holds_log_directory(root):
                empty.append(Unreadable(str(argument.path), "there is no log directory in it"))
            found += here
        if not found and not unreadable:
            raise KadminError(
                "there is no partition in these directories",
                hint="a log directory holds a directory for each partition, such as orders-0",
            )
        unreadable += empty
        for path, reason in unreadable:
            session.output.warn(f"{path}: {reason}")
        partitions = by_partition(found)
        known = {partition.topic for partition in partitions}
        option_name = "--topics-include" if selection.is_regex else "--topic"
        chosen = require(option_name, selection, known)
        cleaned: list[str] = []
        if compacted:
            cleaned = require("--compacted", TopicSelection(wanted=compacted), known)
        partitions = {each: found for each, found in partitions.items() if each.topic in chosen}
        check_replicas(partitions)
        verified = [
            verify_partition(
                partition,
                replicas,
                is_deep=deep,
                is_compacted=partition.topic in cleaned,
            )
            for partition, replicas in partitions.items()
        ]
    session.output.show(verified_document(verified, unreadable))
    session.output.note(summary_line(verified))
    code = exit_code(
        [each.verdict for each in verified],
        has_unreadable=bool(unreadable or any(each.unreadable for each in verified)),
    )
    click.get_current_context().exit(code)


def arguments_of(log_dirs: Sequence[str]) -> "list[LogDirArgument]":
    """The options in their order.

    Raises:
        UsageError: one is no broker's id and a path.
    """
    from kadmin.jobs.collected_replicas import LogDirArgument

    hint = "kadmin verify-replicas --log-dir 1=PATH --log-dir 2=PATH"
    arguments = []
    for text in log_dirs:
        broker, _, path = text.partition("=")
        if not (broker.isascii() and broker.isdigit() and path):
            raise UsageError(f"'{text}' is no broker's id with a path", hint=hint)
        digits = broker.lstrip("0") or "0"
        # Python refuses to convert some thousand digits: their number comes first.
        if len(digits) > len(str(INT32_MAX)) or int(digits) > INT32_MAX:
            raise UsageError(
                f"the number before ={path} is no broker's id: the largest is {INT32_MAX}",
                hint=hint,
            )
        arguments.append(LogDirArgument(digits, Path(path)))
    return arguments


def require(option_name: str, selection: "TopicSelection", known: Set[str]) -> list[str]:
    """Those of the topics *known*, which there are in the directories, that are meant.

    Where nothing could be read no name is wrong.

    Raises:
        NoSuchTopic: a name or a glob that matches none.
    """
    from kadmin.plan.select import NoSuchTopic

    missing = selection.missing(known)
    if missing and known:
        shown = sorted(known)[:SHOWN_MAX]
        more = ", …" if len(known) > len(shown) else ""
        hint = f"{option_name} takes topics in these directories: {', '.join(shown)}{more}"
        raise NoSuchTopic(missing, hint=hint)
    return selection.select(known)


def check_replicas(partitions: "Mapping[TopicPartition, Sequence[FoundReplica]]") -> None:
    """See that what was found can be the replicas of partitions.

    Raises:
        UsageError: a broker has a partition twice, or two brokers the same directory.
    """
    from kadmin.jobs.collected_replicas import doubled

    for partition, replicas in partitions.items():
        pair = doubled(replicas)
        if pair is None:
            continue
        one, other = pair
        if one.broker != other.broker:
            raise UsageError(
                f"{other.label} is given as that of broker {one.broker}"
                f" and of broker {other.broker}: it would be compared with itself",
                hint="each --log-dir is of one broker: 1=PATH of broker 1, 2=PATH of broker 2",
            )
        raise UsageError(
            f"broker {one.broker} has {partition} twice: {one.label} and {other.label}",
            hint="each broker has an id of its own, and a partition in one log directory only;"
            " is a path above the directories of several brokers, or given twice?",
        )


def cannot_open(argument: "LogDirArgument", error: Exception) -> "Unreadable":
    from kadmin.jobs.collected_replicas import Unreadable

    reason = getattr(error, "strerror", None) or str(error)
    return Unreadable(str(argument.path), reason)


def exit_code(verdicts: Sequence[str], *, has_unreadable: bool) -> ExitCode:
    """Nothing but a proof that all are equal, or lagging, is 0."""
    from kadmin.segments.compare import Verdict

    if Verdict.DIFFER in verdicts or Verdict.DAMAGED in verdicts:
        return ExitCode.FOUND
    is_unproven = has_unreadable or Verdict.SINGLE in verdicts
    return ExitCode.UNREACHABLE if is_unproven else ExitCode.DONE
