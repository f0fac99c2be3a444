"""The first phase of a merge: files are surveyed, here until workers are there, then by them."""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.request import MergeRequest, RequestFiles
from kadmin.jobs.merge.slices.plan import part_bytes
from kadmin.jobs.merge.survey.results import Surveyed, combine_surveys
from kadmin.jobs.merge.survey.tasks import (
    SurveyResult,
    SurveyTask,
    run_survey,
    run_surveys,
    survey_tasks,
)
from kadmin.jobs.progress import Meter, Phase, Report

GZIP_BYTES_MAX: Final = 16 << 20
"""A larger .gz keeps this process busy for longer than Spark takes to start."""

BATCH_BYTES: Final = 64 << 20
"""So little is surveyed here sooner than by workers that first have to be started."""


def survey_files(
    request: MergeRequest, files: RequestFiles, engine: Engine, directory: Path, report: Report
) -> Surveyed:
    """Survey *files*, those of *request*; *directory* takes what is unpacked.

    Raises:
        CannotRead, FileChanged: a file is gone, or not what it was.
        KadminError: there is no room to unpack into, or the engine failed.
    """
    waiting = deque(tasks_in_order(request, files, directory))
    meter = Meter(Phase.SURVEY, sum(map(task_bytes, waiting)), report)
    results: list[SurveyResult] = []
    while waiting and not is_for_workers(waiting[0], meter.left_bytes, request, engine):
        task = waiting.popleft()
        results.append(run_survey(task))
        meter.add(task_bytes(task))
    results += survey_by_workers(waiting, engine, meter)
    return combine_surveys(
        files.files,
        files.clocks,
        files.sources,
        results,
        store=directory,
        is_numbered=request.is_numbered,
    )


def tasks_in_order(request: MergeRequest, files: RequestFiles, directory: Path) -> list[SurveyTask]:
    """Large .gz last, so that they are left for workers, which do them side by side."""
    total = sum(file.size for file in files.files)
    size = request.part_bytes or part_bytes(total, len(files.files), request.slice_bytes)
    tasks = survey_tasks(
        files.files,
        files.clocks,
        times=request.times,
        part_bytes=size,
        store=directory,
        bytes_max=request.unpacked_max,
    )
    return sorted(tasks, key=lambda task: task.file.size if task.store is not None else 0)


def is_for_workers(
    task: SurveyTask, left_bytes: int, request: MergeRequest, engine: Engine
) -> bool:
    """Return whether *task* and all others, of *left_bytes*, are rather for workers.

    For those of other machines all that is large is, also while they start: what this process
    reads meanwhile, it reads at the speed of one, over the network, however many they are.
    """
    if task.store is not None and task_bytes(task) > GZIP_BYTES_MAX:
        return True
    return left_bytes > BATCH_BYTES and (request.is_elsewhere or engine.is_ready())


def survey_by_workers(
    tasks: Sequence[SurveyTask], engine: Engine, meter: Meter
) -> Iterator[SurveyResult]:
    batched = list(batches(tasks))
    if not batched:
        # Without work, workers need not be waited for.
        return
    for batch, results in zip(batched, engine.run(run_surveys, batched), strict=True):
        yield from results
        meter.add(sum(map(task_bytes, batch)))


def task_bytes(task: SurveyTask) -> int:
    return task.end - task.begin


def batches(waiting: Sequence[SurveyTask]) -> Iterator[list[SurveyTask]]:
    """Group small surveys, so that sending one does not cost more than doing it."""
    batch: list[SurveyTask] = []
    for task in waiting:
        if batch and sum(map(task_bytes, batch)) + task_bytes(task) > BATCH_BYTES:
            yield batch
            batch = []
        batch.append(task)
    if batch:
        yield batch
