"""The heads of many lines: their date and level, and where their messages begin and end.

The same as `parse` does with date, level and logger's name, for a whole block of lines.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from kadmin.statechange.kinds import Level
from kadmin.statechange.lines import DATE_BYTES, PREFIX_BYTES_MAX, UNDATED, decode_dates
from kadmin.statechange.scan import BLANK, Block, Ints, Mask, one_of

LEVELS: Final = tuple(Level)
NO_LEVEL: Final = -1

RETURN: Final = ord("\r")
NEWLINE: Final = ord("\n")
LOGGER: Final = b" (state.change.logger)"
TRACE_LINES: Final = (b"\tat ", b"\t...")
"""How most lines of stack traces begin; they name no exception."""


@dataclass(slots=True)
class Heads:
    """All of each line, as positions in a block.

    *times* is UNDATED for a line without a date.  *is_readable* are the lines in the usual layout:
    date, one blank, level, one blank, message, logger or none.  *continues* are lines of a stack
    trace.  What is neither is for the plain parser.
    """

    times: Ints
    levels: Ints
    starts: Ints
    ends: Ints
    is_readable: Mask
    continues: Mask


def read_heads(block: Block, starts: Ints, ends: Ints) -> Heads:
    """Read what surrounds the message of each line from *starts* to *ends*."""
    ends, is_whole = without_line_end(block, starts, ends)
    dates, times = find_dates(block, starts, ends)
    is_dated = times != UNDATED
    messages, levels = read_levels(block, dates + DATE_BYTES)
    message_ends, is_plain_end = without_logger(block, messages, ends)
    is_readable = (
        is_whole
        & is_dated
        & (levels != NO_LEVEL)
        & is_plain_end
        & (messages < message_ends)
        & (block.bytes[messages] != BLANK)
    )
    continues = is_whole & ~is_dated & begins_trace(block, starts, ends)
    return Heads(
        times=times,
        levels=levels,
        starts=np.where(is_readable, messages, starts),
        ends=np.where(is_readable, message_ends, ends),
        is_readable=is_readable,
        continues=continues,
    )


def without_line_end(block: Block, starts: Ints, ends: Ints) -> tuple[Ints, Mask]:
    """Return the ends before a carriage return; lines that have more of these are not whole."""
    ends = ends - ends_in_newline(block, starts, ends)
    return ends, ~ends_in_newline(block, starts, ends)


def ends_in_newline(block: Block, starts: Ints, ends: Ints) -> Mask:
    last = block.bytes[ends - 1]
    found: Mask = ((last == RETURN) | (last == NEWLINE)) & (ends > starts)
    return found


def find_dates(block: Block, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return where each line's date stands, and its time: at the front, or behind a short
    prefix."""
    dates = starts.copy()
    times = np.full(len(starts), UNDATED, np.int64)
    long = np.flatnonzero(ends - starts > DATE_BYTES)
    times[long] = decode_dates(block.bytes, starts[long])
    undated = long[times[long] == UNDATED]
    # What is wrapped into JSON, or goes on a trace, is for the plain parser.
    first = block.bytes[starts[undated]]
    undated = undated[(first > BLANK) & (first != ord("{"))]
    if len(undated) > 0:
        at = block.find(starts[undated], ends[undated], one_of(b"["))
        has_room = (ends[undated] - at > DATE_BYTES) & (at - starts[undated] <= PREFIX_BYTES_MAX)
        undated, at = undated[has_room], at[has_room]
        found = decode_dates(block.bytes, at)
        # Behind other text a date is the line's own only when its level follows.
        found[read_levels(block, at + DATE_BYTES)[1] == NO_LEVEL] = UNDATED
        times[undated] = found
        dates[undated] = at
    return dates, times


def read_levels(block: Block, at: Ints) -> tuple[Ints, Ints]:
    """Return where the message begins behind the level at each place, and which of LEVELS that
    is."""
    messages = at.copy()
    levels = np.full(len(at), NO_LEVEL, np.int64)
    rest = np.arange(len(at))
    for index, level in enumerate(LEVELS):
        if len(rest) == 0:
            break
        text = f" {level} ".encode()
        found = block.has(at[rest], text)
        levels[rest[found]] = index
        messages[rest[found]] += len(text)
        rest = rest[~found]
    return messages, levels


def without_logger(block: Block, messages: Ints, ends: Ints) -> tuple[Ints, Mask]:
    """Return the ends of messages before the logger's name, if they have the usual one or none.

    Unusual logger names, and an extra blank before one, are not recognised here.
    """
    has_logger = block.ends_with(messages, ends, LOGGER)
    ends = ends - len(LOGGER) * has_logger
    last = block.bytes[ends - 1]
    in_brackets = (last == ord(")")) | (last == ord("]"))
    return ends, (last > BLANK) & (has_logger | ~in_brackets)


def begins_trace(block: Block, starts: Ints, ends: Ints) -> Mask:
    """Return which undated lines are surely lines of a stack trace that name no exception, and
    no date."""
    found = np.zeros(len(starts), np.bool_)
    for text in TRACE_LINES:
        found |= block.has(starts, text) & (ends - starts >= len(text))
    rows = np.flatnonzero(found)
    found[rows] = block.find(starts[rows], ends[rows], one_of(b"[")) == ends[rows]
    return found
