"""Files that appear when they are whole: one file or URI, or a directory of part files.

A device or pipe that is there gets the result as it comes.  Knows neither formats nor slices.
"""

import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.output.slice_output import PartFiles
from kadmin.jobs.uris import filesystem_of, is_uri
from kadmin.jvm.interrupts import deferring_interrupts


@contextmanager
def whole_file(destination: str) -> Iterator[Any]:
    """Yield a stream whose content appears at *destination*, a path or URI, when all went well.

    Whatever file was there is replaced then, and stays as it is otherwise.  What is no regular
    file (a device, a named pipe) is never replaced: it gets the content as it comes.

    Raises:
        CannotWrite: there is no such directory, no room, or no right to write there.
    """
    try:
        if is_uri(destination):
            with whole_remote_file(destination) as stream:
                yield stream
        elif is_special(destination):
            with special_file(destination) as stream:
                yield stream
        else:
            with whole_local_file(Path(destination)) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(destination, error) from error


def is_special(path: str) -> bool:
    """Return whether *path*, or what it links to, is there and neither a regular file nor a
    directory."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def special_file(path: str) -> Iterator[Any]:
    """Write into the device or pipe that *path* is; waits for the reader of a pipe."""
    try:
        # Without O_CREAT: should it be gone by now, no file shall take its place.
        with open(os.open(path, os.O_WRONLY | os.O_CLOEXEC), "wb") as file:
            yield file
    except BrokenPipeError as error:
        # Not that of standard output, whose reader may leave in peace.
        raise CannotWrite(path, error) from error


@contextmanager
def whole_local_file(path: Path) -> Iterator[Any]:
    # A link stays a link: what it points to is replaced.
    final = Path(os.path.realpath(path))
    unfinished = unfinished_name(final)
    try:
        with open(create_like(final, unfinished), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(final)
    except BaseException:
        with deferring_interrupts(), suppress(OSError):
            unfinished.unlink()
        raise


def create_like(final: Path, unfinished: Path) -> int:
    """Create *unfinished*, readable only by users who can read *final*; return its descriptor.

    It has the mode of *final* and, where this user may give files away, its owner; without a file
    there, those that a new one has.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        there = final.stat()
    except FileNotFoundError:
        return os.open(unfinished, flags, 0o666)
    descriptor = os.open(unfinished, flags, 0o600)
    with suppress(PermissionError):
        os.fchown(descriptor, there.st_uid, there.st_gid)
    # Behind the change of the owner, which takes away special bits.
    os.fchmod(descriptor, stat.S_IMODE(there.st_mode))
    return descriptor


@contextmanager
def whole_remote_file(uri: str) -> Iterator[Any]:
    filesystem, inner = filesystem_of(uri)
    directory, _, name = inner.rpartition("/")
    unfinished = f"{directory}/.{name}.{uuid.uuid4().hex[:8]}"
    try:
        with filesystem.open_output_stream(unfinished) as stream:
            yield stream
        filesystem.move(unfinished, inner)
    except BaseException:
        with deferring_interrupts(), suppress(OSError):
            filesystem.delete_file(unfinished)
        raise


@contextmanager
def part_files(destination: str, suffix: str) -> Iterator[PartFiles]:
    """Part files that appear in the directory *destination*, a path or URI, when all are whole.

    The directory is made, and must hold no part files yet: those of two merges would mix.

    Raises:
        CannotWrite: it does, or cannot be written.
    """
    try:
        if is_uri(destination):
            with remote_part_files(destination, suffix) as parts:
                yield parts
        else:
            with local_part_files(Path(destination), suffix) as parts:
                yield parts
    except OSError as error:
        raise CannotWrite(destination, error) from error


@contextmanager
def local_part_files(directory: Path, suffix: str) -> Iterator[PartFiles]:
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.glob("part-*")):
        raise FileExistsError(None, "it holds part files already")
    # Workers have working directories of their own.
    unfinished = unfinished_name(directory.absolute() / "parts")
    unfinished.mkdir()
    try:
        yield PartFiles(str(unfinished), suffix)
        for path in sorted(unfinished.iterdir()):
            path.replace(directory / path.name)
    finally:
        with deferring_interrupts():
            shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def remote_part_files(uri: str, suffix: str) -> Iterator[PartFiles]:
    from pyarrow.fs import FileSelector

    filesystem, inner = filesystem_of(uri)
    filesystem.create_dir(inner)
    listed = filesystem.get_file_info(FileSelector(inner))
    if any(each.base_name.startswith("part-") for each in listed):
        raise FileExistsError(None, "it holds part files already")
    name = f".parts.{uuid.uuid4().hex[:8]}"
    filesystem.create_dir(f"{inner}/{name}")
    try:
        base, mark, query = uri.partition("?")
        yield PartFiles(f"{base.rstrip('/')}/{name}", suffix, f"{mark}{query}")
        for each in filesystem.get_file_info(FileSelector(f"{inner}/{name}")):
            filesystem.move(each.path, f"{inner}/{each.base_name}")
    finally:
        with deferring_interrupts(), suppress(OSError):
            filesystem.delete_dir(f"{inner}/{name}")


def unfinished_name(path: Path) -> Path:
    """Return a hidden name beside *path*, so that a rename puts it in its place."""
    # Cut off, as the longest names that file systems take leave no room for more.
    return path.with_name(f".{path.name[:60]}.{uuid.uuid4().hex[:8]}")
