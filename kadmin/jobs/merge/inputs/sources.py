"""The logs of brokers: which files are one, in which order, and which broker wrote it?

Judged by paths: the files that one log was rolled into are one source.  Where a path does not tell
the broker, the first lines may.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.jobs.merge.files.gzip_stream import first_bytes
from kadmin.jobs.merge.files.log_file import LogFile
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
LINES_MAX: Final = 200
"""Brokers that share a log show within so many lines."""

NUMBER: Final = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One broker's log: its name, and its files from the oldest to the newest."""

    name: str
    files: tuple[LogFile, ...]


def no_broker(_: LogFile) -> None:
    """Tells of no file whose it is."""


def group(
    files: Sequence[LogFile], broker_of: Callable[[LogFile], int | None] = no_broker
) -> tuple[Source, ...]:
    """The sources that *files* make up: brokers by their ids, then the others by their paths.

    *broker_of* is asked for the broker's id where the path of a log does not tell it.  The order
    of the sources does not depend on that of *files*, so a merge is the same in any.
    """
    logs: dict[tuple[str, str], list[LogFile]] = {}
    for file in files:
        directory, name = split(file.path)
        logs.setdefault((directory, rolled(name)["base"]), []).append(file)
    members = [tuple(sorted(log, key=age)) for log in logs.values()]
    ids = [whose(log, broker_of) for log in members]
    claims = Counter(ids)
    named = [
        # Two logs that say to be of one broker are told apart by their paths.
        (number, Source(name=str(number), files=log))
        if number is not None and claims[number] == 1
        else (None, Source(name=base_label(log[-1].label), files=log))
        for number, log in zip(ids, members, strict=True)
    ]
    named.sort(key=lambda each: (each[0] is None, each[0] or 0, each[1].name))
    return tuple(source for _, source in named)


def whose(log: Sequence[LogFile], broker_of: Callable[[LogFile], int | None]) -> int | None:
    """The broker's id by the path of a *log* or by the lines of its newest file that has some."""
    told = broker_id(log[-1].label)
    if told is not None:
        return told
    # The newest file is empty when the log was just rolled.
    newest = next((file for file in reversed(log) if file.size > 0), None)
    return None if newest is None else broker_of(newest)


def broker_of_lines(file: LogFile) -> int | None:
    """The id of the one broker that wrote the first lines of *file*; None if none or several did.

    Raises:
        CannotRead: the file is gone, or may not be read.
    """
    lines = first_bytes(file, LOOK_BYTES).split(b"\n")[:LINES_MAX]
    brokers = {parse_line(line.decode(errors="replace")).broker for line in lines} - {None}
    return brokers.pop() if len(brokers) == 1 else None


def split(path: str) -> tuple[str, str]:
    """Directory and name; links in a local directory's path are resolved."""
    directory, _, name = path.rpartition("/")
    return (directory if is_uri(path) else os.path.realpath(directory or "/")), name


def rolled(name: str) -> re.Match[str]:
    match = ROLLED.fullmatch(name)
    assert match is not None, f"the pattern must match every name, also {name!r}"
    return match


def age(file: LogFile) -> tuple[int, str, int, str]:
    """A key that sorts the files of one log from the oldest to the newest."""
    name = split(file.path)[1]
    match = rolled(name)
    if match["hour"] is not None:
        return 0, re.sub("[^0-9]", "", match["hour"]), 0, name
    if match["count"] is not None:
        # Log4j's size-based roller counts up with age.
        return 1, "", -int(match["count"]), name
    return 2, "", 0, name


def base_label(label: str) -> str:
    """The path of a log as the operator named it, without what its files were rolled to."""
    directory, slash, name = label.rpartition("/")
    return directory + slash + rolled(name)["base"]


def broker_id(label: str) -> int | None:
    """The broker's id where a path tells it, the innermost telling part first; or None."""
    *directories, name = label.split("/")
    if match := BROKER.search(rolled(name)["base"]):
        return int(match["id"])
    if directories and NUMBER.fullmatch(directories[-1]):
        return int(directories[-1])
    for directory in reversed(directories):
        if match := BROKER.search(directory):
            return int(match["id"])
    return None
