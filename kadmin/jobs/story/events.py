"""Formatter of a slice: its events of partitions, dealt into buckets, and their writers.

The first piece of the result holds the spans of all writers, the second what concerns no single
partition, each further one a bucket of partitions; all are Arrow streams.  Lines are counted by
kind and level, those without an event included.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kadmin.jobs.merge.output.rows import Formatted, Formatter, Rows, split
from kadmin.jobs.merge.output.typed import counted, typed_batches
from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.lines import Int64s, Mask

TOLD: Final = (
    Kind.PARTITION_STATE,
    Kind.ISR_CHANGE,
    Kind.TRANSITION_FAILED,
    Kind.SEND_LEADER_AND_ISR,
    Kind.SEND_UPDATE_METADATA,
    Kind.OFFLINE_REPLICAS,
    Kind.REASSIGNMENT,
    Kind.RECEIVED_LEADER_AND_ISR,
    Kind.COMPLETED,
    Kind.SKIPPED,
    Kind.REFUSED,
    Kind.FAILED,
    Kind.CACHED,
    Kind.DELETED_FROM_CACHE,
    Kind.LEADER_START,
    Kind.FOLLOWER_START,
)
"""Kinds of lines that a story is made of."""

COPIED: Final = (
    *("source", "file", "line", "time", "level", "kind", "role", "broker", "controller_id"),
    *("controller_epoch", "from_state", "to_state", "leader", "isr", "leader_epoch"),
    *("zk_version", "correlation_id", "peer_broker", "message"),
)

SPREAD: Final = 40_503
"""Takes partitions of one topic to buckets far from each other."""

WRITERS: Final = ("source", "role", "broker", "controller_epoch")

Wanted = Callable[[pa.Array, pa.Array], Mask]
"""Which of these topics, with these partitions, a story is wanted of."""


def events(
    *,
    buckets: int,
    topics: Sequence[str] = (),
    topic_regex: str | None = None,
    partitions: Sequence[int] = (),
    named: Sequence[tuple[str, int]] = (),
) -> Formatter:
    """Make the formatter of events of the partitions that are asked for, dealt into so many
    *buckets*.

    *named* are single partitions; without anything said, all are wanted.
    """
    wanted = selection(topics, topic_regex, partitions, named)

    def make(rows: Rows) -> Formatted:
        spans: list[pa.Table] = []
        loose: list[pa.Table] = []
        dealt: list[list[pa.Table]] = [[] for _ in range(buckets)]
        counts: Counter[str] = Counter()
        for batch in counted(typed_batches(rows, split(rows)), counts):
            table = plain(batch)
            spans.append(spans_of(table))
            loose.append(refusals_of_all(table))
            found = rows_of_partitions(table)
            found = found.filter(pa.array(wanted(found.column("topic"), found.column("partition"))))
            numbers = bucket_numbers(found, buckets)
            for number in np.unique(numbers).tolist():
                dealt[number].append(found.filter(pa.array(numbers == number)))
        pieces = [stream(each) for each in (spans, loose, *dealt)]
        return Formatted(tuple(pieces), counts)

    return make


def selection(
    topics: Sequence[str],
    topic_regex: str | None,
    partitions: Sequence[int],
    named: Sequence[tuple[str, int]],
) -> Wanted:
    matches = None if topic_regex is None else re.compile(topic_regex).fullmatch

    def is_wanted(topic: str) -> bool:
        return topic in topics or (matches is not None and matches(topic) is not None)

    def choose(topic: pa.Array, partition: pa.Array) -> Mask:
        numbers = partition.to_numpy()
        if named:
            found = np.zeros(len(numbers), np.bool_)
            for name, number in named:
                found |= np.asarray(pc.equal(topic, name)) & (numbers == number)
            return found
        chosen = np.ones(len(numbers), np.bool_)
        if topics or matches is not None:
            names = [each for each in pc.unique(topic).to_pylist() if is_wanted(each)]
            chosen &= np.asarray(pc.is_in(topic, pa.array(names, pa.large_string())))
        if partitions:
            chosen &= np.isin(numbers, partitions)
        return chosen

    return choose


def plain(batch: pa.RecordBatch) -> pa.Table:
    """Return *batch* with words as texts: the codes of different batches need not agree."""
    table = pa.Table.from_batches([batch])
    for index, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            texts = table.column(index).cast(pa.large_string())
            table = table.set_column(index, column.name, texts)
    return table.set_column(
        table.schema.get_field_index("time"), "time", table.column("time").cast(pa.int64())
    )


def spans_of(table: pa.Table) -> pa.Table:
    """Return from when to when each writer wrote, and how many lines."""
    has_writer = pc.and_(pc.is_valid(table.column("broker")), pc.is_valid(table.column("role")))
    known = table.filter(has_writer)
    is_controller = pc.equal(known.column("role"), str(Role.CONTROLLER))
    epochs = pc.if_else(
        is_controller, known.column("controller_epoch"), pa.scalar(None, pa.int64())
    )
    traces = pc.equal(known.column("level"), str(Level.TRACE)).cast(pa.int64())
    known = known.select([*WRITERS, "time"]).set_column(3, "controller_epoch", epochs)
    return (
        known.append_column("traces", traces)
        .group_by(list(WRITERS))
        .aggregate([("time", "min"), ("time", "max"), ("traces", "max"), ("time", "count")])
    )


def refusals_of_all(table: pa.Table) -> pa.Table:
    """Return what brokers refused without a word of any partition: orders of a replaced
    controller."""
    is_refused = pc.equal(table.column("kind"), str(Kind.REFUSED))
    is_of_all = pc.and_(is_refused, pc.is_null(table.column("topic")))
    return table.filter(is_of_all).select(list(COPIED))


def rows_of_partitions(table: pa.Table) -> pa.Table:
    """Return one row for each partition that a line has an event of."""
    kinds = pa.array([str(kind) for kind in TOLD], pa.large_string())
    table = table.filter(pc.is_in(table.column("kind"), kinds)).combine_chunks()
    named = table.column("partitions").combine_chunks()
    parents = pc.list_parent_indices(named)
    members = pc.list_flatten(named)
    rows = table.select(list(COPIED)).take(parents)
    return rows.append_column("topic", members.field("topic")).append_column(
        "partition", members.field("partition")
    )


def bucket_numbers(rows: pa.Table, buckets: int) -> Int64s:
    """Return the bucket of each row, the same for a partition wherever it is asked for."""
    if rows.num_rows == 0:
        return np.empty(0, np.int64)
    encoded = rows.column("topic").combine_chunks().dictionary_encode()
    sums = np.array([crc32(name.encode()) for name in encoded.dictionary.to_pylist()], np.int64)
    numbers: Int64s = sums[np.asarray(encoded.indices)]
    numbers = numbers + rows.column("partition").to_numpy() * SPREAD
    return numbers % buckets


def stream(tables: Sequence[pa.Table]) -> pa.Buffer:
    """Return all rows of *tables* as one Arrow stream; nothing where there are none."""
    rows = [table for table in tables if table.num_rows > 0]
    if not rows:
        return pa.py_buffer(b"")
    whole = pa.concat_tables(rows).combine_chunks()
    sink = pa.BufferOutputStream()
    writer: Any
    # What lines say of partitions takes more than the lines, and a tenth of them compressed.
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, whole.schema, options=options) as writer:
        writer.write_table(whole)
    return sink.getvalue()


def tables_of(pieces: Iterator[bytes]) -> Iterator[pa.Table]:
    """Return the rows of each of *pieces* that has some."""
    for piece in pieces:
        if piece:
            with pa.ipc.open_stream(piece) as reader:
                yield reader.read_all()
