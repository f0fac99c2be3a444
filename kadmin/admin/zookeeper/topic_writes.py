"""Writes of planned changes of topics, and what the cluster has not taken up of them yet.

Writes only plans, each in one fenced transaction; whatever moved since the plan was made comes
back as an `Outcome` other than `Committed`, and nothing was written then.
"""

from collections.abc import Sequence

from cluster.model.config_entity import ConfigOverrides
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NO_LEADER, TopicPartition
from cluster.zk import paths
from cluster.zk.configs import encode_config
from cluster.zk.topics import decode_state, encode_assignment
from cluster.zk.znode import Znode
from kadmin.admin.ports import Committed, Conflict, ConflictKind, Fence, Outcome, Remaining
from kadmin.admin.zookeeper.config_writes import write_config
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import (
    CheckNode,
    CreateNode,
    Operation,
    SetNode,
    commit,
)
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan, TopicPlan


def write_topic(connection: Connection, fence: Fence, plan: TopicPlan) -> Outcome:
    match plan:
        case CreatePlan():
            return create_topic(connection, fence, plan)
        case AddPartitionsPlan():
            return add_partitions(connection, fence, plan)
        case DeletePlan():
            return mark_for_deletion(connection, fence, plan)
        case ConfigPlan():
            return write_config(connection, fence, plan)


def create_topic(connection: Connection, fence: Fence, plan: CreatePlan) -> Outcome:
    """Create the topic; config first, so that no controller sees a topic without it.

    A config that an earlier topic of the name left behind is replaced.
    """
    config = encode_config(ConfigOverrides(values=plan.configs))
    config_path = paths.topic_config(plan.name)
    left_behind = connection.read_one(config_path)
    config_write: Operation = (
        CreateNode(path=config_path, data=config)
        if left_behind is None
        else SetNode(path=config_path, data=config, expected_zk_version=left_behind.zk_version)
    )
    return commit(
        connection,
        fence,
        [
            config_write,
            CreateNode(path=paths.topic(plan.name), data=encode_assignment(plan.assignment)),
        ],
    )


def add_partitions(connection: Connection, fence: Fence, plan: AddPartitionsPlan) -> Outcome:
    return commit(
        connection,
        fence,
        [
            SetNode(
                path=paths.topic(plan.name),
                data=encode_assignment(plan.after),
                expected_zk_version=plan.before.zk_version,
            )
        ],
    )


def mark_for_deletion(connection: Connection, fence: Fence, plan: DeletePlan) -> Outcome:
    """Mark the topic, for a controller to delete it, unless it is marked already.

    When the reply is lost, the controller may have deleted the topic and taken the mark away before
    anybody can look again: then it is done.  A topic of the same name that a producer has made
    again since is another one, and is not marked.
    """
    if plan.is_already_marked:
        return Committed()
    path = paths.topic(plan.name)
    topic = connection.read_one(path)
    if topic is None:
        return Conflict(path, ConflictKind.MISSING)

    def is_deleted() -> bool:
        found = connection.read_one(path)
        return found is None or found.czxid != topic.czxid

    return commit(
        connection,
        fence,
        [
            CheckNode(path=path, expected_zk_version=plan.expected_zk_version),
            CreateNode(path=paths.delete_topic(plan.name), data=None),
        ],
        is_carried_out=is_deleted,
    )


def without_leader(
    connection: Connection, partitions: Sequence[TopicPartition]
) -> Remaining[TopicPartition]:
    """Those of *partitions* that have no leader now."""
    states = [paths.state(each.topic, each.partition) for each in partitions]
    controller, *nodes = connection.read([paths.CONTROLLER, *states])
    return Remaining(
        items=[each for each, node in zip(partitions, nodes, strict=True) if not has_leader(node)],
        has_controller=controller is not None,
    )


def not_deleted(connection: Connection, topics: Sequence[str]) -> Remaining[str]:
    """Those of *topics* that are still there."""
    controller, *nodes = connection.read([paths.CONTROLLER, *map(paths.topic, topics)])
    return Remaining(
        items=[topic for topic, node in zip(topics, nodes, strict=True) if node is not None],
        has_controller=controller is not None,
    )


def has_leader(node: Znode | None) -> bool:
    if node is None:
        return False
    try:
        return decode_state(node).leader != NO_LEADER
    except CorruptZnodeError:
        return False
