"""The plan of slices: the times that each task merges, and the stretches of files that it reads.

A pure plan, made from exact parts: every record belongs to one slice, all records of a slice come
before all of the next one, and a slice holds about as many bytes as it is given.  Records of one
key are in one slice, unless they alone are more than that.  Reads nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Final

from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.files.log_file import Identity
from kadmin.jobs.merge.survey.parts import Part
from kadmin.jobs.merge.survey.surveyed_file import SurveyedFile

SLICE_BYTES: Final = 16 << 20
"""With larger ones a worker needs more than 400 MB, and is no faster."""

SEARCH_SLICE_BYTES: Final = 24 << 20
"""Where few lines have what is searched for: to look at those of a slice takes some 40 ms, however
few.  Buffers of 32 MiB and more would come fresh from the system each time."""

PART_BYTES_MIN: Final = 1 << 15
PART_BYTES_MAX: Final = 1 << 20
PARTS_MAX: Final = 200_000


class Order(StrEnum):
    """By the time of each record, or by that and never against the order of its own file."""

    TIME = "time"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Neighbouring parts of one file, and which of their records belong to a slice.

    Those whose key is from *low_ms* to *high_ms*, both included.  The key of a record is its time
    or, where the file's order holds and *floor_ms* is given, the latest of its time, of those
    before it in the run, and of *floor_ms*.  *blocks* are the places of stored parts; without
    any, the bytes from *begin* to *end* of the file are read.
    """

    source: int
    file: int
    path: str
    begin: int
    end: int
    first_line: int
    clock: Clock
    low_ms: int
    high_ms: int
    floor_ms: int | None
    is_plain: bool
    has_returns: bool
    identity: Identity | None = None
    blocks: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """A task's share: its place in the result and what it reads, by source, file and offset.

    *earlier* are the records of its first key that belong to earlier slices, as far as they may be
    duplicated in this one: those of sources before its last one.
    """

    index: int
    runs: tuple[Run, ...]
    earlier: tuple[Run, ...] = ()

    @property
    def read_bytes(self) -> int:
        return sum(run.end - run.begin for run in self.runs)


@dataclass(frozen=True, slots=True)
class Placed:
    """A part with its place in the order of sources, files and offsets, and its range of keys."""

    place: int
    file: SurveyedFile
    part: Part
    first_line: int
    floor_ms: int | None
    low_ms: int
    high_ms: int


Bound = tuple[int, int]
"""A key and a place: what is before it, in this order, belongs to an earlier slice."""


def part_bytes(total_bytes: int, file_count: int, slice_bytes: int = SLICE_BYTES) -> int:
    """Return how large parts should be: small beside what a slice takes of one file, yet not too
    many."""
    share = slice_bytes // (8 * max(file_count, 1))
    return max(min(share, PART_BYTES_MAX), PART_BYTES_MIN, total_bytes // PARTS_MAX)


def plan(
    files: Sequence[SurveyedFile],
    *,
    order: Order,
    times: TimeRange,
    slice_bytes: int = SLICE_BYTES,
) -> list[Slice]:
    """Return the slices of *files*, which are in the order of their sources; none where nothing is
    wanted.

    Cuts lie where a part begins, so that a slice exceeds *slice_bytes* only by parts that reach
    into it, also when a whole file has one time.
    """
    placed = [
        each
        for each in place(files, order)
        if times.overlaps(each.part.earliest_ms, each.part.latest_ms)
    ]
    by_key = sorted(placed, key=lambda each: (each.low_ms, each.place))
    bounds = cuts(by_key, slice_bytes)
    slices: list[Slice] = []
    waiting = 0
    reaching: list[Placed] = []
    for low, high in pairwise(bounds):
        while waiting < len(by_key) and key_of(by_key[waiting]) < high:
            reaching.append(by_key[waiting])
            waiting += 1
        runs = tuple(
            lean(run)
            for run in join(share(each, low, high) for each in sorted(reaching, key=place_of))
        )
        slices.append(Slice(len(slices), runs, earlier_runs(placed, low, runs)))
        reaching = [each for each in reaching if (each.high_ms, each.place) >= high]
    return slices


def place(files: Sequence[SurveyedFile], order: Order) -> Iterator[Placed]:
    count = 0
    for file in files:
        latest = accumulate((part.latest_ms for part in file.parts), max)
        floors: Iterable[int | None] = (
            [None] * len(file.parts) if order is Order.TIME else [ALWAYS.start_ms, *latest]
        )
        for part, first_line, floor in zip(file.parts, file.first_lines, floors, strict=False):
            low, high = part.earliest_ms, part.latest_ms
            if floor is not None:
                low, high = max(part.first_ms, floor), max(high, floor)
            yield Placed(count, file, part, first_line, floor, low, high)
            count += 1


def cuts(by_key: Sequence[Placed], slice_bytes: int) -> list[Bound]:
    """Return the first key, then one wherever *slice_bytes* have gathered, then one behind all.

    A cut is amid the records of a key only where these alone are so many.
    """
    if not by_key:
        return []
    bounds = [(by_key[0].low_ms, 0)]
    gathered = 0
    for each in by_key:
        if gathered >= slice_bytes:
            is_amid = each.low_ms == bounds[-1][0]
            bounds.append(key_of(each) if is_amid else (each.low_ms, 0))
            gathered = 0
        gathered += each.part.end - each.part.begin
    return [*bounds, (max(each.high_ms for each in by_key) + 1, 0)]


def earlier_runs(placed: Sequence[Placed], low: Bound, runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs of *low*'s key before its place, of sources before the last one of *runs*."""
    key, place = low
    if place == 0:
        return ()
    last_source = max((run.source for run in runs), default=0)
    before = (
        share(each, (key, 0), low)
        for each in placed
        if each.place < place
        and each.low_ms <= key <= each.high_ms
        and each.file.source < last_source
    )
    return tuple(lean(run) for run in join(before))


def key_of(each: Placed) -> Bound:
    return each.low_ms, each.place


def place_of(each: Placed) -> int:
    return each.place


def share(each: Placed, low: Bound, high: Bound) -> Run:
    """Return what of a part is between two bounds, as a run of its own."""
    part = each.part
    stored = (part.stored_at, part.stored_size, part.end - part.begin)
    return Run(
        source=each.file.source,
        file=each.file.number,
        path=each.file.path,
        identity=each.file.identity,
        begin=part.begin,
        end=part.end,
        first_line=each.first_line,
        clock=each.file.clock,
        low_ms=low[0] if each.place >= low[1] else low[0] + 1,
        high_ms=high[0] if each.place < high[1] else high[0] - 1,
        floor_ms=each.floor_ms,
        is_plain=part.is_plain,
        has_returns=part.has_returns,
        blocks=(stored,) if each.file.is_stored else (),
    )


def join(runs: Iterator[Run]) -> Iterator[Run]:
    """Make neighbours that are read alike one, so that they are read at once."""
    last: Run | None = None
    for run in runs:
        if last is None:
            last = run
        elif are_neighbours(last, run):
            last = replace(
                last,
                end=run.end,
                is_plain=last.is_plain and run.is_plain,
                has_returns=last.has_returns or run.has_returns,
                blocks=last.blocks + run.blocks,
            )
        else:
            yield last
            last = run
    if last is not None:
        yield last


def lean(run: Run) -> Run:
    """Return *run* with those of its clock's lifts alone that decide what of it belongs to the
    slice."""
    lifts = run.clock.lifts.within(run.low_ms, run.high_ms)
    return run if lifts is run.clock.lifts else replace(run, clock=replace(run.clock, lifts=lifts))


def are_neighbours(one: Run, other: Run) -> bool:
    return (one.file, one.end, one.low_ms, one.high_ms) == (
        other.file,
        other.begin,
        other.low_ms,
        other.high_ms,
    )
