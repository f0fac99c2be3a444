"""Collections of log directories and logs, from paths and from brokers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from kadmin.app.session import Session
from kadmin.errors import KadminError, RefusedError, UsageError

if TYPE_CHECKING:
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.collect import CollectArgument, Progress
    from kadmin.jobs.collection import CollectedFile, Manifest
    from kadmin.jobs.collection_store import CollectionStore
    from kadmin.jobs.verify.collected import Unreadable

HINT: Final = "kadmin collect DIR --log-dir 1=PATH --logs 1=PATH"
HIDDEN: Final = (
    "the wire hides indexes, leader epoch checkpoints, producer snapshots, where the cleaner was,"
    " and what is not committed: none of that is collected"
)


class Listener(Protocol):
    """The receiver of how far it is, and of what is missing; it keeps the latter."""

    missing: "list[Unreadable]"

    def report(self, progress: "Progress") -> None: ...

    def tell(self, missing: "Unreadable") -> None: ...


class WantedCollection(NamedTuple):
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


def fill(
    session: Session, store: "CollectionStore", wanted: WantedCollection, progress: Listener
) -> "list[CollectedFile]":
    """Bring what is *wanted* into *store*, and give what was brought, or is there unchanged.

    Raises:
        RefusedError: something is in it, and no collection.
        NoSuchTopic: a topic that is not there.
        KadminError: it cannot be written.
    """
    from kadmin.jobs.collect import Copying, planned
    from kadmin.jobs.collection import JOURNAL, finish, note
    from kadmin.jobs.collection_store import first_line

    known = found_in(store)
    selection = wanted.selection
    files = planned(wanted.arguments, lambda topic: bool(selection.select([topic])), progress.tell)
    # What is refused is refused before anything is written.
    if wanted.is_wire:
        require_on_brokers(session, selection)
    else:
        require_topics(selection, [file.path for file in files])
    make(store)
    copying = Copying(store, progress, rate_max=wanted.rate_max)
    topics = known.topics
    if wanted.is_wire or wanted.brokers_of_log_dirs:
        topics = all_topics(known.topics, selection.wanted)
    collected: list[CollectedFile] = []
    try:
        # The journal comes first: what has one may be gone on with, whatever ends this run.
        with store.noted(JOURNAL) as journal:
            save_cluster(session, store, progress)
            sources = [copying.run(files, known.files)]
            if wanted.is_wire:
                sources.append(over_the_wire(session, store, wanted, progress))
            for file in chain.from_iterable(sources):
                note(journal, file)
                collected.append(file)
        whole = [*still_there(store, known.files, collected), *collected]
        finish(store, whole, progress.missing, topics)
    except OSError as error:
        raise KadminError(
            f"cannot write {error.filename or store.label}: {error.strerror or first_line(error)}",
            hint="when that is mended, the same command goes on where it was",
        ) from error
    return collected


def over_the_wire(
    session: Session, store: "CollectionStore", wanted: WantedCollection, progress: Listener
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
        session.note(HIDDEN)
        copying = WireCopying(reader, placement, store, progress, rate_max=wanted.rate_max)
        without = wanted.brokers_of_log_dirs
        yield from copying.run(sorted(each for each in asked if str(each) not in without))


def save_cluster(session: Session, store: "CollectionStore", progress: Listener) -> None:
    """Write a snapshot of the cluster that is named, if one is."""
    from cluster.model.config_entity import EntityKind
    from kadmin.arguments.entities import select_entities
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.collection import SNAPSHOT
    from kadmin.jobs.verify.collected import Unreadable
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
        progress.tell(Unreadable(settings.shown_cluster, error.message))
        return
    text = json.dumps(cluster_body(snapshot, dict(overrides)), indent=1)
    store.write(SNAPSHOT, (text + "\n").encode())


def local_arguments(session: Session) -> "list[CollectArgument]":
    """Return all of the embedded cluster that is meant.

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


def keep_apart(store: "CollectionStore", arguments: "Sequence[CollectArgument]") -> None:
    """See that the collection is not collected itself, larger each time.

    Raises:
        UsageError: it is in a directory below a log directory.
    """
    from kadmin.jobs.collection import LOG_DIR
    from kadmin.jobs.collection_store import DirectoryStore

    if not isinstance(store, DirectoryStore):
        return
    directory = store.directory.resolve()
    for each in arguments:
        if each.kind == LOG_DIR and directory.is_relative_to(each.path.resolve()):
            raise UsageError(
                f"{store.label} is below {each.path}, and would be collected itself",
                hint="name a directory elsewhere",
            )


def found_in(store: "CollectionStore") -> "Manifest":
    """Return what is in *store*; nothing where it is not there.

    Raises:
        RefusedError: something is in it, and no collection.
    """
    from kadmin.jobs.collection import Manifest, NoCollection, read_manifest

    if next(store.paths(), None) is None:
        return Manifest({})
    try:
        return read_manifest(store)
    except NoCollection as error:
        raise RefusedError(
            f"{store.label} is not empty, and no collection", hint="name a directory of its own"
        ) from error


def make(store: "CollectionStore") -> None:
    """Make *store*, if it is not there; raises KadminError where it cannot be made."""
    try:
        store.make()
    except OSError as error:
        raise KadminError(f"cannot write {store.label}: {error.strerror or error}") from error


def still_there(
    store: "CollectionStore",
    known: "Mapping[str, CollectedFile]",
    collected: "Sequence[CollectedFile]",
) -> "Iterator[CollectedFile]":
    """Return the files that other runs have collected, and this one has not."""
    again = {file.path for file in collected}
    for path, file in known.items():
        if path not in again and store.size_of(path) is not None:
            yield file


def all_topics(before: tuple[str, ...] | None, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the topics of all runs, None *before* the first one; no topics are all."""
    if before is None:
        return wanted
    return tuple(sorted({*before, *wanted})) if before and wanted else ()


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
    from kadmin.plan.topic_refusals import NoSuchTopic

    names = {found.topic for path in paths if (found := partition_of(Path(path).parent.name))}
    if missing := selection.missing(names):
        hint = (
            "--topic takes topics that have partitions in these log directories, such as orders-0"
        )
        raise NoSuchTopic(missing, hint=hint)
