"""What can be asked of configs and done to them, whoever is asked: ZooKeeper, or brokers?"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.errors import CorruptZnodeError
from kadmin.admin.zookeeper.config_reads import (
    ConfigSnapshot,
    NoConfigsHere,
    find_entities,
    has_config,
    read_config_snapshot,
    read_configs,
)
from kadmin.admin.zookeeper.topic_names import read_topic_names
from kadmin.plan.config_values import ConfigValue, config_values
from kadmin.plan.entities import EntitySelection
from kadmin.plan.select import TopicSelection

if TYPE_CHECKING:
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.admin.zookeeper.transaction import Fence, Outcome
    from kadmin.plan.config_plan import ConfigPlan


class ConfigAdmin(Protocol):
    """A connection to whoever knows the configs and changes them.

    A change is a plan under a fence, which was read before it.  What stands in its way comes back
    as an `Outcome`, and nothing was changed then.
    """

    def absence(self) -> NoConfigsHere | None:
        """Why there seems to be no cluster here; None where there is one."""

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        """The names of all topics, or of those alone that *selection* names, if all are there."""

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        """The entities that *selection* names, and of those it does not name all that have
        configs; topics are not looked up."""

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[CorruptZnodeError]]:
        """What was set for each of *entities*, in their order, and what cannot be understood."""

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[CorruptZnodeError]]:
        """All that the topics or brokers *entities* have or could have; else as `read`."""

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        """What changes of *entities* are planned from."""

    def fence(self) -> "Fence":
        """What a change is made under; to be asked before it is planned."""

    def rehearse(self, plans: "Sequence[ConfigPlan]") -> None:
        """Refuse *plans* if one of them could not be written; writes nothing."""

    def write(self, fence: "Fence", plan: "ConfigPlan") -> "Outcome":
        """Carry *plan* out; one without changes writes nothing."""


class ZooKeeperConfigs:
    """The configs as they stand in ZooKeeper."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection

    def absence(self) -> NoConfigsHere | None:
        if has_config(self.connection):
            return None
        return NoConfigsHere(self.connection.settings.connect)

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        return read_topic_names(self.connection).names

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        return find_entities(self.connection, selection)

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[CorruptZnodeError]]:
        return read_configs(self.connection, entities)

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[CorruptZnodeError]]:
        """Without what stands in the brokers' server.properties, which ZooKeeper does not have."""
        all_brokers = ConfigEntity(Entity(EntityKind.BROKERS, None))
        found, faults = read_configs(self.connection, {*entities, all_brokers})
        shared = found[all_brokers].values if all_brokers in found else {}
        values = {
            entity: config_values(entity.root, found[entity].values, shared)
            for entity in entities
            if entity in found
        }
        return values, faults

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        return read_config_snapshot(self.connection, entities)

    def fence(self) -> "Fence":
        return self.connection.fence()

    def rehearse(self, plans: "Sequence[ConfigPlan]") -> None:
        """ZooKeeper takes everything."""

    def write(self, fence: "Fence", plan: "ConfigPlan") -> "Outcome":
        from kadmin.admin.zookeeper.config_writes import write_config

        return write_config(self.connection, fence, plan)
