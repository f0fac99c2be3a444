"""Entities with dynamic configs: topics, brokers, clients, users and addresses; and their
overrides.

Knows no znodes: `cluster.zk.configs` has the paths of overrides.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from cluster.model.ids import NEVER_READ, BrokerId, ZkVersion


class EntityKind(StrEnum):
    """Kinds of entities, under the names of their znodes and of `--entity-type`."""

    TOPICS = "topics"
    BROKERS = "brokers"
    CLIENTS = "clients"
    USERS = "users"
    IPS = "ips"


SINGULAR: Final = {
    EntityKind.TOPICS: "topic",
    EntityKind.BROKERS: "brokers",
    EntityKind.CLIENTS: "client-id",
    EntityKind.USERS: "user-principal",
    EntityKind.IPS: "ips",
}
"""The names of the kinds in Kafka 2.8's messages; not always in the singular."""


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """One entity; a *name* of None is the default for all of the kind without a config of their
    own.

    *is_raw* is one whose znode has another name than brokers would give it, so that they do not
    read it there: its name is that of the znode.
    """

    kind: EntityKind
    name: str | None
    is_raw: bool = False

    def __str__(self) -> str:
        if self.name is None:
            return f"default {SINGULAR[self.kind]}"
        raw = " (its znode is not URL-encoded)" if self.is_raw else ""
        return f"{SINGULAR[self.kind]} '{self.name}'{raw}"


@dataclass(frozen=True, slots=True, order=True)
class ConfigEntity:
    """The owner of a config: an entity, or a client of a user (*child*)."""

    root: Entity
    child: Entity | None = None

    def __post_init__(self) -> None:
        if self.child is not None:
            assert self.root.kind is EntityKind.USERS
            assert self.child.kind is EntityKind.CLIENTS

    @property
    def is_raw(self) -> bool:
        return self.root.is_raw or (self.child is not None and self.child.is_raw)

    @property
    def kind(self) -> EntityKind:
        """The kind whose keys it may have; those of a user's client are a client's."""
        return self.root.kind if self.child is None else self.child.kind

    def __str__(self) -> str:
        return str(self.root) if self.child is None else f"{self.root}, {self.child}"


def broker_entity(broker: BrokerId) -> ConfigEntity:
    return ConfigEntity(Entity(EntityKind.BROKERS, str(broker)))


def topic_entity(name: str) -> ConfigEntity:
    return ConfigEntity(Entity(EntityKind.TOPICS, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigOverrides:
    """The overrides of one entity, in the order of the znode.

    A missing znode is an empty config with `zk_version` NEVER_READ.  *misplaced* are keys whose
    values are no text, which makes brokers ignore the others too; *extra* are fields beside the
    config, which brokers never read.  Only repairing a config needs these two.
    """

    values: Mapping[str, str]
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
    misplaced: Mapping[str, object] = field(default_factory=dict)

    def changed(self, values: Mapping[str, str], touched: Collection[str]) -> "ConfigOverrides":
        """The same with *values*; what was *touched* is removed from everywhere else."""
        return replace(
            self,
            values=values,
            extra={key: value for key, value in self.extra.items() if key not in touched},
            misplaced={key: value for key, value in self.misplaced.items() if key not in touched},
        )


NO_OVERRIDES: Final = ConfigOverrides(values=MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """A notification that the overrides under `/config/<entity_path>` have changed.

    *version* is the form: 0 is 0.8's bare topic name, 1 (0.9, 0.10.0) supports topics and clients,
    2 (0.10.1 and later) everything.  Names in the path are encoded as in ZooKeeper.
    """

    entity_path: str
    version: int = 2
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
