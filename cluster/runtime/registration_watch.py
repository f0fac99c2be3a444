"""Has somebody taken this broker's registration away while its session goes on?

Only says so: as Kafka's brokers, this one registers again with its next session and not before,
since whoever removed the node may have meant it.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Final

from kazoo.exceptions import ConnectionLoss, SessionExpiredError

from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper import Session
from cluster.zk import paths

logger: Final = logging.getLogger(__name__)


class RegistrationWatch:
    """Looks at `/brokers/ids/<id>` while the broker is a member of the cluster."""

    def __init__(self, broker_id: BrokerId) -> None:
        self._loop = asyncio.get_running_loop()
        self._path = paths.broker(broker_id)
        self._session: Session | None = None
        self._looking: set[asyncio.Task[None]] = set()

    def joined(self, session: Session) -> None:
        self._session = session
        self._look()

    def left(self) -> None:
        self._session = None

    def connection_changed(self, *, is_connected: bool) -> None:
        if is_connected:
            self._look()

    def _watched(self, _event: object) -> None:
        """Called by kazoo's thread; the loop may have ended by now."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        if self._session is not None:
            task = self._loop.create_task(self._check(self._session))
            # The loop itself holds its tasks only weakly.
            self._looking.add(task)
            task.add_done_callback(self._looking.discard)

    async def _check(self, session: Session) -> None:
        """Look once, and arm the watch for the next change."""
        try:
            stat = await session.ask(
                lambda client: client.exists_async(self._path, watch=self._watched)
            )
        except (ConnectionLoss, SessionExpiredError):
            # The watch is gone with it; `joined` or `connection_changed` begin again.
            return
        if session is not self._session or session.is_over:
            return
        if stat is None:
            found = "is gone"
        elif stat.ephemeralOwner != session.session_id:
            found = f"is that of session 0x{stat.ephemeralOwner:x}"
        else:
            return
        logger.error(
            "%s %s although session 0x%x of this broker goes on: the controller takes the broker"
            " for dead until it is started again",
            self._path,
            found,
            session.session_id,
        )
