"""What shall be merged, and what is known of it afterwards?

Values only; `kadmin.jobs.merge.run` does it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kadmin.errors import KadminError
from kadmin.jobs.merge.calls import Call, Keep
from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.directories import Problem
from kadmin.jobs.merge.held import HeldTimes
from kadmin.jobs.merge.slices import SLICE_BYTES, Order
from kadmin.jobs.merge.sources import Source
from kadmin.jobs.merge.surveys import ClockStep

LOCAL: str = "local[*]"


@dataclass(frozen=True, slots=True)
class PartFiles:
    """Where workers write the result of each slice themselves, as `part-00000` and so on.

    *directory* is a path or URI that all of them see; it exists.  *options* are those of a URI.
    """

    directory: str
    suffix: str
    options: str = ""

    def path(self, index: int) -> str:
        return f"{self.directory}/part-{index:05d}{self.suffix}{self.options}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """One merge: what is read, which of it is wanted, in which order and form, and who works.

    *clocks* are by source name; others are exact.  *times* are common times.  *keep* judges head
    lines; what stands behind one shares its fate.  *form* makes the result of each slice; with
    *is_numbered* the form needs line numbers, which makes passing over lines dearer.  Without
    *part_files* the results come back to this process.  A *master*
    of None merges in this process, without Spark.  *conf* are Spark's settings by name, and win.
    One that *begins_here* does not wait for Spark: until a worker is there, this process merges.
    That holds for masters of this machine; whoever gives settings or another master means them.
    One that *makes_archive* lets later merges start faster.
    """

    sources: tuple[Source, ...]
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    times: TimeRange = ALWAYS
    order: Order = Order.TIME
    keep: Keep | None = None
    form: Call = Call("kadmin.jobs.merge.rows:text")
    is_numbered: bool = False
    is_strict: bool = False
    part_files: PartFiles | None = None
    master: str | None = LOCAL
    conf: Mapping[str, str] = field(default_factory=dict)
    begins_here: bool = True
    makes_archive: bool = True
    slice_bytes: int = SLICE_BYTES
    part_bytes: int | None = None


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
    are no logs, *damaged* those that were read in part.  *counts* are the form's own.  *held* are
    the times of the logs where the range of time holds none of their lines.
    """

    sources: tuple[SourceSummary, ...]
    steps: tuple[ClockStep, ...]
    skipped: tuple[Problem, ...]
    damaged: tuple[Problem, ...]
    counts: Mapping[str, int]
    held: HeldTimes | None = None


class OddInput(KadminError):
    """In a strict merge: files that are no logs, or that cannot be read to their end."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more files)" if len(problems) > 1 else ""
        super().__init__(
            f"{first.label}: {first.reason}{more}",
            hint="leave them out, or merge what there is without --strict",
        )
        self.problems = problems
