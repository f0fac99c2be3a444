"""Has somebody taken this broker's registration away while its session goes on?

Only says so: as Kafka's brokers, this one registers again with its next session and not before,
since whoever removed the node may have meant it.
"""

import logging
from typing import Final

from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.session import Session
from cluster.runtime.zookeeper.watcher import Watcher
from cluster.zk import paths

logger: Final = logging.getLogger(__name__)


class RegistrationWatch(Watcher):
    """Looks at `/brokers/ids/<id>` while the broker is a member of the cluster."""

    def __init__(self, broker_id: BrokerId) -> None:
        super().__init__()
        self._path = paths.broker(broker_id)

    async def _read(self, session: Session) -> None:
        stat = await session.ask(lambda client: client.exists_async(self._path, watch=self.watched))
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
