"""How is a merge done from end to end?

    with merge(request) as merged:
        for output in merged:
            ...  # valid until the next one is taken
    merged.summary()

Surveys every file while Spark starts, plans slices, lets workers merge them and yields their
results in order while later ones are still at work.  Knows no form and no terminal.
"""

import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from kadmin.errors import UsageError
from kadmin.jobs.merge.clocks import ALWAYS, EXACT
from kadmin.jobs.merge.engines import Engine, InProcess
from kadmin.jobs.merge.files import LogFile
from kadmin.jobs.merge.held import HeldTimes, held_times
from kadmin.jobs.merge.masters import check_master
from kadmin.jobs.merge.request import (
    LOCAL,
    MergeRequest,
    OddInput,
    SourceSummary,
    Summary,
)
from kadmin.jobs.merge.slices import Slice, part_bytes, plan
from kadmin.jobs.merge.surveys import (
    SurveyAnswer,
    Surveyed,
    SurveyTask,
    put_together,
    run_survey,
    run_surveys,
    tasks,
)
from kadmin.jobs.merge.worker import SliceResult, SliceTask, merge_slice
from kadmin.jvm.interrupts import deferring_interrupts

SMALL_PACKED_BYTES: Final = 16 << 20
"""A larger .gz keeps this process busy for longer than Spark takes to start."""

COPY_BYTES: Final = 1 << 20

HAND_OVER_BYTES: Final = 64 << 20
"""So little is surveyed here sooner than by workers that first have to be started."""


class Phase(StrEnum):
    """What a merge is at; surveying goes on while Spark starts."""

    SURVEY = "survey"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many bytes of how many are done in a phase."""

    phase: Phase
    done_bytes: int
    total_bytes: int


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class SliceOutput:
    """The result of one slice: *size* bytes that were made in pieces of *piece_sizes*.

    In *data*, or at the start of the local file *path*.  Where the request names part files, the
    result is in the one at *path* and stays there.
    """

    index: int
    size: int
    piece_sizes: tuple[int, ...]
    data: bytes | None
    path: str | None

    def blocks(self) -> Iterator[memoryview]:
        """The bytes of a result that is here or in a local file; each valid until the next."""
        if self.data is not None:
            yield memoryview(self.data)
            return
        assert self.path is not None, "a result is here or in a file"
        buffer = memoryview(bytearray(min(self.size, COPY_BYTES)))
        left = self.size
        with open(self.path, "rb", buffering=0) as file:
            while left > 0:
                count = file.readinto(buffer[:left])
                left -= count
                yield buffer[:count]

    def read(self) -> bytes:
        """All bytes of such a result."""
        # All blocks share a buffer, so each is copied before the next one is read.
        return b"".join(map(bytes, self.blocks()))


@contextmanager
def merge(request: MergeRequest, report: Report = lambda _: None) -> Iterator["Merged"]:
    """Start a merge; its results are taken by iterating what this gives.

    Raises:
        OddInput: the merge is strict and a file is no log or damaged; before the first result.
        CannotRead, FileChanged, CannotWrite: a file is not what it was, or there is no room.
        UsageError: a clock is for a source that there is not.
        UnreachableError: the master does not answer.
        KadminError: Spark failed.
    """
    check_names(request)
    with temporary_directory() as directory:
        engine: Engine = InProcess()
        is_whole = False
        try:
            if request.master is not None:
                check_master(request.master)
                with deferring_interrupts():
                    engine = spark_engine(request, request.master, directory)
            merged = Merged(request, engine, directory, report)
            yield merged
            is_whole = merged.is_whole
        finally:
            with deferring_interrupts():
                engine.close(is_abandoned=not is_whole)


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """A directory that is removed behind the block, whoever interrupts it and when."""
    directory: Path | None = None
    try:
        with deferring_interrupts():
            directory = Path(tempfile.mkdtemp(prefix="kadmin-merge-"))
        yield directory
    finally:
        with deferring_interrupts():
            if directory is not None:
                shutil.rmtree(directory, ignore_errors=True)


def spark_engine(request: MergeRequest, master: str, directory: Path) -> Engine:
    from kadmin.jobs.merge.driver import Driver
    from kadmin.jobs.merge.spark import SparkEngine

    driver = Driver(master, request.conf, directory, makes_archive=request.makes_archive)
    return SparkEngine(driver, hands_max=hands_max(request))


def hands_max(request: MergeRequest) -> int:
    """How many workers may find work: a small merge does not start one for each core."""
    files = [file for source in request.sources for file in source.files]
    return max(sum(1 + file.content_bytes // request.slice_bytes for file in files), 1)


def check_names(request: MergeRequest) -> None:
    names = [source.name for source in request.sources]
    for name in request.clocks:
        if name not in names:
            raise UsageError(
                f"there is no source '{name}' (there are: {', '.join(names)})",
                hint="name one of these, or leave it out",
            )


class Merged:
    """A merge at work; yields each `SliceOutput` once, in order."""

    def __init__(
        self, request: MergeRequest, engine: Engine, directory: Path, report: Report
    ) -> None:
        self.request = request
        self.engine = engine
        self.directory = directory
        self.report = report
        self.source_of = [
            number for number, source in enumerate(request.sources) for _ in source.files
        ]
        self.files: list[LogFile] = [file for each in request.sources for file in each.files]
        self.source_names = tuple(source.name for source in request.sources)
        self.clocks = [
            request.clocks.get(request.sources[number].name, EXACT) for number in self.source_of
        ]
        self.file_names = tuple(file.label for file in self.files)
        self.surveyed: Surveyed | None = None
        self.kept_lines = [0] * len(request.sources)
        self.counts: Counter[str] = Counter()
        self.is_whole = False

    def __iter__(self) -> Iterator[SliceOutput]:
        request = self.request
        self.surveyed = put_together(
            self.files,
            self.clocks,
            self.source_of,
            self.survey(),
            store=self.directory,
            is_numbered=request.is_numbered,
        )
        odd = self.surveyed.skipped + self.surveyed.damaged
        if request.is_strict and odd:
            raise OddInput(odd)
        slices = plan(
            self.surveyed.files,
            order=request.order,
            times=request.times,
            slice_bytes=request.slice_bytes,
        )
        yield from self.run_slices(slices)
        self.is_whole = True

    def survey(self) -> list[SurveyAnswer]:
        """Survey all files: here until the engine is ready, then by its workers."""
        total = sum(file.size for file in self.files)
        size = self.request.part_bytes or part_bytes(
            total, len(self.files), self.request.slice_bytes
        )
        waiting = deque(
            # Large .gz last, so that they are left for workers, which do them side by side.
            sorted(
                tasks(
                    self.files,
                    self.clocks,
                    times=self.request.times,
                    part_bytes=size,
                    store=self.directory,
                ),
                key=lambda task: task.file.size if task.store is not None else 0,
            )
        )
        meter = Meter(Phase.SURVEY, sum(task_bytes(task) for task in waiting), self.report)
        answers: list[SurveyAnswer] = []
        while waiting and not self.must_hand_over(waiting[0], meter.left_bytes):
            task = waiting.popleft()
            answers.append(run_survey(task))
            meter.add(task_bytes(task))
        batched = list(batches(waiting))
        if batched:
            results = self.engine.run(run_surveys, batched)
            for batch, result in zip(batched, results, strict=True):
                answers += result
                meter.add(sum(task_bytes(task) for task in batch))
        return answers

    def must_hand_over(self, task: SurveyTask, left_bytes: int) -> bool:
        """Whether *task* and all others, of *left_bytes*, are rather for workers."""
        if task.store is not None and task_bytes(task) > SMALL_PACKED_BYTES:
            return True
        return left_bytes > HAND_OVER_BYTES and self.engine.is_ready()

    def run_slices(self, slices: Sequence[Slice]) -> Iterator[SliceOutput]:
        """Merge *slices*: here as long as Spark starts, then by its workers."""
        meter = Meter(Phase.MERGE, sum(each.read_bytes for each in slices), self.report)
        done = 0
        while done < len(slices) and self.must_go_on_here():
            task = self.task(slices[done], None)
            yield self.take(slices[done], task, merge_slice(task), meter)
            done += 1
        if done < len(slices):
            yield from self.hand_out_slices(slices[done:], meter)

    def must_go_on_here(self) -> bool:
        """Whether no worker is there yet whom the request does not say to wait for."""
        request = self.request
        has_said = bool(request.conf) or not (request.master or LOCAL).startswith("local")
        return request.begins_here and not has_said and not self.engine.is_ready()

    def hand_out_slices(self, slices: Sequence[Slice], meter: "Meter") -> Iterator[SliceOutput]:
        """Let workers merge *slices*, no more of them ahead than keeps all workers busy."""
        # One place more, for the result that is being taken.
        places = [self.directory / f"slice-{number}" for number in range(self.engine.ahead + 1)]
        is_reused = self.engine.shares_files and self.request.part_files is None
        if is_reused:
            for place in places:
                place.touch()
        slice_tasks = [
            self.task(each, places[each.index % len(places)] if is_reused else None)
            for each in slices
        ]
        results = self.engine.run(merge_slice, slice_tasks)
        for each, task, result in zip(slices, slice_tasks, results, strict=True):
            yield self.take(each, task, result, meter)

    def task(self, each: Slice, place: Path | None) -> SliceTask:
        """The task of a slice, whose result goes to a part file, or *place*, or comes back."""
        request = self.request
        path = None if place is None else str(place)
        if request.part_files is not None:
            path = request.part_files.path(each.index)
        return SliceTask(
            index=each.index,
            runs=each.runs,
            times=request.times,
            keep=request.keep,
            form=request.form,
            is_numbered=request.is_numbered,
            source_names=self.source_names,
            file_names=self.file_names,
            path=path,
            is_reused=place is not None,
        )

    def take(
        self, each: Slice, task: SliceTask, result: SliceResult, meter: "Meter"
    ) -> SliceOutput:
        for number, lines in enumerate(result.kept_lines):
            self.kept_lines[number] += lines
        self.counts.update(result.counts)
        meter.add(each.read_bytes)
        return SliceOutput(result.index, result.size, result.piece_sizes, result.data, task.path)

    def summary(self) -> Summary:
        """What became of every line so far; whole once the last result was taken.

        Raises:
            CannotRead: no line is in the range of time, and a file that could tell why is gone.
        """
        assert self.surveyed is not None, "nothing was taken yet"
        sources = tuple(
            self.source_summary(number, self.surveyed)
            for number in range(len(self.request.sources))
        )
        is_missed = self.request.times != ALWAYS and not any(
            source.wanted_lines > 0 for source in sources
        )
        return Summary(
            sources=sources,
            steps=self.surveyed.steps,
            skipped=self.surveyed.skipped,
            damaged=self.surveyed.damaged,
            counts=dict(self.counts),
            held=self.held(self.surveyed) if is_missed else None,
        )

    def held(self, surveyed: Surveyed) -> HeldTimes | None:
        """The times of all logs, also of what lies outside the range."""
        parts = {file.number: file.parts for file in surveyed.files}
        return held_times(self.files, self.clocks, parts)

    def source_summary(self, number: int, surveyed: Surveyed) -> SourceSummary:
        source = self.request.sources[number]
        parts = [part for file in surveyed.files if file.source == number for part in file.parts]
        numbers = [index for index, owner in enumerate(self.source_of) if owner == number]
        return SourceSummary(
            name=source.name,
            size_bytes=sum(file.size for file in source.files),
            unread_bytes=sum(surveyed.unread_bytes[index] for index in numbers),
            lost_bytes=sum(surveyed.lost_bytes[index] for index in numbers),
            read_lines=sum(part.line_count for part in parts),
            wanted_lines=sum(part.wanted_count for part in parts),
            kept_lines=self.kept_lines[number],
            undated_lines=sum(part.undated_count for part in parts),
        )


class Meter:
    """Adds up what is done of a phase and reports it."""

    def __init__(self, phase: Phase, total_bytes: int, report: Report) -> None:
        self.progress = Progress(phase, 0, total_bytes)
        self.report = report
        report(self.progress)

    @property
    def left_bytes(self) -> int:
        return self.progress.total_bytes - self.progress.done_bytes

    def add(self, size: int) -> None:
        before = self.progress
        self.progress = Progress(before.phase, before.done_bytes + size, before.total_bytes)
        self.report(self.progress)


def task_bytes(task: SurveyTask) -> int:
    return task.end - task.begin


def batches(waiting: Sequence[SurveyTask]) -> Iterator[list[SurveyTask]]:
    """Group small surveys, so that handing one out does not cost more than doing it."""
    batch: list[SurveyTask] = []
    for task in waiting:
        if batch and sum(map(task_bytes, batch)) + task_bytes(task) > HAND_OVER_BYTES:
            yield batch
            batch = []
        batch.append(task)
    if batch:
        yield batch
