"""Which configs stand in ZooKeeper for this broker and for all, and which of them are new?

Knows neither who asks nor what follows from them.
"""

import logging
from collections.abc import Mapping
from typing import Final

from cluster.broker.cluster_store import read_overrides_of
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.dynamic_config_validation import Remark
from cluster.broker.ports import Outcome
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk.configs import entity_path

logger: Final = logging.getLogger(__name__)


class DynamicBrokerConfigs:
    """What ZooKeeper says to *configs*."""

    def __init__(self, broker_id: BrokerId, configs: BrokerConfigs) -> None:
        self._for_all = Entity(EntityKind.BROKERS, None)
        self._own = Entity(EntityKind.BROKERS, str(broker_id))
        self._configs = configs
        self._found: dict[Entity, Mapping[str, str]] = {self._for_all: {}, self._own: {}}
        self._told: frozenset[Remark] = frozenset()
        self.paths: Final = frozenset(entity_path(ConfigEntity(one)) for one in self._found)
        """Where these configs stand, as notifications name it."""

    async def read(self, session: Session) -> bool:
        """Go by what stands there now; what is damaged stays as it was.

        Returns whether anything has changed by that.
        """
        for entity in self._found:
            found = await run(session, read_overrides_of(entity))
            if isinstance(found, Outcome):
                path = entity_path(ConfigEntity(entity))
                logger.error("What /config/%s says is not heeded: %s", path, found.message)
            else:
                self._found[entity] = found
        before, defaults_before = self._configs.values(), self._configs.topic_defaults
        remarks = self._configs.change(self._found[self._for_all], self._found[self._own])
        self._tell(remarks)
        after = self._configs.values()
        news = [line_of(name, after[name]) for name in after if after[name] != before[name]]
        if news:
            logger.info("The configs of this broker have changed: %s", ", ".join(news))
        return bool(news) or self._configs.topic_defaults != defaults_before

    def _tell(self, remarks: tuple[Remark, ...]) -> None:
        """Write what was not so the last time."""
        for remark in remarks:
            if remark not in self._told:
                logger.log(logging.ERROR if remark.is_error else logging.WARNING, "%s", remark.text)
        self._told = frozenset(remarks)


def line_of(name: str, value: str | None) -> str:
    return f"{name} is unset" if value is None else f"{name}={value}"
