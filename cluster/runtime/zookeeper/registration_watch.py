"""The own registration while its session lasts.

Writes its changes, and watches whether another client has removed it.  A removal is only logged: as
Kafka's brokers, this one registers again with its next session and not before, since the removal
may have been intended.
"""

import logging
from typing import Final

from cluster.coordination.registration import change_registration
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.runtime.zookeeper.watcher import Watcher
from cluster.zk import paths
from cluster.zk.requests import Exists
from cluster.zk.steps import Refusal, Steps, read, read_node
from cluster.zk.znode import Znode

logger: Final = logging.getLogger(__name__)


class RegistrationWatch(Watcher):
    """Watches `/brokers/ids/<id>` while the broker is registered."""

    def __init__(self, broker_id: BrokerId) -> None:
        super().__init__()
        self._path = paths.broker(broker_id)
        self._wanted: BrokerRegistration | None = None
        """What is to be written; None where the stored content is right."""

    def replace(self, registration: BrokerRegistration) -> None:
        """Write *registration*, with the next session if this one expires before."""
        self._wanted = registration
        self._look()

    def joined(self, session: Session) -> None:
        # The whole registration has just been written.
        self._wanted = None
        super().joined(session)

    async def _read(self, session: Session) -> None:
        node = await run(session, self._look_there(), self.watched)
        if session is not self._session or session.is_over:
            return
        if node is None:
            found = "is gone"
        elif node.ephemeral_owner != session.session_id:
            found = f"is that of session 0x{node.ephemeral_owner:x}"
        else:
            await self._write(session)
            return
        logger.error(
            "%s %s although session 0x%x of this broker goes on: the controller takes the broker"
            " for dead until it is started again",
            self._path,
            found,
            session.session_id,
        )

    async def _write(self, session: Session) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            return
        try:
            await run(session, change_registration(wanted, session.session_id))
        except Refusal as error:
            logger.error("%s stays as it was: %s", self._path, error)
            return
        logger.info(
            "The registration of this broker has changed: it is reached at %s, and %d partitions"
            " are not served",
            ", ".join(map(str, wanted.endpoints)),
            len(wanted.refused),
        )

    def _look_there(self) -> Steps[Znode | None]:
        """The node, with a watch for the next change, which is armed also when it is missing."""
        yield from read((Exists(self._path, is_watched=True),))
        return (yield from read_node(self._path))
