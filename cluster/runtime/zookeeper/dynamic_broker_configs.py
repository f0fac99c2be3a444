"""Reads the dynamic configs of this broker and the cluster-wide defaults from ZooKeeper.

`BrokerConfigs` knows which value wins, `ConfigPropagation` applies it.
"""

import logging
from collections.abc import Collection, Mapping
from typing import Final

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.dynamic_config_validation import Remark
from cluster.broker.configs.supported_configs import Applier
from cluster.coordination.client_requests import read_overrides_of
from cluster.model.api_error import ApiError
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import BrokerId
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk.configs import entity_path

logger: Final = logging.getLogger(__name__)


class DynamicBrokerConfigs:
    """The overrides in ZooKeeper for *configs*."""

    def __init__(self, broker_id: BrokerId, configs: BrokerConfigs) -> None:
        self._cluster_default = Entity(EntityKind.BROKERS, None)
        self._per_broker = Entity(EntityKind.BROKERS, str(broker_id))
        self._configs = configs
        self._found: dict[Entity, Mapping[str, str]] = {
            self._cluster_default: {},
            self._per_broker: {},
        }
        self._logged: frozenset[Remark] = frozenset()
        self.paths: Final = frozenset(entity_path(ConfigEntity(one)) for one in self._found)
        """The paths of these configs, as notifications name them."""

    async def read(self, session: Session) -> Collection[Applier]:
        """Read the present overrides and use them; a damaged node leaves the former ones.

        Returns the appliers of what has changed.
        """
        for entity in self._found:
            found = await run(session, read_overrides_of(entity))
            if isinstance(found, ApiError):
                path = entity_path(ConfigEntity(entity))
                logger.error("What /config/%s says is not heeded: %s", path, found.message)
            else:
                self._found[entity] = found
        update = self._configs.update(
            cluster_default=self._found[self._cluster_default],
            per_broker=self._found[self._per_broker],
        )
        self._log(update.remarks)
        if update.changed:
            news = ", ".join(line_of(name, value) for name, value in update.changed.items())
            logger.info("The configs of this broker have changed: %s", news)
        return update.appliers

    def _log(self, remarks: tuple[Remark, ...]) -> None:
        """Log the remarks that are new."""
        for remark in remarks:
            if remark not in self._logged:
                logger.log(logging.ERROR if remark.is_error else logging.WARNING, "%s", remark.text)
        self._logged = frozenset(remarks)


def line_of(name: str, value: str | None) -> str:
    return f"{name} is unset" if value is None else f"{name}={value}"
