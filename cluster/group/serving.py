"""Requests: which coordinator and which group they are for, and what a missing group means.

Source: Kafka's GroupCoordinator.
"""

from typing import Final, assert_never

from cluster.group import committing, syncing
from cluster.group.answers import UNKNOWN_MEMBER, Answer
from cluster.group.context import Context
from cluster.group.group import NONE, Group
from cluster.group.joining import join
from cluster.group.leaving import leave, left_unknown_group
from cluster.group.membership import heartbeat
from cluster.group.removal import delete_group, delete_offsets
from cluster.group.requests import (
    CommitOffsets,
    CommitTransactionalOffsets,
    DeleteGroup,
    DeleteOffsets,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    Request,
    SyncGroup,
)
from cluster.model.error_codes import ErrorCode

LOAD_IN_PROGRESS: Final = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

ALLOW_EMPTY_ID: Final = (CommitOffsets, DeleteGroup)
"""Requests for a group whose id is empty, too."""

LOADING: Final = {
    Heartbeat: NONE,
    SyncGroup: ErrorCode.REBALANCE_IN_PROGRESS,
}
"""While a partition is loaded: members do not expect the error that others get."""

MISSING: Final = {
    JoinGroup: ErrorCode.UNKNOWN_MEMBER_ID,
    SyncGroup: ErrorCode.UNKNOWN_MEMBER_ID,
    Heartbeat: ErrorCode.UNKNOWN_MEMBER_ID,
    CommitOffsets: ErrorCode.ILLEGAL_GENERATION,
    DeleteGroup: ErrorCode.GROUP_ID_NOT_FOUND,
    DeleteOffsets: ErrorCode.GROUP_ID_NOT_FOUND,
}
"""Why a request for a group that does not exist is refused, unless it creates the group."""


def refuse_status(context: Context, group_id: str, *, allows_empty: bool) -> ErrorCode:
    """Return why this coordinator does not answer for the group."""
    if not group_id and not allows_empty:
        return ErrorCode.INVALID_GROUP_ID
    partition = context.partition(group_id)
    if partition is None:
        return ErrorCode.NOT_COORDINATOR
    return LOAD_IN_PROGRESS if partition.is_loading else NONE


def serve(context: Context, request_id: int, request: Request) -> None:
    """Answer *request*, or let it wait."""
    group = group_for(context, request)
    if isinstance(group, Group):
        serve_group(context, group, request_id, request)
    elif group is None:
        assert isinstance(request, LeaveGroup)
        context.respond(request_id, left_unknown_group(request))
    else:
        context.respond(request_id, request.refused(group))


def group_for(context: Context, request: Request) -> Group | ErrorCode | None:
    """Return the group that *request* is for, which may be made by this, or why it is refused;
    None for a member that leaves a group which does not exist.
    """
    error = refusal(context, request)
    if error is not NONE:
        return LOADING.get(type(request), error) if error is LOAD_IN_PROGRESS else error
    group = context.group(request.group_id)
    if group is not None:
        return group
    if makes_group(request):
        return context.create(request.group_id)
    return MISSING.get(type(request))


def refusal(context: Context, request: Request) -> ErrorCode:
    allows_empty = isinstance(request, ALLOW_EMPTY_ID)
    error = refuse_status(context, request.group_id, allows_empty=allows_empty)
    if error is NONE and isinstance(request, JoinGroup):
        config, timeout_ms = context.config, request.session_timeout_ms
        if not config.min_session_timeout_ms <= timeout_ms <= config.max_session_timeout_ms:
            return ErrorCode.INVALID_SESSION_TIMEOUT
    return error


def makes_group(request: Request) -> bool:
    """Return whether this request creates the group if it does not exist."""
    match request:
        case JoinGroup():
            return request.member_id == UNKNOWN_MEMBER
        case CommitOffsets():
            return request.generation < 0
        case _:
            return isinstance(request, CommitTransactionalOffsets)


def serve_group(context: Context, group: Group, request_id: int, request: Request) -> None:
    answer: Answer | None = None
    match request:
        case JoinGroup():
            join(context, group, request_id, request)
        case SyncGroup():
            syncing.sync(context, group, request_id, request)
        case CommitOffsets():
            committing.commit(context, group, request_id, request)
        case CommitTransactionalOffsets():
            committing.commit_in_transaction(context, group, request_id, request)
        case Heartbeat():
            answer = heartbeat(context, group, request)
        case LeaveGroup():
            answer = leave(context, group, request)
        case DeleteGroup():
            answer = delete_group(context, group)
        case DeleteOffsets():
            answer = delete_offsets(context, group, request)
        case _:
            assert_never(request)
    if answer is not None:
        context.respond(request_id, answer)
