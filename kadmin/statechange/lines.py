"""The lines of a block of log: where do they begin, and which of them carry a time?

Works on whole blocks with numpy, never line by line.  Knows nothing of files, sources or order.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kadmin.statechange.wrapped_heads import find_head

Bytes = npt.NDArray[np.uint8]
Int64s = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

UNDATED: Final = np.iinfo(np.int64).min
"""Stands for the time of a line that is no head: part of a stack trace, or cut at its front."""

PREFIX_BYTES_MAX: Final = 256
"""How far a collector (docker compose, kubectl, grep) may push a line's date to the right."""

PREFIXED_HEAD: Final = (
    r"\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2},\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) "
)
"""A date behind other text is a line's own only when its level follows."""

LEVELS: Final = "TRACE|DEBUG|INFO|WARN|ERROR|FATAL"
BARE_LEVEL: Final = rf"^ +(?:{LEVELS})(?: |$)"
TIME_LIKE: Final = r"[0-9]:?[0-9]{2}:?[0-9]{2}|^\{|\{\"|\x1b"
"""What a line has that may have a date; in JSON it may stand far behind."""

SHORTEST_BYTES: Final = len("20261120T031210 INFO ")
NEWLINE: Final = 10
BLANKS: Final = (9, 32)
SCAN_BYTES: Final = 1 << 17
DECODE_LINES: Final = 1 << 13
"""Blocks of these sizes stay in the processor's cache; larger ones take a third longer."""

DATE_BYTES: Final = 25
"""Of `[2026-11-20 03:04:05,678]`."""


def line_ends(buffer: Bytes) -> Int64s:
    """Return the position behind the newline of every whole line, ascending."""
    found = [
        np.flatnonzero(buffer[begin : begin + SCAN_BYTES] == NEWLINE) + (begin + 1)
        for begin in range(0, len(buffer), SCAN_BYTES)
    ]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def head_times(buffer: Bytes, starts: Int64s, ends: Int64s) -> Int64s:
    """Return the time of each line from *starts* to *ends* in ms of its wall clock, or UNDATED."""
    return read_times(buffer, starts, ends)[0]


def read_times(buffer: Bytes, starts: Int64s, ends: Int64s) -> tuple[Int64s, Mask | None]:
    """Return the same, and which of these times are of UTC: lines may say their zone; None: no line
    does.

    A line is a head when it begins with a date in brackets, when such a date with a level stands
    behind a collector's prefix, or when `find_head` finds one.  Days that no calendar has make no
    date.
    """
    times = np.full(len(starts), UNDATED, np.int64)
    # Lines ascend, so those too near to the end of the buffer to hold a date are the last ones.
    whole = int(np.searchsorted(starts, len(buffer) - DATE_BYTES, side="right"))
    for begin in range(0, whole, DECODE_LINES):
        block = slice(begin, min(begin + DECODE_LINES, whole))
        times[block] = decode_dates(buffer, starts[block])
    # Most of the others are stack traces, whose lines begin with a blank: no need to search them.
    undated = np.flatnonzero(times == UNDATED)
    undated = undated[ends[undated] - starts[undated] > SHORTEST_BYTES]
    undated = undated[~np.isin(buffer[starts[undated]], BLANKS)]
    for fill_in in (fill_in_bare, fill_in_prefixed):
        if len(undated) > 0:
            fill_in(times, undated, buffer, starts, ends)
            undated = undated[times[undated] == UNDATED]
    return times, fill_in_any(times, undated, buffer, starts, ends) if len(undated) > 0 else None


def fill_in_bare(
    times: Int64s, undated: Int64s, buffer: Bytes, starts: Int64s, ends: Int64s
) -> None:
    """Give the lines among *undated* that begin with a date without brackets, and then their
    level, their time.
    """
    undated = undated[ends[undated] - starts[undated] > DATE_BYTES]
    for words in BARE_WORDS:
        found = decode_words(buffer, starts[undated], words)
        rows = np.flatnonzero(found != UNDATED)
        if len(rows) == 0:
            continue
        lines = cut_out(buffer, starts[undated[rows]], ends[undated[rows]])
        behind = pc.binary_slice(lines, DATE_BYTES - 2, DATE_BYTES + len(" TRACE "))
        has_level = pc.match_substring_regex(behind, BARE_LEVEL).to_numpy(zero_copy_only=False)
        times[undated[rows[has_level]]] = found[rows[has_level]]


def fill_in_any(
    times: Int64s, undated: Int64s, buffer: Bytes, starts: Int64s, ends: Int64s
) -> Mask | None:
    """Give the lines among *undated* that have a date in any layout their time; which are of UTC.

    Looks at them one by one, where anything in them may be a time of day.
    """
    lines = cut_out(buffer, starts[undated], ends[undated])
    fronts = pc.binary_slice(lines, 0, PREFIX_BYTES_MAX)
    may_have = pc.match_substring_regex(fronts, TIME_LIKE).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(may_have)
    if len(rows) == 0:
        return None
    is_utc = np.zeros(len(times), np.bool_)
    for row, line in zip(undated[rows], lines.take(pa.array(rows)).to_pylist(), strict=True):
        head = find_head(line.decode(errors="replace").rstrip("\r\n"))
        if head is not None:
            times[row], is_utc[row] = head.time_ms, head.is_utc
    return is_utc


def fill_in_prefixed(
    times: Int64s, undated: Int64s, buffer: Bytes, starts: Int64s, ends: Int64s
) -> None:
    """Give the lines among *undated* that have a date behind a prefix their time."""
    undated = undated[ends[undated] - starts[undated] > DATE_BYTES]
    if len(undated) == 0:
        return
    lines = cut_out(buffer, starts[undated], ends[undated])
    fronts = pc.binary_slice(lines, 0, PREFIX_BYTES_MAX + DATE_BYTES + len(" TRACE "))
    at = pc.find_substring_regex(fronts, PREFIXED_HEAD).to_numpy(zero_copy_only=False)
    has_date = (at >= 0) & (at <= PREFIX_BYTES_MAX)
    undated = undated[has_date]
    times[undated] = decode_dates(buffer, starts[undated] + at[has_date])


def texts(buffer: Bytes, bounds: Int64s) -> pa.LargeBinaryArray:
    """Return the stretches of *buffer* between consecutive *bounds*, without a copy."""
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(),
        len(bounds) - 1,
        [None, pa.py_buffer(np.ascontiguousarray(bounds)), pa.py_buffer(buffer)],
    )


def cut_out(buffer: Bytes, starts: Int64s, ends: Int64s) -> pa.LargeBinaryArray:
    """Return the stretches of *buffer* from *starts* to *ends*; without a copy where they
    adjoin."""
    if len(starts) == 0:
        return pa.array([], pa.large_binary())
    if bool((starts[1:] == ends[:-1]).all()):
        return texts(buffer, np.append(starts, ends[-1]))
    order = np.argsort(starts, kind="stable")
    # Between two stretches lie bytes that are not wanted, often none.
    bounds = np.column_stack([starts[order], ends[order]]).reshape(-1)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(0, len(bounds), 2)
    return texts(buffer, bounds).take(pa.array(places))


def repeated(pattern: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(pattern, "little"))


LAYOUT: Final = (b"0000-00-", b"00 00:00", b":00,000]")
"""What follows a date's opening bracket, as three words of eight bytes: no number crosses one."""

ZEROS: Final = np.array([repeated(word) for word in LAYOUT])
BARE_WORDS: Final = tuple(
    np.array([repeated(b"0000-00-"), repeated(day + b"00:00"), repeated(b":00" + point + b"000 ")])
    for day in (b"00 ", b"00T")
    for point in (b",", b".")
)
"""The same of dates without brackets, from their first digit to the blank behind them."""

LIMITS: Final = np.array(
    [
        # Added to a digit's value this overflows into the byte's top bit above 9; to that of a
        # separator, above 0.
        repeated(bytes(0x76 if byte == ord("0") else 0x7F for byte in word))
        for word in LAYOUT
    ]
)
TOP_BITS: Final = np.uint64(0x8080808080808080)
TEN: Final = np.uint64(10)
EIGHT: Final = np.uint64(8)
OPENING: Final = ord("[")

MONTHS: Final = np.arange("0000-01", "10000-02", dtype="datetime64[M]").astype("datetime64[D]")
FIRST_DAYS: Final = MONTHS.astype(np.int64)
"""The day since 1970 on which each month begins, from January of year 0 on."""

MONTH_DAYS: Final = np.where(np.arange(len(MONTHS) - 1) < 12, 0, np.diff(FIRST_DAYS))
"""Its days: none in the year 0, which is not in the calendar."""


def decode_dates(buffer: Bytes, at: Int64s) -> Int64s:
    """Decode `[yyyy-MM-dd HH:mm:ss,SSS]` at each position to ms since 1970, or UNDATED.

    Every position has that many bytes before the end of the buffer.
    """
    return np.where(buffer[at] == OPENING, decode_words(buffer, at + 1, ZEROS), UNDATED)


def decode_words(buffer: Bytes, at: Int64s, zeros: npt.NDArray[np.uint64]) -> Int64s:
    """Decode the date at each position whose digits and separators are those of *zeros*."""
    dates = np.ndarray((len(buffer) - DATE_BYTES + 2,), "V24", buffer, strides=(1,))[at]
    words = dates.view("<u8").reshape(-1, 3) ^ zeros
    wrong = ((words + LIMITS) | words) & TOP_BITS
    is_date = (wrong[:, 0] | wrong[:, 1] | wrong[:, 2]) == 0
    digits = words.view(np.uint8).reshape(-1, 24)
    # Byte i now holds ten times digit i plus digit i + 1: all two-digit numbers at once.
    pairs = (words * TEN + (words >> EIGHT)).view(np.uint8).reshape(-1, 24)
    century, year, month, day, hour, minute, second, ms = (
        pairs[:, byte].astype(np.int64) for byte in (0, 2, 5, 8, 11, 14, 17, 21)
    )
    months = np.minimum((century * 100 + year) * 12 + month - 1, len(MONTH_DAYS) - 1)
    is_date &= (month >= 1) & (month <= 12) & (day >= 1) & (day <= MONTH_DAYS[months])
    is_date &= (hour < 24) & (minute < 60) & (second < 60)
    seconds = (((FIRST_DAYS[months] + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    ms += digits[:, 20].astype(np.int64) * 100
    times: Int64s = np.where(is_date, seconds * 1000 + ms, UNDATED)
    return times
