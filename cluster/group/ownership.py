"""The partitions of `__consumer_offsets` that this broker leads: election, loading, resignation.

The leader epoch of the partition is the coordinator's: what it appends names it, and what comes
from an earlier one, a load or an outcome, has no effect.

Source: Kafka's GroupMetadataManager and GroupCoordinator.onGroupLoaded, onGroupUnloaded.
"""

from cluster.group.context import Context, OffsetsPartition, StoredOffsets
from cluster.group.effects import Load
from cluster.group.events import Elected, Loaded, Resigned
from cluster.group.group import Group
from cluster.group.membership import refuse_waiting, renew
from cluster.group.rebalance import prepare
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode


def elect(context: Context, event: Elected) -> None:
    """Load the partition, unless this broker has led it without interruption.

    In the next leader epoch the log is what it was: the groups stay.  After an interruption another
    broker may have led.
    """
    number, epoch = event
    partition = context.partitions.get(number)
    if partition is not None:
        if epoch <= partition.leader_epoch:
            return
        if epoch == partition.leader_epoch + 1 and not partition.is_loading:
            partition.leader_epoch = epoch
            return
        unload(context, number)
    context.partitions[number] = OffsetsPartition(epoch)
    context.effects.append(Load(number, epoch))


def finish_loading(context: Context, event: Loaded) -> None:
    """Serve the groups that were loaded, unless the load is one of an earlier epoch."""
    partition = context.partitions.get(event.partition)
    if partition is None or not partition.is_loading:
        return
    if partition.leader_epoch != event.leader_epoch:
        return
    partition.is_loading = False
    partition.groups = dict(event.replay.groups(event.partition, context.wall_ms))
    for group in partition.groups.values():
        on_loaded(context, group)


def on_loaded(context: Context, group: Group) -> None:
    """Let all sessions begin; a group above `group.max.size` has to choose who stays."""
    if len(group.members) > context.config.max_size:
        prepare(context, group)
    for member in group.members.values():
        renew(context, group, member)


def resign(context: Context, event: Resigned) -> None:
    """Drop the partition's groups, unless a later election is known."""
    partition = context.partitions.get(event.partition)
    if partition is None:
        return
    if event.leader_epoch is None or event.leader_epoch >= partition.leader_epoch:
        unload(context, event.partition)


def unload(context: Context, number: int) -> None:
    """Drop the groups; clients that wait are sent to the next coordinator.

    A commit that is being appended may be in the log or not.
    """
    partition = context.partitions.pop(number)
    for group in partition.groups.values():
        group.enter(GroupState.DEAD, context.wall_ms)
        for member in group.members.values():
            refuse_waiting(context, group, member, ErrorCode.NOT_COORDINATOR)
    for waiting in partition.waiting.values():
        if isinstance(waiting, StoredOffsets):
            refused = waiting.request.refused(ErrorCode.NOT_COORDINATOR)
            context.respond(waiting.request_id, refused)
