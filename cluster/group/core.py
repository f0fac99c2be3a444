"""The group coordinator's core: from one event to the effects that follow from it.

Every broker has one, for the groups in those partitions of `__consumer_offsets` that it leads.

Source: Kafka's GroupCoordinator.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import assert_never

from cluster.group import committing, static_members, syncing
from cluster.group.answers import FetchAnswer, FetchedOffset
from cluster.group.config import GroupConfig
from cluster.group.context import (
    JOIN,
    SESSION,
    Context,
    StoredAssignment,
    StoredOffsets,
    StoredStaticMember,
    Waiting,
)
from cluster.group.effects import Append, Effect
from cluster.group.events import (
    Appended,
    AppendFailed,
    Elected,
    Event,
    ExpirationDue,
    Loaded,
    Requested,
    Resigned,
    TopicsDeleted,
    TransactionEnded,
)
from cluster.group.group import Group
from cluster.group.ownership import elect, finish_loading, resign
from cluster.group.rebalance import on_join_deadline, on_session_deadline, on_sync_deadline
from cluster.group.removal import expire_offsets, remove_offsets
from cluster.group.requests import CommitOffsets
from cluster.group.serving import group_for, refuse_status, serve
from cluster.group.states import GroupState
from cluster.group.storing import commit_error
from cluster.group.views import UNKNOWN_GROUP, GroupView, ListedGroup, describe, is_listed, listed
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import CommitRecords
from cluster.model.ids import TopicPartition


class GroupCoordinator:
    """The coordinator of one broker.

    Every event goes to `step`, with the time in ms of a clock that does not fall, and that of the
    wall clock, which goes into records.  After each step the shell asks for `next_deadline`, and
    calls `on_deadline` when it has come.  *new_id* gives strings that were never given before.

    *partition_count* is that of `__consumer_offsets`.
    """

    __slots__ = ("_context",)

    def __init__(
        self, config: GroupConfig, partition_count: int, new_id: Callable[[], str]
    ) -> None:
        self._context = Context(config, partition_count, new_id)

    # What happens.

    def step(self, event: Event, now_ms: int, wall_ms: int) -> tuple[Effect, ...]:
        """Handle *event*, and return the effects of it, in their order."""
        context = self._begin(now_ms, wall_ms)
        match event:
            case Requested(request_id, request):
                serve(context, request_id, request)
            case Appended() | AppendFailed():
                self._go_on(event)
            case Elected():
                elect(context, event)
            case Loaded():
                finish_loading(context, event)
            case Resigned():
                resign(context, event)
            case TopicsDeleted(partitions):
                for group in tuple(self._groups()):
                    remove_offsets(context, group, partitions)
            case ExpirationDue(expiration_ms):
                expire_offsets(context, tuple(self._groups()), expiration_ms)
            case TransactionEnded(number, producer_id, is_commit):
                for group in self._groups_in(number):
                    group.offsets.end_transaction(producer_id, is_commit=is_commit)
            case _:
                assert_never(event)
        return self._end()

    def next_deadline(self) -> int | None:
        """Return when `on_deadline` has to be called, in ms; None for never."""
        return self._context.timers.next_deadline()

    def on_deadline(self, now_ms: int, wall_ms: int) -> tuple[Effect, ...]:
        """Handle the deadlines up to *now_ms*; an early call does no harm."""
        context = self._begin(now_ms, wall_ms)
        for timer in context.timers.due(now_ms):
            if timer.group.state is GroupState.DEAD:
                continue
            if timer.kind == SESSION:
                on_session_deadline(context, timer.group, timer.member_id)
            elif timer.kind == JOIN:
                on_join_deadline(context, timer.group)
            else:
                on_sync_deadline(context, timer.group)
        return self._end()

    def _begin(self, now_ms: int, wall_ms: int) -> Context:
        context = self._context
        assert now_ms >= context.now_ms, "the time does not fall"
        context.now_ms, context.wall_ms = now_ms, wall_ms
        return context

    def _end(self) -> tuple[Effect, ...]:
        effects = tuple(self._context.effects)
        self._context.effects.clear()
        return effects

    def _go_on(self, event: Appended | AppendFailed) -> None:
        """Continue what waited for an append; a result of an earlier epoch is too late."""
        partition = self._context.partitions.get(event.partition)
        waiting = None if partition is None else partition.waiting.pop(event.append_id, None)
        if waiting is None:
            return
        if isinstance(event, Appended):
            on_stored(self._context, event, waiting)
        else:
            on_failed(self._context, event, waiting)

    def _groups(self) -> Iterator[Group]:
        for partition in self._context.partitions.values():
            yield from partition.groups.values()

    def _groups_in(self, number: int) -> Iterator[Group]:
        partition = self._context.partitions.get(number)
        if partition is not None:
            yield from partition.groups.values()

    # Commits whose append ends at once: half of the way of `step` is for those that wait.

    def begin_commit(self, request: CommitOffsets, now_ms: int, wall_ms: int) -> Append | ErrorCode:
        """Return the append of the commit, or why it is refused; metadata are not looked at.

        `end_commit` or `fail_commit` follows, before any other event.
        """
        context = self._begin(now_ms, wall_ms)
        group = group_for(context, request)
        assert group is not None, "only members leave a group that does not exist"
        if isinstance(group, ErrorCode):
            return group
        error = committing.admit(context, group, request)
        if error is not ErrorCode.NONE:
            return error
        number = group.partition
        records = CommitRecords(group.group_id, request.offsets)
        return Append(number, context.partitions[number].leader_epoch, records)

    def end_commit(self, request: CommitOffsets, log_offset: int) -> None:
        """Commit what was appended at *log_offset*."""
        group = self._context.group(request.group_id)
        assert group is not None, "nothing has happened since the commit began"
        group.offsets.commit(log_offset, request.offsets)

    def fail_commit(self, error: ErrorCode) -> ErrorCode:
        """Return what the client receives when the log refused its commit with *error*."""
        return commit_error(error)

    # What is asked, and changes nothing.

    def refusal(self, group_id: str) -> ErrorCode:
        """Return why this coordinator does not answer for the group: NONE if it does."""
        return refuse_status(self._context, group_id, allows_empty=True)

    def fetch_offsets(
        self,
        group_id: str,
        partitions: Collection[TopicPartition] | None,
        *,
        requires_stable: bool = False,
    ) -> FetchAnswer:
        """Return the committed offsets of *partitions*; None for all that the group has.

        *requires_stable* is for versions from 7 on: an offset that may still change is refused.
        """
        error = self.refusal(group_id)
        if error is not ErrorCode.NONE:
            return FetchAnswer(error, {})
        group = self._context.group(group_id)
        if group is None:
            return FetchAnswer(ErrorCode.NONE, dict.fromkeys(partitions or (), FetchedOffset()))
        offsets = group.offsets
        wanted = offsets.committed if partitions is None else partitions
        found = {one: offsets.fetch(one, requires_stable=requires_stable) for one in wanted}
        return FetchAnswer(ErrorCode.NONE, found)

    def describe(self, group_id: str) -> GroupView:
        """Return the state and the members of a group; one that is not there is Dead."""
        error = self.refusal(group_id)
        if error is not ErrorCode.NONE:
            return GroupView(error)
        group = self._context.group(group_id)
        return UNKNOWN_GROUP if group is None else describe(group)

    def counts(self) -> tuple[Mapping[GroupState, int], int]:
        """Return how many groups are in each state that some are in, and how many offsets all have
        committed.
        """
        groups = tuple(self._groups())
        offset_count = sum(len(group.offsets.committed) for group in groups)
        return Counter(group.state for group in groups), offset_count

    def list_groups(
        self, states: Collection[str] = (), types: Collection[str] = ()
    ) -> tuple[ErrorCode, tuple[ListedGroup, ...]]:
        """Return the groups in one of *states* and of one of *types*, whatever the case; none means
        all.

        With an error while something is loaded: the list is not complete.
        """
        is_loading = any(one.is_loading for one in self._context.partitions.values())
        error = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if is_loading else ErrorCode.NONE
        found = (one for one in self._groups() if is_listed(one, states, types))
        return error, tuple(map(listed, found))


def on_stored(context: Context, event: Appended, waiting: Waiting) -> None:
    match waiting:
        case StoredAssignment():
            syncing.on_stored(context, waiting)
        case StoredStaticMember():
            static_members.on_stored(context, waiting)
        case StoredOffsets():
            committing.on_stored(context, event.append_id, event.log_offset, waiting)
        case _:
            assert_never(waiting)


def on_failed(context: Context, event: AppendFailed, waiting: Waiting) -> None:
    match waiting:
        case StoredAssignment():
            syncing.on_failed(context, waiting, event.error)
        case StoredStaticMember():
            static_members.on_failed(context, waiting, event.error)
        case StoredOffsets():
            committing.on_failed(context, event.append_id, waiting, event.error)
        case _:
            assert_never(waiting)
