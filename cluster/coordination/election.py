"""How preferred leaders are asked for: by which requests of ZooKeeper, and whether it is done.

The request is a znode that the controller takes away when it has gone through it.  There is room
for one at a time.
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

    A request that names no partition is left behind by controllers of 0.8, for ever, and removed
    first.  By itself: their ZooKeeper client would not notice a node that is made anew in the
    transaction that deletes it.  A crash in between leaves no request at all.

    When the reply is lost, the controller may have done all and taken the request away before
    anybody can look again: then each partition has its leader.  Where some could not get it, the
    request is made once more, which elects nobody else.

    Raises:
        CorruptZnodeError: the request that stands there is damaged.
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
    """The partitions for which an election has been asked that is not over; none without one.

    Raises:
        CorruptZnodeError: the request is damaged.
    """
    node = yield from read_node(paths.PREFERRED_ELECTION)
    return () if node is None else decode_preferred_election(node).partitions


def read_leaders(
    partitions: Sequence[TopicPartition],
) -> Steps[dict[TopicPartition, BrokerId]]:
    """Who leads each of *partitions*; NO_LEADER also where it cannot be told."""
    nodes = yield from read_each(paths.state(each.topic, each.partition) for each in partitions)
    return {each: leader_in(node) for each, node in zip(partitions, nodes, strict=True)}


def leader_in(node: Znode | None) -> BrokerId:
    if node is None:
        return NO_LEADER
    try:
        return decode_state(node).leader
    except CorruptZnodeError:
        return NO_LEADER
