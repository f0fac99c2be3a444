"""The authorizer's ACLs: reads of them, and writes with the notification for brokers.

A change is one transaction under a fence: the rules of one resource first, then the notification,
on which every broker reads them anew.  If anything has changed since it was planned, the `Outcome`
is not `Committed`, and nothing was written.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from cluster.coordination.configs import paths_above
from cluster.coordination.notifications import commit_and_notify
from cluster.coordination.transaction import Fence
from cluster.model.acl import AclChange, PatternType, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.ids import NEVER_READ
from cluster.model.outcome import Outcome
from cluster.zk import paths
from cluster.zk.acls import decode_acls, encode_acl_change, encode_acls
from cluster.zk.requests import (
    Children,
    Create,
    Delete,
    GetChildren,
    GetData,
    Operation,
    Refused,
    SetData,
)
from cluster.zk.steps import Steps, names_in, node_in, read, read_each

NAMED_MAX: Final = 5
"""The largest number of znodes in one message."""


class AclsRead(NamedTuple):
    """*rules* of the visible resources; one whose rules are damaged, or may not be read, affects
    only itself.

    *hidden* are the kinds of resources whose list may not be read; *unread* are nodes that no
    broker reads.
    """

    rules: Mapping[ResourcePattern, ResourceAcls | CorruptZnodeError]
    hidden: Mapping[tuple[ResourceType, PatternType], CorruptZnodeError]
    unread: tuple[CorruptZnodeError, ...]


def read_resource_acls() -> Steps[AclsRead]:
    """The rules of all resources."""
    kinds = {
        f"{paths.acl_store(pattern_type)}/{resource_type}": (resource_type, pattern_type)
        for pattern_type in PatternType
        for resource_type in ResourceType
    }
    stores = [paths.acl_store(pattern_type) for pattern_type in PatternType]
    listings = yield from read(map(GetChildren, (*stores, *kinds)))
    unread = [
        CorruptZnodeError(path, NEVER_READ, "no broker knows such a type of resource")
        for store, reply in zip(stores, listings, strict=False)
        if not isinstance(reply, Refused)
        for path in (f"{store}/{name}" for name in names_in(store, reply))
        if path not in kinds
    ]
    hidden = {}
    resources = {}
    for (parent, kind), reply in zip(kinds.items(), listings[len(stores) :], strict=True):
        if isinstance(reply, Refused):
            hidden[kind] = may_not_be_read(parent)
            continue
        for name in names_in(parent, reply):
            resources[f"{parent}/{name}"] = ResourcePattern(kind[0], name, kind[1])
    replies = yield from read((*map(GetData, resources), *map(GetChildren, resources)))
    found: dict[ResourcePattern, ResourceAcls | CorruptZnodeError] = {}
    below = replies[len(resources) :]
    for (path, resource), reply, names in zip(resources.items(), replies, below, strict=False):
        if isinstance(reply, Refused):
            found[resource] = may_not_be_read(path)
            continue
        node = node_in(path, reply)
        if node is None:
            continue  # The last of its rules has just gone.
        if isinstance(names, Children) and names.names:
            listed = ", ".join(names.names[:NAMED_MAX])
            more = ", …" if len(names.names) > NAMED_MAX else ""
            reason = f"no broker reads what stands below it: {listed}{more}"
            unread.append(CorruptZnodeError(path, node.zk_version, reason))
        try:
            found[resource] = decode_acls(node)
        except CorruptZnodeError as error:
            found[resource] = error
    return AclsRead(found, hidden, tuple(unread))


def write_resource_acls(
    fence: Fence, resource: ResourcePattern, after: ResourceAcls
) -> Steps[Outcome]:
    """Make *after* the rules of *resource*, if the stored ones still have its zkVersion.

    NEVER_READ stands for rules that did not exist.  The node of a resource without rules is
    deleted, as in Kafka.
    """
    path, prefix = paths.acls(resource), paths.acl_change_prefix(resource)
    ancestors = [*paths_above(path), *paths_above(prefix)]
    nodes = yield from read_each(ancestors)
    # Missing parents are created first, with null data as in Kafka.
    operations: list[Operation] = [
        Create(above) for above, node in zip(ancestors, nodes, strict=True) if node is None
    ]
    if not after.entries:
        assert after.zk_version != NEVER_READ
        operations.append(Delete(path, after.zk_version))
    elif after.zk_version == NEVER_READ:
        operations.append(Create(path, encode_acls(after)))
    else:
        operations.append(SetData(path, encode_acls(after), after.zk_version))
    notification = encode_acl_change(AclChange(resource=resource))
    return (yield from commit_and_notify(fence, operations, prefix, notification))
