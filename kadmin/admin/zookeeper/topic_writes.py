"""How does a planned change of topics get into ZooKeeper, and when has the cluster taken it up?

Writes only plans, each in one fenced transaction; whatever moved since the plan was made comes
back as an `Outcome` other than `Committed`, and nothing was written then.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from cluster.model.config_entity import ConfigOverrides
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NO_LEADER, TopicPartition
from cluster.zk import paths
from cluster.zk.configs import encode_config
from cluster.zk.topics import decode_state, encode_assignment
from cluster.zk.znode import Znode
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import (
    CheckNode,
    Conflict,
    ConflictKind,
    CreateNode,
    Fence,
    Operation,
    Outcome,
    SetNode,
    commit,
)
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan

POLL_FIRST_S: Final = 0.02
POLL_MAX_S: Final = 0.5
SILENCE_MAX_S: Final = 1.0


def create_topic(connection: Connection, fence: Fence, plan: CreatePlan) -> Outcome:
    """Create the topic; config first, so that no controller sees a topic without it.

    A config that an earlier topic of the name left behind is replaced.
    """
    config = encode_config(ConfigOverrides(values=plan.configs))
    config_path = paths.topic_config(plan.name)
    left_behind = connection.read_one(config_path)
    write_config: Operation = (
        CreateNode(path=config_path, data=config)
        if left_behind is None
        else SetNode(path=config_path, data=config, expected_zk_version=left_behind.zk_version)
    )
    return commit(
        connection,
        fence,
        [
            write_config,
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
    """Mark the topic, for a controller to delete it.

    When the reply is lost, the controller may have deleted the topic and taken the mark away before
    anybody can look again: then it is done.  A topic of the same name that a producer has made
    again since is another one, and is not marked.
    """
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """What is left to wait for; *has_controller* is as it was seen last."""

    left: tuple[str, ...]
    has_controller: bool


def await_leaders(
    connection: Connection, partitions: Iterable[TopicPartition], tell: Callable[[], None]
) -> Waited:
    """Wait until every one of *partitions* has a leader; see `await_each`."""
    by_path = {
        paths.state(partition.topic, partition.partition): str(partition)
        for partition in partitions
    }
    return await_each(connection, by_path, has_leader, tell)


def await_deletion(
    connection: Connection, topics: Iterable[str], tell: Callable[[], None]
) -> Waited:
    """Wait until every one of *topics* is gone; see `await_each`."""
    by_path = {paths.topic(topic): topic for topic in topics}
    return await_each(connection, by_path, lambda node: node is None, tell)


def await_each(
    connection: Connection,
    things: Mapping[str, str],
    is_done: Callable[[Znode | None], bool],
    tell: Callable[[], None],
) -> Waited:
    """Wait until every znode of *things* (path to name) is done, or the settings' timeout is over.

    Does not wait while there is no controller, whose work it would be.  *tell* is called once when
    it takes longer than `SILENCE_MAX_S`.
    """
    started = time.monotonic()
    deadline = started + connection.settings.timeout_s
    has_told = False
    left = list(things)
    pause_s = POLL_FIRST_S
    while True:
        controller, *nodes = connection.read([paths.CONTROLLER, *left])
        left = [path for path, node in zip(left, nodes, strict=True) if not is_done(node)]
        if not left or controller is None or time.monotonic() >= deadline:
            return Waited(
                left=tuple(things[path] for path in left), has_controller=controller is not None
            )
        if not has_told and time.monotonic() - started > SILENCE_MAX_S:
            tell()
            has_told = True
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, POLL_MAX_S)


def has_leader(node: Znode | None) -> bool:
    if node is None:
        return False
    try:
        return decode_state(node).leader != NO_LEADER
    except CorruptZnodeError:
        return False
