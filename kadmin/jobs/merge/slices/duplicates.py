"""Records that two sources have, as when two shippers collect the log of one broker.

A record that names its writer was written once: what has the same time, writer and message is the
same record, whatever a collector put around it.  Within one source equal records stay, since a
broker may write a line twice.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kadmin.statechange.layouts import LOGGER_TAIL, PLAIN_DATE_CHARS, SEARCHED_CHARS, writer_in
from kadmin.statechange.lines import Int64s, cut_out
from kadmin.statechange.wrapped_heads import find_head

Indexes = npt.NDArray[np.intp]

WRITER: Final = r'\[(?:Controller|Broker) id=|[\s;,"](?:Controller [0-9]+ epoch |Broker [0-9]+ )'
"""`layouts.WRITER`, as Arrow searches many records; the second form begins a byte early."""

DATE: Final = r"\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3}\] "
QUOTES: Final = r'[{"\n]'
"""Before a date these show that the line is a field of JSON or CSV."""

BEHIND_MESSAGE: Final = r"[ \t]+(?:- )?[(\[<{]state\.change\.logger[^\n]*"

BRACKET: Final = ord("[")
BRACKET_END: Final = ord("]")
WORD_SIZE: Final = 8
MARK_BYTES: Final = 3 * WORD_SIZE
SLOT_BITS: Final = 16
FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)


def duplicates(
    records: pa.LargeBinaryArray, keys: Int64s, times: Int64s, sources: Int64s
) -> Indexes:
    """Return the numbers of those *records*, ordered by *keys*, that repeat a record of another
    source before them.

    Their *times* differ from *keys* where the order of files holds.
    """
    if are_of_one(sources):
        return np.empty(0, np.intp)
    candidates = alike(records, keys, sources)
    candidates = candidates[shared(sources[candidates], keys[candidates])]
    if not len(candidates):
        return candidates
    messages = messages_of(records.take(pa.array(candidates)))
    codes = messages.dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)
    candidates, codes = candidates[codes >= 0], codes[codes >= 0]
    # Of equal records at one time, those of the source that comes first stay.
    its_sources = sources[candidates]
    same = (keys[candidates], codes, times[candidates])
    order = np.lexsort((its_sources, *same))
    begins = begins_of(*(each[order] for each in same))
    firsts = its_sources[order][np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    return np.sort(candidates[order[its_sources[order] != firsts]])


def duplicates_of_earlier(
    records: pa.LargeBinaryArray,
    times: Int64s,
    sources: Int64s,
    earlier: Iterable[tuple[pa.LargeBinaryArray, Int64s, Int64s]],
) -> Indexes:
    """Return the numbers of those *records* that repeat one of *earlier*: records, times and
    sources of the same key."""
    own = with_times(messages_of(records), times)
    is_repeated = np.zeros(len(records), np.bool_)
    for its_records, its_times, its_sources in earlier:
        # The first of equal ones is of the source that comes first: they are in that order.
        found = pc.index_in(own, value_set=with_times(messages_of(its_records), its_times))
        numbers = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
        firsts = its_sources[found.take(pa.array(numbers)).to_numpy()]
        is_repeated[numbers] |= firsts < sources[numbers]
    is_repeated &= own.is_valid().to_numpy(zero_copy_only=False)
    return np.flatnonzero(is_repeated)


def shared(sources: Int64s, *same: Int64s) -> Indexes:
    """Return the numbers of the records that have all of *same*, which are in order, in common with
    records of other sources."""
    if are_of_one(sources):
        return np.empty(0, np.intp)
    begins = begins_of(*same)
    starts = np.flatnonzero(begins)
    is_shared = np.minimum.reduceat(sources, starts) != np.maximum.reduceat(sources, starts)
    return np.flatnonzero(is_shared[np.cumsum(begins) - 1])


def are_of_one(sources: Int64s) -> bool:
    return len(sources) < 2 or bool((sources == sources[0]).all())


def begins_of(*same: Int64s) -> npt.NDArray[np.bool_]:
    """Return where one of *same* is another than before."""
    begins = np.ones(len(same[0]), np.bool_)
    begins[1:] = np.any([each[1:] != each[:-1] for each in same], axis=0)
    return begins


def alike(records: pa.LargeBinaryArray, keys: Int64s, sources: Int64s) -> Indexes:
    """Return the numbers of the records whose writer and first words another source has at their
    key: to compare whole messages would take longer than the rest of the merge."""
    data, bounds = parts_of(records)
    if are_plain(data, bounds):
        candidates = np.arange(len(records))
        at = bounds[:-1] + PLAIN_DATE_CHARS
    else:
        candidates = shared(sources, keys)
        places = writers_in(records.take(pa.array(candidates)))
        named = places >= 0
        candidates = candidates[named]
        at = bounds[candidates] + places[named]
    is_long = bounds[1:][candidates] - at >= MARK_BYTES
    short, candidates = candidates[~is_long], candidates[is_long]
    if len(candidates):
        marks = marks_of(data, at[is_long])
        several = np.flatnonzero(are_in_several(marks, sources[candidates]))
        candidates, marks = candidates[several], marks[several]
    if len(candidates):
        its_keys, its_sources, same = keys[candidates], sources[candidates], marks.view(np.int64)
        order = np.lexsort((same, its_keys))
        found = shared(its_sources[order], its_keys[order], same[order])
        candidates = candidates[order[found]]
    return np.sort(np.concatenate([candidates, short]))


def marks_of(data: npt.NDArray[np.uint8], places: Int64s) -> npt.NDArray[np.uint64]:
    """Return a number for the `MARK_BYTES` at each of *places*; equal bytes have equal ones."""
    windows = np.ndarray(len(data) - MARK_BYTES + 1, f"V{MARK_BYTES}", data, strides=(1,))
    words = windows[places].view("<u8").reshape(-1, MARK_BYTES // WORD_SIZE)
    marks = np.zeros(len(places), np.uint64)
    for word in words.T:
        marks = (marks ^ word) * FACTOR
    return marks


def are_in_several(marks: npt.NDArray[np.uint64], sources: Int64s) -> npt.NDArray[np.bool_]:
    """Return which *marks* more than one source has, and a few that only look so: brokers' own logs
    have hardly any, and are not compared key by key."""
    slots = (marks >> np.uint64(64 - SLOT_BITS)).astype(np.intp)
    owners = np.empty(1 << SLOT_BITS, sources.dtype)
    # Of several sources one stays the owner, and the others see that they are not.
    owners[slots] = sources
    is_several = np.zeros(1 << SLOT_BITS, np.bool_)
    is_several[slots[owners[slots] != sources]] = True
    found: npt.NDArray[np.bool_] = is_several[slots]
    return found


def are_plain(data: npt.NDArray[np.uint8], bounds: Int64s) -> bool:
    """Return whether all records begin with a date as Kafka writes it."""
    if not bool((np.diff(bounds) > PLAIN_DATE_CHARS).all()):
        return False
    dates_end = bounds[:-1] + (PLAIN_DATE_CHARS - 1)
    return bool((data[bounds[:-1]] == BRACKET).all() and (data[dates_end] == BRACKET_END).all())


def messages_of(records: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """Return writer and message of each record, and all lines behind its head; null where a record
    names no writer."""
    data, bounds = parts_of(records)
    places = writers_in(records)
    is_own = (places >= 0) & are_in_own_layout(records)
    own, others = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    messages = pc.replace_substring_regex(
        cut_out(data, (bounds[:-1] + places)[own], bounds[1:][own]),
        BEHIND_MESSAGE,
        "",
        max_replacements=1,
    )
    unwrapped = [
        unwrapped_message(text) if places[number] >= 0 else None
        for number, text in zip(
            others.tolist(), records.take(pa.array(others)).to_pylist(), strict=True
        )
    ]
    both = pa.concat_arrays([messages, pa.array(unwrapped, pa.large_binary())])
    return both.take(pa.array(np.argsort(np.concatenate([own, others]))))


def are_in_own_layout(records: pa.LargeBinaryArray) -> npt.NDArray[np.bool_]:
    """Return which records have a date as Kafka writes it, perhaps behind a prefix: their messages
    go on to the line's end."""
    dates = pc.find_substring_regex(records, DATE).to_numpy()
    quotes = pc.find_substring_regex(records, QUOTES).to_numpy()
    found: npt.NDArray[np.bool_] = (dates >= 0) & (dates < quotes)
    return found


def unwrapped_message(record: bytes) -> bytes | None:
    """Return what `messages_of` does of one record in any layout."""
    line, end, behind = record.partition(b"\n")
    head = find_head(line.removesuffix(b"\r").decode("utf-8", "surrogateescape"))
    writer = None if head is None else writer_in(head.rest)
    if head is None or writer is None:
        return None
    message = head.rest[writer.start() :]
    tail = LOGGER_TAIL.search(message, max(0, len(message) - SEARCHED_CHARS))
    message = message[: None if tail is None else tail.start()].rstrip(' \t"')
    return message.encode("utf-8", "surrogateescape") + end + behind


def writers_in(records: pa.LargeBinaryArray) -> Int64s:
    """Return where each head line names its writer; -1 where it does not."""
    data, bounds = parts_of(records)
    places: Int64s = pc.find_substring_regex(records, WRITER).to_numpy().astype(np.int64)
    ends = pc.find_substring(records, "\n").to_numpy()
    places[places > ends] = -1
    named = np.flatnonzero(places >= 0)
    places[named] += data[bounds[named] + places[named]] != BRACKET
    return places


def parts_of(records: pa.LargeBinaryArray) -> tuple[npt.NDArray[np.uint8], Int64s]:
    """Return all bytes of *records*, and where each begins, and the last one ends."""
    _, bounds, data = records.buffers()
    offsets = np.frombuffer(bounds, np.int64)[records.offset : records.offset + len(records) + 1]
    return np.frombuffer(data or b"", np.uint8), offsets


def with_times(messages: pa.LargeBinaryArray, times: Int64s) -> pa.LargeBinaryArray:
    stamps = pa.array(times).cast(pa.string()).cast(pa.large_binary())
    return pc.binary_join_element_wise(stamps, messages, pa.scalar(b" ", pa.large_binary()))
