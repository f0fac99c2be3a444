"""The second phase of a merge: slices are merged, here until workers are there, then by them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.output.slice_output import SliceOutput
from kadmin.jobs.merge.request import TEXT, MergeRequest, RequestFiles
from kadmin.jobs.merge.slices.merge_slice import SliceResult, SliceTask, merge_slice
from kadmin.jobs.merge.slices.plan import Slice
from kadmin.jobs.progress import Meter, Phase, Report

GROWTH: Final = 4
"""So many times as large as its lines is a slice as JSON, about; no other form is larger."""


class MergePhase:
    """Merges slices of *request*; *directory* takes results on their way from workers."""

    def __init__(
        self, request: MergeRequest, files: RequestFiles, engine: Engine, directory: Path
    ) -> None:
        self.request = request
        self.engine = engine
        self.directory = directory
        self.source_names = tuple(source.name for source in request.sources)
        self.file_names = tuple(file.label for file in files.files)

    def run(
        self, slices: Sequence[Slice], report: Report
    ) -> Iterator[tuple[SliceResult, SliceOutput]]:
        """Return what became of each of *slices*, in order, as soon as it is there."""
        meter = Meter(Phase.MERGE, sum(each.read_bytes for each in slices), report)
        done = 0
        while done < len(slices) and self.is_for_this_process():
            task = self.task(slices[done], None)
            result = merge_slice(task)
            meter.add(slices[done].read_bytes)
            yield result, output_of(task, result)
            done += 1
        if done < len(slices):
            yield from self.run_by_workers(slices[done:], meter)

    def is_for_this_process(self) -> bool:
        """Return whether no worker is there yet whom the request does not say to wait for."""
        request = self.request
        has_said = bool(request.conf) or request.is_elsewhere
        return request.begins_here and not has_said and not self.engine.is_ready()

    def run_by_workers(
        self, slices: Sequence[Slice], meter: Meter
    ) -> Iterator[tuple[SliceResult, SliceOutput]]:
        """Let workers merge *slices*, no more of them ahead than keeps all workers busy."""
        # One place more, for the result that is being taken.
        places = [
            self.directory / f"slice-{number}" for number in range(self.engine.in_flight_max + 1)
        ]
        is_reused = self.engine.shares_files and self.request.part_files is None
        if is_reused:
            for place in places:
                place.touch()
        tasks = [
            self.task(each, places[each.index % len(places)] if is_reused else None)
            for each in slices
        ]
        result_bytes = 0
        if any(task.path is None for task in tasks):
            growth = 1 if self.request.formatter == TEXT else GROWTH
            result_bytes = growth * max(each.read_bytes for each in slices)
        results = self.engine.run(merge_slice, tasks, result_bytes=result_bytes)
        for each, task, result in zip(slices, tasks, results, strict=True):
            meter.add(each.read_bytes)
            yield result, output_of(task, result)

    def task(self, each: Slice, place: Path | None) -> SliceTask:
        """Return the task of a slice, whose result goes to a part file, or *place*, or comes
        back."""
        request = self.request
        path = None if place is None else str(place)
        if request.part_files is not None:
            path = request.part_files.path(each.index)
        return SliceTask(
            index=each.index,
            runs=each.runs,
            times=request.times,
            record_filter=request.record_filter,
            formatter=request.formatter,
            is_numbered=request.is_numbered,
            source_names=self.source_names,
            file_names=self.file_names,
            path=path,
            is_reused=place is not None,
            earlier=each.earlier,
            keeps_duplicates=request.keeps_duplicates,
        )


def output_of(task: SliceTask, result: SliceResult) -> SliceOutput:
    return SliceOutput(result.index, result.size, result.piece_sizes, result.data, task.path)
