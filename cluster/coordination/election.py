"""Requests for preferred leaders: how they are written, and whether they are done.

The request is a znode that the controller removes when it has processed it.  Only one can exist at
a time.
"""

from collections.abc import Mapping, Sequence

from cluster.coordination.transaction import Fence, commit
from cluster.model.admin import PartitionList
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, Outcome
from cluster.zk import paths
from cluster.zk.admin import decode_preferred_election, encode_preferred_election
from cluster.zk.requests import Create, Delete
from cluster.zk.steps import Steps, read_each, read_node
from cluster.zk.topics import decode_state
from cluster.zk.znode import Znode


def request_election(fence: Fence, leaders: Mapping[TopicPartition, BrokerId]) -> Steps[Outcome]:
    """Ask the controller for the preferred leaders of *leaders*, which are led by others.

    Controllers of 0.8 leave a request without partitions behind, for ever; it is removed first.
    In a transaction of its own: their ZooKeeper client would not notice a node that is recreated in
    the transaction that deletes it.  A crash in between leaves no request at all.

    When the reply is lost, the controller may have processed and removed the request before the
    next read: then each partition has its leader.  If some could not get it, the request is written
    once more, which changes no other leader.

    Raises:
        CorruptZnodeError: the stored request is damaged.
    """
    path = paths.PREFERRED_ELECTION
    standing = yield from read_node(path)
    if standing is not None and not decode_preferred_election(standing).partitions:
        outcome = yield from commit(fence, (Delete(path, standing.zk_version),))
        if outcome not in (Committed(), Conflict(path, ConflictKind.MISSING)):
            return outcome

    def is_led_by_all() -> Steps[bool]:
        led = yield from read_leaders(tuple(leaders))
        return all(led[partition] == leader for partition, leader in leaders.items())

    request = PartitionList(partitions=tuple(leaders))
    create = Create(path, encode_preferred_election(request))
    return (yield from commit(fence, (create,), is_carried_out=is_led_by_all))


def read_request() -> Steps[tuple[TopicPartition, ...]]:
    """The partitions in the pending request for elections; none without a request.

    Raises:
        CorruptZnodeError: the request is damaged.
    """
    node = yield from read_node(paths.PREFERRED_ELECTION)
    return () if node is None else decode_preferred_election(node).partitions


def read_leaders(
    partitions: Sequence[TopicPartition],
) -> Steps[dict[TopicPartition, BrokerId]]:
    """The leader of each of *partitions*; NO_LEADER also where the state is missing or damaged."""
    nodes = yield from read_each(paths.state(each.topic, each.partition) for each in partitions)
    return {each: leader_in(node) for each, node in zip(partitions, nodes, strict=True)}


def leader_in(node: Znode | None) -> BrokerId:
    if node is None:
        return NO_LEADER
    try:
        return decode_state(node).leader
    except CorruptZnodeError:
        return NO_LEADER
