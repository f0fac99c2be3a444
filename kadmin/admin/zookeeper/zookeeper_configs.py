"""The configs as they stand in ZooKeeper: `kadmin.admin.ports.ConfigAdmin`, by reads and writes of
znodes.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.fault import Fault
from cluster.zk import paths
from cluster.zk.steps import read_each
from kadmin.admin.answers import ConfigSnapshot, NoClusterHere
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.config_reads import (
    find_entities,
    read_config_snapshot,
    read_configs,
)
from kadmin.admin.zookeeper.connection import NoSuchChroot
from kadmin.admin.zookeeper.topic_names import read_topic_names
from kadmin.arguments.entities import EntitySelection
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.config_values import ConfigValue, config_values

if TYPE_CHECKING:
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.plan.config_plan import ConfigPlan


class ZooKeeperConfigs:
    """The `ConfigAdmin` of a ZooKeeper session."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection

    def absence(self) -> NoClusterHere | None:
        root, config = self.connection.read(read_each(("/", paths.CONFIG)))
        connect = self.connection.settings.connect
        if root is None:
            raise NoSuchChroot(connect)
        return NoClusterHere(connect, paths.CONFIG) if config is None else None

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        return self.connection.read(read_topic_names(self.connection.settings.connect)).names

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        return self.connection.read(find_entities(selection))

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        return self.connection.read(read_configs(entities))

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[Fault]]:
        """Read all but the brokers' server.properties, which are not in ZooKeeper."""
        all_brokers = ConfigEntity(Entity(EntityKind.BROKERS, None))
        found, faults = self.connection.read(read_configs({*entities, all_brokers}))
        shared = found[all_brokers].values if all_brokers in found else {}
        values = {
            entity: config_values(entity.root, found[entity].values, shared)
            for entity in entities
            if entity in found
        }
        return values, faults

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        return self.connection.read(read_config_snapshot(entities))

    def fence(self) -> Fence:
        from kadmin.admin.zookeeper.transaction import read_fence

        return read_fence(self.connection)

    def dry_run(self, plans: "Sequence[ConfigPlan]") -> None:
        """Do nothing: ZooKeeper accepts everything."""

    def write(self, fence: Fence, plan: "ConfigPlan") -> Outcome:
        from kadmin.admin.zookeeper.config_writes import write_config

        return write_config(self.connection, fence, plan)
