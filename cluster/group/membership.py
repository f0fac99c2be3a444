"""Sessions of members, and the answers to their requests that wait.

Source: Kafka's GroupCoordinator.
"""

from typing import Final

from cluster.group.answers import HeartbeatAnswer, JoinAnswer, SyncAnswer
from cluster.group.context import Context
from cluster.group.group import Group
from cluster.group.member import Member
from cluster.group.requests import Heartbeat
from cluster.group.states import HEARTBEAT
from cluster.model.error_codes import ErrorCode

NEW_MEMBER_TIMEOUT_MS: Final = 5 * 60 * 1000
"""For how long a new member's JoinGroup waits.

The client cannot send heartbeats before it knows its id, and may be gone: it would keep the group
from a rebalance for ever.
"""


def heartbeat(context: Context, group: Group, request: Heartbeat) -> HeartbeatAnswer:
    error = group.error_in_generation(
        request.member_id, request.group_instance_id, request.generation
    )
    if error is ErrorCode.NONE:
        error = HEARTBEAT[group.state]
        renew(context, group, group.members[request.member_id])
    return HeartbeatAnswer(error)


def renew(context: Context, group: Group, member: Member) -> None:
    """Renew the session of *member*."""
    context.set_session(group, member.member_id, member.session_timeout_ms)


def answer_join(context: Context, group: Group, member: Member, answer: JoinAnswer) -> None:
    """Answer the JoinGroup of *member* that waits, if there is one."""
    request_id = group.end_joining(member)
    if request_id is not None:
        context.respond(request_id, answer)


def answer_sync(context: Context, member: Member, answer: SyncAnswer) -> bool:
    """Answer the SyncGroup of *member* that waits; return whether there was one."""
    request_id, member.syncing = member.syncing, None
    if request_id is not None:
        context.respond(request_id, answer)
    return request_id is not None


def refuse_waiting(context: Context, group: Group, member: Member, error: ErrorCode) -> None:
    """Answer all waiting requests of *member* with *error*."""
    answer_join(context, group, member, JoinAnswer(error=error))
    answer_sync(context, member, SyncAnswer(error=error))


def await_join(context: Context, group: Group, member: Member, request_id: int) -> None:
    """Let a JoinGroup wait; an earlier one of the same member would wait for ever otherwise."""
    again = JoinAnswer(error=ErrorCode.REBALANCE_IN_PROGRESS, member_id=member.member_id)
    answer_join(context, group, member, again)
    group.begin_joining(member, request_id)


def await_sync(context: Context, member: Member, request_id: int) -> None:
    """Let a SyncGroup wait, in the place of an earlier one of the same member."""
    answer_sync(context, member, SyncAnswer(error=ErrorCode.REBALANCE_IN_PROGRESS))
    member.syncing = request_id


def drop(context: Context, group: Group, member_id: str) -> None:
    """Forget a member or an id that was given out, without a rebalance."""
    member = group.members.get(member_id)
    if member is not None:
        refuse_waiting(context, group, member, ErrorCode.UNKNOWN_MEMBER_ID)
    group.remove(member_id)
    context.end_session(group, member_id)
