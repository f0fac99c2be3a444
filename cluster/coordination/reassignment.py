"""How other replicas are asked for: by which requests of ZooKeeper, and what has been asked for.

The request is a znode, from which the controller takes away what is done; of an empty one it takes
the node.  There is room for one at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from cluster.coordination.transaction import Committed, Conflict, Fence, Outcome, commit
from cluster.model.admin import Reassignment
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment, encode_reassignment
from cluster.zk.controller import decode_controller
from cluster.zk.requests import Check, Create, Delete, SetData, ZkError
from cluster.zk.steps import Steps, read_each, read_node
from cluster.zk.topics import decode_assignment


def request_reassignment(
    fence: Fence,
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
    topic_versions: Mapping[str, ZkVersion],
) -> Steps[Outcome]:
    """Ask the controller to move partitions to *targets*, if their topics' nodes still are in
    *topic_versions*.

    A request that names no partition is left behind by controllers of 0.8, for ever, and removed
    first.  By itself: their ZooKeeper client would not notice a node that is made anew in the
    transaction that deletes it.  A crash in between leaves no request at all.

    When the reply is lost, the controller may have begun already, and taken away what is done:
    then each partition is still asked for, or on its way to its target, or there.

    Raises:
        CorruptZnodeError: the request that stands there, or what a topic has, is damaged.
    """
    path = paths.REASSIGN_PARTITIONS
    standing = yield from read_node(path)
    if standing is not None and not decode_reassignment(standing):
        outcome = yield from commit(fence, (Delete(path, standing.zk_version),))
        if outcome not in (Committed(), Conflict(path, ZkError.NO_NODE)):
            return outcome

    create = Create(path, encode_reassignment(Reassignment(targets=targets)))
    checks = (Check(paths.topic(name), version) for name, version in topic_versions.items())
    return (yield from commit(fence, (create, *checks), is_carried_out=being_taken_up(targets)))


def take_back_reassignment(
    fence: Fence,
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
    topic_versions: Mapping[str, ZkVersion],
    *,
    resigning: BrokerId | None,
) -> Steps[Outcome]:
    """Ask for *targets* instead of what partitions are on their way to.

    It is refused where the nodes of their topics no longer are in *topic_versions*.

    A controller reads a request when its node is made, and when it is elected, but not when the
    node is changed; and controllers of Kafka no longer see a node that somebody else has deleted
    and made anew.  So where a request stands, the controller *resigning* loses its office in the
    same transaction; None where there is no request, or no controller.

    Until it notices, it may complete partitions, and up to Kafka 2.3 write what it still remembers
    over the request: then these go where they were going.

    Raises:
        CorruptZnodeError: the request that stands there, who controls, or what a topic has, is
            damaged.
    """
    path = paths.REASSIGN_PARTITIONS
    standing = yield from read_node(path)
    office = yield from read_node(paths.CONTROLLER)
    controller = None if office is None else decode_controller(office).broker_id
    if resigning != (None if standing is None else controller):
        return Conflict(path, ZkError.BAD_VERSION)
    checks = [Check(paths.topic(name), version) for name, version in topic_versions.items()]
    if standing is None:
        write: Create | SetData = Create(path, encode_reassignment(Reassignment(targets=targets)))
    else:
        request = decode_reassignment(standing)
        changed = replace(request, targets={**request.targets, **targets})
        write = SetData(path, encode_reassignment(changed), standing.zk_version)
    end = () if office is None or resigning is None else (Delete(office.path, office.zk_version),)
    return (
        yield from commit(fence, (write, *checks, *end), is_carried_out=being_taken_up(targets))
    )


def being_taken_up(
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
) -> Callable[[], Steps[bool]]:
    """Whether all *targets* are asked for, on their way, or there."""

    def is_taken_up() -> Steps[bool]:
        # The request first: what leaves it meanwhile stands in its topic by then.
        asked = yield from read_request()
        heading = yield from read_headings(targets)
        return all(
            target in (asked.get(partition), heading[partition])
            for partition, target in targets.items()
        )

    return is_taken_up


def read_request() -> Steps[Mapping[TopicPartition, tuple[BrokerId, ...]]]:
    """What has been asked for and is not done; nothing without a request.

    Raises:
        CorruptZnodeError: the request is damaged.
    """
    node = yield from read_node(paths.REASSIGN_PARTITIONS)
    return {} if node is None else decode_reassignment(node)


def read_headings(
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
) -> Steps[dict[TopicPartition, tuple[BrokerId, ...] | None]]:
    """The replicas that each partition of *targets* has, or is to have by what its topic's node
    says; None for one that is not there or cannot be understood."""
    names = sorted({partition.topic for partition in targets})
    nodes = yield from read_each(map(paths.topic, names))
    assignments = {}
    for name, node in zip(names, nodes, strict=True):
        try:
            assignments[name] = {} if node is None else decode_assignment(node).partitions
        except CorruptZnodeError:
            assignments[name] = {}
    found = {each: assignments[each.topic].get(each.partition) for each in targets}
    return {each: None if part is None else part.target for each, part in found.items()}
