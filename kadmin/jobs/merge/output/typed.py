"""Formatters of typed rows: Arrow, Parquet, JSON lines or CSV.

Each with counts of lines by kind and by level.  What the columns mean is for
`kadmin.statechange.typed` to know.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kadmin.jobs.merge.output.json_csv import csv_header, csv_lines, json_lines
from kadmin.jobs.merge.output.rows import Formatted, Formatter, Lines, Rows, content, split
from kadmin.statechange.typed import LINES_AT_ONCE, SCHEMA, typed_batch

COUNTED: Final = ("kind", "level")
"""Columns whose values are counted, as `kind:elected` and `level:INFO`."""


def arrow() -> Formatter:
    """Record batches of `SCHEMA` as an Arrow stream."""
    return form(lambda batches: [stream(batches)])


def parquet(compression: str = "zstd") -> Formatter:
    """Return a Parquet file of `SCHEMA`, whole by itself."""

    def write(batches: Iterator[pa.RecordBatch]) -> list[pa.Buffer]:
        from pyarrow.parquet import ParquetWriter

        sink = pa.BufferOutputStream()
        with ParquetWriter(sink, SCHEMA, compression=compression) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return [sink.getvalue()]

    return form(write)


def json() -> Formatter:
    """Return a JSON object a line."""
    return form(lambda batches: [content(json_lines(batch)) for batch in batches])


def csv(*, has_header: bool = False) -> Formatter:
    """Lines of CSV, with the line of names where every result *has_header*."""
    front = [pa.py_buffer(csv_header(SCHEMA).encode())] if has_header else []
    return form(lambda batches: front + [content(csv_lines(batch)) for batch in batches])


def form(write: Callable[[Iterator[pa.RecordBatch]], list[pa.Buffer]]) -> Formatter:
    def make(rows: Rows) -> Formatted:
        counts: Counter[str] = Counter()
        pieces = write(counted(typed_batches(rows, split(rows)), counts))
        return Formatted(tuple(pieces), counts)

    return make


def typed_batches(rows: Rows, lines: Lines) -> Iterator[pa.RecordBatch]:
    """Return what *lines*, which are those of *rows*, mean, in batches that need little memory."""
    source_names = pa.array(rows.source_names, pa.string())
    file_names = pa.array(rows.file_names, pa.string())
    for begin in range(0, len(lines.records), LINES_AT_ONCE):
        some = slice(begin, begin + LINES_AT_ONCE)
        records = lines.records[some]
        sources = pa.array(rows.sources[records].astype(np.int32))
        files = pa.array(rows.files[records].astype(np.int32))
        yield typed_batch(
            lines.texts[some],
            sources=pa.DictionaryArray.from_arrays(sources, source_names),
            files=pa.DictionaryArray.from_arrays(files, file_names),
            line_numbers=pa.array(lines.numbers[some]),
            times=pa.array(rows.times[records]),
        )


def counted(batches: Iterator[pa.RecordBatch], counts: Counter[str]) -> Iterator[pa.RecordBatch]:
    """Pass *batches* on and add the values of the counted columns to *counts*."""
    for batch in batches:
        for name in COUNTED:
            for value in pc.value_counts(batch.column(name)).to_pylist():
                counts[f"{name}:{value['values'] or '-'}"] += value["counts"]
        yield batch


def stream(batches: Iterator[pa.RecordBatch]) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    writer: Any
    with pa.ipc.new_stream(sink, SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()
