"""OffsetCommit and TxnOffsetCommit: offsets of members, and of clients that no group manages.

Source: Kafka's GroupCoordinator and GroupMetadataManager.
"""

from collections.abc import Mapping
from typing import Final

from cluster.group.answers import UNKNOWN_MEMBER, CommitAnswer, SameError
from cluster.group.context import Context, StoredOffsets
from cluster.group.effects import NO_PRODUCER, Producer
from cluster.group.group import NONE, Group
from cluster.group.membership import renew
from cluster.group.requests import CommitOffsets, CommitTransactionalOffsets
from cluster.group.states import COMMIT, GroupState
from cluster.group.storing import commit_error
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import CommitRecords, PlainOffsets
from cluster.model.ids import TopicPartition

EMPTY: Final = GroupState.EMPTY
DEAD: Final = GroupState.DEAD


def commit(context: Context, group: Group, request_id: int, request: CommitOffsets) -> None:
    error = admit(context, group, request)
    if error is NONE:
        store(context, group, request_id, request)
    else:
        context.respond(request_id, request.refused(error))


def admit(context: Context, group: Group, request: CommitOffsets) -> ErrorCode:
    """Return why the offsets are not appended; a commit renews the session of its member, too."""
    error = refusal(group, request)
    if error is NONE and group.state is not EMPTY:
        error = COMMIT[group.state]
        if error is NONE:
            renew(context, group, group.members[request.member_id])
    return error


def commit_in_transaction(
    context: Context, group: Group, request_id: int, request: CommitTransactionalOffsets
) -> None:
    """Append the offsets in their producer's transaction."""
    error = refusal(group, request)
    if error is NONE:
        store(context, group, request_id, request)
    else:
        context.respond(request_id, request.refused(error))


def refusal(group: Group, request: CommitOffsets | CommitTransactionalOffsets) -> ErrorCode:
    """Return why the client may not commit these offsets.

    Without a generation they come from a client that no group manages, or from an operator, and
    only an empty group takes them.  Old clients commit in transactions without their member id.
    """
    member_id, instance_id = request.member_id, request.group_instance_id
    if request.generation < 0 and group.state is EMPTY:
        return NONE
    if request.generation >= 0 or member_id != UNKNOWN_MEMBER or instance_id is not None:
        return group.error_in_generation(member_id, instance_id, request.generation)
    is_transactional = isinstance(request, CommitTransactionalOffsets)
    return NONE if is_transactional else ErrorCode.UNKNOWN_MEMBER_ID


def store(
    context: Context,
    group: Group,
    request_id: int,
    request: CommitOffsets | CommitTransactionalOffsets,
) -> None:
    """Append those offsets whose metadata are not too large."""
    size_max = context.config.metadata_max_bytes
    stored = request.offsets
    # A list is made in half the time in which `any` finds that there is none.
    if not isinstance(stored, PlainOffsets) and [
        one for one in stored.values() if len(one.metadata) > size_max
    ]:
        stored = {one: value for one, value in stored.items() if len(value.metadata) <= size_max}
    waiting = StoredOffsets(group, request_id, request, stored)
    if not stored:
        answer(context, waiting, NONE)
        return
    append_id = context.next_append_id()
    group.offsets.begin(append_id, stored)
    records = CommitRecords(group.group_id, stored)
    context.append(append_id, records, waiting, producer_of(request))


def producer_of(request: CommitOffsets | CommitTransactionalOffsets) -> Producer:
    if isinstance(request, CommitOffsets):
        return NO_PRODUCER
    return Producer(request.producer_id, request.producer_epoch)


def on_stored(context: Context, append_id: int, log_offset: int, waiting: StoredOffsets) -> None:
    group, request = waiting.group, waiting.request
    if group.state is not DEAD:
        if isinstance(request, CommitOffsets):
            group.offsets.complete(append_id, log_offset)
        else:
            group.offsets.hold(request.producer_id, append_id, log_offset)
    answer(context, waiting, NONE)


def on_failed(context: Context, append_id: int, waiting: StoredOffsets, error: ErrorCode) -> None:
    waiting.group.offsets.fail(append_id)
    answer(context, waiting, commit_error(error))


def answer(context: Context, waiting: StoredOffsets, error: ErrorCode) -> None:
    stored, offsets = waiting.stored, waiting.request.offsets
    errors: Mapping[TopicPartition, ErrorCode] = SameError(stored, error)
    if stored is not offsets:
        too_large = dict.fromkeys(
            offsets.keys() - stored.keys(), ErrorCode.OFFSET_METADATA_TOO_LARGE
        )
        errors = {**errors, **too_large}
    context.respond(waiting.request_id, CommitAnswer(errors))
