"""`kadmin verify-replicas`: are the replicas in collected log directories equal?"""

import tarfile
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, KadminError, UsageError
from kadmin.extras import Extra, require_extra

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.jobs.collected_replicas import FoundReplica, LogDirArgument, Unreadable
    from kadmin.plan.select import TopicSelection

INT32_MAX: Final = 2**31 - 1
SHOWN_MAX: Final = 5


@command("verify-replicas", short_help="Prove that replicas are equal, from their log directories.")
@option(
    "--log-dir",
    "log_dirs",
    metavar="BROKER=PATH",
    multiple=True,
    help="Log directories of a broker: a directory above them, or a .tar.gz; may be repeated.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    help="Only this topic, or those that match this glob; may be repeated.",
)
@option(
    "--compacted",
    multiple=True,
    metavar="TOPIC",
    help="A topic that is compacted, or a glob of some: records may be missing. Known where"
    " checkpoints say so.",
)
@option(
    "--deep",
    is_flag=True,
    help="Read all records, also those of batches that are the same everywhere.",
)
def verify_replicas(
    session: Session,
    log_dirs: tuple[str, ...],
    topics: tuple[str, ...],
    compacted: tuple[str, ...],
    deep: bool,
) -> None:
    """Prove from log directories that the replicas of each partition are equal, or find where not.

    Copy the log directories of the brokers, best with their checkpoints, and name each with its
    broker's id. Every Kafka release, message format and codec is read, and what an embedded
    broker wrote. No broker is asked. Compared are the offsets below the least checkpointed high
    watermark, from the highest log start on: batch by batch, and record by record where batches
    differ, so that other borders of batches or another codec make no difference. Where a log was
    compacted, records may be missing.

    Told is of each partition whether its replicas are equal, one is lagging, they differ (the
    first offset, which replicas have what in which leader epoch, and whether a truncation did not
    happen or it is corruption), or one is damaged by itself: wrong checksums, offsets that are
    missing or out of order, torn ends, an end before the log's own high watermark, indexes that
    lie. The worst come first. An archive is unpacked into the directory for temporary files.

    Of a partition that only one of the brokers has nothing is proven, but that it is not damaged
    by itself: it is told as single. A broker has a partition once: twice under one id is refused.

    Exits with 4 when something differs or is damaged, with 5 when not all could be read or a
    partition is single. Needs kadmin[spark], which brings NumPy.

    \b
    Examples:
      kadmin verify-replicas --log-dir 1=b1/data --log-dir 2=b2/data --log-dir 3=b3.tar.gz
      kadmin verify-replicas --log-dir 1=b1 --log-dir 2=b2 --topic orders --deep --output json
    """
    require_extra("verify-replicas", Extra.SPARK, "numpy")
    from kadmin.jobs.collected_replicas import (
        Unreadable,
        by_partition,
        find_replicas,
        holds_log_directory,
        unpacked,
    )
    from kadmin.jobs.verify import verify_partition
    from kadmin.plan.select import TopicSelection, selection_of
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
        chosen = require("--topic", selection_of(topics, is_regex=False), known)
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
        UsageError: none is given, or one is no broker's id and a path.
    """
    from kadmin.jobs.collected_replicas import LogDirArgument

    hint = "kadmin verify-replicas --log-dir 1=PATH --log-dir 2=PATH"
    if not log_dirs:
        raise UsageError("no log directory is named", hint=hint)
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
