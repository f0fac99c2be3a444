"""The logs of brokers: which files are one, in which order, and which broker wrote it.

Judged by paths: the files that one log was rolled into are one source.  Where a path does not name
the broker, lines may; files of a directory that several brokers used in turn are several sources.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.jobs.merge.files.gzip_stream import first_bytes
from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.files.reader import read_bytes
from kadmin.jobs.uris import is_uri
from kadmin.statechange.parse import parse_line

ROLLED: Final = re.compile(
    r"(?P<base>.+?)"
    r"(?:[.-](?P<hour>[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[-.T]?[0-9]{2}){0,3})"
    r"|(?<=\.log)\.(?P<count>[0-9]{1,4}))?"
    r"(?:\.gz)?",
    re.DOTALL,
)
"""A name of log4j's daily or size-based roller or of logrotate, packed or not."""

BROKER: Final = re.compile(
    r"(?:^|[^a-z])(?:broker|kafka|server|node)(?:[-_.]?(?:id|logs?|broker|server|node))?[-_.]?"
    # Not the version in kafka_2.13-3.9.1.
    r"(?P<id>[0-9]{1,9})(?![0-9]|\.[0-9])",
    re.IGNORECASE,
)
LOOK_BYTES: Final = 1 << 17
TAIL_BYTES: Final = 1 << 13
LINES_MAX: Final = 200
"""Brokers that share a log show within so many lines."""

FEW_LINES: Final = 5
"""So many lines decide whether another broker has taken a directory over."""

NUMBER: Final = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One broker's log: its name, and its files from the oldest to the newest."""

    name: str
    files: tuple[LogFile, ...]


WritersOf = Callable[[LogFile, int], frozenset[int]]
"""The brokers that wrote so many of a file's first lines, and its last ones."""


def no_writers(_: LogFile, _lines_max: int) -> frozenset[int]:
    """Return no writer for any file."""
    return frozenset()


def group(files: Sequence[LogFile], writers_of: WritersOf = no_writers) -> tuple[Source, ...]:
    """Return the sources that *files* make up: brokers by their ids, then the others by their
    paths.

    *writers_of* is called where the path of a log does not have the broker's id.  The order of the
    sources does not depend on that of *files*, so a merge is the same in any.
    """
    logs: dict[tuple[str, str, str], list[LogFile]] = {}
    for file in files:
        directory, name = split(file.found_at)
        logs.setdefault((directory, rolled(name)["base"], file.stream), []).append(file)
    members = [part for log in logs.values() for part in parts_of(sorted(log, key=age), writers_of)]
    claims = Counter(part.broker for part in members)
    named = [
        # Two logs that both claim to be one broker's are named by their paths.
        (part.broker, Source(name=str(part.broker), files=part.files))
        if part.broker is not None and claims[part.broker] == 1
        else (None, Source(name=part.label, files=part.files))
        for part in members
    ]
    named.sort(key=lambda each: (each[0] is None, each[0] or 0, each[1].name))
    return tuple(source for _, source in named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Files of a log that one *broker* wrote; None where it is unknown.  *label* is a path."""

    broker: int | None
    files: tuple[LogFile, ...]
    label: str


def parts_of(log: Sequence[LogFile], writers_of: WritersOf) -> list[Part]:
    """Return a *log*, from its oldest file to its newest, by whose it was at which time.

    It is one broker's by its path, or by the lines of its newest file that has some, unless lines
    of older ones are of others.  A file with lines of several is a part of its own then.
    """
    label = base_label(log[-1].label)
    # The name of a container counts its replicas, not brokers.
    broker = broker_id(log[-1].label) if log[-1].origin is None else None
    if broker is not None:
        return [Part(broker=broker, files=tuple(log), label=label)]
    # The newest file is empty when the log was just rolled.
    newest = next((file for file in reversed(log) if file.size > 0), None)
    writers = [
        writers_of(file, LINES_MAX if file is newest else FEW_LINES) if file.size > 0 else ()
        for file in log
    ]
    known = {number for each in writers for number in each}
    if len(known) <= 1:
        return [Part(broker=min(known, default=None), files=tuple(log), label=label)]
    if len(log) == 1:
        return [Part(broker=None, files=tuple(log), label=label)]
    owned: dict[tuple[int | None, str], list[LogFile]] = {}
    owner = next(owner_of(file, each) for file, each in zip(log, writers, strict=True) if each)
    for file, each in zip(log, writers, strict=True):
        # A file without a known writer belongs to the writer of the file before it.
        owner = owner_of(file, each) if each else owner
        owned.setdefault(owner, []).append(file)
    return [
        Part(broker=broker, files=tuple(files), label=files[-1].label)
        for (broker, _), files in owned.items()
    ]


def owner_of(file: LogFile, writers: Collection[int]) -> tuple[int | None, str]:
    """Return the one broker of *file*; of several none, and the file itself."""
    return (None, file.label) if len(writers) > 1 else (min(writers), "")


def writers_of_lines(file: LogFile, lines_max: int = LINES_MAX) -> frozenset[int]:
    """Return the ids of the brokers that wrote the first lines of *file*, and its last ones.

    The end of a .gz is not looked at.

    Raises:
        CannotRead: the file is gone, or may not be read.
    """
    head = first_bytes(file, LOOK_BYTES).split(b"\n")
    lines = head[:lines_max]
    if not file.is_gzip and file.size > LOOK_BYTES:
        # The first of these lines may be cut.
        tail = read_bytes(file.path, file.size - TAIL_BYTES, TAIL_BYTES)
        lines += tail.split(b"\n")[1:][-FEW_LINES:]
    elif not file.is_gzip:
        lines += head[lines_max:][-FEW_LINES:]
    writers = {parse_line(line.decode(errors="replace")).broker for line in lines}
    return frozenset(number for number in writers if number is not None)


def split(path: str) -> tuple[str, str]:
    """Directory and name; links in a local directory's path are resolved."""
    directory, _, name = path.rpartition("/")
    return (directory if is_uri(path) else os.path.realpath(directory or "/")), name


def rolled(name: str) -> re.Match[str]:
    match = ROLLED.fullmatch(name)
    assert match is not None, f"the pattern must match every name, also {name!r}"
    return match


def age(file: LogFile) -> tuple[int, str, int, str]:
    """Return a key that sorts the files of one log from the oldest to the newest."""
    name = split(file.found_at)[1]
    match = rolled(name)
    if match["hour"] is not None:
        return 0, re.sub("[^0-9]", "", match["hour"]), 0, name
    if match["count"] is not None:
        # Log4j's size-based roller counts up with age.
        return 1, "", -int(match["count"]), name
    return 2, "", 0, name


def base_label(label: str) -> str:
    """Return the path of a log as the operator named it, without what its files were rolled to."""
    directory, slash, name = label.rpartition("/")
    return directory + slash + rolled(name)["base"]


def broker_id(label: str) -> int | None:
    """Return the broker's id in a path, of several the innermost; or None."""
    *directories, name = label.split("/")
    if match := BROKER.search(rolled(name)["base"]):
        return int(match["id"])
    if directories and NUMBER.fullmatch(directories[-1]):
        return int(directories[-1])
    for directory in reversed(directories):
        if match := BROKER.search(directory):
            return int(match["id"])
    return None
