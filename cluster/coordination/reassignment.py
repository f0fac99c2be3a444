"""Requests for reassignments: how they are written, withdrawn and read.

The request is a znode, from which the controller removes what is done; it deletes an empty one.
Only one can exist at a time.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from cluster.coordination.transaction import Fence, commit, never
from cluster.model.admin import Reassignment
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, Outcome
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment, encode_reassignment
from cluster.zk.controller import decode_controller
from cluster.zk.requests import Check, Create, Delete, Operation, SetData
from cluster.zk.steps import Steps, read_each, read_node
from cluster.zk.topics import decode_assignment

Targets: TypeAlias = Mapping[TopicPartition, tuple[BrokerId, ...]]

LOOKS_MAX: Final = 50
"""How often arriving partitions may cause a conflict before it is reported as one."""


def request_reassignment(
    fence: Fence,
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
    topic_versions: Mapping[str, ZkVersion],
) -> Steps[Outcome]:
    """Ask the controller to move partitions to *targets*, if their topics' nodes still are in
    *topic_versions*.

    Controllers of 0.8 leave a request without partitions behind, for ever; it is removed first.
    In a transaction of its own: their ZooKeeper client would not notice a node that is recreated in
    the transaction that deletes it.  A crash in between leaves no request at all.

    When the reply is lost, the controller may have begun already, and removed what is done: then
    each partition is still requested, or moving to its target, or there.

    Raises:
        CorruptZnodeError: the stored request, or a topic's node, is damaged.
    """
    path = paths.REASSIGN_PARTITIONS
    standing = yield from read_node(path)
    if standing is not None and not decode_reassignment(standing):
        outcome = yield from commit(fence, (Delete(path, standing.zk_version),))
        if outcome not in (Committed(), Conflict(path, ConflictKind.MISSING)):
            return outcome

    create = Create(path, encode_reassignment(Reassignment(targets=targets)))
    checks = (Check(paths.topic(name), version) for name, version in topic_versions.items())
    return (yield from commit(fence, (create, *checks), is_carried_out=being_taken_up(targets)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A partition to be given *target* instead of the target *heading*; it had *before* when
    that was decided."""

    before: PartitionAssignment
    heading: tuple[BrokerId, ...]
    target: tuple[BrokerId, ...]


def take_back_reassignment(
    fence: Fence,
    moves: Mapping[TopicPartition, Withdrawn],
    *,
    resigning: BrokerId | None,
    dropped: Targets = MappingProxyType({}),
) -> Steps[Outcome]:
    """Request the targets of *moves* instead of those that their partitions are moving to.

    What is *dropped* leaves the request if it is still requested in this way: no controller has
    begun it.  A request of which nothing is left is removed.

    Partitions that have arrived meanwhile are left out.  The change is refused where another one no
    longer moves as before, and where all have arrived.

    A controller reads a request when its node is created, and when it is elected, but not when the
    node changes; and controllers of Kafka no longer see a node that another client has deleted and
    recreated.  So where a request exists, the same transaction makes the controller *resigning*
    resign; None where there is no request, or no controller.
    same transaction; None where there is no request, or no controller.

    Until it notices, it may complete partitions, and up to Kafka 2.3 overwrite the request from
    memory: then these continue to their former target.

    Raises:
        CorruptZnodeError: the stored request, `/controller`, or a topic's node is damaged.
    """
    outcome: Outcome = Conflict(paths.REASSIGN_PARTITIONS, ConflictKind.VERSION)
    for _ in range(LOOKS_MAX):
        found = yield from look_at_moves(moves, dropped, resigning)
        if isinstance(found, Conflict):
            return found
        operations, targets = found
        # Where nothing is requested, only the nodes show the result.
        is_carried_out = being_taken_up(targets) if targets else never
        outcome = yield from commit(fence, operations, is_carried_out=is_carried_out)
        # A controller writes these nodes for each partition that arrives.
        if not isinstance(outcome, Conflict):
            break
    return outcome


def look_at_moves(
    moves: Mapping[TopicPartition, Withdrawn], dropped: Targets, resigning: BrokerId | None
) -> Steps[Conflict | tuple[list[Operation], Targets]]:
    """The operations that take back the *moves* that have not arrived, with their targets, and drop
    *dropped*; or the conflict that forbids it."""
    path = paths.REASSIGN_PARTITIONS
    # The request first: what leaves it meanwhile is in its topic's node by then.
    standing = yield from read_node(path)
    request = Reassignment(targets={}) if standing is None else decode_reassignment(standing)
    controller_node = yield from read_node(paths.CONTROLLER)
    controller = None if controller_node is None else decode_controller(controller_node).broker_id
    if resigning != (None if standing is None else controller):
        return Conflict(path, ConflictKind.VERSION)
    topics = yield from read_topics((*moves, *dropped))
    for partition, heading in dropped.items():
        topic = topics.get(partition.topic)
        part = None if topic is None else topic.partitions.get(partition.partition)
        is_begun = part is not None and (
            controller is not None or part.is_reassigning or set(heading) <= set(part.replicas)
        )
        if request.get(partition) != heading or is_begun:
            return Conflict(path, ConflictKind.VERSION)
    targets: dict[TopicPartition, tuple[BrokerId, ...]] = {}
    for partition, move in moves.items():
        topic = topics.get(partition.topic)
        part = None if topic is None else topic.partitions.get(partition.partition)
        if part is None or not goes_on(move, part, request.get(partition)):
            return Conflict(paths.topic(partition.topic), ConflictKind.VERSION)
        if not has_arrived(move, part, request.get(partition)):
            targets[partition] = move.target
    if not targets and not dropped:
        return Conflict(path, ConflictKind.VERSION)

    kept = {each: to for each, to in request.targets.items() if each not in dropped}
    changed = replace(request, targets={**kept, **targets})
    write: Operation
    if standing is None:
        write = Create(path, encode_reassignment(changed))
    elif changed.targets:
        write = SetData(path, encode_reassignment(changed), standing.zk_version)
    else:
        write = Delete(path, standing.zk_version)
    operations: list[Operation] = [
        write,
        *(Check(paths.topic(name), topic.zk_version) for name, topic in topics.items()),
    ]
    if controller_node is not None and resigning is not None:
        operations.append(Delete(controller_node.path, controller_node.zk_version))
    return operations, targets


def read_topics(partitions: Iterable[TopicPartition]) -> Steps[dict[str, TopicAssignment]]:
    """The existing topics of *partitions*."""
    names = sorted({partition.topic for partition in partitions})
    nodes = yield from read_each(map(paths.topic, names))
    return {
        name: decode_assignment(node)
        for name, node in zip(names, nodes, strict=True)
        if node is not None
    }


def goes_on(
    move: Withdrawn, part: PartitionAssignment, requested: tuple[BrokerId, ...] | None
) -> bool:
    """Whether a partition that has *part* now, and for which *requested* is requested, still moves
    as when *move* was decided, however far, or has arrived."""
    if has_arrived(move, part, requested):
        return True
    if part.is_reassigning:
        return part.target == move.heading and set(part.origin) == set(move.before.origin)
    # Before Kafka 2.4 only the request shows an ongoing move.
    at_work = {*move.before.replicas, *move.heading}
    return requested == move.heading and (
        part.replicas == move.before.replicas or set(part.replicas) == at_work
    )


def has_arrived(
    move: Withdrawn, part: PartitionAssignment, requested: tuple[BrokerId, ...] | None
) -> bool:
    """Whether nothing is left to take back.

    The request may have it still; but before Kafka 2.4 a partition that only grows has all its
    replicas from the beginning, and only the request shows that it is unfinished.
    """
    only_grows = set(move.before.replicas) <= set(move.heading)
    is_asked = only_grows and requested == move.heading
    return not part.is_reassigning and part.replicas == move.heading and not is_asked


def being_taken_up(
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
) -> Callable[[], Steps[bool]]:
    """Whether all *targets* are requested, being moved to, or reached."""

    def is_taken_up() -> Steps[bool]:
        # The request first: what leaves it meanwhile is in its topic's node by then.
        asked = yield from read_request()
        heading = yield from read_headings(targets)
        return all(
            target in (asked.get(partition), heading[partition])
            for partition, target in targets.items()
        )

    return is_taken_up


def read_request() -> Steps[Mapping[TopicPartition, tuple[BrokerId, ...]]]:
    """The targets that are requested and not reached yet; none without a request.

    Raises:
        CorruptZnodeError: the request is damaged.
    """
    node = yield from read_node(paths.REASSIGN_PARTITIONS)
    return {} if node is None else decode_reassignment(node)


def read_headings(
    targets: Mapping[TopicPartition, tuple[BrokerId, ...]],
) -> Steps[dict[TopicPartition, tuple[BrokerId, ...] | None]]:
    """The replicas that each partition of *targets* has, or will have by its topic's node; None for
    one that does not exist or cannot be decoded."""
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
