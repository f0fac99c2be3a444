"""Authorization of requests.

Without an authorizer, everything is allowed, as in Kafka without `authorizer.class.name`.
"""

from typing import Final, NamedTuple, Protocol

from cluster.model.acl import SUPPORTED_OPERATIONS, AclOperation, ResourceType

ANONYMOUS: Final = "User:ANONYMOUS"
"""Kafka's principal of clients on a listener without authentication."""


NOT_REQUESTED: Final = -(2**31)
"""The value of operations when the client did not request them."""


class Permission(NamedTuple):
    """Permission for *operation* on resources of that type."""

    operation: AclOperation
    resource_type: ResourceType

    def __str__(self) -> str:
        return f"{self.operation.name} on {self.resource_type}"


class Authorizer(Protocol):
    def allows(self, principal: str, permission: Permission) -> bool: ...


def is_allowed(authorizer: Authorizer | None, principal: str, permission: Permission) -> bool:
    return authorizer is None or authorizer.allows(principal, permission)


def authorized_operations(
    authorizer: Authorizer | None, principal: str, resource_type: ResourceType, *, is_asked: bool
) -> int:
    """What *principal* may do to resources of that type: one bit for each operation's number."""
    if not is_asked:
        return NOT_REQUESTED
    return sum(
        1 << operation
        for operation in SUPPORTED_OPERATIONS[resource_type]
        if is_allowed(authorizer, principal, Permission(operation, resource_type))
    )
