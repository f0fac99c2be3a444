"""Who may touch the znodes that kadmin creates?

The same who may touch their parent: a node that the brokers cannot write would break the cluster
(Kafka with `zookeeper.set.acl=true`), one that anybody can write would open it.  Knows no content.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from kazoo.exceptions import NoNodeError
from kazoo.security import ACL, AUTH_IDS, OPEN_ACL_UNSAFE

from kadmin.admin.zookeeper.connection import Connection

Acl: TypeAlias = tuple[Any, ...]
"""kazoo's ACL entries."""

SENSITIVE_ROOTS: Final = ("/config/users", "/config/brokers", "/delegation_token/tokens")
"""Below these stand credentials, so Kafka takes the world's right to read away."""

MASKED_DIGEST: Final = ":x"
"""How ZooKeeper ends a digest that it hides from those who may not administer the node."""


def acls_for(connection: Connection, paths: Sequence[str]) -> dict[str, Acl]:
    """The ACL for each of *paths*, which are about to be created, parents before children.

    A parent may itself be one of *paths*; one that is neither there nor about to be created counts
    as open, since the creation fails anyway.
    """
    parents = {path.rpartition("/")[0] or "/" for path in paths}.difference(paths)
    requests = {parent: connection.client.get_acls_async(parent) for parent in sorted(parents)}
    known = {parent: answer(request, connection) for parent, request in requests.items()}
    for path in paths:
        known[path] = inherited(path, known.get(path.rpartition("/")[0] or "/", open_acl()))
    return {path: known[path] for path in paths}


def answer(request: Any, connection: Connection) -> Acl:
    try:
        acl, _ = request.get(timeout=connection.settings.timeout_s)
    except NoNodeError:
        return open_acl()
    return tuple(acl)


def open_acl() -> Acl:
    return tuple(OPEN_ACL_UNSAFE)


def inherited(path: str, parent: Acl) -> Acl:
    """The ACL of *path* by that of its *parent*: the same, without the world where it must not see.

    Not Kafka's `auth::cdrwa` (creator only): an operator whose user is not the brokers' own would
    make nodes that lock the brokers out.
    """
    if parent == open_acl():
        return parent
    keeps_world = not path.startswith(SENSITIVE_ROOTS)
    return tuple(
        # A hidden digest cannot be copied; our own identity is the nearest that can be written.
        ACL(acl.perms, AUTH_IDS) if is_masked(acl) else acl
        for acl in parent
        if keeps_world or acl.id.scheme != "world"
    )


def is_masked(acl: Any) -> bool:
    return bool(acl.id.scheme == "digest" and acl.id.id.endswith(MASKED_DIGEST))
