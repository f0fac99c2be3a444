"""Formatters of plain text: lines as they are, or each behind the name of its source.

Knows no columns of state-change lines, so that a worker need not load what does.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kadmin.jobs.merge.output.rows import Formatted, Formatter, Lines, Rows, content, split

SEPARATOR: Final = "\t"
"""Between the name of a source and its line, as `cut` and `awk` expect."""


def text() -> Formatter:
    """Return every line as it is."""
    return lambda rows: Formatted((content(rows.records),))


def text_with_source(separator: str = SEPARATOR) -> Formatter:
    """Return every line behind the name of its source."""
    return lambda rows: Formatted((behind_sources(rows, split(rows), separator),))


def behind_sources(rows: Rows, lines: Lines, separator: str) -> pa.Buffer:
    """Return *lines*, which are those of *rows*, each behind the name of its source."""
    names = [f"{name}{separator}".encode() for name in rows.source_names]
    fronts = pa.array(names, pa.large_binary()).take(pa.array(rows.sources[lines.records]))
    ends = pa.scalar(b"\n", pa.large_binary())
    joined = pc.binary_join_element_wise(
        fronts, lines.texts, ends, pa.scalar(b"", pa.large_binary())
    )
    return content(joined)
