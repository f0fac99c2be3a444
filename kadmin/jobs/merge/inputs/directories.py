"""The files that a local directory holds, through all its links, and what of it is unreadable.

Opens no file; which of them are logs is for others to say.
"""

import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from kadmin.errors import KadminError
from kadmin.jobs.merge.files.errors import CannotRead
from kadmin.jobs.merge.files.log_file import FileProblem

USUAL_NAME: Final = "state-change"
"""Where a directory has files of this name, its others are not meant."""

KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NoLogs(KadminError):
    """A path, pattern or directory that means no file at all."""


@dataclass(slots=True)
class DirectoryFiles:
    """What a directory holds.

    Regular *files*; what is *special*: neither a file nor a directory; what is *unreadable*, and
    may hold files.
    """

    files: list[str] = field(default_factory=list)
    special: list[FileProblem] = field(default_factory=list)
    unreadable: list[FileProblem] = field(default_factory=list)

    def add(self, path: str) -> None:
        """Put *path*, which is no directory, where it belongs."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            # Whatever its name is, it may be a directory of logs, such as one that is not mounted.
            is_dangling = isinstance(error, FileNotFoundError)
            reason = "a link to what does not exist" if is_dangling else unreadable(error)
            self.unreadable.append(FileProblem(path, reason))
        else:
            if stat.S_ISREG(mode):
                self.files.append(path)
            else:
                kind = KINDS.get(stat.S_IFMT(mode), "no regular file")
                self.special.append(
                    FileProblem(path, f"{kind}, which cannot be read from the middle")
                )


def local_files(directory: str) -> DirectoryFiles:
    """Return all that is below *directory* but files that begin with a dot, the files sorted by
    path.

    Such files are what editors and copying tools leave.  Directories of such names are looked
    into: a collection keeps the paths of its sources, which may lead through one.
    Links to directories are followed, and each directory is looked into once: by its own name if
    it has one below *directory*, so that a link that leads back is no loop.

    Raises:
        CannotRead: *directory* itself may not be read.
    """
    found = DirectoryFiles()
    waiting, links = deque([directory]), deque[str]()
    seen: set[tuple[int, int]] = set()
    while waiting or links:
        at = waiting.popleft() if waiting else links.popleft()
        try:
            status = os.stat(at)
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            entries = sorted(entries_of(at), key=lambda entry: entry.name)
        except OSError as error:
            if at == directory:
                raise CannotRead(directory, error) from error
            found.unreadable.append(FileProblem(at, unreadable(error)))
            continue
        for entry in entries:
            if os.path.isdir(entry.path):
                (links if entry.is_symlink() else waiting).append(entry.path)
            elif not entry.name.startswith("."):
                found.add(entry.path)
    found.files.sort()
    return found


def entries_of(directory: str) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(directory) as entries:
        yield from entries


def unreadable(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def inside(
    directory: str, files: Sequence[str], unusual: list[str], *, is_excused: bool = False
) -> Sequence[str]:
    """Return those of a directory's *files* that are meant by naming the directory.

    The others go to *unusual*: a merge that was written there would be read twice, and
    `server.log` may have some of the same lines.
    Without any it raises NoLogs, unless
    that *is_excused* by files that cannot be read.
    """
    if not files and not is_excused:
        raise NoLogs(f"directory {directory} has no files", hint=f"ls -alR {directory}")
    usual = [file for file in files if USUAL_NAME in file.rpartition("/")[2]]
    if not usual:
        return files
    unusual += [file for file in files if USUAL_NAME not in file.rpartition("/")[2]]
    return usual
