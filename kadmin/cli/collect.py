"""`kadmin collect`: bring what an incident is looked into with together, from all brokers."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.app.broker_paths import broker_path
from kadmin.app.collecting import HINT, WantedCollection, fill, keep_apart, local_arguments
from kadmin.cli.frame import command
from kadmin.cli.options import (
    ByteRate,
    argument,
    forbid,
    given_options,
    option,
    own_options,
)
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from kadmin.jobs.collect import CollectArgument, Progress
    from kadmin.jobs.verify.collected import Unreadable

REPORT_S: Final = 5.0


@command(
    "collect",
    short_help="Bring log directories and logs of all brokers together.",
    speaks_to_brokers=True,
)
@argument("place", metavar="DIR", type=click.Path())
@option(
    "--log-dir",
    "log_dirs",
    metavar="BROKER=PATH",
    multiple=True,
    help="A log directory of a broker, or a directory above several; may be repeated.",
)
@option(
    "--logs",
    metavar="BROKER=PATH",
    multiple=True,
    help="The directory of a broker's state-change.log, or that file; may be repeated.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    completes="topics",
    help=("Only this topic in log directories, or those that match this glob; may be repeated."),
)
@option(
    "--wire",
    is_flag=True,
    help="Read from the brokers themselves, unless --log-dir names their directories.",
)
@option(
    "--max-rate",
    type=ByteRate(min=1),
    metavar="BYTES",
    help="Copy at most so many bytes a second.",
)
@option(
    "--check",
    is_flag=True,
    help="Collect nothing; check that sizes and SHA-256 match the manifest.",
)
def collect(session: Session, place: str, **options: Any) -> None:
    """Bring log directories, state-change and controller logs of all brokers into one place.

    DIR is a directory, or the URI of one as merge-logs and verify-replicas read it (s3://, s3a://,
    hdfs://, gs://); files are copied there one after the other.

    It copies what verify-replicas and merge-logs need from paths on this machine, or mounted on it:
    --log-dir and --logs, each with its broker's id; without these, everything of the embedded
    cluster that is meant. If a cluster is named, snapshot.json describes it: topics with their
    configs and states, brokers with their configs, the controller.

    Brokers may go on writing. Each file is copied up to the size that it has when its turn comes,
    checkpoints first; a batch that is cut off at the end of a growing segment is left out. The
    originals are not changed. manifest.json lists each file with its origin, size and SHA-256.

    If only the brokers can be reached, --wire reads their replicas as verify-replicas does (Kafka
    0.11 and later), up to the high watermarks of that moment, and writes them as segments. What the
    wire does not show is missing: indexes, leader epochs other than those of the batches, producer
    snapshots, the cleaner's position, and records that are not committed.

    Run it again after an interruption, or later: files that are there and have not changed are not
    copied again. What cannot be read, such as a dead broker, is named and left out.

    When a collection has been moved elsewhere, --check says which files are missing, which have
    another size or SHA-256, and which the manifest does not name.

    Exits with 5 if something could not be read, or the collection that is checked is not finished,
    with 4 if a file of it is missing or differs, and with 1 if there is no collection or its
    manifest is damaged.

    \b
    Examples:
      kadmin collect incident/ --log-dir 1=/mnt/b1/data --logs 1=/mnt/b1/logs --log-dir 2=…
      kadmin collect incident/ --wire --bootstrap-server b1:9092 --topic orders
      kadmin collect incident/ --cluster dev --topic orders --max-rate 50000000
      kadmin collect incident/ --check
      kadmin collect s3://bucket/incident --log-dir 1=/mnt/b1/data --logs 1=/mnt/b1/logs
      kadmin verify-replicas incident/
      kadmin merge-logs incident/
    """
    if options["check"]:
        others = [own_options(options)[name].opts[0] for name in given_options(options)]
        forbid([each for each in others if each != "--check"], "--check, which collects nothing")
        click.get_current_context().exit(check(session, place))
    from kadmin.arguments.topics import selection_of
    from kadmin.jobs.collection_store import store_at
    from kadmin.render.collect import collected_document

    arguments = [
        *arguments_of("log_dir", options["log_dirs"]),
        *arguments_of("logs", options["logs"]),
    ]
    if not arguments and not options["wire"]:
        arguments = local_arguments(session)
    wanted = WantedCollection(
        arguments,
        selection_of(options["topics"], is_regex=False),
        is_wire=options["wire"],
        rate_max=options["max_rate"],
    )
    store = store_at(place)
    keep_apart(store, arguments)
    progress = ProgressReport(session)
    collected = fill(session, store, wanted, progress)
    session.output.show(collected_document(store.label, collected, progress.missing))
    if progress.missing:
        click.get_current_context().exit(ExitCode.UNREACHABLE)


def check(session: Session, place: str) -> ExitCode:
    """Compare the collection at *place* with its manifest.

    Raises:
        NoCollection: there is none.
    """
    from kadmin.jobs.collect import Progress
    from kadmin.jobs.collection import read_manifest
    from kadmin.jobs.collection_check import DifferenceKind, differences
    from kadmin.jobs.collection_store import store_at
    from kadmin.render.collect import checked_document

    store = store_at(place)
    manifest = read_manifest(store)
    progress = ProgressReport(session)
    total = sum(file.size_bytes for file in manifest.files.values())
    begun_s = time.monotonic()
    done = 0

    def report(size: int) -> None:
        nonlocal done
        done += size
        progress.report(Progress(done, total, done, time.monotonic() - begun_s))

    found = list(differences(store, manifest, report))
    session.output.show(checked_document(store.label, manifest, found))
    if any(each.kind is not DifferenceKind.UNREADABLE for each in found):
        return ExitCode.FOUND
    is_whole = manifest.is_finished and not manifest.missing
    return ExitCode.DONE if is_whole and not found else ExitCode.UNREACHABLE


class ProgressReport:
    """Reports progress and missing files on standard error."""

    def __init__(self, session: Session) -> None:
        self.missing: list[Unreadable] = []
        self._output = session.output
        self._reported_s = time.monotonic()

    def report(self, progress: "Progress") -> None:
        from kadmin.render.collect import progress_note

        now_s = time.monotonic()
        if now_s - self._reported_s >= REPORT_S:
            self._reported_s = now_s
            self._output.note(progress_note(progress))

    def tell(self, missing: "Unreadable") -> None:
        self.missing.append(missing)
        self._output.warn(f"left out: {missing.label}: {missing.reason}")


def arguments_of(kind: str, texts: Sequence[str]) -> "list[CollectArgument]":
    """Return what options name.

    Raises:
        UsageError: one is no broker's id and a path.
    """
    from kadmin.jobs.collect import CollectArgument
    from kadmin.jobs.uris import is_uri, shown

    found = []
    for text in texts:
        broker, path = broker_path(text, HINT)
        if is_uri(path):
            raise UsageError(
                f"{shown(path)} is a URI, and only what is mounted here can be collected",
                hint="verify-replicas and merge-logs read URIs themselves",
            )
        found.append(CollectArgument(broker, kind, Path(path)))
    return found
