"""Config overrides: reads of them, and writes with the notification for brokers.

A change is one transaction under a fence: the data first, then the notification.  If anything has
changed since it was planned, the `Outcome` is not `Committed`, and nothing was written.
"""

from collections.abc import Sequence
from typing import Final

from cluster.coordination.notifications import commit_and_notify
from cluster.coordination.transaction import Fence
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
"""The form of a notification for brokers from 0.10.1 on."""


def read_overrides(
    entities: Sequence[ConfigEntity],
) -> Steps[dict[ConfigEntity, ConfigOverrides | CorruptZnodeError]]:
    """The overrides of *entities*, in their order; NO_OVERRIDES for one without a node.

    One that is damaged, or may not be read, affects only its owner.
    """
    nodes = [config_path(entity) for entity in entities]
    replies = yield from read(map(GetData, nodes))
    return {
        entity: overrides_of_reply(path, reply)
        for entity, path, reply in zip(entities, nodes, replies, strict=True)
    }


def overrides_of_reply(path: str, reply: ZkReply) -> ConfigOverrides | CorruptZnodeError:
    """The overrides in the reply to a `GetData` of *path*."""
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
    """Make *after* the overrides of *entity*, if the stored ones still have its zkVersion.

    NEVER_READ stands for overrides that did not exist.  A topic must exist, and must not be deleted
    in between.
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
    # Missing parents are created first, with null data as in Kafka.
    operations += [
        Create(above) for above, node in zip(ancestors, nodes, strict=True) if node is None
    ]
    operations.append(
        Create(path, data)
        if after.zk_version == NEVER_READ
        else SetData(path, data, after.zk_version)
    )
    notification = encode_config_change(change)
    prefix = paths.config_change_prefix()
    return (yield from commit_and_notify(fence, operations, prefix, notification))


def paths_above(path: str) -> list[str]:
    """The paths above *path*, the highest first, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts))]
