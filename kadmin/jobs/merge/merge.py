"""A merge from end to end.

    with merge(request) as merged:
        for output in merged:
            ...  # valid until the next one is taken
    merged.summary()

Surveys every file, plans slices, has an engine merge them, and yields their results in order while
later ones are still at work.  Knows no format and no terminal.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kadmin.errors import UsageError
from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.engines import shared_engine
from kadmin.jobs.merge.merge_phase import MergePhase
from kadmin.jobs.merge.output.slice_output import SliceOutput
from kadmin.jobs.merge.request import MergeRequest, OddInput, RequestFiles, request_files
from kadmin.jobs.merge.slices.plan import plan
from kadmin.jobs.merge.summary import Summary, Totals, summarize
from kadmin.jobs.merge.survey.results import Surveyed
from kadmin.jobs.merge.survey_phase import survey_files
from kadmin.jobs.progress import Report
from kadmin.jobs.temporary import temporary_directory
from kadmin.jobs.uris import is_uri
from kadmin.wording import listed


@contextmanager
def merge(
    request: MergeRequest, report: Report = lambda _: None, engine: Engine | None = None
) -> Iterator["Merge"]:
    """Start a merge; its results are taken by iterating what this gives.

    With an *engine* that is there, which goes on afterwards, none is started.

    Raises:
        OddInput: the merge is strict and a file is no log or damaged; before the first result.
        CannotRead, FileChanged, CannotWrite: a file is not what it was, or there is no room.
        UsageError: a clock is for a source that there is not.
        UnreachableError: the master does not answer.
        KadminError: Spark failed.
    """
    check_names(request)
    with temporary_directory("kadmin-merge-") as directory:
        if engine is not None:
            yield Merge(request, engine, directory, report)
            return
        with shared_engine(request, is_whole=lambda: merged.is_whole) as started:
            merged = Merge(request, started, directory, report)
            yield merged


def paths_of(request: MergeRequest, files: RequestFiles, directory: Path) -> list[str]:
    """Return what workers of *request* must see of this machine.

    *directory* takes what is unpacked.
    """
    paths = {os.path.dirname(file.path) for file in files.files if not is_uri(file.path)}
    if any(file.is_gzip for file in files.files):
        paths.add(str(directory))
    if request.part_files is not None and not is_uri(request.part_files.directory):
        paths.add(request.part_files.directory)
    return sorted(paths)


def check_names(request: MergeRequest) -> None:
    names = [source.name for source in request.sources]
    for name in request.clocks:
        if name not in names:
            raise UsageError(
                f"there is no source '{name}' (there are: {listed(names)})",
                hint="name one of these, or leave it out",
            )


class Merge:
    """A merge at work; yields each `SliceOutput` once, in order."""

    def __init__(
        self, request: MergeRequest, engine: Engine, directory: Path, report: Report
    ) -> None:
        self.request = request
        self.engine = engine
        self.directory = directory
        self.report = report
        self.files = request_files(request)
        self.surveyed: Surveyed | None = None
        self.totals = Totals()
        self.is_whole = False

    def __iter__(self) -> Iterator[SliceOutput]:
        request = self.request
        if request.is_elsewhere:
            self.engine.check_paths(paths_of(request, self.files, self.directory))
        self.surveyed = survey_files(request, self.files, self.engine, self.directory, self.report)
        odd = self.surveyed.skipped + self.surveyed.damaged
        if request.is_strict and odd:
            raise OddInput(odd)
        slices = plan(
            self.surveyed.files,
            order=request.order,
            times=request.times,
            slice_bytes=request.slice_bytes,
        )
        phase = MergePhase(request, self.files, self.engine, self.directory)
        for result, output in phase.run(slices, self.report):
            self.totals.add(result)
            yield output
        self.is_whole = True

    def summary(self) -> Summary:
        """Return what became of every line so far; whole once the last result was taken.

        Raises:
            CannotRead: no line is in the range of time, and a file that could show why is gone.
        """
        assert self.surveyed is not None, "nothing was taken yet"
        return summarize(self.request, self.files, self.surveyed, self.totals)
