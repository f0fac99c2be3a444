"""How the rules of the authorizer are read, and written so that the brokers hear of them.

A change is one transaction under a fence: the rules of one resource first, then the notification,
on which every broker reads them anew.  Whatever moved since it was planned comes back as an
`Outcome` other than `Committed`; nothing was written then.
"""

from cluster.coordination.configs import paths_above
from cluster.coordination.transaction import Fence, Outcome, commit
from cluster.model.acl import AclChange, PatternType, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ
from cluster.zk import paths
from cluster.zk.acls import decode_acls, encode_acl_change, encode_acls
from cluster.zk.requests import Create, Delete, Operation, SetData
from cluster.zk.steps import Steps, read_each, read_paths_below


def read_resource_acls() -> Steps[dict[ResourcePattern, ResourceAcls | CorruptZnodeError]]:
    """The rules of all resources; one whose rules are damaged costs itself alone."""
    parents = {
        f"{paths.acl_store(pattern_type)}/{resource_type}": (resource_type, pattern_type)
        for pattern_type in PatternType
        for resource_type in ResourceType
    }
    resources = {}
    for path in (yield from read_paths_below(parents)):
        parent, _, name = path.rpartition("/")
        resource_type, pattern_type = parents[parent]
        resources[path] = ResourcePattern(resource_type, name, pattern_type)
    found: dict[ResourcePattern, ResourceAcls | CorruptZnodeError] = {}
    nodes = yield from read_each(resources)
    for resource, node in zip(resources.values(), nodes, strict=True):
        if node is None:
            continue  # The last of its rules has just gone.
        try:
            found[resource] = decode_acls(node)
        except CorruptZnodeError as error:
            found[resource] = error
    return found


def write_resource_acls(
    fence: Fence, resource: ResourcePattern, after: ResourceAcls
) -> Steps[Outcome]:
    """Let *after* be the rules of *resource*, where they still are in the version that it bears.

    NEVER_READ stands for rules that were not there.  Of a resource without any the node goes, as at
    Kafka.
    """
    path, prefix = paths.acls(resource), paths.acl_change_prefix(resource)
    ancestors = [*paths_above(path), *paths_above(prefix)]
    nodes = yield from read_each(ancestors)
    # What must be there first has null data, as Kafka has it.
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
    operations.append(Create(prefix, notification, is_sequential=True))
    return (yield from commit(fence, operations))
