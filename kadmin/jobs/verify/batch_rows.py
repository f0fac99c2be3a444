"""The rows of Arrow that stand for batches, and the way back: what was read of a segment?

One row per batch of a replica, and one for bytes that are none (a torn end, a file that cannot be
read), which `damage` names.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.pieces import Piece, chunks_of, is_whole
from kadmin.segments.replica_log import ReadSegment, read_segment
from kadmin.segments.values import ROW, Damage, SegmentFiles

SCHEMA: Final = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("broker", pa.int32()),
        ("file", pa.string()),
        ("position", pa.int64()),
        ("size", pa.int64()),
        ("base_offset", pa.int64()),
        ("last_offset", pa.int64()),
        ("leader_epoch", pa.int32()),
        ("crc", pa.int64()),
        ("record_count", pa.int32()),
        ("magic", pa.int8()),
        ("max_timestamp", pa.int64()),
        ("producer_id", pa.int64()),
        ("transaction", pa.int8()),
        ("damage", pa.string()),
        ("reason", pa.string()),
    ]
)
"""What is known of a batch; `file` is the name of its segment, `position` the byte in it."""

OF_BATCH: Final = tuple(name for name in SCHEMA.names if name in (ROW.names or ()))

UNREADABLE_FILE: Final = "unreadable_file"
"""The damage of a file that could not be read; `reason` is why."""


def batch_rows(piece: Piece) -> Iterator[pa.RecordBatch]:
    """Yield a row for each batch of *piece*, some at a time.

    A file that cannot be read has a row of that damage, behind those that were read of it before.
    """
    try:
        for chunk in chunks_of(piece):
            if len(chunk.rows) or chunk.damage:
                yield as_arrow(piece, chunk)
    except OSError as error:
        reason = error.strerror or str(error)
        yield of_no_batch(piece, piece.begin, piece.base_offset, UNREADABLE_FILE, reason)


def as_arrow(piece: Piece, chunk: ReadSegment) -> pa.RecordBatch:
    rows = chunk.rows
    damage: list[str | None] = [None] * len(rows)
    reasons: list[str | None] = [None] * len(rows)
    others: list[Damage] = []
    for one in chunk.damage:
        number = int(np.searchsorted(rows["position"], one.position))
        if number < len(rows) and rows["position"][number] == one.position:
            damage[number], reasons[number] = str(one.kind), one.reason
        else:
            others.append(one)
    columns: dict[str, Any] = {
        **place(piece, len(rows)),
        **{name: rows[name].astype(SCHEMA.field(name).type.to_pandas_dtype()) for name in OF_BATCH},
        "damage": damage,
        "reason": reasons,
    }
    batches = [pa.RecordBatch.from_pydict(columns, SCHEMA)]
    for one in others:
        batches.append(of_no_batch(piece, one.position, one.offset, str(one.kind), one.reason))
    return pa.concat_batches(batches)


def place(piece: Piece, count: int) -> dict[str, Any]:
    topic, partition = piece.partition.topic, piece.partition.partition
    values = {
        "topic": topic,
        "partition": partition,
        "broker": int(piece.broker),
        "file": piece.file,
    }
    return {
        name: pa.repeat(pa.scalar(value, SCHEMA.field(name).type), count)
        for name, value in values.items()
    }


def of_no_batch(
    piece: Piece, position: int, offset: int, damage: str, reason: str
) -> pa.RecordBatch:
    """Return the row of what is no batch."""
    columns: dict[str, Any] = {
        **place(piece, 1),
        **{name: [0] for name in OF_BATCH},
        "position": [position],
        "size": [piece.end - position],
        "base_offset": [offset],
        "last_offset": [offset],
        "damage": [damage],
        "reason": [reason],
    }
    return pa.RecordBatch.from_pydict(columns, SCHEMA)


class RowsOfPartition:
    """The *columns* of a partition's batch rows, in any order, by replica and segment."""

    def __init__(self, columns: dict[str, pa.Array]) -> None:
        self.columns = columns
        files = columns["file"].dictionary_encode()
        self.file_numbers = {name: n for n, name in enumerate(files.dictionary.to_pylist())}
        # Of one broker and file together, by position: so that each segment is a slice.
        codes = numbers(files.indices)
        keys = (numbers(columns["broker"]) << 32) | codes
        self.order = np.lexsort((numbers(columns["position"]), keys))
        self.keys = keys[self.order]

    def read(
        self, replica: FoundReplica, segment: SegmentFiles, /, *, is_last: bool, is_deep: bool
    ) -> ReadSegment:
        """Return what was read of a *segment* of *replica*.

        Raises:
            OSError: the file could not be read.
        """
        number = self.file_numbers.get(segment.name)
        key = -1 if number is None else int(replica.broker) << 32 | number
        low, high = np.searchsorted(self.keys, [key, key + 1])
        taken = pa.array(self.order[low:high])
        damage = self.columns["damage"].take(taken)
        rows = np.empty(len(taken), ROW)
        for name in OF_BATCH:
            rows[name] = numbers(self.columns[name].take(taken))
        rows["is_valid"] = True
        if damage.null_count < len(damage) or not is_whole(segment, rows):
            # What is damaged is seen whole: a piece does not know what stands around it.
            return read_segment(segment, is_last=is_last, is_deep=is_deep)
        return ReadSegment(rows, [])


def numbers(array: pa.Array) -> npt.NDArray[np.int64]:
    """Return the values of a column without nulls."""
    found: npt.NDArray[np.int64] = array.to_numpy(zero_copy_only=False).astype("i8")
    return found
