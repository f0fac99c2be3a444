"""Topics: how they are created, get more partitions, and are marked for deletion.

Each is one transaction under a fence; if anything has changed since it was planned, the `Outcome`
is not `Committed`, and nothing was written.  The caller has checked what is legal.
"""

from collections.abc import Mapping

from cluster.coordination.transaction import Fence, commit
from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import ZkVersion
from cluster.model.outcome import Conflict, ConflictKind, Outcome
from cluster.model.topic import TopicAssignment
from cluster.zk import paths
from cluster.zk.configs import encode_config
from cluster.zk.requests import Check, Create, Operation, SetData
from cluster.zk.steps import Steps, read_node
from cluster.zk.topics import encode_assignment


def create_topic(
    fence: Fence, topic: str, assignment: TopicAssignment, configs: Mapping[str, str]
) -> Steps[Outcome]:
    """Create the topic; config first, so that no controller sees a topic without it.

    A config that an earlier topic of the name left behind is replaced.
    """
    config = encode_config(ConfigOverrides(values=configs))
    config_path = paths.topic_config(topic)
    left_behind = yield from read_node(config_path)
    write_config: Operation = (
        Create(config_path, config)
        if left_behind is None
        else SetData(config_path, config, left_behind.zk_version)
    )
    create = Create(paths.topic(topic), encode_assignment(assignment))
    return (yield from commit(fence, (write_config, create)))


def write_assignment(
    fence: Fence, topic: str, after: TopicAssignment, expected_zk_version: ZkVersion
) -> Steps[Outcome]:
    """Make *after* the assignment of the topic."""
    write = SetData(paths.topic(topic), encode_assignment(after), expected_zk_version)
    return (yield from commit(fence, (write,)))


def mark_for_deletion(fence: Fence, topic: str, expected_zk_version: ZkVersion) -> Steps[Outcome]:
    """Mark the topic, for a controller to delete it.

    When the reply is lost, the controller may have deleted the topic and removed the mark before
    the next read: then it is done.  A topic of the same name that a producer has created again
    since is another one, and is not marked.
    """
    path = paths.topic(topic)
    node = yield from read_node(path)
    if node is None:
        return Conflict(path, ConflictKind.MISSING)
    czxid = node.czxid

    def is_deleted() -> Steps[bool]:
        found = yield from read_node(path)
        return found is None or found.czxid != czxid

    operations = (Check(path, expected_zk_version), Create(paths.delete_topic(topic)))
    return (yield from commit(fence, operations, is_carried_out=is_deleted))
