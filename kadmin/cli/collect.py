"""`kadmin collect`: bring what an incident is looked into with together, from all brokers."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from kadmin.cli.broker_paths import broker_path
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
from kadmin.errors import ExitCode, KadminError, RefusedError, UsageError

if TYPE_CHECKING:
    from kadmin.jobs.collect import CollectArgument, Progress
    from kadmin.jobs.collection import CollectedFile, Manifest
    from kadmin.jobs.depot import Depot
    from kadmin.jobs.verify.collected import Unreadable
    from kadmin.plan.select import TopicSelection

HINT: Final = "kadmin collect DIR --log-dir 1=PATH --logs 1=PATH"
REPORT_S: Final = 5.0
HIDDEN: Final = (
    "the wire hides indexes, leader epoch checkpoints, producer snapshots, where the cleaner was,"
    " and what is not committed: none of that is collected"
)


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
    from kadmin.jobs.depot import depot_at
    from kadmin.plan.select import selection_of
    from kadmin.render.collect import collected_document

    arguments = [
        *arguments_of("log_dir", options["log_dirs"]),
        *arguments_of("logs", options["logs"]),
    ]
    if not arguments and not options["wire"]:
        arguments = local_arguments(session)
    wanted = Wanted(
        arguments,
        selection_of(options["topics"], is_regex=False),
        is_wire=options["wire"],
        rate_max=options["max_rate"],
    )
    depot = depot_at(place)
    keep_apart(depot, arguments)
    told = Told(session)
    collected = fill(session, depot, wanted, told)
    session.output.show(collected_document(depot.label, collected, told.missing))
    if told.missing:
        click.get_current_context().exit(ExitCode.UNREACHABLE)


class Wanted(NamedTuple):
    """What is to be collected: what paths name, and what brokers serve if it *is_wire*; of log
    directories the topics of *selection*."""

    arguments: "Sequence[CollectArgument]"
    selection: "TopicSelection"
    is_wire: bool
    rate_max: int | None

    @property
    def brokers_of_log_dirs(self) -> set[str]:
        """Those whose log directories are named."""
        from kadmin.jobs.collection import LOG_DIR

        return {argument.broker for argument in self.arguments if argument.kind == LOG_DIR}


def fill(session: Session, depot: "Depot", wanted: Wanted, told: "Told") -> "list[CollectedFile]":
    """Bring what is *wanted* into *depot*, and give what was brought, or is there unchanged.

    Raises:
        RefusedError: something is in it, and no collection.
        NoSuchTopic: a topic that is not there.
        KadminError: it cannot be written.
    """
    from kadmin.jobs.collect import Copying, planned
    from kadmin.jobs.collection import JOURNAL, finish, note
    from kadmin.jobs.depot import first_line

    known = found_in(depot)
    selection = wanted.selection
    files = planned(wanted.arguments, lambda topic: bool(selection.select([topic])), told.tell)
    # What is refused is refused before anything is written.
    if wanted.is_wire:
        require_on_brokers(session, selection)
    else:
        require_topics(selection, [file.path for file in files])
    make(depot)
    copying = Copying(depot, told, rate_max=wanted.rate_max)
    topics = known.topics
    if wanted.is_wire or wanted.brokers_of_log_dirs:
        topics = all_topics(known.topics, selection.wanted)
    collected: list[CollectedFile] = []
    try:
        # The journal comes first: what has one may be gone on with, whatever ends this run.
        with depot.noted(JOURNAL) as journal:
            save_cluster(session, depot, told)
            sources = [copying.run(files, known.files)]
            if wanted.is_wire:
                sources.append(over_the_wire(session, depot, wanted, told))
            for file in chain.from_iterable(sources):
                note(journal, file)
                collected.append(file)
        whole = [*still_there(depot, known.files, collected), *collected]
        finish(depot, whole, told.missing, topics)
    except OSError as error:
        raise KadminError(
            f"cannot write {error.filename or depot.label}: {error.strerror or first_line(error)}",
            hint="when that is mended, the same command goes on where it was",
        ) from error
    return collected


def check(session: Session, place: str) -> ExitCode:
    """See that the collection at *place* is what its manifest says.

    Raises:
        NoCollection: there is none.
    """
    from kadmin.jobs.collect import Progress
    from kadmin.jobs.collection import read_manifest
    from kadmin.jobs.collection_check import DifferenceKind, differences
    from kadmin.jobs.depot import depot_at
    from kadmin.render.collect import checked_document

    depot = depot_at(place)
    manifest = read_manifest(depot)
    told = Told(session)
    total = sum(file.size_bytes for file in manifest.files.values())
    begun_s = time.monotonic()
    done = 0

    def report(size: int) -> None:
        nonlocal done
        done += size
        told.report(Progress(done, total, done, time.monotonic() - begun_s))

    found = list(differences(depot, manifest, report))
    session.output.show(checked_document(depot.label, manifest, found))
    if any(each.kind is not DifferenceKind.UNREADABLE for each in found):
        return ExitCode.FOUND
    is_whole = manifest.is_finished and not manifest.missing
    return ExitCode.DONE if is_whole and not found else ExitCode.UNREACHABLE


class Told:
    """Tells on standard error how far it is, and what is missing."""

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
    """What options name.

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


def local_arguments(session: Session) -> "list[CollectArgument]":
    """All of the embedded cluster that is meant.

    Raises:
        UsageError: none is meant.
    """
    from kadmin.jobs.collect import CollectArgument
    from kadmin.jobs.collection import LOG_DIR, LOGS
    from kadmin.local.server_properties import DATA_DIRECTORY
    from kadmin.local.state import cluster_names, read_cluster

    session.settings.check_cluster()
    name = session.settings.cluster_name
    cluster = read_cluster(name) if name in cluster_names() else None
    if cluster is None:
        raise UsageError("no log directory is named, nor a cluster of this machine", hint=HINT)
    found = []
    for broker in cluster.brokers:
        broker_id = str(broker.member.id)
        found.append(CollectArgument(broker_id, LOG_DIR, broker.directory / DATA_DIRECTORY))
        found.append(CollectArgument(broker_id, LOGS, broker.logs_directory))
    return found


def over_the_wire(
    session: Session, depot: "Depot", wanted: Wanted, told: Told
) -> "Iterator[CollectedFile]":
    """Copy what all brokers serve but for those whose log directories are named.

    Raises:
        NoSuchTopic: a topic that is not there.
        UnreachableError: no broker answers.
    """
    from kadmin.admin.wire.opening import connect_brokers
    from kadmin.admin.wire.replica_reader import WireReplicaReader
    from kadmin.admin.wire.snapshot import read_topics
    from kadmin.jobs.collect_wire import WireCopying
    from kadmin.jobs.read_bounds import ANSWER_S

    brokers = session.brokers()
    answer_s = min(brokers.timeout_s, ANSWER_S)
    with connect_brokers(replace(brokers, timeout_s=answer_s)) as connection:
        reader = WireReplicaReader(
            connection, sorted(read_topics(connection, wanted.selection).topics)
        )
        placement = reader.placement()
        asked = {broker for replicas in placement.replicas.values() for broker in replicas}
        session.output.note(HIDDEN)
        copying = WireCopying(reader, placement, depot, told, rate_max=wanted.rate_max)
        without = wanted.brokers_of_log_dirs
        yield from copying.run(sorted(each for each in asked if str(each) not in without))


def keep_apart(depot: "Depot", arguments: "Sequence[CollectArgument]") -> None:
    """See that the collection is not collected itself, larger each time.

    Raises:
        UsageError: it is in a directory below a log directory.
    """
    from kadmin.jobs.collection import LOG_DIR
    from kadmin.jobs.depot import DirectoryDepot

    if not isinstance(depot, DirectoryDepot):
        return
    directory = depot.directory.resolve()
    for each in arguments:
        if each.kind == LOG_DIR and directory.is_relative_to(each.path.resolve()):
            raise UsageError(
                f"{depot.label} is below {each.path}, and would be collected itself",
                hint="name a directory elsewhere",
            )


def still_there(
    depot: "Depot", known: "Mapping[str, CollectedFile]", collected: "Sequence[CollectedFile]"
) -> "Iterator[CollectedFile]":
    """The files that other runs have collected, and this one has not."""
    again = {file.path for file in collected}
    for path, file in known.items():
        if path not in again and depot.size_of(path) is not None:
            yield file


def all_topics(before: tuple[str, ...] | None, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The topics of all runs, None *before* the first one; no topics are all."""
    if before is None:
        return wanted
    return tuple(sorted({*before, *wanted})) if before and wanted else ()


def found_in(depot: "Depot") -> "Manifest":
    """What is in *depot*; nothing where it is not there.

    Raises:
        RefusedError: something is in it, and no collection.
    """
    from kadmin.jobs.collection import Manifest, NoCollection, read_manifest

    if next(depot.paths(), None) is None:
        return Manifest({})
    try:
        return read_manifest(depot)
    except NoCollection as error:
        raise RefusedError(
            f"{depot.label} is not empty, and no collection", hint="name a directory of its own"
        ) from error


def make(depot: "Depot") -> None:
    """Make *depot*, if it is not there; raises KadminError where it cannot be made."""
    try:
        depot.make()
    except OSError as error:
        raise KadminError(f"cannot write {depot.label}: {error.strerror or error}") from error


def require_on_brokers(session: Session, selection: "TopicSelection") -> None:
    """See that brokers answer, and have the topics that were named.

    Raises:
        NoSuchTopic: a topic that is not there.
        UnreachableError: no broker answers.
    """
    from kadmin.admin.wire.opening import connect_brokers
    from kadmin.admin.wire.snapshot import read_topics

    with connect_brokers(session.brokers()) as connection:
        read_topics(connection, selection)


def require_topics(selection: "TopicSelection", paths: Sequence[str]) -> None:
    """See that the topics are there that were named.

    Raises:
        NoSuchTopic: one is not.
    """
    from cluster.formats.directory_names import partition_of
    from kadmin.plan.select import NoSuchTopic

    names = {found.topic for path in paths if (found := partition_of(Path(path).parent.name))}
    if missing := selection.missing(names):
        hint = (
            "--topic takes topics that have partitions in these log directories, such as orders-0"
        )
        raise NoSuchTopic(missing, hint=hint)


def save_cluster(session: Session, depot: "Depot", told: Told) -> None:
    """Write what the cluster that is meant tells of itself; nothing where none is meant."""
    from cluster.model.config_entity import EntityKind
    from kadmin.jobs.collection import SNAPSHOT
    from kadmin.jobs.verify.collected import Unreadable
    from kadmin.plan.entities import select_entities
    from kadmin.plan.select import TopicSelection
    from kadmin.render.collect import cluster_body

    settings = session.settings
    if settings.text("zookeeper") is None and settings.text("bootstrap_server") is None:
        return
    try:
        with session.topics() as admin:
            snapshot = admin.snapshot(TopicSelection())
        with session.configs() as configs:
            brokers = configs.find(select_entities([EntityKind.BROKERS], ()))
            overrides, _ = configs.read(brokers)
    except KadminError as error:
        told.tell(Unreadable(settings.shown_cluster, error.message))
        return
    text = json.dumps(cluster_body(snapshot, dict(overrides)), indent=1)
    depot.write(SNAPSHOT, (text + "\n").encode())
