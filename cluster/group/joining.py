"""JoinGroup: who is let into a group, and who causes a rebalance.

Source: Kafka's GroupCoordinator, KIP-394 (required member ids) and KIP-345 (static members).
"""

from typing import Final

from cluster.group import static_members
from cluster.group.answers import UNKNOWN_MEMBER, JoinAnswer
from cluster.group.context import Context
from cluster.group.group import Group
from cluster.group.member import Member
from cluster.group.membership import NEW_MEMBER_TIMEOUT_MS, await_join, drop
from cluster.group.rebalance import complete_if_all_joined, prepare_if_possible
from cluster.group.requests import JoinGroup
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode

MEMBER_ID_SIZE_MAX: Final = 2**15 - 1
"""How many bytes the log and the protocol have for an id, which begins with the client's."""


def join(context: Context, group: Group, request_id: int, request: JoinGroup) -> None:
    """Answer *request*, or let it wait for the next generation."""
    error = refusal(context, group, request)
    if error is ErrorCode.GROUP_MAX_SIZE_REACHED:
        drop(context, group, request.member_id)
        context.respond(request_id, JoinAnswer(error=error))
    elif error is not ErrorCode.NONE:
        context.respond(request_id, request.refused(error))
    elif request.member_id == UNKNOWN_MEMBER:
        join_new(context, group, request_id, request)
    else:
        join_known(context, group, request_id, request)
    complete_if_all_joined(context, group)


def refusal(context: Context, group: Group, request: JoinGroup) -> ErrorCode:
    """Return why the group does not admit the request, whichever member sends it."""
    if not has_room(group, request.member_id, context.config.max_size):
        return ErrorCode.GROUP_MAX_SIZE_REACHED
    names = [name for name, _ in request.protocols]
    if not group.supports(request.protocol_type, names):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return ErrorCode.NONE


def has_room(group: Group, member_id: str, size_max: int) -> bool:
    """Return whether the member may be in the next generation.

    While a group rebalances, those count that have joined again: a group that is too large, after
    the limit was lowered, loses those that come last.
    """
    member = group.members.get(member_id)
    match group.state:
        case GroupState.EMPTY | GroupState.DEAD:
            return True
        case GroupState.PREPARING_REBALANCE:
            is_in = member is not None and member.joining is not None
            return is_in or group.joining_count < size_max
        case GroupState.COMPLETING_REBALANCE | GroupState.STABLE:
            return member is not None or len(group.members) < size_max


def join_new(context: Context, group: Group, request_id: int, request: JoinGroup) -> None:
    """Give a client without a member id one."""
    instance_id = request.group_instance_id
    name = request.client_id if instance_id is None else instance_id
    member_id = f"{name}-{context.new_id()}"
    if len(member_id.encode()) > MEMBER_ID_SIZE_MAX:
        context.respond(request_id, request.refused(ErrorCode.INVALID_REQUEST))
    elif instance_id is not None:
        old_id = group.static_ids.get(instance_id)
        if old_id is not None:
            static_members.replace(context, group, request_id, request, old_id, member_id)
        else:
            add(context, group, request_id, request, member_id)
    elif request.requires_known_id:
        # A client that gives up before it knows its id would stay in the group: it comes again.
        group.pending_members.add(member_id)
        context.set_session(group, member_id, request.session_timeout_ms)
        error = ErrorCode.MEMBER_ID_REQUIRED
        context.respond(request_id, JoinAnswer(error=error, member_id=member_id))
    else:
        add(context, group, request_id, request, member_id)


def join_known(context: Context, group: Group, request_id: int, request: JoinGroup) -> None:
    """Let a client with a member id join, if the id is one that the group knows."""
    member_id = request.member_id
    if member_id in group.pending_members and request.group_instance_id is None:
        add(context, group, request_id, request, member_id)
        return
    error = group.error_of(member_id, request.group_instance_id)
    if error is ErrorCode.NONE:
        rejoin(context, group, request_id, request)
    else:
        context.respond(request_id, request.refused(error))


def rejoin(context: Context, group: Group, request_id: int, request: JoinGroup) -> None:
    """Begin a rebalance if the member has something new to say; the leader always has.

    Any other gets the current generation again: it may have missed the answer.
    """
    member = group.members[request.member_id]
    is_same = member.protocols == request.protocols
    is_leader = member.member_id == group.leader_id
    match group.state:
        case GroupState.COMPLETING_REBALANCE if is_same:
            context.respond(request_id, group.join_answer(member))
        case GroupState.STABLE if is_same and not is_leader:
            context.respond(request_id, group.join_answer(member))
        case _:
            group.update(
                member,
                request.protocols,
                request.rebalance_timeout_ms,
                request.session_timeout_ms,
            )
            await_join(context, group, member, request_id)
            prepare_if_possible(context, group)


def add(
    context: Context, group: Group, request_id: int, request: JoinGroup, member_id: str
) -> None:
    """Add a member, which begins a rebalance."""
    member = Member.joins(member_id, request)
    if group.state is GroupState.PREPARING_REBALANCE and group.generation == 0:
        group.has_new_member = True
    group.add(member, request.protocol_type)
    await_join(context, group, member, request_id)
    context.set_session(group, member_id, NEW_MEMBER_TIMEOUT_MS)
    prepare_if_possible(context, group)
