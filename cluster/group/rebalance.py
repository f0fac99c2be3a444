"""Rebalances: from the first reason to the next generation.

    R1  `prepare`: members that wait for an assignment have to join again
    R2  all have joined, or the rebalance timeout is over: `complete_join`
    R3  the leader sends the assignment (`syncing`)
    R4  members that do not ask for it in time are removed, which is a reason for R1

Source: Kafka's GroupCoordinator, DelayedJoin, InitialDelayedJoin and DelayedSync.
"""

from cluster.group.answers import SyncAnswer
from cluster.group.context import JOIN, SYNC, Context
from cluster.group.group import Group, InitialDelay
from cluster.group.membership import answer_join, answer_sync, drop, renew
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataKey


def prepare_if_possible(context: Context, group: Group) -> None:
    """Begin a rebalance, unless one waits for members anyway."""
    if group.can_rebalance:
        prepare(context, group)


def prepare(context: Context, group: Group) -> None:
    """Begin a rebalance (R1).

    The first one of an empty group waits for `group.initial.rebalance.delay.ms`, so that members
    that are started together meet in one generation.
    """
    if group.state is GroupState.COMPLETING_REBALANCE:
        refuse_assignments(context, group, ErrorCode.REBALANCE_IN_PROGRESS)
    end_sync_wait(context, group)
    group.is_storing_assignment = False
    is_initial = group.state is GroupState.EMPTY
    group.enter(GroupState.PREPARING_REBALANCE, context.wall_ms)
    if is_initial:
        delay_ms = context.config.initial_rebalance_delay_ms
        group.initial_delay = InitialDelay(delay_ms, max(0, group.rebalance_timeout_ms - delay_ms))
        context.set_timer(JOIN, group, delay_ms)
    else:
        context.set_timer(JOIN, group, group.rebalance_timeout_ms)
        complete_if_all_joined(context, group)


def complete_if_all_joined(context: Context, group: Group) -> None:
    """Begin the next generation if no member is missing any more."""
    is_waiting = group.state is GroupState.PREPARING_REBALANCE and group.initial_delay is None
    if is_waiting and group.has_all_joined:
        complete_join(context, group)


def on_join_deadline(context: Context, group: Group) -> None:
    """Continue without members that have not joined, or extend the initial delay for new ones."""
    delay = group.initial_delay
    if delay is None or not group.has_new_member or delay.remaining_ms == 0:
        complete_join(context, group)
        return
    group.has_new_member = False
    delay_ms = min(context.config.initial_rebalance_delay_ms, delay.remaining_ms)
    group.initial_delay = InitialDelay(delay_ms, max(0, delay.remaining_ms - delay.delay_ms))
    context.set_timer(JOIN, group, delay_ms)


def complete_join(context: Context, group: Group) -> None:
    """Begin the next generation with the members that have joined (R2).

    Static members stay as long as their sessions last, joined or not.
    """
    assert group.state is GroupState.PREPARING_REBALANCE, group.state
    group.initial_delay = None
    context.cancel_timer(JOIN, group)
    for member in tuple(group.members.values()):
        if member.joining is None and not member.is_static:
            drop(context, group, member.member_id)
    if group.members and not group.elect_joined_leader():
        # Only static members, and none has joined: their sessions end, or one comes back.
        context.set_timer(JOIN, group, group.rebalance_timeout_ms)
        return
    group.begin_generation(context.wall_ms)
    if group.members:
        begin_sync_wait(context, group)
    else:
        # Should this be lost, the generation before comes back without anybody in it, and its
        # members' sessions end.
        record = (GroupMetadataKey(group.group_id), group.stored({}))
        context.append_unacknowledged(group, record)


def begin_sync_wait(context: Context, group: Group) -> None:
    for member in group.members.values():
        answer_join(context, group, member, group.join_answer(member))
        renew(context, group, member)
        member.is_new = False
        group.pending_sync.add(member.member_id)
    context.set_timer(SYNC, group, group.rebalance_timeout_ms)


def note_sync(context: Context, group: Group, member_id: str) -> None:
    """Note that a member has asked for its assignment."""
    group.pending_sync.discard(member_id)
    if not group.pending_sync:
        context.cancel_timer(SYNC, group)


def end_sync_wait(context: Context, group: Group) -> None:
    group.pending_sync.clear()
    context.cancel_timer(SYNC, group)


def on_sync_deadline(context: Context, group: Group) -> None:
    """Remove the members that have not asked for their assignment (R4)."""
    assert group.state in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE), group.state
    for member_id in tuple(group.pending_sync):
        drop(context, group, member_id)
    prepare(context, group)


def refuse_assignments(context: Context, group: Group, error: ErrorCode) -> None:
    """Answer all members that wait for an assignment with *error*, and take what they had."""
    for member in group.members.values():
        member.assignment = b""
        if answer_sync(context, member, SyncAnswer(error=error)):
            renew(context, group, member)


def on_session_deadline(context: Context, group: Group, member_id: str) -> None:
    """Remove a member that sent nothing for too long, or an id that never joined."""
    member = group.members.get(member_id)
    if member is None:
        remove_pending(context, group, member_id)
    elif member.needs_heartbeats:
        remove(context, group, member_id)


def remove(context: Context, group: Group, member_id: str) -> None:
    """Remove a member; the others share its partitions."""
    drop(context, group, member_id)
    if group.state is GroupState.PREPARING_REBALANCE:
        complete_if_all_joined(context, group)
    else:
        assert group.state in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE), group.state
        prepare(context, group)


def remove_pending(context: Context, group: Group, member_id: str) -> None:
    """Forget an id that was given out."""
    drop(context, group, member_id)
    complete_if_all_joined(context, group)
