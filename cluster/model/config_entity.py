"""What can have dynamic configs: which topic, broker, client, user or address?

Knows no znodes: `cluster.zk.configs` says where an entity's configs stand.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


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
"""How Kafka 2.8's texts call one of a kind; not always in the singular."""


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """One entity; a *name* of None is the default for all of the kind that have no own config."""

    kind: EntityKind
    name: str | None

    def __str__(self) -> str:
        if self.name is None:
            return f"default {SINGULAR[self.kind]}"
        return f"{SINGULAR[self.kind]} '{self.name}'"


@dataclass(frozen=True, slots=True, order=True)
class ConfigEntity:
    """Who a config is for: an entity, or a client of a user (*child*)."""

    root: Entity
    child: Entity | None = None

    def __post_init__(self) -> None:
        if self.child is not None:
            assert self.root.kind is EntityKind.USERS
            assert self.child.kind is EntityKind.CLIENTS

    @property
    def kind(self) -> EntityKind:
        """The kind whose keys it may have; those of a user's client are a client's."""
        return self.root.kind if self.child is None else self.child.kind

    def __str__(self) -> str:
        return str(self.root) if self.child is None else f"{self.root}, {self.child}"
