"""What do many lines of state-change logs say, as columns?

The same as `parse` says line by line, which it asks about lines that are too unusual for it.
Knows neither files nor order: where a line comes from is told with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from kadmin.statechange.columns import (
    UNKNOWN,
    Texts,
    integer_column,
    list_column,
    merged_lists,
    text_column,
    word_column,
)
from kadmin.statechange.heads import LEVELS, Heads, read_heads
from kadmin.statechange.kinds import STATE_WORDS, Kind
from kadmin.statechange.lines import UNDATED
from kadmin.statechange.parse import StateChange, parse_line
from kadmin.statechange.reading import KINDS, ROLES, Reading, read_messages
from kadmin.statechange.scan import BEFORE, Block, Bytes, Ints, Mask

TOPIC_PARTITION: Final = pa.struct([("topic", pa.large_string()), ("partition", pa.int64())])
WORD: Final = pa.dictionary(pa.int8(), pa.string())

SCHEMA: Final = pa.schema(
    [
        ("source", pa.dictionary(pa.int32(), pa.string())),
        ("line", pa.int64()),
        ("time", pa.timestamp("ms")),
        ("level", WORD),
        ("role", WORD),
        ("broker", pa.int64()),
        ("controller_id", pa.int64()),
        ("controller_epoch", pa.int64()),
        ("kind", WORD),
        ("topic", pa.large_string()),
        ("partition", pa.int64()),
        ("partitions", pa.list_(TOPIC_PARTITION)),
        ("from_state", WORD),
        ("to_state", WORD),
        ("leader", pa.int64()),
        ("isr", pa.list_(pa.int64())),
        ("leader_epoch", pa.int64()),
        ("zk_version", pa.int64()),
        ("correlation_id", pa.int64()),
        ("peer_broker", pa.int64()),
        ("error", pa.large_string()),
        ("message", pa.large_string()),
    ]
)
"""One row per line.  *time* is the writer's wall clock without a zone, or what the caller gave;
*topic* and *partition* are the first of *partitions*."""

LINES_AT_ONCE: Final = 1 << 15
"""How many lines are best given at once: fewer cost more each, more need memory (1 MiB per
thousand lines) and are no faster."""


def typed_batch(
    lines: pa.LargeBinaryArray | pa.LargeStringArray,
    *,
    sources: pa.DictionaryArray,
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
    is_trace = heads.continues & is_ascii
    rows = np.flatnonzero(~reading.is_read & ~is_trace)
    changes = [parse_line(decoded(line)) for line in lines.take(pa.array(rows)).to_pylist()]
    reading.kinds[is_trace] = KINDS.index(Kind.CONTINUATION)
    lay_over(reading, heads, rows, changes)
    columns = text_columns(block, starts, heads, reading, rows, changes)
    columns |= {name: integer_column(c.values, c.valid) for name, c in reading.integers.items()}
    columns |= {
        "source": sources.cast(SCHEMA.field("source").type),
        "line": line_numbers,
        "time": (
            times if times is not None else integer_column(heads.times, heads.times != UNDATED)
        ).cast(SCHEMA.field("time").type),
        "level": word_column(heads.levels, LEVELS),
        "role": word_column(reading.roles, ROLES),
        "kind": word_column(reading.kinds, KINDS),
        "from_state": word_column(reading.from_states, STATE_WORDS),
        "to_state": word_column(reading.to_states, STATE_WORDS),
        "isr": list_column(reading.isr.counts, pa.array(reading.isr.members), reading.isr.valid),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def block_of(lines: pa.LargeBinaryArray) -> tuple[Block, Ints, Ints, Mask]:
    """The text of *lines* as a block, where each begins and ends, and which are all ASCII."""
    offsets = np.frombuffer(lines.buffers()[1], np.int64)[lines.offset :][: len(lines) + 1]
    data = lines.buffers()[2]
    text: Bytes = np.frombuffer(data if data is not None else b"", np.uint8)
    block = Block(text[offsets[0] : offsets[-1]])
    bounds = offsets - offsets[0] + BEFORE
    is_ascii = np.ones(len(lines), np.bool_)
    others = np.flatnonzero(block.bytes > 127)
    if len(others) > 0:
        is_ascii[np.searchsorted(bounds, others, side="right") - 1] = False
        # These rows are read one by one; here they must not spoil their neighbours.
        block.bytes[others] = ord("?")
    return block, bounds[:-1], bounds[1:], is_ascii


def decoded(line: bytes | str) -> str:
    return line if isinstance(line, str) else line.decode(errors="replace")


def lay_over(reading: Reading, heads: Heads, rows: Ints, changes: Sequence[StateChange]) -> None:
    """Put what *changes* say into the columns of *rows*, but for texts."""

    def put(codes: Ints, words: Sequence[str], said: Callable[[StateChange], str | None]) -> None:
        found = [said(change) for change in changes]
        codes[rows] = [UNKNOWN if word is None else words.index(word) for word in found]

    put(heads.levels, LEVELS, lambda change: change.level)
    put(reading.roles, ROLES, lambda change: change.role)
    put(reading.kinds, KINDS, lambda change: change.kind)
    put(reading.from_states, STATE_WORDS, lambda change: change.from_state)
    put(reading.to_states, STATE_WORDS, lambda change: change.to_state)
    times = [change.time_ms for change in changes]
    heads.times[rows] = [UNDATED if time is None else time for time in times]
    for name, column in reading.integers.items():
        said = [first_partition(c) if name == "partition" else getattr(c, name) for c in changes]
        column.values[rows] = [0 if number is None else number for number in said]
        column.valid[rows] = [number is not None for number in said]
    counts = np.zeros(len(heads.times), np.int64)
    counts[rows] = [len(change.isr or ()) for change in changes]
    members = np.array([broker for c in changes for broker in c.isr or ()], np.int64)
    isr = reading.isr
    isr.counts, isr.members = merged_lists(isr.counts, isr.members, counts, members)
    isr.valid[rows] = [change.isr is not None for change in changes]


def first_partition(change: StateChange) -> int | None:
    return change.partitions[0][1] if change.partitions else None


@dataclass(slots=True)
class Places:
    """Where in a cut (see `Texts`) the texts of each row are, by column; those of *topics*, with
    *numbers*, belong to one partition each, *named* of them to each row.
    """

    messages: Ints
    errors: Ints
    named: Ints
    topics: Ints
    numbers: Ints
    others: list[bytes]


def find_places(reading: Reading, rows: Ints, changes: Sequence[StateChange]) -> Places:
    """Every row's texts stand in the block, but those of *changes*: these are the others."""
    count = len(reading.is_read)
    named = reading.topics.valid.astype(np.int64)
    named[rows] = [len(change.partitions) for change in changes]
    owners = np.repeat(np.arange(count), named)
    found = Places(
        messages=2 * np.arange(count),
        errors=2 * np.arange(count),
        named=named,
        topics=2 * owners,
        numbers=reading.integers["partition"].values[owners],
        others=[],
    )

    def keep(text: str) -> int:
        found.others.append(text.encode())
        return 2 * count + len(found.others) - 1

    first = np.cumsum(named) - named
    for row, change in zip(rows.tolist(), changes, strict=True):
        found.messages[row] = keep(change.message)
        if change.error is not None:
            found.errors[row] = keep(change.error)
        for place, (topic, number) in enumerate(change.partitions, start=int(first[row])):
            found.topics[place], found.numbers[place] = keep(topic), number
    return found


def text_columns(
    block: Block,
    starts: Ints,
    heads: Heads,
    reading: Reading,
    rows: Ints,
    changes: Sequence[StateChange],
) -> dict[str, pa.Array]:
    """The columns that hold texts, those of *changes* included."""
    places = find_places(reading, rows, changes)
    texts = Texts(block, starts, places.others)
    every_row = np.ones(len(starts), np.bool_)
    every_topic = np.ones(len(places.topics), np.bool_)
    has_error = reading.errors.valid.copy()
    has_error[rows] = [change.error is not None for change in changes]
    topics = texts.cut(reading.topics.starts, reading.topics.ends, reading.topics.valid)
    errors = texts.cut(reading.errors.starts, reading.errors.ends, reading.errors.valid)
    messages = texts.cut(heads.starts, heads.ends, every_row)
    members = pa.StructArray.from_arrays(
        [text_column(topics, places.topics, every_topic), pa.array(places.numbers)],
        fields=list(TOPIC_PARTITION),
    )
    first = pa.array(np.cumsum(places.named) - places.named, mask=places.named == 0)
    return {
        "message": text_column(messages, places.messages, every_row),
        "error": text_column(errors, places.errors, has_error),
        "partitions": list_column(places.named, members, every_row),
        "topic": members.field("topic").take(first),
    }
