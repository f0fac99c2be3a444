"""What work is it to survey all files, and what do the answers make known together?

Divides the files into surveys that any process can do in any order, and puts the answers in order.
Does not know who does the work.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.directories import Problem
from kadmin.jobs.merge.files import LogFile, Reader, opened
from kadmin.jobs.merge.held import front_times
from kadmin.jobs.merge.probe import SLACK_MS, stretches
from kadmin.jobs.merge.records import block_at, first_head
from kadmin.jobs.merge.slices import SurveyedFile
from kadmin.jobs.merge.survey import (
    LEAD_BYTES_MAX,
    Part,
    Read,
    RecordTooLong,
    Store,
    stretch,
    survey,
)
from kadmin.jobs.merge.unpack import GzipStream, block_store
from kadmin.statechange.lines import NEWLINE

SURVEY_BYTES: Final = 32 << 20
SAMPLES_MAX: Final = 1024
SAMPLE_STEP_MIN: Final = 1 << 20
COUNT_BYTES: Final = 4 << 20

NO_LOG: Final = "no state-change log: it has no line that begins with a date in brackets"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyTask:
    """A stretch of one file, the *number*-th of all, for one worker to survey.

    From *begin* to *end* of the file, both moved forward to the next head line; the first stretch
    of a file reaches beyond its first head line.  A .gz is one stretch and is unpacked into the
    new file *store*.
    """

    number: int
    file: LogFile
    begin: int
    end: int
    clock: Clock
    times: TimeRange
    part_bytes: int
    store: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyAnswer:
    """What a survey found; *damage* says why not all of the stretch could be read.

    *lost_bytes* are how many of the file's bytes could not, as far as that is known.
    """

    number: int
    begin: int
    parts: tuple[Part, ...]
    damage: str | None = None
    lost_bytes: int = 0
    is_passed_over: bool = False


@dataclass(frozen=True, slots=True)
class ClockStep:
    """Where a file's clock goes back furthest: the line (from 1) and by how many ms."""

    label: str
    line: int
    step_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """All that is known before the first line is merged; *files* has those with lines to merge."""

    files: tuple[SurveyedFile, ...]
    steps: tuple[ClockStep, ...]
    skipped: tuple[Problem, ...]
    damaged: tuple[Problem, ...]
    unread_bytes: tuple[int, ...]
    """Of each file, what was passed over because it lies outside the range of time."""
    lost_bytes: tuple[int, ...]
    """Of each file, what could not be read as lines; 0 where a .gz does not tell how much."""


def tasks(
    files: Sequence[LogFile],
    clocks: Sequence[Clock],
    *,
    times: TimeRange,
    part_bytes: int,
    store: Path,
) -> Iterator[SurveyTask]:
    """The surveys of *files*; with a range of *times* only of the stretches that may hold it.

    Looks into the files only where there is a range.  *store* takes what is unpacked.
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
        )
        if file.is_gzip:
            yield whole
            continue
        for begin, end in wanted_stretches(whole):
            bounds = [*range(begin, end, SURVEY_BYTES), end]
            for low, high in pairwise(bounds):
                yield replace(whole, begin=low, end=high)


def wanted_stretches(task: SurveyTask) -> list[tuple[int, int]]:
    """The stretches of a file that must be surveyed; of a large file that is no log, its front."""
    size = task.file.size
    is_large = size > SURVEY_BYTES
    if size == 0 or (task.times == ALWAYS and not is_large):
        return [(0, size)]
    with opened(task.file.path, task.file.identity) as reader:
        front = min(size, LEAD_BYTES_MAX)
        if is_large and first_head(reader, 0, front, task.clock) is None:
            return [(0, front)]
        if task.times == ALWAYS:
            return [(0, size)]
        step_bytes = max(size // SAMPLES_MAX, SAMPLE_STEP_MIN)
        return stretches(reader, size, task.clock, task.times, step_bytes)


def run_survey(task: SurveyTask) -> SurveyAnswer:
    """Do one survey; can be done by any process that sees the file (and the store).

    Raises:
        CannotRead: the file is gone, or this machine never had it.
        FileChanged: it is shorter than it was, or another one.
        KadminError: there is no room to unpack into.
    """
    with opened(task.file.path, task.file.identity) as reader:
        if task.store is not None:
            return unpack(task, reader, Path(task.store))
        begin, end = (head_from(offset, task, reader) for offset in (task.begin, task.end))
        return survey_stretch(task, reader, begin, end)


def run_surveys(batch: Sequence[SurveyTask]) -> list[SurveyAnswer]:
    """Do several surveys one after the other; raises what they raise."""
    return [run_survey(task) for task in batch]


def survey_stretch(task: SurveyTask, reader: Reader, begin: int, end: int) -> SurveyAnswer:
    """Survey from *begin* to *end*; goes on behind a record that is too long to be held."""
    found: list[Part] = []
    damage: str | None = None
    lost_bytes = 0
    at = begin
    while True:
        read = stretch(reader, task.file.path, at, end)
        parts, failure = gather(task, read, at)
        found += parts
        if failure is None:
            break
        damage = damage or failure.message
        head = first_head(reader, failure.offset + 1, end, task.clock)
        at = end if head is None else head.offset
        lost_bytes += at - failure.offset
        if at == end:
            break
    return SurveyAnswer(
        number=task.number, begin=begin, parts=tuple(found), damage=damage, lost_bytes=lost_bytes
    )


def head_from(offset: int, task: SurveyTask, reader: Reader) -> int:
    """The offset of the first head line from *offset* on; the file's start stays as it is."""
    size = task.file.size
    if offset in (0, size):
        return offset
    head = first_head(reader, offset, size, task.clock)
    return size if head is None else head.offset


def unpack(task: SurveyTask, reader: Reader, path: Path) -> SurveyAnswer:
    """Survey a .gz, and put its content where parts of it can be read.

    One that begins after all that is wanted is not unpacked.
    """
    times = front_times(reader, task.clock)
    if len(times) > 0 and times[0] > task.times.end_ms + SLACK_MS:
        return SurveyAnswer(number=task.number, begin=0, parts=(), is_passed_over=True)
    stream = GzipStream(reader)
    with block_store(path) as store:
        parts, failure = gather(task, stream.read, 0, store)
    damage = stream.damage if failure is None else f"{failure.message}; the rest is not read"
    return SurveyAnswer(number=task.number, begin=0, parts=parts, damage=damage)


def gather(
    task: SurveyTask, read: Read, begin: int, store: Store | None = None
) -> tuple[tuple[Part, ...], RecordTooLong | None]:
    """The parts of a stretch, and why there are no more of them if there should be."""
    parts: list[Part] = []
    try:
        parts.extend(
            survey(
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


def put_together(
    files: Sequence[LogFile],
    clocks: Sequence[Clock],
    sources: Sequence[int],
    answers: Iterable[SurveyAnswer],
    *,
    store: Path,
    is_numbered: bool,
) -> Surveyed:
    """What the *answers*, in any order, say of *files* together.

    Where stretches were passed over, their lines are counted if lines are to be numbered.
    """
    by_file: dict[int, list[SurveyAnswer]] = {}
    for answer in answers:
        by_file.setdefault(answer.number, []).append(answer)
    surveyed: list[SurveyedFile] = []
    steps: list[ClockStep] = []
    skipped: list[Problem] = []
    damaged: list[Problem] = []
    unread: list[int] = []
    lost: list[int] = []
    for number, (file, clock) in enumerate(zip(files, clocks, strict=True)):
        found = sorted(by_file.get(number, []), key=lambda answer: answer.begin)
        parts = tuple(part for answer in found for part in answer.parts)
        damage = [answer.damage for answer in found if answer.damage is not None]
        is_passed_over = not found or found[0].is_passed_over
        if damage:
            damaged.append(Problem(file.label, damage[0]))
        elif not parts and not is_passed_over and file.size > 0:
            skipped.append(Problem(file.label, NO_LOG))
        lost.append(sum(answer.lost_bytes for answer in found))
        unread.append(unread_bytes(file, parts) - lost[-1] if parts or is_passed_over else 0)
        if not parts:
            continue
        step = worst_step(parts)
        first_lines = number_lines(file, parts, counts_gaps=is_numbered or step is not None)
        if step is not None:
            index, line, step_ms = step
            steps.append(ClockStep(file.label, first_lines[index] + line, step_ms))
        surveyed.append(
            SurveyedFile(
                source=sources[number],
                number=number,
                path=str(store_path(store, number)) if file.is_gzip else file.path,
                identity=None if file.is_gzip else file.identity,
                is_stored=file.is_gzip,
                clock=clock,
                parts=parts,
                first_lines=tuple(first_lines),
            )
        )
    return Surveyed(
        files=tuple(surveyed),
        steps=tuple(steps),
        skipped=tuple(skipped),
        damaged=tuple(damaged),
        unread_bytes=tuple(unread),
        lost_bytes=tuple(lost),
    )


def unread_bytes(file: LogFile, parts: Sequence[Part]) -> int:
    """How much of *file* no part covers; a .gz is read as a whole or not at all."""
    if file.is_gzip:
        return 0 if parts else file.size
    return file.size - sum(part.end - part.begin for part in parts)


def worst_step(parts: Sequence[Part]) -> tuple[int, int, int] | None:
    """Part, line in it and ms of the largest step back of a file's clock; None without any."""
    inner = [(part.step_ms, index, part.step_line) for index, part in enumerate(parts)]
    between = [
        (one.last_ms - other.first_ms, index, 0)
        for index, (one, other) in enumerate(pairwise(parts), start=1)
    ]
    # The first of the largest ones.
    step_ms, index, line = max(inner + between, key=lambda each: (each[0], -each[1], -each[2]))
    return (index, line, step_ms) if step_ms > 0 else None


def number_lines(file: LogFile, parts: Sequence[Part], *, counts_gaps: bool) -> list[int]:
    """The line (from 1) at which each of *parts* begins; too low behind gaps not counted."""
    numbers: list[int] = []
    line, end = 1, 0
    for part in parts:
        if part.begin > end and counts_gaps:
            line += count_lines(file, end, part.begin)
        numbers.append(line)
        line += part.line_count
        end = part.end
    return numbers


def count_lines(file: LogFile, begin: int, end: int) -> int:
    with opened(file.path, file.identity) as reader:
        return sum(
            int(np.count_nonzero(block_at(reader, at, min(COUNT_BYTES, end - at)) == NEWLINE))
            for at in range(begin, end, COUNT_BYTES)
        )


def store_path(store: Path, number: int) -> Path:
    return store / f"unpacked-{number}"
