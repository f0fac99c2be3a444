"""SyncGroup: the leader's assignment is appended, and then sent to the members.

The log has it before any member does, so that the next coordinator knows what they received.

Source: Kafka's GroupCoordinator.
"""

from cluster.group.answers import SyncAnswer
from cluster.group.context import Context, StoredAssignment
from cluster.group.group import Group
from cluster.group.member import Member
from cluster.group.membership import answer_sync, await_sync, renew
from cluster.group.rebalance import note_sync, prepare_if_possible, refuse_assignments
from cluster.group.requests import SyncGroup
from cluster.group.states import SYNC, GroupState
from cluster.group.storing import assignment_error
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataKey


def sync(context: Context, group: Group, request_id: int, request: SyncGroup) -> None:
    """Answer *request* with the assignment, or let it wait for that of the leader."""
    error = refusal(group, request)
    if error is not ErrorCode.NONE:
        context.respond(request_id, request.refused(error))
        return
    member = group.members[request.member_id]
    note_sync(context, group, member.member_id)
    if group.state is GroupState.STABLE:
        context.respond(request_id, sync_answer(group, member))
        renew(context, group, member)
        return
    await_sync(context, member, request_id)
    if member.member_id == group.leader_id and not group.is_storing_assignment:
        store_assignment(context, group, request)


def refusal(group: Group, request: SyncGroup) -> ErrorCode:
    """Return why this member gets no assignment of the generation in its request."""
    error = group.error_in_generation(
        request.member_id, request.group_instance_id, request.generation
    )
    if error is not ErrorCode.NONE:
        return error
    protocol_type, protocol_name = request.protocol_type, request.protocol_name
    if protocol_type not in (None, group.protocol_type) or protocol_name not in (
        None,
        group.protocol_name,
    ):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return SYNC[group.state]


def sync_answer(group: Group, member: Member) -> SyncAnswer:
    return SyncAnswer(
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        assignment=member.assignment,
    )


def store_assignment(context: Context, group: Group, request: SyncGroup) -> None:
    """Append the leader's assignment, once a generation.

    A leader that has missed the answer may assign anew, and otherwise; the log must not have a
    second assignment after the one that members get.  Kafka would append both.
    """
    given = request.assignments
    assignments = {member_id: given.get(member_id, b"") for member_id in group.members}
    record = (GroupMetadataKey(group.group_id), group.stored(assignments))
    waiting = StoredAssignment(group, group.generation, assignments)
    group.is_storing_assignment = True
    context.append(context.next_append_id(), (record,), waiting)


def on_stored(context: Context, waiting: StoredAssignment) -> None:
    """Give every member its assignment, unless another rebalance has begun."""
    group = waiting.group
    if not is_current(waiting):
        return
    for member in group.members.values():
        member.assignment = waiting.assignments[member.member_id]
    group.enter(GroupState.STABLE, context.wall_ms)
    for member in group.members.values():
        if answer_sync(context, member, sync_answer(group, member)):
            # Its session did not run while it waited.
            renew(context, group, member)


def on_failed(context: Context, waiting: StoredAssignment, error: ErrorCode) -> None:
    """Rebalance again: the log may have this assignment or not."""
    if is_current(waiting):
        refuse_assignments(context, waiting.group, assignment_error(error))
        prepare_if_possible(context, waiting.group)


def is_current(waiting: StoredAssignment) -> bool:
    group = waiting.group
    is_waited_for = group.state is GroupState.COMPLETING_REBALANCE
    return is_waited_for and group.generation == waiting.generation
