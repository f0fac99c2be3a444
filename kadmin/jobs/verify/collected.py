"""Replicas in collected log directories: where are they, and what do the checkpoints say of them?

A place is that of a log directory, or of anything above several; an archive is unpacked first.
"""

import os
import re
import tarfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from cluster.formats.checkpoints import (
    CLEANED_OFFSETS,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)
from cluster.formats.directory_names import partition_of
from cluster.formats.errors import CorruptFileError
from cluster.formats.properties import META_PROPERTIES, owner_in
from cluster.model.ids import TopicPartition
from kadmin.arguments.topics import TopicSelection
from kadmin.jobs.archives import unpack
from kadmin.jobs.places import (
    LocalTree,
    Tree,
    file_size,
    is_directory,
    name_of,
    tree_at,
    unpacking,
)
from kadmin.jobs.unpack_bounds import unpacked_max
from kadmin.jobs.uris import is_uri, shown
from kadmin.jobs.verify.replica_files import counted_rows

LOST_AND_FOUND: Final = "lost+found"
OF_LOG_DIRECTORY: Final = frozenset(
    (META_PROPERTIES, RECOVERY_POINTS, HIGH_WATERMARKS, LOG_STARTS, CLEANED_OFFSETS)
)
OF_PARTITION: Final = re.compile(r"[0-9]{20}\..+|leader-epoch-checkpoint|partition\.metadata")
SEGMENT: Final = re.compile(r"[0-9]{20}\.log")
UNPACKED: Final = re.compile(
    r"[0-9]{20}\.[a-zA-Z0-9._-]{1,100}|leader-epoch-checkpoint|partition\.metadata"
)
"""What is unpacked of a partition."""
ARCHIVES: Final = {".tar.gz": "gzip", ".tgz": "gzip", ".tar.zst": "zstd", ".tzst": "zstd"}
"""How archives are called, and what packed them."""


class LogDirArgument(NamedTuple):
    """A path or a URI that holds log directories of a broker, as far as they are of *topics*."""

    broker: str
    place: str
    topics: TopicSelection = TopicSelection()

    @property
    def label(self) -> str:
        """The place for people, without passwords."""
        return shown(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundReplica:
    """A replica's directory, and what its broker's checkpoints say of it."""

    partition: TopicPartition
    broker: str
    label: str
    """The path as the operator knows it, that of an archive with what is within."""
    directory: str
    """Its place."""
    high_watermark: int | None
    log_start_offset: int | None
    cleaned_offset: int


class Unreadable(NamedTuple):
    """What could not be read, and why."""

    label: str
    reason: str


@contextmanager
def unpacked(argument: LogDirArgument, bytes_max: int | None) -> Iterator[Tree]:
    """Yield the directory that *argument* names, or into which its archive is unpacked for so long.

    An archive may hold *bytes_max* bytes, if there is such a bound.

    Raises:
        OSError: there is none, or it cannot be unpacked.
        KadminError: the scheme of a URI is unknown.
    """
    name = name_of(argument.place)
    codec = next((ARCHIVES[suffix] for suffix in ARCHIVES if name.endswith(suffix)), None)
    if codec is None:
        if not is_directory(argument.place):
            reason = "it is no directory, nor a .tar.gz or .tar.zst"
            raise NotADirectoryError(0, reason, argument.label)
        yield tree_at(argument.place)
        return
    with TemporaryDirectory(prefix="kadmin-") as directory:
        try:
            with unpacking(argument.place, codec) as stream:
                tree = unpack(
                    stream,
                    Path(directory),
                    bytes_max=unpacked_max(file_size(argument.place), bytes_max),
                    is_wanted=is_unpacked,
                    is_missed=lambda name: is_unpacked(name) or partition_of(name) is not None,
                )
        except (OSError, ValueError, tarfile.TarError, EOFError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            message = (error.strerror if isinstance(error, OSError) else None) or str(error)
            reason = f"it cannot be unpacked: {message.partition(chr(10))[0]}"
            raise OSError(0, reason, argument.label) from error
        yield tree


def is_unpacked(name: str) -> bool:
    """Return whether the comparison of replicas reads a file called *name*."""
    return name in OF_LOG_DIRECTORY or UNPACKED.fullmatch(name) is not None


@dataclass(slots=True)
class Collected:
    """What log directories hold: *replicas*, and what of them is *unreadable*.

    *claims* are partitions, each with a broker whose checkpoint names it, though there is no
    directory of it, and it was not left out on purpose.
    """

    replicas: list[FoundReplica] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    claims: list[tuple[TopicPartition, str]] = field(default_factory=list)
    clusters: dict[str, str] = field(default_factory=dict)
    """The ids of clusters that log directories are of, each with the first of them."""

    misplaced: list[Unreadable] = field(default_factory=list)
    """Log directories whose meta.properties name another broker."""

    def compare_owner(
        self, tree: Tree, inner: str, argument: LogDirArgument, label_of: Callable[[str], str]
    ) -> None:
        """See whether the log directory with the `meta.properties` at *inner* is that broker's, and
        of the same cluster as the others."""
        label = label_of(inner)
        try:
            broker, cluster = owner_in(tree.read(inner), label)
        except (OSError, CorruptFileError) as error:
            self.unreadable.append(Unreadable(label, reason_of(error)))
            return
        if broker is not None and broker != argument.broker:
            reason = f"it says that this is a log directory of broker {broker}"
            whose = f"{reason}, not {argument.broker}, so that nothing is proven of that one"
            self.misplaced.append(Unreadable(label, whose))
        if cluster is not None:
            self.clusters.setdefault(cluster, label)
            first, other = next(iter(self.clusters.items()))
            if cluster != first:
                reason = f"it says that this is of cluster {cluster}; {other} names {first}"
                self.unreadable.append(Unreadable(label, reason))


def collect(
    arguments: Sequence[LogDirArgument], opened: ExitStack, bytes_max: int | None = None
) -> Collected:
    """Return all replicas in what *arguments* name; archives are unpacked until *opened* is closed.

    Each archive may hold *bytes_max* bytes, if there is such a bound.

    Where there is none at all, and nothing else is wrong, directories without any are no fault.
    """
    collected = Collected()
    empty: list[Unreadable] = []
    checkpointed: list[tuple[LogDirArgument, set[TopicPartition]]] = []
    for argument in arguments:
        try:
            tree = opened.enter_context(unpacked(argument, bytes_max))
        except OSError as error:
            reason = error.strerror or str(error)
            collected.unreadable.append(Unreadable(argument.label, reason))
            continue
        before = len(collected.replicas), len(collected.unreadable)
        checkpointed.append((argument, add_replicas(collected, argument, tree)))
        is_empty = before == (len(collected.replicas), len(collected.unreadable))
        if is_empty and not holds_log_directory(tree):
            empty.append(Unreadable(argument.label, "there is no log directory in it"))
    if collected.replicas or collected.unreadable:
        collected.unreadable += empty
    collected.claims = claims_of(collected.replicas, checkpointed)
    return collected


def claims_of(
    replicas: Sequence[FoundReplica],
    checkpointed: Iterable[tuple[LogDirArgument, set[TopicPartition]]],
) -> list[tuple[TopicPartition, str]]:
    """Return what is checkpointed and not there, each partition with its broker.

    Only of topics of which any broker has a replica: others were left out on purpose.
    """
    had = {(replica.partition, replica.broker) for replica in replicas}
    there = {replica.partition.topic for replica in replicas}
    claims: set[tuple[TopicPartition, str]] = set()
    for argument, partitions in checkpointed:
        meant = there.union(argument.topics.select({each.topic for each in partitions}))
        claims.update((each, argument.broker) for each in partitions if each.topic in meant)
    return sorted(claims - had)


def add_replicas(collected: Collected, argument: LogDirArgument, tree: Tree) -> set[TopicPartition]:
    """Add the replicas in *tree*, where the files of *argument* are; gives what the checkpoints
    name."""
    checkpointed: set[TopicPartition] = set()

    def label_of(inner: str) -> str:
        return f"{argument.label}/{inner}" if inner else argument.label

    tell = collected.unreadable.append

    log_directories: set[str] = set()

    def failed(inner: str, error: OSError) -> None:
        above, _, name = inner.rpartition("/")
        if not is_unrelated(name, is_in_log_dir=above in log_directories):
            tell(Unreadable(label_of(inner), error.strerror or str(error)))

    for directory, directories, files in tree.walk(failed):
        directories.sort()
        partitions = {
            each: partition
            for each in directories
            if (partition := partition_of(each)) is not None
            and is_replica(tree, below(directory, each), is_in_log_dir=is_log_directory(files))
        }
        directories[:] = [each for each in directories if each not in partitions]
        if not partitions and not is_log_directory(files):
            continue
        log_directories.add(directory)
        if META_PROPERTIES in files:
            owner = below(directory, META_PROPERTIES)
            collected.compare_owner(tree, owner, argument, label_of)
        marks, starts, cleaned, recovery_points = (
            offsets_in(tree, below(directory, file), tell, label_of)
            for file in (HIGH_WATERMARKS, LOG_STARTS, CLEANED_OFFSETS, RECOVERY_POINTS)
        )
        # Soon after a start a broker has reported no high watermarks but those it was asked for.
        checkpointed.update(marks, recovery_points)
        for each, partition in partitions.items():
            inner = below(directory, each)
            collected.replicas.append(
                FoundReplica(
                    partition=partition,
                    broker=argument.broker,
                    label=label_of(inner),
                    directory=tree.place(inner),
                    high_watermark=marks.get(partition),
                    log_start_offset=starts.get(partition),
                    cleaned_offset=cleaned.get(partition, 0),
                )
            )
    return checkpointed


def below(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def is_unrelated(name: str, *, is_in_log_dir: bool) -> bool:
    """Return whether a directory that cannot be read is none of a broker's, by its *name*.

    That is a directory beside partitions that is none, or the file system's own.
    """
    return name == LOST_AND_FOUND or (is_in_log_dir and partition_of(name) is None)


def is_log_directory(files: Iterable[str]) -> bool:
    """Return whether a directory with *files* is one, even if there is no partition in it."""
    return not OF_LOG_DIRECTORY.isdisjoint(files)


def holds_log_directory(tree: Tree) -> bool:
    return any(is_log_directory(files) for _, _, files in tree.walk(lambda *_: None))


def is_partition(directory: Path, *, is_in_log_directory: bool) -> bool:
    """Return whether it is a partition's, by its name.

    Log directories, such as `data-0`, and directories of brokers, such as `broker-1`, may have such
    a name, too.
    """
    return is_replica(LocalTree(str(directory)), "", is_in_log_dir=is_in_log_directory)


def is_replica(tree: Tree, inner: str, *, is_in_log_dir: bool) -> bool:
    try:
        entries = tree.entries(inner)
    except OSError:
        return True  # Reading the partition reports it.
    if not entries or any(OF_PARTITION.fullmatch(entry.name) for entry in entries):
        return True
    # A partition that has lost all its files has to be reported.
    return is_in_log_dir and not any(entry.is_directory for entry in entries)


def offsets_in(
    tree: Tree, inner: str, tell: Callable[[Unreadable], None], label_of: Callable[[str], str]
) -> Mapping[TopicPartition, int]:
    """Return the offsets in a checkpoint; none where it is not there, or cannot be read."""
    try:
        rows = counted_rows(tree.read(inner), label_of(inner), width=3)
    except FileNotFoundError:
        return {}
    except (OSError, CorruptFileError) as error:
        tell(Unreadable(label_of(inner), reason_of(error)))
        return {}
    return {TopicPartition(topic, int(number)): int(offset) for topic, number, offset in rows}


def reason_of(error: OSError | CorruptFileError) -> str:
    return error.reason if isinstance(error, CorruptFileError) else error.strerror or str(error)


def by_partition(replicas: Sequence[FoundReplica]) -> dict[TopicPartition, list[FoundReplica]]:
    """Return the replicas of each partition, in the order of partitions and brokers."""
    found: dict[TopicPartition, list[FoundReplica]] = defaultdict(list)
    for replica in sorted(
        replicas, key=lambda each: (each.partition, int(each.broker), each.label)
    ):
        found[replica.partition].append(replica)
    return found


def doubled(replicas: Sequence[FoundReplica]) -> tuple[FoundReplica, FoundReplica] | None:
    """Return two of a partition's *replicas* that cannot both be: they are of one broker, which has
    a partition in one log directory only, or are the same directory; None where all can."""
    places: dict[str, FoundReplica] = {}
    brokers: dict[str, FoundReplica] = {}
    for replica in replicas:
        is_remote = is_uri(replica.directory)
        place = replica.directory if is_remote else os.path.realpath(replica.label)
        for seen, key in ((places, place), (brokers, replica.broker)):
            other = seen.setdefault(key, replica)
            if other is not replica:
                return other, replica
    return None
