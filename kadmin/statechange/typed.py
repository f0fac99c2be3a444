"""Typed rows: the values of many lines, as Arrow columns.

The same values as `parse` yields line by line, which parses lines that are too unusual.  Files and
order are not known here: the source of a line is passed with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from kadmin.statechange.arrow import (
    UNKNOWN,
    Texts,
    integer_column,
    list_column,
    text_column,
    word_column,
)
from kadmin.statechange.columns import (
    COLUMNS,
    PARTITION,
    SAID_COLUMNS,
    TOPIC,
    ColumnType,
    StateChange,
    columns_of,
)
from kadmin.statechange.heads import Heads, read_heads
from kadmin.statechange.kinds import Kind
from kadmin.statechange.lines import UNDATED
from kadmin.statechange.message_reader import Lists, Reading, Stretches, read_messages
from kadmin.statechange.parse import parse_line
from kadmin.statechange.scan import BEFORE, Block, Bytes, Ints, Mask

TOPIC_PARTITION: Final = pa.struct([("topic", pa.large_string()), ("partition", pa.int64())])

ARROW_TYPES: Final = {
    ColumnType.SOURCE: pa.dictionary(pa.int32(), pa.string()),
    ColumnType.TIME: pa.timestamp("ms"),
    ColumnType.INTEGER: pa.int64(),
    ColumnType.INTEGERS: pa.list_(pa.int64()),
    ColumnType.WORD: pa.dictionary(pa.int8(), pa.string()),
    ColumnType.TEXT: pa.large_string(),
    ColumnType.PARTITIONS: pa.list_(TOPIC_PARTITION),
}
assert ARROW_TYPES.keys() == set(ColumnType)

SCHEMA: Final = pa.schema([(column.name, ARROW_TYPES[column.type]) for column in COLUMNS])
"""One row per line.  *time* is the writer's wall clock without a zone, or what the caller gave;
*topic* and *partition* are the first of *partitions*."""

LINES_AT_ONCE: Final = 1 << 15
"""How many lines are best given at once: fewer cost more each, more need memory (1 MiB per
thousand lines) and are no faster."""


def typed_batch(
    lines: pa.LargeBinaryArray | pa.LargeStringArray,
    *,
    sources: pa.DictionaryArray,
    files: pa.DictionaryArray,
    line_numbers: pa.Int64Array,
    times: pa.Int64Array | None = None,
) -> pa.RecordBatch:
    """Say what each of *lines* means, in the columns of SCHEMA and in their order.

    *times* are ms since 1970, for a caller that knows better than the lines: clocks that were
    wrong, stack traces that belong to a dated line.  Without them an undated line has none.
    Bytes that are no UTF-8 become replacement characters.
    """
    assert lines.null_count == 0, "every line has a text"
    block, starts, ends, is_ascii = block_of(lines)
    heads = read_heads(block, starts, ends)
    reading = read_messages(block, heads.starts, heads.ends, heads.is_readable & is_ascii)
    reading.words["level"] = heads.levels
    reading.texts["message"] = Stretches(heads.starts, heads.ends, np.ones(len(ends), np.bool_))
    is_trace = heads.continues & is_ascii
    reading.words["kind"][is_trace] = list(Kind).index(Kind.CONTINUATION)
    rows = np.flatnonzero(~reading.is_read & ~is_trace)
    changes = [parse_line(decoded(line)) for line in lines.take(pa.array(rows)).to_pylist()]
    put_changes(reading, heads, rows, changes)
    columns = text_columns(block, starts, reading, rows, changes)
    columns |= {
        column.name: word_column(reading.words[column.name], column.words)
        for column in columns_of(ColumnType.WORD)
    }
    columns |= {name: integer_column(c.values, c.valid) for name, c in reading.integers.items()}
    columns |= {
        name: list_column(c.counts, pa.array(c.members), c.valid)
        for name, c in reading.lists.items()
    }
    columns |= {
        "source": sources.cast(SCHEMA.field("source").type),
        "file": files.cast(SCHEMA.field("file").type),
        "line": line_numbers,
        "time": (
            times if times is not None else integer_column(heads.times, heads.times != UNDATED)
        ).cast(SCHEMA.field("time").type),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


ESCAPE: Final = 0x1B


def block_of(lines: pa.LargeBinaryArray) -> tuple[Block, Ints, Ints, Mask]:
    """Return the text of *lines* as a block, where each begins and ends, and which are plain
    ASCII."""
    offsets = np.frombuffer(lines.buffers()[1], np.int64)[lines.offset :][: len(lines) + 1]
    data = lines.buffers()[2]
    text: Bytes = np.frombuffer(data if data is not None else b"", np.uint8)
    block = Block(text[offsets[0] : offsets[-1]])
    bounds = offsets - offsets[0] + BEFORE
    is_ascii = np.ones(len(lines), np.bool_)
    # Colours of a terminal are for the plain parser, too.
    others = np.flatnonzero((block.bytes > 127) | (block.bytes == ESCAPE))
    if len(others) > 0:
        is_ascii[np.searchsorted(bounds, others, side="right") - 1] = False
        # These rows are read one by one; here they must not spoil their neighbours.
        block.bytes[others] = ord("?")
    return block, bounds[:-1], bounds[1:], is_ascii


def decoded(line: bytes | str) -> str:
    return line if isinstance(line, str) else line.decode(errors="replace")


def put_changes(reading: Reading, heads: Heads, rows: Ints, changes: Sequence[StateChange]) -> None:
    """Put what *changes* say into the columns of *rows*, but for texts."""
    for column in SAID_COLUMNS:
        said = [getattr(change, column.attribute) for change in changes]
        match column.type:
            case ColumnType.WORD:
                codes = [UNKNOWN if word is None else column.words.index(word) for word in said]
                reading.words[column.name][rows] = codes
            case ColumnType.TIME:
                heads.times[rows] = [UNDATED if time is None else time for time in said]
            case ColumnType.INTEGER:
                integers = reading.integers[column.name]
                integers.values[rows] = [0 if number is None else number for number in said]
                integers.valid[rows] = [number is not None for number in said]
            case ColumnType.INTEGERS:
                reading.lists[column.name].add(lists_of(said, rows, len(heads.times)))
            case ColumnType.TEXT | ColumnType.PARTITIONS:
                pass  # `find_places` takes them in.
            case ColumnType.SOURCE:
                raise AssertionError("no line says its source")


def lists_of(said: Sequence[tuple[int, ...] | None], rows: Ints, count: int) -> Lists:
    """Return the lists that are said of *rows*, as columns of *count* rows."""
    counts = np.zeros(count, np.int64)
    counts[rows] = [len(each or ()) for each in said]
    valid = np.zeros(count, np.bool_)
    valid[rows] = [each is not None for each in said]
    return Lists(counts, np.array([m for each in said for m in each or ()], np.int64), valid)


@dataclass(slots=True)
class Places:
    """Where in a cut (see `Texts`) the texts of each row are, by column; those of *topics*, with
    *numbers*, belong to one partition each, *named* of them to each row.
    """

    texts: dict[str, Ints]
    named: Ints
    topics: Ints
    numbers: Ints
    others: list[bytes]


def find_places(reading: Reading, rows: Ints, changes: Sequence[StateChange]) -> Places:
    """Find the texts of every row: in the block, but for the rows of *changes*, which
    have others."""
    count = len(reading.is_read)
    named = reading.named.valid.astype(np.int64)
    named[rows] = [len(change.partitions) for change in changes]
    owners = np.repeat(np.arange(count), named)
    found = Places(
        texts={name: 2 * np.arange(count) for name in reading.texts},
        named=named,
        topics=2 * owners,
        numbers=reading.numbers[owners],
        others=[],
    )

    def keep(text: str) -> int:
        found.others.append(text.encode())
        return 2 * count + len(found.others) - 1

    first = np.cumsum(named) - named
    for row, change in zip(rows.tolist(), changes, strict=True):
        for name, places in found.texts.items():
            text = getattr(change, name)
            if text is not None:
                places[row] = keep(text)
        for place, (topic, number) in enumerate(change.partitions, start=int(first[row])):
            found.topics[place], found.numbers[place] = keep(topic), number
    return found


def text_columns(
    block: Block, starts: Ints, reading: Reading, rows: Ints, changes: Sequence[StateChange]
) -> dict[str, pa.Array]:
    """Return the columns that hold texts, those of *changes* included."""
    places = find_places(reading, rows, changes)
    texts = Texts(block, starts, places.others)
    columns = {}
    for name, said in reading.texts.items():
        valid = said.valid.copy()
        valid[rows] = [getattr(change, name) is not None for change in changes]
        cut = texts.cut(said.starts, said.ends, said.valid)
        columns[name] = text_column(cut, places.texts[name], valid)
    topics = texts.cut(reading.named.starts, reading.named.ends, reading.named.valid)
    every_topic = np.ones(len(places.topics), np.bool_)
    members = pa.StructArray.from_arrays(
        [text_column(topics, places.topics, every_topic), pa.array(places.numbers)],
        fields=list(TOPIC_PARTITION),
    )
    every_row = np.ones(len(starts), np.bool_)
    first = pa.array(np.cumsum(places.named) - places.named, mask=places.named == 0)
    return columns | {
        "partitions": list_column(places.named, members, every_row),
        TOPIC.name: members.field("topic").take(first),
        PARTITION.name: members.field("partition").take(first),
    }
