"""An analysis from end to end: logs in, the stories of partitions out.

A merge whose slices are made into events takes the lines apart, in order of time, wherever its
workers are; then each bucket of partitions is folded by one of them.  Knows no terminal.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.merge import Merge, merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.merge.summary import Summary
from kadmin.jobs.progress import Report
from kadmin.jobs.story.bucket import Piece, fold_bucket, pairs_of_bucket, read_events
from kadmin.jobs.story.clocks import shifts_of
from kadmin.jobs.story.events import tables_of
from kadmin.jobs.story.gather import Gathered, Selection, gather, with_events
from kadmin.jobs.temporary import temporary_directory
from kadmin.story.clocks import ClockEstimate, estimates, fastest
from kadmin.story.coverage import Coverage, Span, coverage_of
from kadmin.story.values import Anomaly, AnomalyKind, Story


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The *stories*, the worst first, and what concerns no single partition.

    *clocks* is how far sources' clocks are apart, in the times as they were read; *shifts_ms* what
    was added to the times of each source because of that.
    """

    stories: tuple[Story, ...]
    coverage: Coverage
    refusals: tuple[Anomaly, ...]
    clocks: tuple[ClockEstimate, ...]
    shifts_ms: Mapping[str, int] = field(default_factory=dict)
    summary: Summary


def tell(
    request: MergeRequest,
    selection: Selection,
    *,
    corrects_clocks: bool = False,
    report: Report = lambda _: None,
    engine: Engine | None = None,
) -> Analysis:
    """Read the logs of *request* and return the stories of the partitions of *selection*.

    Its formatter, and where its results go, are not used.  With a running *engine*, which goes on
    afterwards, none is started.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    with temporary_directory("kadmin-story-") as directory:
        request = with_events(request, selection, directory)
        with merge(request, report, engine) as merged:
            return fold_all(merged, gather(merged), corrects_clocks=corrects_clocks)


def fold_all(merged: Merge, gathered: Gathered, *, corrects_clocks: bool) -> Analysis:
    """Let workers fold all buckets, with clocks set right where that is asked for."""
    found = merged.engine.run(pairs_of_bucket, gathered.tasks)
    clocks = estimates(fastest(pair for pairs in found for pair in pairs))
    shifts = shifts_of(clocks) if corrects_clocks else {}
    coverage = coverage_of(shifted(span, shifts.get(span.source, 0)) for span in gathered.spans)
    tasks = [replace(task, coverage=coverage, shifts_ms=shifts) for task in gathered.tasks]
    stories = [story for some in merged.engine.run(fold_bucket, tasks) for story in some]
    return Analysis(
        stories=tuple(sorted(stories, key=lambda story: story.worst_first)),
        coverage=coverage,
        refusals=tuple(refusals(gathered.heads, shifts)),
        clocks=tuple(clocks),
        shifts_ms=shifts,
        summary=merged.summary(),
    )


def shifted(span: Span, shift_ms: int) -> Span:
    return replace(span, first_ms=span.first_ms + shift_ms, last_ms=span.last_ms + shift_ms)


def refusals(pieces: Sequence[Piece], shifts_ms: Mapping[str, int]) -> list[Anomaly]:
    """Return the orders of replaced controllers that brokers refused, by controller and broker."""
    events = [
        event
        for table in tables_of(piece.read() for piece in pieces)
        for event in read_events(table, shifts_ms)
        if event.known_controller_epoch is not None
    ]
    counts = Counter((each.controller_epoch, each.broker) for each in events)
    first = {(each.controller_epoch, each.broker): each for each in reversed(events)}
    return [
        Anomaly(
            kind=AnomalyKind.STALE_CONTROLLER,
            text=f"broker {event.broker} refused {counts[key]} orders of controller "
            f"{event.controller_id}, epoch {event.controller_epoch}: it knew of epoch "
            f"{event.known_controller_epoch}",
            proof=(event.line,),
        )
        for key, event in sorted(first.items(), key=lambda each: each[1].time_ms)
    ]
