"""Writes of planned changes of topics, and what the cluster has not taken up of them yet.

Writes only plans, each in one fenced transaction; whatever moved since the plan was made comes
back as an `Outcome` other than `Committed`, and nothing was written then.
"""

from collections.abc import Sequence
from functools import partial

from cluster.coordination.topics import create_topic, mark_for_deletion, write_assignment
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NO_LEADER, TopicPartition
from cluster.model.outcome import Committed
from cluster.zk import paths
from cluster.zk.steps import Steps, read_each
from cluster.zk.topics import decode_state
from cluster.zk.znode import Znode
from kadmin.admin.ports import Fence, Outcome, Remaining
from kadmin.admin.zookeeper.config_writes import write_config
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import write
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan, TopicPlan


def write_topic(connection: Connection, fence: Fence, plan: TopicPlan) -> Outcome:
    match plan:
        case CreatePlan(name=name):
            change = partial(
                create_topic, topic=name, assignment=plan.assignment, configs=plan.configs
            )
        case AddPartitionsPlan(name=name):
            change = partial(
                write_assignment,
                topic=name,
                after=plan.after,
                expected_zk_version=plan.before.zk_version,
            )
        case DeletePlan(is_already_marked=True):
            return Committed()
        case DeletePlan(name=name):
            change = partial(
                mark_for_deletion, topic=name, expected_zk_version=plan.before.zk_version
            )
        case ConfigPlan():
            return write_config(connection, fence, plan)
    return write(connection, fence, change)


def without_leader(
    partitions: Sequence[TopicPartition],
) -> Steps[Remaining[TopicPartition]]:
    """Return those of *partitions* that have no leader now."""
    states = (paths.state(each.topic, each.partition) for each in partitions)
    controller, *nodes = yield from read_each((paths.CONTROLLER, *states))
    return Remaining(
        items=[each for each, node in zip(partitions, nodes, strict=True) if not has_leader(node)],
        has_controller=controller is not None,
    )


def not_deleted(topics: Sequence[str]) -> Steps[Remaining[str]]:
    """Return those of *topics* that are still there."""
    controller, *nodes = yield from read_each((paths.CONTROLLER, *map(paths.topic, topics)))
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
