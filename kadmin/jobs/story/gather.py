"""The events of all slices of a merge, gathered into tasks: each is a bucket of partitions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Final

from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.merge import Merge
from kadmin.jobs.merge.output.slice_output import PartFiles, SliceOutput
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.story.bucket import BucketTask, LocalPiece, Piece
from kadmin.jobs.story.events import tables_of
from kadmin.statechange.kinds import Role
from kadmin.story.coverage import Span, coverage_of

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
class Gathered:
    """The *tasks* of all buckets that hold something, the *spans* of all writers, and the pieces of
    what concerns no single partition.
    """

    tasks: tuple[BucketTask, ...]
    spans: tuple[Span, ...]
    heads: tuple[Piece, ...]


def with_events(request: MergeRequest, selection: Selection, directory: Path) -> MergeRequest:
    """Return *request* for slices of events: left in *directory* where workers are of this
    machine."""
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


def gather(merged: Merge) -> Gathered:
    """Return the events of *merged*, whose request `with_events` has made; takes it to its end."""
    slices = [pieces_of(output, merged.directory) for output in merged]
    spans = read_spans(slices)
    coverage = coverage_of(spans)
    return Gathered(
        tasks=tuple(
            BucketTask(pieces=tuple(pieces), coverage=coverage)
            for pieces in zip(*(pieces[HEAD_PIECES:] for pieces in slices), strict=True)
            if any(piece.size for piece in pieces)
        ),
        spans=tuple(spans),
        heads=tuple(piece for pieces in slices for piece in pieces[1:HEAD_PIECES]),
    )


def pieces_of(output: SliceOutput, directory: Path) -> list[Piece]:
    """Return the pieces of a slice; of one that came back, put into a file in *directory*.

    Raises:
        CannotWrite: there is no room.
    """
    path, kind = output.path, Piece
    if output.data is not None:
        kept = directory / f"part-{output.index:05d}{PART_SUFFIX}"
        try:
            kept.write_bytes(output.data)
        except OSError as error:
            raise CannotWrite(str(kept), error) from error
        path, kind = str(kept), LocalPiece
    begins = accumulate(output.piece_sizes, initial=0)
    return [
        kind(path, begin, size) for begin, size in zip(begins, output.piece_sizes, strict=False)
    ]


def read_spans(slices: Sequence[Sequence[Piece]]) -> list[Span]:
    """Return the spans of all slices, each writer's together."""
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
