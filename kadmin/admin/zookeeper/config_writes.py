"""How do planned configs get into ZooKeeper, so that the brokers hear of them?

One fenced transaction for each entity: the data first, then the notification.  Whatever moved
since the plan was made comes back as an `Outcome` other than `Committed`; nothing was written then.
"""

from collections.abc import Iterator

from cluster.model.config_entity import ConfigChange, EntityKind
from cluster.model.ids import NEVER_READ
from cluster.zk import paths
from cluster.zk.configs import config_path, encode_config, encode_config_change, entity_path
from kadmin.admin.ports import Committed, Conflict, ConflictKind, Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import (
    CheckNode,
    CreateNode,
    Operation,
    SetNode,
    commit,
)
from kadmin.plan.config_plan import ConfigPlan


def write_config(connection: Connection, fence: Fence, plan: ConfigPlan) -> Outcome:
    """Write *plan* and the notification of it; a plan without changes writes nothing.

    A topic must exist, and must not go in between.
    """
    if not plan.changes:
        return Committed()
    operations = [*parents_to_create(connection, plan), write_of(plan), notification_of(plan)]
    if plan.entity.kind is EntityKind.TOPICS:
        topic_path = paths.topic(str(plan.entity.root.name))
        topic = connection.read_one(topic_path)
        if topic is None:
            return Conflict(topic_path, ConflictKind.MISSING)
        operations.insert(0, CheckNode(path=topic_path, expected_zk_version=topic.zk_version))
    return commit(connection, fence, operations)


def write_of(plan: ConfigPlan) -> Operation:
    path, data = config_path(plan.entity), encode_config(plan.after)
    if plan.before.zk_version == NEVER_READ:
        return CreateNode(path=path, data=data)
    return SetNode(path=path, data=data, expected_zk_version=plan.before.zk_version)


def notification_of(plan: ConfigPlan) -> Operation:
    change = ConfigChange(entity_path=entity_path(plan.entity), version=plan.change_version)
    return CreateNode(
        path=paths.config_change_prefix(), data=encode_config_change(change), sequential=True
    )


def parents_to_create(connection: Connection, plan: ConfigPlan) -> Iterator[Operation]:
    """What must be there first, with null data as Kafka has it: all above the config's znode, and
    the directory of the notifications."""
    wanted = [*ancestors(config_path(plan.entity)), paths.CONFIG_CHANGES]
    for path, node in zip(wanted, connection.read(wanted), strict=True):
        if node is None:
            yield CreateNode(path=path, data=None)


def ancestors(path: str) -> list[str]:
    """The paths above *path*, the highest first, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts))]
