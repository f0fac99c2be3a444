"""What must a merge give: the same in plain Python, line by line and all at once.

Nothing of the merge itself is used, so that both cannot be wrong in the same way.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

DATE = rb"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\]"
AT_START = re.compile(DATE)
BEHIND_PREFIX = re.compile(DATE + rb" (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ")
PREFIX_BYTES_MAX = 256
WRITER = re.compile(rb"\[(?:Controller|Broker) id=|(?<!\S)Broker [0-9]+ ")
COLLECTOR = re.compile(rb"[\w.]+ +\| |\[pod/[^\]]+\] |[\w.-]+\.log:\d+:")
"""What collectors put before a whole line: behind it, a line is what it is without."""


@dataclass(frozen=True)
class Record:
    """A head line and what stands behind it, with its place."""

    time_ms: int
    source: int
    file: int
    line: int
    lines: tuple[bytes, ...]


def merge(
    sources: Sequence[Sequence[bytes]],
    *,
    keeps_file_order: bool = False,
    offsets_ms: Mapping[int, int] | None = None,
    only: Callable[[Record], bool] = lambda _: True,
) -> bytes:
    """The lines of *sources*, each a list of file contents from the oldest on, in total order."""
    records = [
        record
        for number, files in enumerate(sources)
        for position, content in enumerate(files)
        for record in records_of(
            content, number, position, keeps_file_order, (offsets_ms or {}).get(number, 0)
        )
    ]
    records.sort(key=lambda each: (each.time_ms, each.source, each.file, each.line))
    kept = once([each for each in records if only(each)], keeps_file_order)
    return b"".join(line + b"\n" for record in kept for line in record.lines)


def once(records: Sequence[Record], keeps_file_order: bool) -> list[Record]:
    """The *records* without those that name their writer, and that a source before has as well."""
    sources: dict[object, int] = {}
    return [
        record
        for record in records
        if (writer := WRITER.search(record.lines[0])) is None
        or (own := time_of(record.lines[0])) is None
        or record.source
        == sources.setdefault(
            (
                record.time_ms,
                keeps_file_order and own,
                record.lines[0][writer.start() :],
                record.lines[1:],
            ),
            record.source,
        )
    ]


def records_of(
    content: bytes, source: int, file: int, keeps_file_order: bool, offset_ms: int
) -> list[Record]:
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    times = [time_of(line) for line in lines]
    heads = [index for index, time in enumerate(times) if time is not None]
    if not heads:
        return []
    if heads[0] != 0:
        # A record that was cut off at the file's start goes with the first head line.
        times[0] = times[heads[0]]
        heads.insert(0, 0)
    found = []
    latest = None
    for begin, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        time = times[begin]
        assert time is not None
        time += offset_ms
        if keeps_file_order and latest is not None:
            time = max(time, latest)
        latest = time
        found.append(Record(time, source, file, begin, tuple(lines[begin:end])))
    return found


def time_of(line: bytes) -> int | None:
    """The line's own time in ms, or None."""
    match = AT_START.match(line)
    if match is not None and (time := parse(match[1])) is not None:
        return time
    if line[:1] in (b" ", b"\t"):
        return None
    collector = COLLECTOR.match(line)
    if collector is not None and (own := time_of(line[collector.end() :])) is not None:
        return own
    match = BEHIND_PREFIX.search(line, 0, PREFIX_BYTES_MAX + 32)
    if match is None or match.start() > PREFIX_BYTES_MAX:
        return None
    return parse(match[1])


def parse(text: bytes) -> int | None:
    try:
        time = datetime.strptime(text.decode(), "%Y-%m-%d %H:%M:%S,%f")
    except ValueError:
        return None
    seconds = (time.replace(microsecond=0) - datetime(1970, 1, 1)).total_seconds()
    return int(seconds) * 1000 + time.microsecond // 1000
