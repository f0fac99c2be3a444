"""ACLs of the znodes that a tool creates.

Each gets the ACL of its parent: a node that the brokers cannot write would break the cluster (Kafka
with `zookeeper.set.acl=true`), one that anybody can write would open it.  Knows no content.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from cluster.zk.requests import (
    OPEN_ACL,
    Acl,
    AclEntry,
    Create,
    Multi,
    Operation,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Steps, read_acls

T = TypeVar("T")

SENSITIVE_ROOTS: Final = ("/config/users", "/config/brokers", "/delegation_token/tokens")
"""Below these are credentials, so Kafka removes the world's permission to read."""

MASKED_DIGEST: Final = ":x"
"""How ZooKeeper ends a digest that it hides from clients without the admin permission."""

OURSELVES: Final = ("auth", "")
"""Scheme and identity: any that this session has authenticated."""


def with_inherited_acls(steps: Steps[T]) -> Steps[T]:
    """*steps*, in which each new node gets the ACL of its parent.

    For tools only: a broker creates open nodes, as all its own are, and need not read the parent.
    """
    replies: tuple[ZkReply, ...] | None = None
    while True:
        try:
            requests = next(steps) if replies is None else steps.send(replies)
        except StopIteration as end:
            result: T = end.value
            return result
        outgoing: list[ZkRequest] = []
        for request in requests:
            if isinstance(request, Multi):
                request = Multi((yield from inheriting(request.operations)))
            outgoing.append(request)
        replies = yield tuple(outgoing)


def inheriting(operations: Sequence[Operation]) -> Steps[tuple[Operation, ...]]:
    """*operations*, with the ACL for each node to be created, parents before children.

    A parent may itself be one of them; one that neither exists nor is created here counts as open,
    since the creation fails anyway.
    """
    created = [operation.path for operation in operations if isinstance(operation, Create)]
    parents = sorted(set(map(parent_of, created)).difference(created))
    found = yield from read_acls(parents)
    known = {
        path: OPEN_ACL if acl is None else acl for path, acl in zip(parents, found, strict=True)
    }
    for path in created:
        known[path] = inherited(path, known.get(parent_of(path), OPEN_ACL))
    return tuple(
        replace(operation, acl=known[operation.path])
        if isinstance(operation, Create)
        else operation
        for operation in operations
    )


def parent_of(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def inherited(path: str, parent: Acl) -> Acl:
    """The ACL of *path* by that of its *parent*: the same, without the world's where it must not
    read.

    Not Kafka's `auth::cdrwa` (creator only): an operator whose user is not the brokers' own would
    make nodes that lock the brokers out.
    """
    if parent == OPEN_ACL:
        return parent
    keeps_world = not path.startswith(SENSITIVE_ROOTS)
    return tuple(
        # A hidden digest cannot be copied; our own identity is the nearest that can be written.
        AclEntry(entry.permissions, *OURSELVES) if is_masked(entry) else entry
        for entry in parent
        if keeps_world or entry.scheme != "world"
    )


def is_masked(entry: AclEntry) -> bool:
    return entry.scheme == "digest" and entry.identity.endswith(MASKED_DIGEST)
