"""The files in a replica's directory: which of them are its log, and what do the others say of it?

A swap that was interrupted counts as a broker finishes it when it starts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from cluster.formats import producer_snapshot
from cluster.formats.batch_walk import Walk, first_header
from cluster.formats.checkpoints import LEADER_EPOCHS as EPOCHS
from cluster.formats.checkpoints import EpochEntry, parse_rows, shown
from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import TXN_INDEX_SUFFIX as TXN_INDEX
from cluster.formats.properties import PARTITION_METADATA, topic_id_in
from cluster.formats.record_batch import CURRENT_MAGIC
from kadmin.jobs.places import files_in
from kadmin.segments.values import FirstOffset, SegmentFiles, Source

NAME: Final = re.compile(r"(?P<base>[0-9]{20})(?P<kind>\.[a-z]+)(?P<state>\.[a-z]+)?")
SWAP: Final = ".swap"
CLEANED: Final = ".cleaned"
DELETED: Final = ".deleted"
SMALL_SIZE_MAX: Final = 64 * 1024**2

Opener = Callable[[], Source]
Said = TypeVar("Said")


class SegmentFile(NamedTuple):
    """The parts of the name of a segment's file."""

    base_offset: int
    kind: str
    state: str
    """What is to become of it; empty of one that is in use."""


class ReplicaFiles(NamedTuple):
    """A replica's directory."""

    segments: list[SegmentFiles]
    first_offset: FirstOffset | None
    """Where its log begins, by a file beside the segments; None without one."""
    epochs: tuple[EpochEntry, ...]
    """Its leader epochs; none before Kafka 0.11."""
    being_deleted: int | None
    """The base offset of the first segment that is, and still there; None without one."""
    topic_id: str | None
    """None before Kafka 2.8."""
    damaged: list[tuple[str, str]]
    """The files beside the segments that say nothing since they are damaged, each with why."""


def replica_files(directory: str) -> ReplicaFiles:
    """Return what is in a replica's *directory*; what is appended later is not seen.

    Raises:
        OSError: it cannot be read, or a file not be asked for its size.
    """
    files = dict(files_in(directory))
    segments = list(segments_in(files))
    known = [each for name in files if (each := segment_file(name)) is not None]
    deleted = [each.base_offset for each in known if (each.kind, each.state) == (".log", DELETED)]
    damaged: list[tuple[str, str]] = []

    def said(read: Callable[[Mapping[str, Opener]], Said | None]) -> Said | None:
        try:
            return read(files)
        except CorruptFileError as error:
            damaged.append((error.path, error.reason))
            return None

    epochs = said(epochs_of) or ()
    # A broker raises the start of the first epoch when it deletes old segments.
    starts = [each.start_offset for each in epochs]
    first = FirstOffset(min(starts), EPOCHS) if starts else first_snapshot(segments, known)
    being_deleted = min(deleted, default=None)
    topic_id = said(topic_id_of)
    damaged += damaged_snapshots(files)
    return ReplicaFiles(segments, first, epochs, being_deleted, topic_id, damaged)


def segments_of(directory: str) -> list[SegmentFiles]:
    """Return the segments alone; none where it has none.  Raises as `replica_files` does."""
    return list(segments_in(dict(files_in(directory))))


def segments_in(files: Mapping[str, Opener]) -> Iterator[SegmentFiles]:
    """Return the segments among *files*, in the order of their offsets."""
    known = whole_swaps({file: name for name in files if (file := segment_file(name)) is not None})
    in_use = counted(known, lambda file: end_of(files[known[file]]()))
    for base_offset, state in sorted(in_use.items()):

        def beside(suffix: str, base: int = base_offset, of: str = state) -> Source | None:
            # A broker that stops amid renaming leaves some of the files by either name.
            names = [known.get(SegmentFile(base, suffix, each)) for each in (SWAP, of)]
            name = next((each for each in names if each is not None), None)
            return None if name is None else files[name]()

        name = known[SegmentFile(base_offset, ".log", state)]
        yield SegmentFiles(
            base_offset=base_offset,
            name=name,
            # Before the log: of what a broker writes meanwhile, they know nothing that it lacks.
            index=beside(".index"),
            time_index=beside(".timeindex"),
            txn_index=beside(TXN_INDEX),
            log=files[name](),
        )


def segment_file(name: str) -> SegmentFile | None:
    found = NAME.fullmatch(name)
    if found is None:
        return None
    return SegmentFile(int(found["base"]), found["kind"], found["state"] or "")


def whole_swaps(files: Mapping[SegmentFile, str]) -> Mapping[SegmentFile, str]:
    """Return the *files* but for those of useless swaps: of which a copy behind them is not
    whole."""
    unfinished = min((each.base_offset for each in files if each.state == CLEANED), default=None)
    return {
        each: name
        for each, name in files.items()
        if unfinished is None or each.state != SWAP or each.base_offset < unfinished
    }


def counted(
    files: Iterable[SegmentFile], end_of_log: Callable[[SegmentFile], int]
) -> dict[int, str]:
    """Return the base offsets of the segments that count, each with the state that its log has.

    Swaps take the place of all segments up to where they end.

    Source: Kafka's LogLoader.removeTempFilesAndCollectSwapFiles and load.
    """
    logs = [each for each in files if each.kind == ".log"]
    swaps = [each for each in logs if each.state == SWAP]
    begin = min((each.base_offset for each in swaps), default=0)
    end = max((end_of_log(each) for each in swaps), default=0)
    kept = {
        each.base_offset: each.state
        for each in logs
        if not each.state and not begin <= each.base_offset < end
    }
    return kept | {each.base_offset: each.state for each in swaps}


def end_of(log: Source) -> int:
    """Return the offset behind the last batch of a segment; 0 where it has none."""
    return max((each.header.next_offset for each in Walk(log, log.size)), default=0)


def epochs_of(files: Mapping[str, Opener]) -> tuple[EpochEntry, ...]:
    """Return the leader epochs, each with where it began.

    Raises:
        CorruptFileError: they are damaged; a broker makes them anew.
    """
    rows = counted_rows(small(files[EPOCHS]()), EPOCHS, width=2) if EPOCHS in files else ()
    epochs = tuple(EpochEntry(int(epoch), int(offset)) for epoch, offset in rows)
    for number, (one, other) in enumerate(pairwise(epochs), start=4):
        if one.leader_epoch >= other.leader_epoch or one.start_offset > other.start_offset:
            this, before = (f"epoch {e} from offset {start}" for e, start in (other, one))
            raise CorruptFileError(EPOCHS, f"line {number}: {this} stands behind {before}")
    return epochs


def counted_rows(content: bytes, path: str, width: int) -> tuple[tuple[str, ...], ...]:
    """Return and raise as `parse_rows`, but refuse numbers below 0, which no broker writes."""
    rows = parse_rows(content, path, width)
    for number, row in enumerate(rows, start=3):
        if any(int(word) < 0 for word in row[-2:]):
            raise CorruptFileError(path, f"line {number}: {shown(' '.join(row))} is below 0")
    return rows


def first_snapshot(
    segments: Sequence[SegmentFiles], known: Iterable[SegmentFile]
) -> FirstOffset | None:
    """Return the oldest snapshot, for a log that has lost its leader epochs.

    One that never had any may have snapshots of segments that were deleted.
    """
    if not segments or not is_current(segments[0].log):
        return None
    snapshots = [each.base_offset for each in known if is_snapshot(each)]
    return FirstOffset(min(snapshots), "a snapshot") if snapshots else None


def damaged_snapshots(files: Mapping[str, Opener]) -> Iterator[tuple[str, str]]:
    """Return the snapshots of producers that a broker passes over when it starts, each with why.

    One that is deleted meanwhile is none.
    """
    for name in sorted(files):
        file = segment_file(name)
        if file is None or not is_snapshot(file):
            continue
        try:
            source = files[name]()
            if source.size <= SMALL_SIZE_MAX:
                producer_snapshot.decode(small(source), name)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield name, error.strerror or str(error)
        except CorruptFileError as error:
            yield name, error.reason


def is_snapshot(file: SegmentFile) -> bool:
    return (file.kind, file.state) == (producer_snapshot.SUFFIX, "")


def is_current(log: Source) -> bool:
    header = first_header(log, 0, log.size)
    return header is not None and header.magic == CURRENT_MAGIC


def topic_id_of(files: Mapping[str, Opener]) -> str | None:
    if PARTITION_METADATA not in files:
        return None
    return topic_id_in(small(files[PARTITION_METADATA]()), PARTITION_METADATA)


def small(source: Source) -> bytes:
    return source.read(0, min(source.size, SMALL_SIZE_MAX))
