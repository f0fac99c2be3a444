"""Formatters of text that count lines by kind and level, as they are or marked for a terminal.

Which marks is the caller's choice.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from kadmin.jobs.merge.output.plain_text import SEPARATOR, behind_sources
from kadmin.jobs.merge.output.rows import Formatted, Formatter, Rows, content, split
from kadmin.jobs.merge.output.typed import counted, typed_batches
from kadmin.statechange.typed import LINES_AT_ONCE
from kadmin.statechange.wrapped_heads import find_head


def counted_text(*, shows_source: bool) -> Formatter:
    """Return the lines as they are, or each behind its source, counted by kind and level."""

    def make(rows: Rows) -> Formatted:
        counts: Counter[str] = Counter()
        lines = split(rows)
        for _ in counted(typed_batches(rows, lines), counts):
            pass
        text = behind_sources(rows, lines, SEPARATOR) if shows_source else content(rows.records)
        return Formatted((text,), counts)

    return make


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a terminal is sent before a part of a line; *reset* ends every one of them.

    *levels* and *kinds* mark the message, by their words; a level wins.
    """

    reset: str
    time: str
    source: str
    partition: str
    levels: Mapping[str, str]
    kinds: Mapping[str, str]


def marked_text(marks: Marks, *, shows_source: bool) -> Formatter:
    """Lines with *marks* around time, source and partition, counted by kind and level.

    Nothing but the marks is added, but control characters, which could confuse a terminal, are
    replaced.
    """

    def make(rows: Rows) -> Formatted:
        counts: Counter[str] = Counter()
        lines = split(rows)
        width = max((len(name) for name in rows.source_names), default=0)
        fronts = [
            f"{marks.source}{name:>{width}}{marks.reset} " if shows_source else ""
            for name in rows.source_names
        ]
        pieces = []
        for number, batch in enumerate(counted(typed_batches(rows, lines), counts)):
            begin = number * LINES_AT_ONCE
            texts = lines.texts.slice(begin, LINES_AT_ONCE).to_pylist()
            owners = rows.sources[lines.records[begin : begin + LINES_AT_ONCE]]
            pieces.append(marked(batch, texts, [fronts[owner] for owner in owners], marks))
        return Formatted(tuple(pieces), counts)

    return make


def marked(batch: pa.RecordBatch, texts: list[bytes], fronts: list[str], marks: Marks) -> pa.Buffer:
    """Return the lines of *batch*, whose *texts* stand behind *fronts*."""
    columns = [batch.column(name).to_pylist() for name in ("level", "kind", "topic", "partition")]
    formatted = [
        front + marked_line(printable(line), marks, *said)
        for line, front, *said in zip(texts, fronts, *columns, strict=True)
    ]
    return pa.py_buffer("".join(formatted).encode())


def marked_line(
    line: str, marks: Marks, level: str | None, kind: str, topic: str | None, partition: int | None
) -> str:
    head = find_head(line)
    time = "" if head is None else line[: head.date_end]
    mark = marks.levels.get(level or "") or marks.kinds.get(kind, "")
    before, name, after = parted(line[len(time) :], topic, partition)
    pieces = ((time, marks.time), (before, mark), (name, marks.partition), (after, mark))
    shown = [f"{mark}{text}{marks.reset}" if mark and text else text for text, mark in pieces]
    return "".join(shown) + "\n"


def parted(body: str, topic: str | None, partition: int | None) -> tuple[str, str, str]:
    """Return what stands before the partition in *body*, the partition in its spelling, what
    follows."""
    for name in (f"{topic}-{partition}", f"[{topic},{partition}]"):
        before, found, after = body.partition(name)
        # Partition 1 is not where partition 12 is.
        if found and not after[:1].isdigit():
            return before, name, after
    return body, "", ""


def printable(line: bytes) -> str:
    """Return *line* as text without what a terminal would obey."""
    shown = line.decode(errors="replace").removesuffix("\r")
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c == "\t" else "�" for c in shown)
