"""Which files do the words on the command line mean?

Paths, directories, globs, Kafka's `--logs-regex` and URIs.  Looks at names and sizes, and at the
first two bytes for gzip; which of the files are logs is found when they are read.
"""

import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError, UsageError
from kadmin.jobs.merge.files import (
    CannotRead,
    LogFile,
    filesystem_of,
    inner_uri,
    is_uri,
    local_path,
    shown,
    starts_like_gzip,
)

USUAL_NAME: Final = "state-change"
"""Where a directory has files of this name, its others are not meant."""


class NoLogs(KadminError):
    """A path, pattern or directory that means no file at all."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out or read in part only, by its name, and why."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that were meant, each once, in the order of the words."""

    files: tuple[LogFile, ...]
    problems: tuple[Problem, ...]


def find_inputs(paths: Sequence[str], regex: str | None = None) -> Inputs:
    """The files of *paths* (files, directories, globs, URIs) and those that *regex* finds.

    Raises:
        NoLogs: a path is missing, a directory has no files, or a pattern matches none.
        CannotRead: a file may not be read, or the server of a URI does not answer.
        UsageError: *regex* is none.
    """
    names = [name for path in paths for name in expand(local_path(path))]
    if regex is not None:
        names += matching(regex)
    files: dict[object, LogFile] = {}
    problems: list[Problem] = []
    for name in names:
        key, file = describe(name)
        if key in files:
            first = files[key].label
            again = "" if first == file.label else f"; it is also {first}"
            problems.append(Problem(file.label, f"given twice{again}"))
        else:
            files[key] = file
    return Inputs(tuple(files.values()), tuple(problems))


def expand(path: str) -> Iterator[str]:
    """The files that one word means."""
    if is_uri(path):
        try:
            yield from expand_uri(path)
        except OSError as error:
            raise CannotRead(path, error) from error
    elif os.path.isdir(path):
        yield from inside(path, local_files(path))
    elif os.path.lexists(path):
        yield path
    elif glob.has_magic(path):
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise NoLogs(f"no file matches {path}", hint=f"see what is there: ls {parent(path)}")
        for each in found:
            yield from expand(each)
    else:
        raise NoLogs(f"{path} does not exist", hint=f"see what is there: ls {parent(path)}")


def parent(path: str) -> str:
    """The longest part of *path* that names a directory."""
    directory = Path(path)
    while not directory.is_dir():
        directory = directory.parent
    return str(directory)


def local_files(directory: str) -> list[str]:
    """All regular files below *directory* that are not hidden, sorted by path."""
    found = []
    for at, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith(".")]
        found += [
            path
            for path in (os.path.join(at, name) for name in names if not name.startswith("."))
            if os.path.isfile(path)
        ]
    return sorted(found)


def inside(directory: str, files: Sequence[str]) -> Sequence[str]:
    """Those of a directory's *files* that are meant by naming the directory."""
    if not files:
        raise NoLogs(f"directory {directory} has no files", hint=f"ls -lR {directory}")
    return [file for file in files if USUAL_NAME in file.rpartition("/")[2]] or files


def matching(regex: str) -> list[str]:
    """The files that Kafka's `--logs-regex` means: a pattern searched in a directory's names."""
    directory, _, pattern = regex.rpartition("/")
    directory = directory or ("/" if regex.startswith("/") else ".")
    try:
        search = re.compile(pattern).search
    except re.error as error:
        raise UsageError(
            f"'{pattern}' is no regular expression: {error}",
            hint="what stands behind the last '/' is one; for globs give plain paths",
        ) from error
    if not os.path.isdir(directory):
        raise NoLogs(f"{directory} is no directory", hint=f"ls {parent(directory)}")
    found = sorted(
        entry.path for entry in os.scandir(directory) if entry.is_file() and search(entry.name)
    )
    if not found:
        raise NoLogs(f"no file of {directory} matches '{pattern}'", hint=f"ls {directory}")
    return found


def expand_uri(uri: str) -> Iterator[str]:
    """The files that a URI means: one, those below a directory, or those that a glob matches."""
    from pyarrow.fs import FileSelector, FileType

    filesystem, inner = filesystem_of(uri)
    if filesystem.get_file_info(inner).type is FileType.File:
        yield uri
        return
    top = inner if not glob.has_magic(inner) else fixed_part(inner)
    listed = filesystem.get_file_info(FileSelector(top, allow_not_found=True, recursive=True))
    files = sorted(each.path for each in listed if each.type is FileType.File)
    if glob.has_magic(inner):
        files = [path for path in files if matches(path, inner)]
    elif filesystem.get_file_info(inner).type is FileType.Directory:
        files = list(inside(shown(uri), files))
    if not files:
        raise NoLogs(f"{shown(uri)} does not exist", hint="name a file, a directory or a glob")
    for path in files:
        yield inner_uri(uri, inner, path)


def fixed_part(pattern: str) -> str:
    """The directories of a glob before the first one that is a pattern."""
    directories = pattern.split("/")[:-1]
    return "/".join(takewhile(lambda name: not glob.has_magic(name), directories))


def matches(path: str, pattern: str) -> bool:
    """Whether each part of *path* fits that of *pattern*; no pattern crosses a slash."""
    names, patterns = path.split("/"), pattern.split("/")
    return len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))


def describe(path: str) -> tuple[object, LogFile]:
    """What makes a file the same as another, and the file.

    Raises:
        CannotRead: it may not be read, or is no file.
    """
    if is_uri(path):
        filesystem, inner = filesystem_of(path)
        size = filesystem.get_file_info(inner).size
        file = LogFile(path=path, label=shown(path), size=size, is_gzip=starts_like_gzip(path))
        return path, file
    try:
        found = os.stat(path)
    except OSError as error:
        raise CannotRead(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise KadminError(
            f"{path} is no regular file and cannot be read from the middle",
            hint="write its content into a file first",
        )
    whole = os.path.abspath(path)
    file = LogFile(path=whole, label=path, size=found.st_size, is_gzip=starts_like_gzip(whole))
    return (found.st_dev, found.st_ino), file
