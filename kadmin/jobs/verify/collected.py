"""Replicas in collected log directories: where are they, and what do the checkpoints say of them?

A path is a log directory, or anything above several; a `.tar.gz` is unpacked first.
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

from cluster.model.ids import TopicPartition
from cluster.storage.checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    parse_rows,
)
from cluster.storage.directory_names import partition_of
from cluster.storage.errors import CorruptFileError
from kadmin.jobs.segment_files import FileByPath
from kadmin.segments.replica_log import SegmentFiles

CLEANED: Final = "cleaner-offset-checkpoint"
OF_LOG_DIRECTORY: Final = frozenset(
    ("meta.properties", RECOVERY_POINTS, HIGH_WATERMARKS, LOG_STARTS, CLEANED)
)
OF_PARTITION: Final = re.compile(r"[0-9]{20}\..+|leader-epoch-checkpoint|partition\.metadata")
SEGMENT: Final = re.compile(r"[0-9]{20}\.log")
ARCHIVES: Final = (".tar.gz", ".tgz")


class LogDirArgument(NamedTuple):
    """A path that holds log directories of a broker."""

    broker: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundReplica:
    """A replica's directory, and what its broker's checkpoints say of it."""

    partition: TopicPartition
    broker: str
    label: str
    """The path as the operator knows it, that of an archive with what is within."""
    directory: Path
    high_watermark: int | None
    log_start_offset: int | None
    cleaned_offset: int


class Unreadable(NamedTuple):
    """What could not be read, and why."""

    label: str
    reason: str


@contextmanager
def unpacked(argument: LogDirArgument) -> Iterator[Path]:
    """The directory that *argument* names, or into which its archive is unpacked for so long.

    Raises:
        OSError, tarfile.TarError: there is none, or it cannot be unpacked.
    """
    if not argument.path.name.endswith(ARCHIVES):
        if not argument.path.is_dir():
            raise NotADirectoryError(0, "it is no directory, nor a .tar.gz", str(argument.path))
        yield argument.path
        return
    with TemporaryDirectory(prefix="kadmin-") as directory:
        with tarfile.open(argument.path, "r:gz") as archive:
            archive.extractall(directory, filter="data")
        yield Path(directory)


@dataclass(slots=True)
class Collected:
    """What log directories hold: *replicas*, and what of them is *unreadable*.

    *claims* are partitions, each with a broker whose checkpoint names it, though there is no
    directory of it.
    """

    replicas: list[FoundReplica] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    claims: list[tuple[TopicPartition, str]] = field(default_factory=list)


def collect(arguments: Sequence[LogDirArgument], opened: ExitStack) -> Collected:
    """All replicas in what *arguments* name; archives are unpacked until *opened* is closed.

    Where there is none at all, and nothing else is wrong, directories without any are no fault.
    """
    collected = Collected()
    empty: list[Unreadable] = []
    for argument in arguments:
        try:
            root = opened.enter_context(unpacked(argument))
        except (OSError, tarfile.TarError, EOFError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            collected.unreadable.append(Unreadable(str(argument.path), reason))
            continue
        before = len(collected.replicas), len(collected.unreadable)
        add_replicas(collected, argument, root)
        is_empty = before == (len(collected.replicas), len(collected.unreadable))
        if is_empty and not holds_log_directory(root):
            empty.append(Unreadable(str(argument.path), "there is no log directory in it"))
    if collected.replicas or collected.unreadable:
        collected.unreadable += empty
    had = {(replica.partition, replica.broker) for replica in collected.replicas}
    collected.claims = sorted(set(collected.claims) - had)
    return collected


def add_replicas(collected: Collected, argument: LogDirArgument, root: Path) -> None:
    """Add the replicas below *root*, where the files of *argument* are."""

    def label_of(path: Path) -> str:
        inner = path.relative_to(root)
        return str(argument.path) if inner == Path() else f"{argument.path}/{inner}"

    tell = collected.unreadable.append

    def failed(error: OSError) -> None:
        tell(Unreadable(label_of(Path(error.filename)), error.strerror or str(error)))

    for name, directories, files in os.walk(root, onerror=failed):
        directory = Path(name)
        directories.sort()
        partitions = {
            each: partition
            for each in directories
            if (partition := partition_of(each)) is not None
            and is_partition(directory / each, is_in_log_directory=is_log_directory(files))
        }
        directories[:] = [each for each in directories if each not in partitions]
        if not partitions and not is_log_directory(files):
            continue
        marks, starts, cleaned = (
            offsets_in(directory / file, tell, label_of)
            for file in (HIGH_WATERMARKS, LOG_STARTS, CLEANED)
        )
        collected.claims += [(partition, argument.broker) for partition in marks]
        for each, partition in partitions.items():
            collected.replicas.append(
                FoundReplica(
                    partition=partition,
                    broker=argument.broker,
                    label=label_of(directory / each),
                    directory=directory / each,
                    high_watermark=marks.get(partition),
                    log_start_offset=starts.get(partition),
                    cleaned_offset=cleaned.get(partition, 0),
                )
            )


def is_log_directory(files: Iterable[str]) -> bool:
    """Whether a directory with *files* is one, even if there is no partition in it."""
    return not OF_LOG_DIRECTORY.isdisjoint(files)


def holds_log_directory(root: Path) -> bool:
    return any(is_log_directory(files) for _, _, files in os.walk(root))


def is_partition(directory: Path, *, is_in_log_directory: bool) -> bool:
    """Whether it is a partition's, as its name says: those of log directories, such as `data-0`,
    and of brokers, such as `broker-1`, may say so, too."""
    try:
        with os.scandir(directory) as scanned:
            entries = list(scanned)
    except OSError:
        return True  # Whoever reads the partition tells of it.
    if not entries or any(OF_PARTITION.fullmatch(entry.name) for entry in entries):
        return True
    # Of a partition that has lost all its files it has to be told.
    return is_in_log_directory and not any(entry.is_dir() for entry in entries)


def offsets_in(
    path: Path, tell: Callable[[Unreadable], None], label_of: Callable[[Path], str]
) -> Mapping[TopicPartition, int]:
    """The offsets in a checkpoint; none where it is not there, or cannot be read."""
    try:
        rows = parse_rows(path.read_bytes(), str(path), width=3)
    except FileNotFoundError:
        return {}
    except CorruptFileError as error:
        tell(Unreadable(label_of(path), error.reason))
        return {}
    except OSError as error:
        tell(Unreadable(label_of(path), error.strerror or str(error)))
        return {}
    return {TopicPartition(topic, int(number)): int(offset) for topic, number, offset in rows}


def by_partition(replicas: Sequence[FoundReplica]) -> dict[TopicPartition, list[FoundReplica]]:
    """The replicas of each partition, in the order of partitions and brokers."""
    found: dict[TopicPartition, list[FoundReplica]] = defaultdict(list)
    for replica in sorted(
        replicas, key=lambda each: (each.partition, int(each.broker), each.label)
    ):
        found[replica.partition].append(replica)
    return found


def doubled(replicas: Sequence[FoundReplica]) -> tuple[FoundReplica, FoundReplica] | None:
    """Two of a partition's *replicas* that cannot both be: they are of one broker, which has a
    partition in one log directory only, or are the same directory; None where all can."""
    places: dict[str, FoundReplica] = {}
    brokers: dict[str, FoundReplica] = {}
    for replica in replicas:
        place = os.path.realpath(replica.label)
        for seen, key in ((places, place), (brokers, replica.broker)):
            other = seen.setdefault(key, replica)
            if other is not replica:
                return other, replica
    return None


def segments_of(directory: Path) -> list[SegmentFiles]:
    """The segments in a replica's directory; none where it has none.

    Raises:
        OSError: the directory cannot be read, or a file not be asked for its size.
    """
    return [
        SegmentFiles(
            base_offset=int(path.stem),
            name=path.name,
            log=FileByPath(path),
            index=beside(path, ".index"),
            time_index=beside(path, ".timeindex"),
        )
        for path in sorted(map(directory.joinpath, os.listdir(directory)))
        if SEGMENT.fullmatch(path.name)
    ]


def beside(log: Path, suffix: str) -> FileByPath | None:
    path = log.with_suffix(suffix)
    return FileByPath(path) if path.exists() else None
