"""LeaveGroup: members that go, or that an operator removes.

Source: Kafka's GroupCoordinator, KIP-345 (several members, also by their instance ids).
"""

from cluster.group.answers import UNKNOWN_MEMBER, LeaveAnswer, LeftMember
from cluster.group.context import Context
from cluster.group.group import Group
from cluster.group.rebalance import remove, remove_pending
from cluster.group.requests import LeaveGroup, LeavingMember
from cluster.model.error_codes import ErrorCode


def leave(context: Context, group: Group, request: LeaveGroup) -> LeaveAnswer:
    """Remove the members one by one; each result has its own error."""
    left = []
    for member in request.members:
        error = leave_one(context, group, member)
        left.append(LeftMember(member.member_id, member.group_instance_id, error))
    return LeaveAnswer(ErrorCode.NONE, tuple(left))


def leave_one(context: Context, group: Group, leaving: LeavingMember) -> ErrorCode:
    member_id, instance_id = leaving
    if member_id in group.pending_members:
        remove_pending(context, group, member_id)
        return ErrorCode.NONE
    if member_id == UNKNOWN_MEMBER and instance_id is not None:
        member_id = group.static_ids.get(instance_id, UNKNOWN_MEMBER)
    error = group.error_of(member_id, instance_id)
    if error is ErrorCode.NONE:
        remove(context, group, member_id)
    return error


def left_unknown_group(request: LeaveGroup) -> LeaveAnswer:
    """Return the answer for a group that does not exist, and so has no members."""
    error = ErrorCode.UNKNOWN_MEMBER_ID
    return LeaveAnswer(ErrorCode.NONE, tuple(LeftMember(*one, error) for one in request.members))
