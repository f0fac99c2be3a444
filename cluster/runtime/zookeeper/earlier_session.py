"""The session of an earlier run of this broker that was not closed.

A killed process leaves its registration until its session expires, and `/controller` if it was the
controller.  The holder of the lock of the log directory knows that it is dead, and may remove what
it left, so that the next start need not wait.  The session's id is stored beside the logs, where
the lock is; and until a start is registered, those of earlier runs are stored with it.
"""

import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files, read_whole

NAME: Final = ".zookeeper-session"

logger: Final = logging.getLogger(__name__)


def recall(files: Files, logs: LogManager) -> tuple[int, ...]:
    """The session ids in the log directories; none at the first start."""
    sessions: list[int] = []
    for directory in logs.online:
        with suppress(OSError, ValueError):
            noted = read_whole(files, f"{directory.path}/{NAME}")
            if noted is not None:
                sessions += [int(word, 16) for word in noted.decode("ascii").split()]
    return tuple(sessions)


def remember(files: Files, logs: LogManager, session_ids: Collection[int]) -> None:
    """Store the sessions in which this broker may be registered.

    They need not survive a loss of power: they have expired before the machine is up again.
    """
    content = "".join(f"{session_id:x}\n" for session_id in sorted(session_ids)).encode("ascii")
    for directory in logs.online:
        with suppress(KafkaStorageError), directory.health.guard():
            file = files.open(f"{directory.path}/{NAME}", create=True)
            try:
                file.truncate(0)
                file.write(0, content)
            finally:
                file.close()
