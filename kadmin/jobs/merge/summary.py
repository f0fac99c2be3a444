"""The summary of a merge: what became of every line, and what was odd."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kadmin.jobs.merge.clocks import ALWAYS
from kadmin.jobs.merge.files.log_file import FileProblem
from kadmin.jobs.merge.request import MergeRequest, RequestFiles
from kadmin.jobs.merge.slices.merge_slice import SliceResult
from kadmin.jobs.merge.survey.results import ClockStep, Surveyed
from kadmin.jobs.merge.survey.time_bounds import TimeBounds, time_bounds
from kadmin.statechange.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary:
    """The lines of one source: read, of these in the range of time, of these kept.

    *undated* lines stand before the first head line of a file.  *unread_bytes* were passed over
    because they lie outside the range of time; *lost_bytes* could not be read as lines.
    """

    name: str
    size_bytes: int
    unread_bytes: int
    lost_bytes: int
    read_lines: int
    wanted_lines: int
    kept_lines: int
    undated_lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What became of every line, and what was odd; whole once the last slice was taken.

    *steps* names each file whose clock goes back, with its largest step.  *skipped* are files that
    are no logs, *damaged* those that were read in part.  *counts* are the formatter's own.
    *time_bounds* are those of the logs where the range of time has none of their lines.
    """

    sources: tuple[SourceSummary, ...]
    steps: tuple[ClockStep, ...]
    skipped: tuple[FileProblem, ...]
    damaged: tuple[FileProblem, ...]
    counts: Mapping[str, int]
    duplicate_lines: int = 0
    """Lines left out since another source has them: by two shippers, perhaps."""
    time_bounds: TimeBounds | None = None

    @property
    def unknown_lines(self) -> int:
        """How many dated lines were not understood, of all that the formatter counted."""
        return self.counts.get(f"kind:{Kind.OTHER}", 0)

    @property
    def dated_lines(self) -> int:
        """How many lines that begin a record the formatter counted."""
        kinds = (number for key, number in self.counts.items() if key.startswith("kind:"))
        return sum(kinds) - self.counts.get(f"kind:{Kind.CONTINUATION}", 0)


@dataclass(slots=True)
class Totals:
    """What all slices so far have together: kept lines by source, and counts of the formatter."""

    kept_lines: Counter[int] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    duplicate_lines: int = 0

    def add(self, result: SliceResult) -> None:
        self.kept_lines.update(dict(enumerate(result.kept_lines)))
        self.counts.update(result.counts)
        self.duplicate_lines += result.duplicate_lines


def summarize(
    request: MergeRequest, files: RequestFiles, surveyed: Surveyed, totals: Totals
) -> Summary:
    """Return what became of every line so far.

    Raises:
        CannotRead: no line is in the range of time, and a file that could show why is gone.
    """
    sources = tuple(
        source_summary(number, request, files, surveyed, totals)
        for number in range(len(request.sources))
    )
    is_missed = request.times != ALWAYS and not any(source.wanted_lines > 0 for source in sources)
    return Summary(
        sources=sources,
        steps=surveyed.steps,
        skipped=surveyed.skipped,
        damaged=surveyed.damaged,
        counts=dict(totals.counts),
        duplicate_lines=totals.duplicate_lines,
        time_bounds=all_time_bounds(files, surveyed) if is_missed else None,
    )


def all_time_bounds(files: RequestFiles, surveyed: Surveyed) -> TimeBounds | None:
    """Return the times of all logs, also of what lies outside the range."""
    parts = {file.number: file.parts for file in surveyed.files}
    return time_bounds(files.files, files.clocks, parts)


def source_summary(
    number: int, request: MergeRequest, files: RequestFiles, surveyed: Surveyed, totals: Totals
) -> SourceSummary:
    source = request.sources[number]
    parts = [part for file in surveyed.files if file.source == number for part in file.parts]
    indexes = [index for index, owner in enumerate(files.sources) if owner == number]
    return SourceSummary(
        name=source.name,
        size_bytes=sum(file.size for file in source.files),
        unread_bytes=sum(surveyed.unread_bytes[index] for index in indexes),
        lost_bytes=sum(surveyed.lost_bytes[index] for index in indexes),
        read_lines=sum(part.line_count for part in parts),
        wanted_lines=sum(part.wanted_count for part in parts),
        kept_lines=totals.kept_lines[number],
        undated_lines=sum(part.undated_count for part in parts),
    )
