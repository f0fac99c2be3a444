"""An analysis from end to end: logs in, the stories of partitions out.

A merge whose slices are made into events takes the lines apart, in order of time, wherever its
workers are; then each bucket of partitions is folded by one of them.  Knows no terminal.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.merge import Merge, merge
from kadmin.jobs.merge.output.slice_output import PartFiles, SliceOutput
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.merge.summary import Summary
from kadmin.jobs.progress import Report
from kadmin.jobs.story.bucket import (
    BucketTask,
    Piece,
    fold_bucket,
    pairs_of_bucket,
    read_events,
)
from kadmin.jobs.story.events import tables_of
from kadmin.jobs.temporary import temporary_directory
from kadmin.statechange.kinds import Role
from kadmin.story.clocks import ClockEstimate, estimates, fastest
from kadmin.story.coverage import Coverage, Span, coverage_of
from kadmin.story.values import Anomaly, AnomalyKind, Story

BUCKET_BYTES: Final = 16 << 20
"""So much of the logs makes one bucket, on the average: what a worker folds at once."""

BUCKETS_MAX: Final = 512

HEAD_PIECES: Final = 2
"""The pieces of a slice that are no buckets: spans, and refusals that name no partition."""

PART_SUFFIX: Final = ".events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The partitions that are asked for: all, where nothing is said."""

    topics: tuple[str, ...] = ()
    topic_regex: str | None = None
    partitions: tuple[int, ...] = ()
    named: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The *stories*, the worst first, and what concerns no single partition.

    *clocks* says how far sources' clocks are apart, in the times as they were read; *shifts_ms*
    what was added to the times of each source because of that.
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
) -> Analysis:
    """Read the logs of *request* and tell the stories of the partitions of *selection*.

    Its formatter, and where its results go, are not asked.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    with temporary_directory("kadmin-story-") as directory:
        request = with_events(request, selection, directory)
        with merge(request, report) as merged:
            slices = [pieces_of(output) for output in merged]
            spans = read_spans(slices)
            heads = [piece for pieces in slices for piece in pieces[1:HEAD_PIECES]]
            tasks = [
                BucketTask(pieces=tuple(pieces), coverage=coverage_of(spans))
                for pieces in zip(*(pieces[HEAD_PIECES:] for pieces in slices), strict=True)
                if any(piece.size for piece in pieces)
            ]
            return fold_all(merged, tasks, spans, heads, corrects_clocks=corrects_clocks)


def with_events(request: MergeRequest, selection: Selection, directory: Path) -> MergeRequest:
    """*request* for slices of events: left in *directory* where workers are of this machine."""
    size = sum(file.content_bytes for source in request.sources for file in source.files)
    is_local = request.master is None or request.master.startswith("local")
    return replace(
        request,
        record_filter=None,
        formatter=Factory(
            "kadmin.jobs.story.events:events",
            {
                "buckets": min(1 + size // BUCKET_BYTES, BUCKETS_MAX),
                "topics": selection.topics,
                "topic_regex": selection.topic_regex,
                "partitions": selection.partitions,
                "named": selection.named,
            },
        ),
        is_numbered=True,
        part_files=PartFiles(str(directory), PART_SUFFIX) if is_local else None,
    )


def fold_all(
    merged: Merge,
    tasks: Sequence[BucketTask],
    spans: Sequence[Span],
    heads: Sequence[Piece],
    *,
    corrects_clocks: bool,
) -> Analysis:
    """Let workers fold all buckets, with clocks set right where that is asked for."""
    found = merged.engine.run(pairs_of_bucket, tasks)
    clocks = estimates(fastest(pair for pairs in found for pair in pairs))
    shifts = {
        each.source: -each.ahead_ms for each in clocks if corrects_clocks and each.ahead_ms != 0
    }
    if shifts:
        spans = [shifted(span, shifts.get(span.source, 0)) for span in spans]
        coverage = coverage_of(spans)
        tasks = [replace(task, coverage=coverage, shifts_ms=shifts) for task in tasks]
    stories = [story for some in merged.engine.run(fold_bucket, tasks) for story in some]
    return Analysis(
        stories=tuple(sorted(stories, key=lambda story: story.worst_first)),
        coverage=coverage_of(spans),
        refusals=tuple(refusals(heads, shifts)),
        clocks=tuple(clocks),
        shifts_ms=shifts,
        summary=merged.summary(),
    )


def shifted(span: Span, shift_ms: int) -> Span:
    return replace(span, first_ms=span.first_ms + shift_ms, last_ms=span.last_ms + shift_ms)


def pieces_of(output: SliceOutput) -> list[Piece]:
    """The pieces of a slice, wherever its result is."""
    if output.data is None and output.path is not None and output.path.endswith(PART_SUFFIX):
        begin, pieces = 0, []
        for size in output.piece_sizes:
            pieces.append(Piece(output.path, begin, size))
            begin += size
        return pieces
    data = output.read()
    ends = [sum(output.piece_sizes[: number + 1]) for number in range(len(output.piece_sizes))]
    return [
        Piece(None, 0, size, data[end - size : end])
        for size, end in zip(output.piece_sizes, ends, strict=True)
    ]


def read_spans(slices: Sequence[Sequence[Piece]]) -> list[Span]:
    """The spans of all slices, each writer's together."""
    together: dict[tuple[object, ...], Span] = {}
    for table in tables_of(pieces[0].read() for pieces in slices):
        for row in table.to_pylist():
            key = row["source"], row["role"], row["broker"], row["controller_epoch"]
            known = together.get(key)
            together[key] = Span(
                source=row["source"],
                role=Role(row["role"]),
                broker=row["broker"],
                controller_epoch=row["controller_epoch"],
                first_ms=min(row["time_min"], known.first_ms) if known else row["time_min"],
                last_ms=max(row["time_max"], known.last_ms) if known else row["time_max"],
                has_traces=bool(row["traces_max"]) or (known is not None and known.has_traces),
                lines=row["time_count"] + (known.lines if known else 0),
            )
    return list(together.values())


def refusals(pieces: Sequence[Piece], shifts_ms: Mapping[str, int]) -> list[Anomaly]:
    """Orders of replaced controllers that brokers refused, by controller and broker."""
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
