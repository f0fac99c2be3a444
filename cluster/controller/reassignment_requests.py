"""Requests to reassign partitions, by API and by znode, and which of them can be carried out.

Source: Kafka's processApiPartitionReassignment, processZkPartitionReassignment and
processListPartitionReassignments.
"""

from typing import Final

from cluster.controller import reassignment, reassignment_node, topics
from cluster.controller.active_controller import ActiveController
from cluster.controller.procedures import Procedure
from cluster.controller.requests import (
    AlterReassignments,
    AlterReassignmentsReply,
    ListReassignments,
    ListReassignmentsReply,
)
from cluster.coordination import reads
from cluster.model.admin import Reassignment
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from cluster.statechange.line import Level, listed

UNASSIGNED: Final = PartitionAssignment(())
"""Of partitions that do not exist; existence is checked last, as in Kafka."""
NO_REASSIGNMENT: Final = ApiError(
    ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress."
)


def alter(
    active: ActiveController, request: AlterReassignments
) -> Procedure[AlterReassignmentsReply]:
    """Begin the valid reassignments, each on its own; a request without a target cancels one."""
    context = active.context
    refusals: dict[TopicPartition, ApiError | None] = {}
    wanted: dict[TopicPartition, PartitionAssignment] = {}
    for partition, target in request.targets.items():
        current = context.assignments.get(partition, UNASSIGNED)
        if target is None:
            refusal = None if current.is_reassigning else NO_REASSIGNMENT
            target = current.origin
        else:
            refusal = _shape_problem(target) or _live_problem(active, current, target)
        refusals[partition] = refusal
        if refusal is None:
            wanted[partition] = current.reassigned(target)
    if wanted:
        # Of two requests the last one counts.
        yield from reassignment_node.drop(active, lambda partition, _: partition in wanted)
    refusals |= yield from reassignment.start(active, wanted)
    return AlterReassignmentsReply(ErrorCode.NONE, refusals)


def list_ongoing(active: ActiveController, request: ListReassignments) -> ListReassignmentsReply:
    context = active.context
    asked = context.reassigning if request.partitions is None else request.partitions
    return ListReassignmentsReply(
        ErrorCode.NONE,
        {
            partition: context.assignments[partition]
            for partition in asked
            if partition in context.reassigning
        },
    )


def refresh(active: ActiveController) -> Procedure[tuple[TopicPartition, ...]]:
    """Read the znode, and begin its reassignments if it was created since it was last read.

    Invalid parts are removed from it at once, the others when they are done.  A change of its data
    is ignored: as in Kafka since 1.1, a node is read once.  Returns what was begun.
    """
    context = active.context
    read = yield from reads.read_reassignment(active.client)
    request = read.request
    if request is None or read.czxid == context.seen_reassignment:
        return ()
    context.seen_reassignment = read.czxid
    yield from _look_for(active, request)
    refusals = {partition: _shape_problem(target) for partition, target in request.items()}
    wanted = {
        partition: context.assignments.get(partition, UNASSIGNED).reassigned(target)
        for partition, target in request.items()
        if refusals[partition] is None
    }
    refusals |= yield from reassignment.start(active, wanted)
    failed = {each: refusal for each, refusal in refusals.items() if refusal is not None}
    for partition, refusal in failed.items():
        active.note(f"partition={partition} is not reassigned: {refusal.message}", Level.WARN)
    yield from reassignment_node.drop(active, lambda partition, _: partition in failed)
    return tuple(partition for partition in request if partition not in failed)


def refresh_topics(active: ActiveController) -> Procedure[None]:
    """Add new topics, and forget deleted ones together with the requests for them."""
    context = active.context
    moving = tuple(context.reassigning)
    yield from topics.refresh_topics(active)
    if any(partition not in context.assignments for partition in moving):
        yield from reassignment_node.drop(
            active, lambda partition, _: partition not in context.assignments
        )


def _look_for(active: ActiveController, request: Reassignment) -> Procedure[None]:
    """Look for unknown partitions: the request may have arrived before the hint about them."""
    context = active.context
    unknown = [partition for partition in request if partition not in context.assignments]
    if any(partition.topic not in context.topics for partition in unknown):
        yield from topics.refresh_topics(active)
    of_unknown = dict.fromkeys(partition.topic for partition in unknown)
    written = tuple(topic for topic in of_unknown if topic in context.topics)
    yield from topics.refresh_written(active, written)


def _shape_problem(target: tuple[BrokerId, ...]) -> ApiError | None:
    """What makes *target* an invalid list of replicas.

    Kafka does not check this for the znode, where an empty list deletes the partition.
    """
    shown = f"[{listed(target)}]"
    if not target:
        return _invalid("Empty replica list specified in partition reassignment.")
    if len(set(target)) < len(target):
        text = f"Duplicate replica ids in partition reassignment replica list: {shown}"
        return _invalid(text)
    if any(broker_id < 0 for broker_id in target):
        return _invalid(f"Invalid broker id in replica list: {shown}")
    return None


def _live_problem(
    active: ActiveController, current: PartitionAssignment, target: tuple[BrokerId, ...]
) -> ApiError | None:
    """Whether a broker to be added is not live, or shuts down; checked for the API only."""
    context = active.context
    live = [broker_id for broker_id in context.brokers if broker_id not in context.shutting_down]
    adding = current.reassigned(target).adding
    if set(adding) <= set(live):
        return None
    return _invalid(
        "Replica assignment has brokers that are not alive. Replica list: "
        f"[{listed(adding)}], live broker list: [{listed(live)}]"
    )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
