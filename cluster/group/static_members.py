"""Static members that come back: a client takes the place of one with the same instance id.

In a stable group that is no rebalance (KIP-345): the new client gets the assignment of the old one.
The log must know the new id before the client does, or the next coordinator would fence it.

Source: Kafka's GroupCoordinator.updateStaticMemberAndRebalance.
"""

from dataclasses import replace as with_fields

from cluster.group.answers import NO_LEADER, JoinAnswer
from cluster.group.context import Context, ReplacedMember, StoredStaticMember
from cluster.group.group import Group
from cluster.group.membership import answer_join, await_join, refuse_waiting, renew
from cluster.group.rebalance import prepare
from cluster.group.requests import JoinGroup
from cluster.group.states import GroupState
from cluster.group.storing import assignment_error
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataKey


def replace(
    context: Context,
    group: Group,
    request_id: int,
    request: JoinGroup,
    old_id: str,
    new_id: str,
) -> None:
    """Replace the static member *old_id* by the client of *request*, as *new_id*."""
    member = group.members[old_id]
    before = ReplacedMember(
        old_id, member.protocols, member.rebalance_timeout_ms, member.session_timeout_ms
    )
    leader_id = group.leader_id or NO_LEADER
    refuse_waiting(context, group, member, ErrorCode.FENCED_INSTANCE_ID)
    context.end_session(group, old_id)
    group.rename(old_id, new_id)
    group.update(
        member, request.protocols, request.rebalance_timeout_ms, request.session_timeout_ms
    )
    await_join(context, group, member, request_id)
    renew(context, group, member)
    match group.state:
        case GroupState.STABLE if group.protocol_name == group.choose_protocol():
            waiting = StoredStaticMember(
                group,
                group.generation,
                member,
                new_id,
                before,
                leader_id,
                request.can_skip_assignment,
            )
            store(context, group, waiting)
        case GroupState.STABLE | GroupState.COMPLETING_REBALANCE:
            # The leader may assign to the old id, or the protocol is another now.
            prepare(context, group)
        case GroupState.PREPARING_REBALANCE:
            pass
        case GroupState.EMPTY | GroupState.DEAD:
            raise AssertionError(f"{group.group_id} has members and is {group.state}")


def store(context: Context, group: Group, waiting: StoredStaticMember) -> None:
    assignments = {one.member_id: one.assignment for one in group.members.values()}
    record = (GroupMetadataKey(group.group_id), group.stored(assignments))
    context.append(context.next_append_id(), (record,), waiting)


def on_stored(context: Context, waiting: StoredStaticMember) -> None:
    """Let the client continue in the current generation.

    Before version 9 a leader that returned would assign again, to a group that does not wait for
    it: so its answer names its old id as the leader.  If a rebalance has begun meanwhile, the
    JoinGroup is a part of that.
    """
    group, member = waiting.group, waiting.member
    if not is_current(waiting):
        return
    answer = group.join_answer(member)
    if waiting.can_skip_assignment:
        answer = with_fields(answer, skip_assignment=member.member_id == group.leader_id)
    else:
        answer = with_fields(answer, leader_id=waiting.leader_id, members=())
    answer_join(context, group, member, answer)


def on_failed(context: Context, waiting: StoredStaticMember, error: ErrorCode) -> None:
    """Restore the old client: the next coordinator will know no other."""
    if not is_current(waiting):
        return
    group, member = waiting.group, waiting.member
    answer = JoinAnswer(
        error=assignment_error(error),
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader_id=waiting.leader_id,
    )
    answer_join(context, group, member, answer)
    old_id, protocols, rebalance_ms, session_ms = waiting.replaced
    group.update(member, protocols, rebalance_ms, session_ms)
    context.end_session(group, waiting.member_id)
    group.rename(waiting.member_id, old_id)
    renew(context, group, member)


def is_current(waiting: StoredStaticMember) -> bool:
    """Return whether nothing has come between: no rebalance, and no further client in the same
    place.
    """
    group = waiting.group
    is_same = group.state is GroupState.STABLE and group.generation == waiting.generation
    return is_same and group.members.get(waiting.member_id) is waiting.member
