"""The rollback file of a change: on the disk before the first write, and never overwritten.

Knows not what is in it.
"""

import os
from contextlib import suppress
from typing import Final

from kadmin.errors import RefusedError

HINT: Final = "--rollback-file FILE names another one"


class NoRollbackFile(RefusedError):
    """Nothing is changed without a file by which it can be taken back."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"cannot write the rollback file {path}: {reason}; nothing was written", hint=HINT
        )
        self.path = path


def write_rollback_file(path: str, text: str) -> None:
    """Write *text* to the new file *path*; it outlasts a crash of the machine from then on.

    What could not be written completely is not left behind.

    Raises:
        NoRollbackFile: there is such a file, or it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except OSError as error:
        raise NoRollbackFile(path, reason_of(error)) from error
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        sync_directory(os.path.dirname(path) or ".")
    except OSError as error:
        with suppress(OSError):
            os.unlink(path)
        raise NoRollbackFile(path, reason_of(error)) from error


def sync_directory(path: str) -> None:
    """Let the names in the directory *path* outlast a crash, too."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reason_of(error: OSError) -> str:
    if isinstance(error, FileExistsError):
        return "it is there already"
    return error.strerror or type(error).__name__
