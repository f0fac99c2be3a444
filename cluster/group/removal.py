"""Removal of offsets and of groups: by request, with their topics, or because they are old.

Tombstones are appended without waiting.  Should some be lost with their leader, the offsets are
there again, and go by a later expiration.

Source: Kafka's GroupMetadataManager.cleanupGroupMetadata.
"""

from collections.abc import Collection, Iterable

from cluster.group.answers import DeleteGroupAnswer, DeleteOffsetsAnswer
from cluster.group.context import Context
from cluster.group.group import Group
from cluster.group.requests import DeleteOffsets
from cluster.group.states import DELETE, GroupState
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataKey, GroupRecord, OffsetCommitKey
from cluster.model.ids import TopicPartition


def delete_group(context: Context, group: Group) -> DeleteGroupAnswer:
    """Delete a group without members, with its offsets."""
    error = DELETE[group.state]
    if error is ErrorCode.NONE:
        bury(context, group, tombstones_of(group, group.offsets.remove_all()))
    return DeleteGroupAnswer(error)


def delete_offsets(context: Context, group: Group, request: DeleteOffsets) -> DeleteOffsetsAnswer:
    """Delete offsets, but those of topics to which members of the group subscribe.

    What members of another type than consumers subscribe to is not known.
    """
    is_empty = group.state is GroupState.EMPTY
    if not is_empty and not group.is_consumer_group:
        return request.refused(ErrorCode.NON_EMPTY_GROUP)
    errors = {
        partition: ErrorCode.NONE
        if is_empty or not group.is_subscribed_to(partition.topic)
        else ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
        for partition in request.partitions
    }
    eligible = [one for one, error in errors.items() if error is ErrorCode.NONE]
    remove_offsets(context, group, eligible)
    return DeleteOffsetsAnswer(ErrorCode.NONE, errors)


def remove_offsets(context: Context, group: Group, partitions: Collection[TopicPartition]) -> None:
    """Remove offsets, and the group if it has nothing else."""
    if partitions:
        clean_up(context, group, group.offsets.remove(partitions))


def expire_offsets(context: Context, groups: Iterable[Group], now_ms: int) -> None:
    """Remove what is older than `offsets.retention.minutes`, and empty groups without offsets.

    *now_ms* is a wall clock's.
    """
    for group in tuple(groups):
        expired = group.expired_offsets(now_ms, context.config.retention_ms)
        clean_up(context, group, group.offsets.remove(expired))


def clean_up(context: Context, group: Group, removed: Iterable[TopicPartition]) -> None:
    """Append tombstones for *removed*, and one for the group if it is over."""
    tombstones = tombstones_of(group, removed)
    if group.state is GroupState.EMPTY and group.offsets.is_empty:
        bury(context, group, tombstones)
    elif tombstones:
        context.append_unacknowledged(group, *tombstones)


def tombstones_of(group: Group, removed: Iterable[TopicPartition]) -> tuple[GroupRecord, ...]:
    return tuple((OffsetCommitKey(group.group_id, *one), None) for one in removed)


def bury(context: Context, group: Group, tombstones: tuple[GroupRecord, ...]) -> None:
    """End *group*; the log has no record of one that never had members."""
    group.enter(GroupState.DEAD, context.wall_ms)
    del context.partitions[group.partition].groups[group.group_id]
    if group.generation > 0:
        tombstones = (*tombstones, (GroupMetadataKey(group.group_id), None))
    if tombstones:
        context.append_unacknowledged(group, *tombstones)
