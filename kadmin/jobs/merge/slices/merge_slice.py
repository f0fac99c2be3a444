"""The merge of one slice, which is one task.

Reads its stretches of the files, orders whole records, keeps those that are asked for and hands
them to a formatter.  Needs numpy and pyarrow only; knows no Spark and no other slice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.clocks import TimeRange
from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.output.rows import Rows
from kadmin.jobs.merge.slices.duplicates import duplicates, duplicates_of_earlier
from kadmin.jobs.merge.slices.plan import Run
from kadmin.jobs.merge.slices.read_run import read_run
from kadmin.jobs.merge.slices.record_filter import RecordFilter
from kadmin.jobs.merge.slices.run_records import RunRecords, concatenate, records_of_run, take
from kadmin.jobs.uris import filesystem_of, is_uri
from kadmin.statechange.lines import Int64s, cut_out

LOAD_BYTES_MAX: Final = 64 << 20
"""So much is read before what belongs to the slice is picked and the rest dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTask:
    """All that a worker must know to merge one slice.

    *path* is the file or URI that takes the result; None: the result comes back with the answer.
    A file that *is_reused* exists, and is written over without being cut.  Of *earlier* records
    only those that duplicate them are known, and left out unless the task *keeps_duplicates*.
    """

    index: int
    runs: tuple[Run, ...]
    times: TimeRange
    record_filter: RecordFilter | None
    formatter: Factory
    is_numbered: bool
    source_names: tuple[str, ...]
    file_names: tuple[str, ...]
    path: str | None
    is_reused: bool = False
    earlier: tuple[Run, ...] = ()
    keeps_duplicates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """What became of a slice: *size* bytes of result, and how many lines of each source it has."""

    index: int
    size: int
    data: bytes | None
    piece_sizes: tuple[int, ...]
    kept_lines: tuple[int, ...]
    duplicate_lines: int = 0
    """Lines left out since another source has them."""
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The kept records of one load, in order; the arrays of *found* describe the same records."""

    records: pa.LargeBinaryArray
    found: RunRecords


def merge_slice(task: SliceTask) -> SliceResult:
    """Merge one slice and put its result where the task wants it.

    Raises:
        CannotRead: a file is gone, or this machine never had it.
        FileChanged: a file was cut, written over or replaced since it was surveyed.
        CannotWrite: there is no room for the result.
    """
    loaded = [load(group, task) for group in load_groups(task.runs)]
    rows, line_counts, duplicate_lines = in_order(loaded, task)
    formatted = task.formatter.make()(rows)
    sizes = tuple(piece.size for piece in formatted.pieces)
    if task.path is not None:
        write(task.path, formatted.pieces, is_reused=task.is_reused)
    kept = np.bincount(rows.sources, line_counts, len(task.source_names)).astype(int)
    return SliceResult(
        index=task.index,
        size=sum(sizes),
        data=b"".join(map(content_of, formatted.pieces)) if task.path is None else None,
        piece_sizes=sizes,
        kept_lines=tuple(kept.tolist()),
        duplicate_lines=duplicate_lines,
        counts=formatted.counts,
    )


def write(path: str, pieces: Sequence[pa.Buffer], *, is_reused: bool) -> None:
    """Write *pieces* from the start of *path*, a file or URI.

    Raises:
        CannotWrite: the disk or the other side refuses it.
    """
    try:
        if is_uri(path):
            filesystem, inner = filesystem_of(path)
            with filesystem.open_output_stream(inner) as stream:
                for piece in pieces:
                    stream.write(piece)
            return
        # A file that is used again keeps its pages: fresh ones cost more than the copying.
        with open(path, "r+b" if is_reused else "wb", buffering=0) as file:
            for piece in pieces:
                view = content_of(piece)
                while len(view) > 0:
                    view = view[file.write(view) :]
    except OSError as error:
        raise CannotWrite(path, error) from error


def content_of(piece: pa.Buffer) -> memoryview:
    """Return the bytes of *piece*: a view of a buffer that was made smaller shows all its room."""
    return memoryview(piece)[: piece.size]


def load_groups(runs: Sequence[Run]) -> Iterator[list[tuple[int, Run]]]:
    """Group *runs*, with their numbers, into what is read at once."""
    group: list[tuple[int, Run]] = []
    size = 0
    for number, run in enumerate(runs):
        run_bytes = run.end - run.begin
        if group and size + run_bytes > LOAD_BYTES_MAX:
            yield group
            group, size = [], 0
        group.append((number, run))
        size += run_bytes
    if group:
        yield group


def load(group: Sequence[tuple[int, Run]], task: SliceTask) -> Loaded:
    """Read *group* and put what of it belongs to the slice and is kept into order."""
    buffer = bytearray(sum(run.end - run.begin + 1 for _, run in group))
    substrings = (
        () if task.record_filter is None or task.is_numbered else task.record_filter.substrings
    )
    found_by_run: list[RunRecords] = []
    filled = 0
    for number, run in group:
        end = filled + read_run(run, memoryview(buffer)[filled:])
        found_by_run.append(
            records_of_run(
                buffer, filled, end, run, number, times=task.times, substrings=substrings
            )
        )
        filled = end
    found = concatenate(found_by_run)
    block = np.frombuffer(buffer, np.uint8, filled)
    if task.record_filter is not None and len(found.starts) > 0:
        heads = cut_out(block, found.starts, found.head_ends - 1)
        mask = task.record_filter.predicate.make()(heads)
        found = take(found, np.flatnonzero(np.asarray(mask)))
    found = take(found, np.argsort(found.keys, kind="stable"))
    return Loaded(cut_out(block, found.starts, found.ends), found)


def in_order(loaded: Sequence[Loaded], task: SliceTask) -> tuple[Rows, Int64s, int]:
    """Return the records of all loads in order, how many lines each has, and how many lines of
    others are left out since two sources have them."""
    if len(loaded) == 1:
        records, found = loaded[0].records, loaded[0].found
    else:
        found = concatenate([each.found for each in loaded])
        order = np.argsort(found.keys, kind="stable")
        records = pa.concat_arrays([each.records for each in loaded]).take(pa.array(order))
        found = take(found, order)
    left_out = () if task.keeps_duplicates else find_duplicates(records, found, task)
    duplicate_lines = 0
    if len(left_out):
        duplicate_lines = int(found.line_counts[left_out].sum())
        kept = np.delete(np.arange(len(found.keys)), left_out)
        records, found = records.take(pa.array(kept)), take(found, kept)
    files = np.array([run.file for run in task.runs], np.int64)
    rows = Rows(
        records=records,
        times=found.times,
        sources=sources_of(task.runs, found),
        files=files[found.runs],
        first_lines=found.first_lines,
        source_names=task.source_names,
        file_names=task.file_names,
    )
    return rows, found.line_counts, duplicate_lines


def find_duplicates(
    records: pa.LargeBinaryArray, found: RunRecords, task: SliceTask
) -> Sequence[int] | Int64s:
    """Return the numbers of *records* that another source has before them, also in *earlier*."""
    sources = sources_of(task.runs, found)
    left_out = duplicates(records, found.keys, found.times, sources)
    if task.earlier:
        count = int((found.keys == task.earlier[0].low_ms).sum())
        earlier = (
            (each.records, each.found.times, sources_of(task.earlier, each.found))
            for each in (load(group, task) for group in load_groups(task.earlier))
        )
        of_earlier = duplicates_of_earlier(
            records.slice(0, count), found.times[:count], sources[:count], earlier
        )
        left_out = np.union1d(left_out, of_earlier)
    return left_out


def sources_of(runs: Sequence[Run], found: RunRecords) -> Int64s:
    return np.array([run.source for run in runs], np.int64)[found.runs]
