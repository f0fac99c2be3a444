"""Health of a log directory: whether it still works.

One object for all logs of a directory: when an operation on one fails, all are offline, since
whatever the disk does next cannot be relied on.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cluster.storage.errors import KafkaStorageError

UNUSABLE_NAME: Final = frozenset({errno.ENAMETOOLONG, errno.EILSEQ})
"""Errors about the requested name, not about the disk: some file systems take shorter names than
Kafka has.
"""


class DirectoryHealth:
    __slots__ = ("directory", "failure")

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.failure: KafkaStorageError | None = None

    def check(self) -> None:
        """Raise the KafkaStorageError by which the directory went offline, if it did."""
        if self.failure is not None:
            raise KafkaStorageError(self.directory, self.failure.reason)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Raise KafkaStorageError if the directory is offline, or goes offline inside.

        It is raised, and the directory stays online, for a name that the file system does not
        accept.
        """
        self.check()
        try:
            yield
        except OSError as error:
            raise self.fail(error) from error

    def fail(self, error: OSError) -> KafkaStorageError:
        """Take the directory offline because of *error*; the first reason stays."""
        if error.errno in UNUSABLE_NAME and self.failure is None:
            return KafkaStorageError(self.directory, reason_of(error), is_offline=False)
        if self.failure is None:
            self.failure = KafkaStorageError(self.directory, reason_of(error))
        return KafkaStorageError(self.directory, self.failure.reason)


def reason_of(error: OSError) -> str:
    """Return the system's words without their number, and the file where it is known."""
    if error.strerror is None:
        return str(error)
    reason = error.strerror.lower()
    return reason if error.filename is None else f"{error.filename}: {reason}"
