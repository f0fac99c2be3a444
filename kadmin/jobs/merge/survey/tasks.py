"""Survey tasks: the stretches into which all files are divided, and how one of them is surveyed.

Any process that sees the file can do a task, in any order.  Does not know who does the work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.files.block_store import block_store
from kadmin.jobs.merge.files.gzip_stream import GzipStream
from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.files.reader import Reader, opened
from kadmin.jobs.merge.survey.parts import (
    Part,
    Read,
    RecordTooLong,
    Store,
    stretch,
    survey_parts,
)
from kadmin.jobs.merge.survey.records import (
    PROBE_BYTES,
    WINDOW_BYTES,
    answer_advice,
    block_at,
    first_head,
    has_returns_alone,
    may_be_log,
    text_start,
)
from kadmin.jobs.merge.survey.sampling import SLACK_MS, stretches
from kadmin.jobs.merge.survey.time_bounds import first_times
from kadmin.jobs.unpack_bounds import UNPACKED_MIN, unpacked_max
from kadmin.wording import counted

SURVEY_BYTES: Final = 32 << 20
SAMPLES_MAX: Final = 1024
SAMPLE_STEP_MIN: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyTask:
    """A stretch of one file, the *number*-th of all, for one worker to survey.

    From *begin* to *end* of the file, both moved forward to the next head line; the first stretch
    of a file reaches beyond its first head line.  A .gz is one stretch and is unpacked into the
    new file *store*, but for what comes behind *unpacked_max* bytes.
    """

    number: int
    file: LogFile
    begin: int
    end: int
    clock: Clock
    times: TimeRange
    part_bytes: int
    store: str | None
    unpacked_max: int = UNPACKED_MIN


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyResult:
    """The result of a survey; *damage* is why not all of the stretch could be read.

    *lost_bytes* are how many of the file's bytes could not, as far as that is known.
    """

    number: int
    begin: int
    parts: tuple[Part, ...]
    damage: str | None = None
    lost_bytes: int = 0
    is_passed_over: bool = False


def survey_tasks(
    files: Sequence[LogFile],
    clocks: Sequence[Clock],
    *,
    times: TimeRange,
    part_bytes: int,
    store: Path,
    bytes_max: int | None = None,
) -> Iterator[SurveyTask]:
    """Return the surveys of *files*; with a range of *times* only of the stretches that may hold
    it.

    Looks into the files only where there is a range.  *store* takes what is unpacked, no more than
    *bytes_max* of each file.
    """
    for number, (file, clock) in enumerate(zip(files, clocks, strict=True)):
        whole = SurveyTask(
            number=number,
            file=file,
            begin=0,
            end=file.size,
            clock=clock,
            times=times,
            part_bytes=part_bytes,
            store=str(store_path(store, number)) if file.is_gzip else None,
            unpacked_max=unpacked_max(file.size, bytes_max),
        )
        if file.is_gzip:
            yield whole
            continue
        for begin, end in wanted_stretches(whole):
            bounds = [*range(begin, end, SURVEY_BYTES), end]
            for low, high in pairwise(bounds):
                yield replace(whole, begin=low, end=high)


def wanted_stretches(task: SurveyTask) -> list[tuple[int, int]]:
    """Return the stretches of a file that must be surveyed; of a large file that is no log, its
    front."""
    size = task.file.size
    is_large = size > SURVEY_BYTES
    if size == 0 or (task.times == ALWAYS and not is_large):
        return [(0, size)]
    with opened(task.file.path, task.file.identity) as reader:
        hole = text_start(reader, size)
        if is_large and not may_be_log(reader, hole, size, task.clock):
            return [(0, hole + PROBE_BYTES)]
        if task.times == ALWAYS:
            return [(0, size)]
        step_bytes = max(size // SAMPLES_MAX, SAMPLE_STEP_MIN)
        return stretches(reader, size, task.clock, task.times, step_bytes)


def run_survey(task: SurveyTask) -> SurveyResult:
    """Do one survey; can be done by any process that sees the file (and the store).

    Raises:
        CannotRead: the file is gone, or this machine never had it.
        FileChanged: it is shorter than it was, or another one.
        KadminError: there is no room to unpack into.
    """
    with opened(task.file.path, task.file.identity) as reader:
        if task.store is not None:
            return survey_gzip(task, reader, Path(task.store))
        begin, end = (head_from(offset, task, reader) for offset in (task.begin, task.end))
        hole = text_start(reader, end) if begin == 0 else 0
        front = block_at(reader, hole, WINDOW_BYTES).tobytes() if begin == 0 else b""
        if has_returns_alone(front) or answer_advice(front) is not None:
            return SurveyResult(number=task.number, begin=0, parts=())
        if begin == 0 and not may_be_log(reader, hole, task.file.size, task.clock):
            return SurveyResult(number=task.number, begin=0, parts=())
        found = survey_stretch(task, reader, max(begin, hole), end)
        if hole == 0 or not found.parts:
            return found
        damage = f"begins with {counted(hole, 'NUL')}, as after a copytruncate; left out"
        return replace(
            found,
            begin=0,
            damage=found.damage or damage,
            lost_bytes=found.lost_bytes + hole,
        )


def run_surveys(batch: Sequence[SurveyTask]) -> list[SurveyResult]:
    """Do several surveys one after the other; raises what they raise."""
    return [run_survey(task) for task in batch]


def survey_stretch(task: SurveyTask, reader: Reader, begin: int, end: int) -> SurveyResult:
    """Survey from *begin* to *end*; goes on behind a record that is too long to be held."""
    found: list[Part] = []
    damage: str | None = None
    lost_bytes = 0
    at = begin
    while True:
        read = stretch(reader, task.file.path, at, end)
        parts, failure = parts_of(task, read, at)
        found += parts
        if failure is None:
            break
        damage = damage or failure.message
        head = first_head(reader, failure.offset + 1, end, task.clock)
        at = end if head is None else head.offset
        lost_bytes += at - failure.offset
        if at == end:
            break
    return SurveyResult(
        number=task.number, begin=begin, parts=tuple(found), damage=damage, lost_bytes=lost_bytes
    )


def head_from(offset: int, task: SurveyTask, reader: Reader) -> int:
    """Return the offset of the first head line from *offset* on; the file's start stays as it
    is."""
    size = task.file.size
    if offset in (0, size):
        return offset
    head = first_head(reader, offset, size, task.clock)
    return size if head is None else head.offset


def survey_gzip(task: SurveyTask, reader: Reader, path: Path) -> SurveyResult:
    """Survey a .gz, and put its content where parts of it can be read.

    One that begins after all that is wanted is not unpacked.
    """
    times = first_times(reader, task.clock)
    if len(times) > 0 and times[0] > task.times.end_ms + SLACK_MS:
        return SurveyResult(number=task.number, begin=0, parts=(), is_passed_over=True)
    stream = GzipStream(reader, task.unpacked_max)
    with block_store(path) as store:
        parts, failure = parts_of(task, stream.read, 0, store)
    damage = stream.damage if failure is None else f"{failure.message}; the rest is not read"
    return SurveyResult(number=task.number, begin=0, parts=parts, damage=damage)


def parts_of(
    task: SurveyTask, read: Read, begin: int, store: Store | None = None
) -> tuple[tuple[Part, ...], RecordTooLong | None]:
    """Return the parts of a stretch, and why there are no more of them if there should be."""
    parts: list[Part] = []
    try:
        parts.extend(
            survey_parts(
                read,
                begin=begin,
                part_bytes=task.part_bytes,
                clock=task.clock,
                times=task.times,
                store=store,
            )
        )
    except RecordTooLong as error:
        return tuple(parts), error
    return tuple(parts), None


def store_path(store: Path, number: int) -> Path:
    return store / f"unpacked-{number}"
