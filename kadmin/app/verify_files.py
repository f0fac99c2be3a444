"""The comparison of replicas in collected log directories: which ones, found where?"""

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kadmin.app.broker_paths import broker_path
from kadmin.app.session import Session
from kadmin.errors import KadminError, UsageError

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId, TopicPartition
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.collection import Manifest
    from kadmin.jobs.collection_store import CollectionStore
    from kadmin.jobs.engine import Engine
    from kadmin.jobs.progress import Report
    from kadmin.jobs.verify.collected import Collected, FoundReplica, LogDirArgument, Unreadable
    from kadmin.jobs.verify.partition import VerifiedPartition
    from kadmin.jobs.verify.request import VerifyRequest

APP_NAME: Final = "kadmin verify-replicas"
SHOWN_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesWanted:
    """What is compared: *log_dirs* as `BROKER=PATH`, and *collections* of `kadmin collect`.

    *brokers* are all of the cluster, None if they are not known.  *compacted* names topics, or
    patterns of them, of which records may be missing.  Rows of batches go to *parquet*.
    """

    log_dirs: Sequence[str]
    collections: Sequence[str]
    topics: "TopicSelection"
    brokers: "frozenset[BrokerId] | None"
    compacted: tuple[str, ...]
    is_deep: bool
    parquet: str | None
    unpacked_max: int
    master: str | None
    conf: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Replicas that are found and not compared yet.

    *is_lacking*: something is missing of a topic of which something is there.
    """

    request: "VerifyRequest"
    engine: "Engine | None"
    unreadable: "Sequence[Unreadable]"
    misplaced: "Sequence[Unreadable]"
    is_lacking: bool

    @property
    def is_unproven(self) -> bool:
        """Whether something is not compared, or with another broker's directory."""
        return self.is_lacking or bool(self.unreadable or self.misplaced)

    def run(self, report: "Report") -> "Sequence[VerifiedPartition]":
        from kadmin.jobs.verify.run import verify

        return verify(self.request, report, self.engine)


class Collection(NamedTuple):
    """A directory that `kadmin collect` has filled: *log_dirs* are brokers' ids and places."""

    store: "CollectionStore"
    manifest: "Manifest"
    log_dirs: Sequence[tuple[str, str]]


@contextmanager
def comparison(session: Session, wanted: FilesWanted) -> "Iterator[Comparison]":
    """Find the replicas that are *wanted*; what is unpacked for that goes in the end."""
    from kadmin.jobs.engines import engine_ahead
    from kadmin.jobs.verify.collected import collect
    from kadmin.jvm.interrupts import ending_in_order

    collections = read_collections(wanted.collections)
    with (
        engine_ahead(APP_NAME, wanted.master, wanted.conf) as engine,
        ending_in_order(),
        ExitStack() as opened,
    ):
        arguments = arguments_of(wanted.log_dirs, collections)
        collected = collect(arguments, opened, wanted.unpacked_max)
        collected.unreadable += left_out(collections)
        is_lacking = warn(session, collected, wanted.topics)
        is_whole = are_all(session, wanted.brokers, arguments)
        is_whole = is_whole and not collected.unreadable and not collected.misplaced
        yield Comparison(
            request=request_of(collected, wanted, has_all_brokers=is_whole),
            engine=engine,
            unreadable=collected.unreadable,
            misplaced=collected.misplaced,
            is_lacking=is_lacking,
        )


def read_collections(places: Sequence[str]) -> "list[Collection]":
    """Return what `kadmin collect` has filled.

    Raises:
        NoCollection: one of them is none, or has no log directory.
    """
    from kadmin.jobs.collection import log_dirs_of, read_manifest
    from kadmin.jobs.collection_store import store_at

    found = []
    for place in places:
        store = store_at(place)
        manifest = read_manifest(store)
        found.append(Collection(store, manifest, log_dirs_of(store, manifest)))
    return found


def left_out(collections: "Sequence[Collection]") -> "Iterator[Unreadable]":
    """Return what is not in *collections*, though it was to be."""
    from kadmin.jobs.collection import unnamed_brokers
    from kadmin.jobs.verify.collected import Unreadable

    for store, manifest, _ in collections:
        if not manifest.is_finished:
            reason = "the collection is not finished: the same kadmin collect goes on with it"
            yield Unreadable(store.label, reason)
        for name in unnamed_brokers(store, manifest):
            reason = "the manifest does not name it, so that it is not read: collect --check"
            yield Unreadable(f"{store.label}/{name}", reason)
        for each in manifest.missing:
            yield Unreadable(each["label"], f"{each['reason']} (when it was collected)")


def warn(session: Session, collected: "Collected", selection: "TopicSelection") -> bool:
    """Warn of what cannot be read, and of what is missing of the selected topics.

    Returns whether something is missing of a topic that has at least one replica.

    Raises:
        KadminError: there is nothing at all.
    """
    if not collected.replicas and not collected.unreadable:
        raise KadminError(
            "there is no partition in these directories",
            hint="a log directory holds a directory for each partition, such as orders-0",
        )
    for path, reason in (*collected.unreadable, *collected.misplaced):
        session.warn(f"{path}: {reason}")
    meant = set(selection.select({partition.topic for partition, _ in collected.claims}))
    # What other brokers have of a partition is reported with its verdict.
    known = {replica.partition for replica in collected.replicas}
    claims = [each for each in collected.claims if each[0].topic in meant and each[0] not in known]
    for partition, broker in claims[:SHOWN_MAX]:
        session.warn(
            f"broker {broker} has checkpointed {partition}, and no directory of it is there"
        )
    if len(claims) > SHOWN_MAX:
        # As many as a broker has, where only some topics were collected.
        session.warn(f"… and {len(claims) - SHOWN_MAX:,} more that were checkpointed")
    topics = {partition.topic for partition in known}
    return any(partition.topic in topics for partition, _ in claims)


def are_all(
    session: Session, stated: "frozenset[BrokerId] | None", arguments: "Sequence[LogDirArgument]"
) -> bool:
    """Return whether *arguments* are of all brokers of the cluster, which are *stated* if known.

    Raises:
        UsageError: *arguments* are of others, too.
    """
    from cluster.model.ids import BrokerId

    if stated is None:
        return False
    given = {BrokerId(int(argument.broker)) for argument in arguments}
    if given - stated:
        raise UsageError(
            f"--log-dir names broker {min(given - stated)}, which --brokers leaves out",
            hint="--brokers names all brokers of the cluster",
        )
    for broker in sorted(stated - given):
        session.warn(f"no --log-dir is of broker {broker}")
    return stated == given


def request_of(
    collected: "Collected", wanted: FilesWanted, *, has_all_brokers: bool
) -> "VerifyRequest":
    """Return what of *collected* is compared.

    Raises:
        NoSuchTopic: a topic that is in no directory.
        UsageError: options that mean nothing, or replicas that cannot be those of one partition.
    """
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.processes import core_count
    from kadmin.jobs.verify.collected import by_partition
    from kadmin.jobs.verify.partition import HowToVerify
    from kadmin.jobs.verify.request import VerifyRequest

    partitions = by_partition(collected.replicas)
    known = {partition.topic for partition in partitions}
    option_name = "--topics-include" if wanted.topics.is_regex else "--topic"
    chosen = require(option_name, wanted.topics, known)
    cleaned: list[str] = []
    if wanted.compacted:
        cleaned = require("--compacted", TopicSelection(wanted=wanted.compacted), known)
    partitions = {each: found for each, found in partitions.items() if each.topic in chosen}
    check_replicas(partitions)
    return VerifyRequest(
        partitions=partitions,
        how=HowToVerify(
            is_deep=wanted.is_deep,
            compacted=frozenset(cleaned),
            has_all_brokers=has_all_brokers,
            claimed=by_claim(collected.claims),
        ),
        parquet=parquet_directory(wanted.parquet),
        master=wanted.master,
        conf=wanted.conf,
        processes=core_count(),
    )


def by_claim(
    claims: "Sequence[tuple[TopicPartition, str]]",
) -> "dict[TopicPartition, tuple[str, ...]]":
    """Return the brokers that say of each partition that they had it."""
    found: dict[TopicPartition, tuple[str, ...]] = {}
    for partition, broker in claims:
        found[partition] = (*found.get(partition, ()), broker)
    return found


def parquet_directory(path: str | None) -> str | None:
    """Return the directory for batch rows, from its root.

    Raises:
        UsageError: it holds something already, with which rows would mix.
    """
    if path is None:
        return None
    directory = Path(path)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(
            f"--parquet {path} is there already, and not empty", hint="name a new directory"
        )
    return str(directory.absolute())


def arguments_of(
    log_dirs: Sequence[str], collections: "Sequence[Collection]"
) -> "list[LogDirArgument]":
    """Return the options in their order, then what is in collections.

    Raises:
        UsageError: one is no broker's id and a path.
    """
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.verify.collected import LogDirArgument

    arguments = [LogDirArgument(*each) for each in brokers_and_places(log_dirs)]
    for _, manifest, found in collections:
        topics = TopicSelection(wanted=manifest.topics or ())
        arguments += [LogDirArgument(broker, place, topics) for broker, place in found]
    return arguments


def brokers_and_places(log_dirs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the same, known without what reads log directories."""
    from kadmin.jobs.uris import local_path

    hint = "kadmin verify-replicas --log-dir 1=PATH --log-dir 2=PATH"
    found = [broker_path(text, hint) for text in log_dirs]
    return [(broker, local_path(path)) for broker, path in found]


def require_paths(log_dirs: Sequence[str]) -> None:
    """See that the paths are there that were named, before any is read.

    Raises:
        UsageError: one is not.
    """
    from kadmin.jobs.uris import is_uri

    for broker, place in brokers_and_places(log_dirs):
        if is_uri(place):
            continue
        try:
            os.stat(place)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise UsageError(
                f"--log-dir {broker}={place}: no such file or directory",
                hint="leave out a broker whose log directories are gone",
            ) from error
        except OSError:
            continue  # It is there, and reading it reports what is wrong.


def require(option_name: str, selection: "TopicSelection", known: Set[str]) -> list[str]:
    """Return those of the topics *known*, which there are in the directories, that are meant.

    Where nothing could be read no name is wrong.

    Raises:
        NoSuchTopic: a name or a glob that matches none.
    """
    from kadmin.plan.topic_refusals import NoSuchTopic

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
    from kadmin.jobs.verify.collected import doubled

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
