"""ACLs of Kafka's resources, as the brokers' authorizer stores them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final

from cluster.model.ids import NEVER_READ, ZkVersion


class ResourceType(StrEnum):
    """The values are the names in the paths; the member names are Kafka's own enum."""

    TOPIC = "Topic"
    GROUP = "Group"
    CLUSTER = "Cluster"
    TRANSACTIONAL_ID = "TransactionalId"
    DELEGATION_TOKEN = "DelegationToken"
    USER = "User"


class AclOperation(IntEnum):
    """An operation on a resource, by Kafka's numbers."""

    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12


SUPPORTED_OPERATIONS: Final[Mapping[ResourceType, frozenset[AclOperation]]] = {
    ResourceType.TOPIC: frozenset(AclOperation)
    - {AclOperation.CLUSTER_ACTION, AclOperation.IDEMPOTENT_WRITE},
    ResourceType.CLUSTER: frozenset(AclOperation)
    - {AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE},
    ResourceType.GROUP: frozenset({AclOperation.READ, AclOperation.DESCRIBE, AclOperation.DELETE}),
    ResourceType.TRANSACTIONAL_ID: frozenset({AclOperation.DESCRIBE, AclOperation.WRITE}),
}
"""The operations that a type of resource has.  Source: Kafka's AclEntry.supportedOperations."""


class PatternType(StrEnum):
    LITERAL = "LITERAL"
    PREFIXED = "PREFIXED"


@dataclass(frozen=True, slots=True)
class ResourcePattern:
    """The resource of that name, or all whose name starts with it."""

    resource_type: ResourceType
    name: str
    pattern_type: PatternType = PatternType.LITERAL

    @property
    def is_literal(self) -> bool:
        return self.pattern_type is PatternType.LITERAL

    def __str__(self) -> str:
        """In Kafka's form for logs and tools."""
        return (
            f"ResourcePattern(resourceType={self.resource_type.name}, name={self.name},"
            f" patternType={self.pattern_type})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AclEntry:
    """One rule, in Kafka's words: `User:alice`, `Allow`, `Read`, host `*`."""

    principal: str
    permission_type: str
    operation: str
    host: str
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceAcls:
    """All rules of one resource pattern, in the order of the znode."""

    entries: tuple[AclEntry, ...]
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AclChange:
    """A notification that the rules of *resource* have changed.

    *spells_type_as_in_path*: a literal change before 2.4 has `TransactionalId`, where later brokers
    write, and understand only, `TRANSACTIONAL_ID`.
    """

    resource: ResourcePattern
    spells_type_as_in_path: bool = False
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.resource.is_literal or not self.spells_type_as_in_path
        assert not (self.resource.is_literal and self.extra)
