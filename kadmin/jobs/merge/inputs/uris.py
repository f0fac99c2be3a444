"""The files that a URI means: one, those below a directory, or those that a glob matches."""

import glob
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import takewhile

from kadmin.jobs.merge.inputs.directories import NoLogs, inside
from kadmin.jobs.uris import filesystem_of, inner_uri, shown


def expand_uri(uri: str, unusual: list[str]) -> Iterator[str]:
    """Return the files that a URI means: one, those below a directory, or those that a glob
    matches.

    *unusual* gets those of a directory that are not meant since others have the usual name.
    """
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
        others: list[str] = []
        files = list(inside(shown(uri), files, others))
        unusual += [inner_uri(uri, path) for path in others]
    if not files:
        raise NoLogs(f"{shown(uri)} does not exist", hint="name a file, a directory or a glob")
    for path in files:
        yield inner_uri(uri, path)


def fixed_part(pattern: str) -> str:
    """Return the directories of a glob before the first one that is a pattern."""
    directories = pattern.split("/")[:-1]
    return "/".join(takewhile(lambda name: not glob.has_magic(name), directories))


def matches(path: str, pattern: str) -> bool:
    """Return whether each part of *path* fits that of *pattern*; no pattern crosses a slash."""
    names, patterns = path.split("/"), pattern.split("/")
    return len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))
