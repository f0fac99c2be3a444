"""`kadmin verify-replicas`: are replicas equal, in collected log directories or as brokers serve
them?"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.app.broker_paths import INT32_MAX
from kadmin.cli.frame import KeyType, command
from kadmin.cli.options import (
    ByteRate,
    WholeNumber,
    argument,
    forbid,
    given_options,
    option,
    own_options,
)
from kadmin.cli.session import Session
from kadmin.cli.spark_options import SECTION, mute_if_submitted, spark_options
from kadmin.errors import ExitCode
from kadmin.settings.keys import KEYS, Key

if TYPE_CHECKING:
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.verify.partition import VerifiedPartition


FILES: Final = "From log directories"
BROKERS: Final = "From brokers"
TOPICS: Final = "Which topics"


@command(
    "verify-replicas",
    short_help="Prove that replicas are equal, as files or as brokers serve them.",
    speaks_to_brokers=True,
)
@argument("collections", nargs=-1, metavar="[DIR]...", type=click.Path())
@option(
    "--log-dir",
    "log_dirs",
    metavar="BROKER=PATH",
    multiple=True,
    section=FILES,
    help=(
        "The log directories of a broker: a directory above them, a .tar.gz or .tar.zst, "
        "or the URI of one; may be repeated."
    ),
)
@option(
    "--deep",
    is_flag=True,
    section=FILES,
    help=(
        "Read all records, also those of batches that are the same everywhere; of compacted logs "
        "also prove that no replica lacks the latest record of a key."
    ),
)
@option(
    "--brokers",
    metavar="ID,ID",
    section=FILES,
    help=(
        "All brokers of the cluster: a partition that only one of them has is then "
        "unreplicated, not single."
    ),
)
@option(
    "--max-unpacked",
    type=WholeNumber(min=1),
    metavar="BYTES",
    section=FILES,
    help="How much an archive may hold; otherwise 10 GiB, or 100 times its size if that is more.",
)
@option(
    "--parquet",
    metavar="DIR",
    section=FILES,
    help="Write a row for each batch of all replicas into this directory.",
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
    help=(
        "Where to start: latest, earliest, or a time: the first record at or after it "
        "('2026-11-20 03:12', -2h, ms since 1970). -1 and -2 as in "
        "kafka-replica-verification. The default is latest, with --until-caught-up "
        "earliest."
    ),
)
@option(
    "--until-caught-up",
    is_flag=True,
    section=BROKERS,
    help="End when everything that was committed at the start has been compared.",
)
@option(
    "--rounds",
    type=WholeNumber(min=1),
    metavar="N",
    section=BROKERS,
    help="End after N rounds; each asks every replica for its next records.",
)
@option(
    "--fetch-size",
    type=WholeNumber(min=1, max=INT32_MAX),
    metavar="BYTES",
    default=1024**2,
    show_default=True,
    section=BROKERS,
    help="How much to read of a replica at once.",
)
@option(
    "--max-rate",
    type=ByteRate(min=1),
    metavar="BYTES",
    section=BROKERS,
    help="Read at most so many bytes a second, from all brokers together.",
)
@option(
    "--max-wait-ms",
    type=WholeNumber(min=0, max=60_000),
    metavar="MS",
    default=1000,
    show_default=True,
    section=BROKERS,
    help="How long to wait when there is nothing new.",
)
@option(
    "--report-interval-ms",
    type=WholeNumber(min=1),
    metavar="MS",
    default=30_000,
    show_default=True,
    section=BROKERS,
    help="How often to report progress.",
)
@option(
    "--plain",
    is_flag=True,
    section=BROKERS,
    help="Print the lines of kafka-replica-verification, and no result.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    completes="topics",
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
    help=(
        "A compacted topic, or a glob: records may be missing. Not needed if checkpoints "
        "or brokers say so."
    ),
)
@spark_options("reads without it, as is done with less than some GB")
def verify_replicas(session: Session, **options: Any) -> None:
    """Prove that the replicas of each partition are equal, or find where they differ.

    With --log-dir, it reads log directories: copy them from the brokers, preferably with their
    checkpoints, and name each with its broker's id. DIR is a directory that 'kadmin collect' has
    filled, or its URI. It reads every Kafka release, message format and codec, and the files of
    embedded brokers, and asks no broker. It compares offsets from the highest log start up to the
    lowest checkpointed high watermark. Of an archive the files of partitions and the
    checkpoints are unpacked into the directory for temporary files; links in it are not followed,
    and are named if they have the name of such a file.

    Without these, it reads from the brokers (Kafka 0.11 and later) of --bootstrap-server, or from
    those registered in ZooKeeper. It reads each replica on its own broker, up to its high
    watermark, in step with the slowest one, and keeps nothing of what it has compared. It goes on
    until Ctrl-C, or to the end set by --until-caught-up, --rounds or --timeout, which limits the
    whole run. A broker that does not answer for ten seconds is named, and the others are compared
    without it. A topic that is deleted and created again meanwhile is unreadable: it is recognized
    by its id, or before Kafka 2.8 by replicas that all end too early. With --plain the lines are
    those of kafka-replica-verification, but the comparison goes on where that tool gives up.

    It compares batch by batch, and record by record where batches differ, so different batch
    borders or codecs make no difference. If a log was compacted, records may be missing where the
    cleaner has been: what all replicas have is then proven to be the same, but only --deep proves
    that no replica lacks the latest record of a key.

    For each partition it reports whether its replicas are equal, one is lagging, they differ (the
    first offset, which replicas have what in which leader epoch, and whether a truncation was
    missed or data is corrupt), or one is damaged by itself: wrong checksums, offsets that are
    missing or out of order; in files also torn ends, an end before the log's own high watermark or
    log start, first segments that retention has not deleted, and indexes that do not match. The
    worst come first.

    A partition that only one of the brokers has is reported as single: all that is proven is that
    it is not damaged by itself. It is unreplicated if --brokers, or the brokers themselves, say
    that there is no other replica. A partition is uncompared if it has records and none of them was
    compared: no new one arrived while the brokers were read, or a checkpointed high watermark is
    before all of them. The same partition twice under one broker's id is refused.
    Replicas with different topic ids are of different topics, and unreadable.

    Exits with 4 if something differs or is damaged, and with 5 if not everything could be read, it
    ended before all had caught up, a partition is uncompared, or one in log directories is single,
    or if a log directory says that it is another broker's.

    \b
    Examples:
      kadmin verify-replicas --log-dir 1=b1/data --log-dir 2=b2/data --log-dir 3=b3.tar.gz
      kadmin verify-replicas --log-dir 1=b1 --log-dir 2=b2 --topic orders --deep --output json
      kadmin verify-replicas collected/
      kadmin verify-replicas --until-caught-up --max-rate 50000000
      kadmin replica-verification --broker-list b1:9092 --topic-white-list 'orders.*' --plain
    """
    selection = topics_of(options["topics"], options["pattern"])
    given = [own_options(options)[name] for name in given_options(options)]
    if options["log_dirs"] or options["collections"]:
        used = [each.opts[0] for each in given if each.section == BROKERS]
        used += [key.option for key in KEYS if key.name in session.flags and says_whom_to_ask(key)]
        forbid(used, "log directories, for which no broker is asked")
        verified, is_unread = verify_files(session, selection, options)
    else:
        used = [each.opts[0] for each in given if each.section in (FILES, SECTION)]
        forbid(used, "brokers, only with --log-dir")
        from kadmin.cli.verify_replicas.live import verify_live

        verified, is_unread = verify_live(session, selection, options)
    code = exit_code(
        [each.verdict for each in verified],
        has_unreadable=is_unread or any(each.unreadable for each in verified),
    )
    click.get_current_context().exit(code)


def verify_files(
    session: Session, selection: "TopicSelection", options: Mapping[str, Any]
) -> "tuple[Sequence[VerifiedPartition], bool]":
    """Compare what is in log directories and show it; whether something else could not be read."""
    from kadmin.app.spark import chosen_master, spark_settings
    from kadmin.app.verify_files import FilesWanted, comparison, require_paths
    from kadmin.cli.broker_ids import broker_ids
    from kadmin.render.job_progress import job_progress
    from kadmin.render.verify_replicas.files import compaction_note, summary_line, verified_document

    require_paths(options["log_dirs"])
    mute_if_submitted(session)
    conf = spark_settings(options["conf"], options["properties_file"])
    wanted = FilesWanted(
        log_dirs=options["log_dirs"],
        collections=options["collections"],
        topics=selection,
        brokers=None if options["brokers"] is None else broker_ids([options["brokers"]]),
        compacted=options["compacted"],
        is_deep=options["deep"],
        parquet=options["parquet"],
        unpacked_max=options["max_unpacked"],
        master=chosen_master(options["master"], conf),
        conf=conf,
    )
    with comparison(session, wanted) as found, job_progress(session.output) as progress:
        verified = found.run(progress.report)
    session.output.show(verified_document(verified, found.unreadable, found.misplaced))
    session.output.note(summary_line(verified))
    if (note := compaction_note(verified)) is not None:
        session.output.note(note)
    return verified, found.is_unproven


def says_whom_to_ask(key: Key) -> bool:
    """Return whether *key* is a global option of the cluster, the connection or its timeout."""
    return key.of_cluster or key.name in ("cluster", "timeout")


def topics_of(topics: Sequence[str], pattern: str | None) -> "TopicSelection":
    """Return the topics that the options mean."""
    from kadmin.arguments.topics import selection_of

    if pattern is None:
        return selection_of(topics, is_regex=False)
    if topics:
        forbid(["--topic"], "--topics-include")
    return selection_of([pattern], is_regex=True)


def exit_code(verdicts: Sequence[str], *, has_unreadable: bool) -> ExitCode:
    """Return 0 only if all are proven to be equal, or lagging."""
    from kadmin.segments.compare import Verdict

    if Verdict.DIFFER in verdicts or Verdict.DAMAGED in verdicts:
        return ExitCode.FOUND
    is_unproven = has_unreadable or not {Verdict.SINGLE, Verdict.UNCOMPARED}.isdisjoint(verdicts)
    return ExitCode.UNREACHABLE if is_unproven else ExitCode.DONE
