"""The files that the words on a command line mean.

Paths, directories, globs, Kafka's `--logs-regex` and URIs.  Looks at names and sizes, at the first
two bytes for gzip, for what is there twice, and for logs that a directory has under other names;
which of the files are logs is found when they are read.
"""

import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError, UsageError
from kadmin.jobs.merge.files.errors import CannotRead
from kadmin.jobs.merge.files.gzip_stream import first_bytes
from kadmin.jobs.merge.files.log_file import FileProblem, Identity, LogFile
from kadmin.jobs.merge.files.reader import starts_like_gzip
from kadmin.jobs.merge.inputs.directories import DirectoryFiles, NoLogs, inside, local_files
from kadmin.jobs.merge.inputs.gzip_duplicates import without_gzip_duplicates
from kadmin.jobs.merge.inputs.uris import expand_uri
from kadmin.jobs.uris import filesystem_of, is_uri, local_path, shown

LOOK_BYTES: Final = 1 << 16
TELLING: Final = re.compile(
    rb"\bstate\.change\.logger\b|\[Broker id=[0-9]+\] |\[Controller id=[0-9]+ epoch=[0-9]+\] "
)
"""What lines of a state-change log have, by log4j's pattern or by their prefix, and others lack."""

OTHER_NAME: Final = "a state-change log of another name, which is read where it is itself given"

OF_LOG_DIRECTORIES: Final = re.compile(r"[0-9]{20}[.-].*")
"""Segments and what is kept beside them; of these a directory may have very many."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that were meant, each once, in the order of the words.

    *repeated* are those that were named more than once; *left_out* are the unreadable contents of
    directories, and logs beside which there are others of the usual name.
    """

    files: tuple[LogFile, ...]
    repeated: tuple[FileProblem, ...] = ()
    left_out: tuple[FileProblem, ...] = ()


def find_inputs(paths: Sequence[str], regex: str | None = None) -> Inputs:
    """Return the files of *paths* (files, directories, globs, URIs) and those that *regex* finds.

    Raises:
        NoLogs: a path is missing, a directory has no files, or a pattern matches none.
        CannotRead: a file or directory that is named may not be read, or the server of a URI does
            not answer.
        KadminError: all that there is was left out.
        UsageError: *regex* is none.
    """
    left_out: list[FileProblem] = []
    unusual: list[str] = []
    names = [name for path in paths for name in expand(local_path(path), left_out, unusual)]
    if regex is not None:
        names += matching(regex, left_out)
    if left_out and not names:
        raise KadminError(
            f"{left_out[0].label}: {left_out[0].reason}",
            hint=f"see what is there, and who may read it: ls -alR {parent(left_out[0].label)}",
        )
    files: dict[object, LogFile] = {}
    repeated: list[FileProblem] = []
    for name in names:
        key, file = describe(name)
        if key in files:
            first = files[key].label
            again = "" if first == file.label else f"; it is also {first}"
            repeated.append(FileProblem(file.label, f"given twice{again}; merged once"))
        else:
            files[key] = file
    # What another word means is not left out.
    described = [found for name in unusual if (found := log_of(name)) is not None]
    left_out += [FileProblem(file.label, OTHER_NAME) for key, file in described if key not in files]
    once, alike = without_gzip_duplicates(list(files.values()))
    # A directory that two words mean has the same faults twice.
    return Inputs(once, (*repeated, *alike), tuple(dict.fromkeys(left_out)))


def expand(path: str, left_out: list[FileProblem], unusual: list[str]) -> Iterator[str]:
    """Return the files that one word means; what cannot be read of them goes to *left_out*.

    *unusual* gets those of a directory that are not meant since others have the usual name.
    """
    if is_uri(path):
        try:
            yield from expand_uri(path, unusual)
        except OSError as error:
            raise CannotRead(path, error) from error
    elif os.path.isdir(path):
        found = local_files(path)
        left_out += found.unreadable
        odd = {problem.label: problem for problem in found.special}
        for each in inside(
            path, sorted([*found.files, *odd]), unusual, is_excused=bool(found.unreadable)
        ):
            if each in odd:
                left_out.append(odd[each])
            else:
                yield each
    elif is_there(path):
        yield path
    elif glob.has_magic(path):
        matching_paths = sorted(glob.glob(path, recursive=True))
        if not matching_paths:
            raise NoLogs(f"no file matches {path}", hint=f"see what is there: ls {parent(path)}")
        for each in matching_paths:
            yield from expand(each, left_out, unusual)
    else:
        raise NoLogs(f"{path} does not exist", hint=f"see what is there: ls {parent(path)}")


def is_there(path: str) -> bool:
    """Return whether something has the name *path*, be it a link to nothing.

    Raises:
        CannotRead: it is unknown, as below a directory that this user may not enter.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if glob.has_magic(path):
            # Too long for a name, or below a directory that is a pattern.
            return False
        raise CannotRead(path, error) from error
    return True


def parent(path: str) -> str:
    """Return the longest part of *path* that this user can see to be a directory."""
    directory = Path(path)
    while not os.path.isdir(directory):
        directory = directory.parent
    return str(directory)


def matching(regex: str, left_out: list[FileProblem]) -> list[str]:
    """Return the files that Kafka's `--logs-regex` means: a pattern searched in a directory's
    names.

    Files that cannot be read go to *left_out*; directories are not meant.
    """
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
    try:
        names = [name for name in os.listdir(directory) if search(name)]
    except OSError as error:
        raise CannotRead(directory, error) from error
    found = DirectoryFiles()
    for path in (os.path.join(directory, name) for name in sorted(names)):
        if not os.path.isdir(path):
            found.add(path)
    problems = found.special + found.unreadable
    if not found.files and not problems:
        raise NoLogs(f"no file of {directory} matches '{pattern}'", hint=f"ls {directory}")
    left_out += problems
    return found.files


def log_of(path: str) -> tuple[object, LogFile] | None:
    """Return what `describe` does for *path* if its first lines are of a state-change log."""
    if OF_LOG_DIRECTORIES.fullmatch(path.rpartition("/")[2]):
        return None
    try:
        key, file = describe(path)
        return (key, file) if TELLING.search(first_bytes(file, LOOK_BYTES)) else None
    except KadminError:
        # The file was not asked for, and its contents are unknown.
        return None


def describe(path: str) -> tuple[object, LogFile]:
    """Return what makes a file the same as another, and the file, whose label is text in any case.

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
    whole = os.path.join(os.getcwd(), path)
    file = LogFile(
        path=whole,
        label=path.encode(errors="backslashreplace").decode(),
        size=found.st_size,
        is_gzip=starts_like_gzip(whole),
        identity=Identity.of(found),
    )
    return (found.st_dev, found.st_ino), file
