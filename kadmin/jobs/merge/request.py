"""The request of a merge: what is read, what of it is wanted, and who works.

Values only; `kadmin.jobs.merge.merge` carries it out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kadmin.errors import KadminError
from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.clocks import ALWAYS, EXACT, Clock, TimeRange
from kadmin.jobs.merge.files.log_file import FileProblem, LogFile
from kadmin.jobs.merge.inputs.sources import Source
from kadmin.jobs.merge.output.slice_output import PartFiles
from kadmin.jobs.merge.slices.plan import SLICE_BYTES, Order
from kadmin.jobs.merge.slices.record_filter import RecordFilter

LOCAL: str = "local[*]"

TEXT: Final = Factory("kadmin.jobs.merge.output.plain_text:text")
"""Lines as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """One merge: what is read, which of it is wanted, in which order and format, and who works.

    *clocks* are by source name; others are *clock*. *times* are common times. *record_filter*
    judges head lines; what stands behind one shares its fate. Of a line that several sources have
    the first source's is kept, unless the merge *keeps_duplicates*. *formatter* makes the result of
    each slice; with *is_numbered* it needs line numbers, which makes passing over lines dearer. Of
    a .gz *unpacked_max* bytes are unpacked, None bounds them by its size. Without *part_files* the
    results come back to this process. A *master* of None merges without Spark: in this process, or
    in as many *processes*. *conf* are Spark's settings by name, and win. One that *begins_here*
    does not wait for workers: until one is there, this process merges. That holds for masters of
    this machine; settings or another master always mean Spark.
    """

    sources: tuple[Source, ...]
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    clock: Clock = EXACT
    times: TimeRange = ALWAYS
    order: Order = Order.TIME
    record_filter: RecordFilter | None = None
    formatter: Factory = TEXT
    is_numbered: bool = False
    is_strict: bool = False
    keeps_duplicates: bool = False
    unpacked_max: int | None = None
    part_files: PartFiles | None = None
    master: str | None = LOCAL
    processes: int = 1
    conf: Mapping[str, str] = field(default_factory=dict)
    begins_here: bool = True
    slice_bytes: int = SLICE_BYTES
    part_bytes: int | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether the workers are on other machines, for all that is known."""
        return self.master is not None and not self.master.startswith("local")


@dataclass(frozen=True, slots=True)
class RequestFiles:
    """All files of a request, in the order of its sources.

    *sources* are the numbers of the sources that the files belong to, *clocks* those of the files'
    brokers.
    """

    files: tuple[LogFile, ...]
    sources: tuple[int, ...]
    clocks: tuple[Clock, ...]


def request_files(request: MergeRequest) -> RequestFiles:
    """Return the files of *request*, by which phases go."""
    return RequestFiles(
        files=tuple(file for source in request.sources for file in source.files),
        sources=tuple(n for n, source in enumerate(request.sources) for _ in source.files),
        clocks=tuple(
            request.clocks.get(source.name, request.clock)
            for source in request.sources
            for _ in source.files
        ),
    )


class OddInput(KadminError):
    """In a strict merge: files that are no logs, or that cannot be read to their end."""

    def __init__(self, problems: tuple[FileProblem, ...]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more files)" if len(problems) > 1 else ""
        super().__init__(
            f"{first.label}: {first.reason}{more}",
            hint="leave them out, or merge what there is without --strict",
        )
        self.problems = problems
