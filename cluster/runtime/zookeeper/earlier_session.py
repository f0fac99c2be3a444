"""By which session was this broker registered when it ended without a good-bye?

A process that was killed leaves its registration until its session expires, and `/controller` if it
was the controller.  Whoever holds the lock of the log directory knows that it is dead, and may
remove what it left: the next start need not wait.  The session's id is noted beside the logs, where
the lock is.
"""

import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files, read_whole
from cluster.storage.log_manager import LogManager
from cluster.zk import paths
from cluster.zk.requests import Check, Delete, Lost, Multi, MultiDone, Refused
from cluster.zk.steps import Refusal, Steps, read_each

NAME: Final = ".zookeeper-session"

logger: Final = logging.getLogger(__name__)


def recall(files: Files, logs: LogManager) -> tuple[int, ...]:
    """The sessions that the log directories know of; none at the first start."""
    sessions: list[int] = []
    for directory in logs.online:
        with suppress(OSError, ValueError):
            noted = read_whole(files, f"{directory.path}/{NAME}")
            if noted is not None:
                sessions.append(int(noted.decode("ascii"), 16))
    return tuple(sessions)


def remember(files: Files, logs: LogManager, session_id: int) -> None:
    """Note the session before anything is written by it.

    It need not outlive a loss of power: the session has expired before the machine is up again.
    """
    for directory in logs.online:
        with suppress(KafkaStorageError), directory.health.guard():
            file = files.open(f"{directory.path}/{NAME}", create=True)
            try:
                file.truncate(0)
                file.write(0, f"{session_id:x}\n".encode("ascii"))
            finally:
                file.close()


async def remove_stale_controller(session: Session, earlier_sessions: Collection[int]) -> None:
    """Remove `/controller` if it was made in one of *earlier_sessions*, so that one is elected now.

    The check of the epoch, which was read first, keeps a controller that has been elected in
    between: its node may have the same version as the one that was read.
    """
    if await run(session, controller_removal(earlier_sessions)):
        logger.info("Removed %s, which an earlier session of this broker left", paths.CONTROLLER)


def controller_removal(earlier_sessions: Collection[int]) -> Steps[bool]:
    """See `remove_stale_controller`; whether it was there, and is removed."""
    while earlier_sessions:
        epoch, node = yield from read_each((paths.CONTROLLER_EPOCH, paths.CONTROLLER))
        if epoch is None or node is None or node.ephemeral_owner not in earlier_sessions:
            return False
        check = Check(epoch.path, epoch.zk_version)
        (reply,) = yield (Multi((check, Delete(node.path, node.zk_version))),)
        if isinstance(reply, Refused):
            raise Refusal(reply.reason)
        if not isinstance(reply, Lost):
            return isinstance(reply, MultiDone)
    return False
