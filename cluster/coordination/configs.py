"""How overrides are read, and written so that the brokers hear of them.

A change is one transaction under a fence: the data first, then the notification.  Whatever moved
since it was planned comes back as an `Outcome` other than `Committed`; nothing was written then.
"""

from collections.abc import Sequence
from typing import Final

from cluster.coordination.transaction import Fence, commit
from cluster.model.config_entity import (
    NO_OVERRIDES,
    ConfigChange,
    ConfigEntity,
    ConfigOverrides,
    EntityKind,
)
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ
from cluster.model.outcome import Conflict, ConflictKind, Outcome
from cluster.zk import paths
from cluster.zk.configs import (
    config_path,
    decode_config,
    encode_config,
    encode_config_change,
    entity_path,
)
from cluster.zk.requests import (
    Check,
    Create,
    GetData,
    Operation,
    Refused,
    SetData,
    ZkReply,
)
from cluster.zk.steps import Steps, node_in, read, read_each
from cluster.zk.znode import Znode

CHANGE_VERSION: Final = 2
"""The form of a notification that brokers from 0.10.1 on understand."""


def read_overrides(
    entities: Sequence[ConfigEntity],
) -> Steps[dict[ConfigEntity, ConfigOverrides | CorruptZnodeError]]:
    """The overrides of *entities*, in their order; NO_OVERRIDES for one without a node.

    One that is damaged, or may not be read, costs its owner alone.
    """
    nodes = [config_path(entity) for entity in entities]
    replies = yield from read(map(GetData, nodes))
    return {
        entity: overrides_told(path, reply)
        for entity, path, reply in zip(entities, nodes, replies, strict=True)
    }


def overrides_told(path: str, reply: ZkReply) -> ConfigOverrides | CorruptZnodeError:
    """What the reply to a `GetData` of *path* says."""
    if isinstance(reply, Refused):
        return CorruptZnodeError(path, NEVER_READ, reply.reason)
    return overrides_in(node_in(path, reply))


def overrides_in(node: Znode | None) -> ConfigOverrides | CorruptZnodeError:
    if node is None:
        return NO_OVERRIDES
    try:
        return decode_config(node)
    except CorruptZnodeError as error:
        return error


def write_overrides(
    fence: Fence,
    entity: ConfigEntity,
    after: ConfigOverrides,
    change_version: int = CHANGE_VERSION,
) -> Steps[Outcome]:
    """Let *after* be the overrides of *entity*, where they still are in the version that it bears.

    NEVER_READ stands for overrides that were not there.  A topic must exist, and must not go in
    between.
    """
    change = ConfigChange(entity_path=entity_path(entity), version=change_version)
    path, data = config_path(entity), encode_config(after)
    ancestors = [*paths_above(path), paths.CONFIG_CHANGES]
    topic_path = None
    if entity.kind is EntityKind.TOPICS:
        topic_path = paths.topic(str(entity.root.name))
    nodes = yield from read_each([*ancestors, *([] if topic_path is None else [topic_path])])
    operations: list[Operation] = []
    if topic_path is not None:
        topic = nodes.pop()
        if topic is None:
            return Conflict(topic_path, ConflictKind.MISSING)
        operations.append(Check(topic_path, topic.zk_version))
    # What must be there first has null data, as Kafka has it.
    operations += [
        Create(above) for above, node in zip(ancestors, nodes, strict=True) if node is None
    ]
    operations.append(
        Create(path, data)
        if after.zk_version == NEVER_READ
        else SetData(path, data, after.zk_version)
    )
    notification = encode_config_change(change)
    operations.append(Create(paths.config_change_prefix(), notification, is_sequential=True))
    return (yield from commit(fence, operations))


def paths_above(path: str) -> list[str]:
    """The paths above *path*, the highest first, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts))]
