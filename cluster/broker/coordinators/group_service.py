"""The shell of the group coordinator: executes the effects of the core.

`cluster.group` decides; here are the log, the clock, and those who wait for answers.  Events are
taken one after the other: what an effect leads to at once, an append that is committed for example,
has its turn once the effects before it are carried out.

Source: Kafka's GroupCoordinator and GroupMetadataManager.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, assert_never
from uuid import UUID

from cluster.broker.coordinators.group_loading import GroupLoading
from cluster.broker.handling import Cancel
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.replica_manager import appending
from cluster.broker.replica_manager.appending import (
    ALL_ACKS,
    LEADER_ACKS,
    Appender,
    Refusal,
    answers_at_once,
)
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus, await_appends
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.batch_building import build_batch
from cluster.formats.group_records import encode_all
from cluster.group.answers import Answer, FetchAnswer
from cluster.group.context import partition_of
from cluster.group.core import GroupCoordinator
from cluster.group.effects import Append, Effect, Load, Respond
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
)
from cluster.group.replay import Replay
from cluster.group.requests import CommitOffsets, Request
from cluster.group.states import GroupState
from cluster.group.views import GroupView, ListedGroup
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import OFFSETS_TOPIC, LeaderEpoch, TopicPartition
from cluster.storage.log.growing_log import AppendOutcome
from cluster.wire.errors import UnencodableMessageError

OTHER_EPOCH: Final = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH)
"""Errors of a partition that this broker leads in another epoch, or not any more."""


class GroupService:
    """The groups of this broker; a listener of leadership, and of topics that are deleted."""

    __slots__ = (
        "_answered",
        "_appender",
        "_cache",
        "_core",
        "_events",
        "_is_working",
        "_last_request",
        "_led",
        "_loading",
        "_partition_count",
        "_partitions",
        "_planned_ms",
        "_ports",
        "_stop_timer",
    )

    def __init__(
        self, ports: Ports, cache: MetadataCache, partitions: Partitions, appender: Appender
    ) -> None:
        self._ports = ports
        self._cache = cache
        self._partitions = partitions
        self._appender = appender
        self._loading = GroupLoading(ports, partitions)
        self._led: dict[int, LeaderEpoch] = {}
        """The partitions of `__consumer_offsets` that this broker leads."""
        self._partition_count = ports.settings.groups.partition_count
        self._core = self._new_core()
        self._events: deque[Event] = deque()
        self._is_working = False
        self._answered: dict[int, Callable[[Answer], None]] = {}
        self._last_request = 0
        self._planned_ms: int | None = None
        self._stop_timer: Cancel | None = None
        cache.watch(self._look_at_topic)
        cache.deletion_listeners.append(self._topics_deleted)

    def _new_core(self) -> GroupCoordinator:
        return GroupCoordinator(
            self._ports.settings.groups.config, self._partition_count, self._new_id
        )

    def _new_id(self) -> str:
        return str(UUID(bytes=self._ports.random_stream.unique_id()))

    def stop(self) -> None:
        """Start no further loads, and cancel the timer."""
        self._loading.stop()
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None

    # What clients ask.

    def ask(self, request: Request, answered: Callable[[Answer], None]) -> None:
        """Have *request* answered: at once, or when other members, the log or a timer allow it."""
        self._last_request += 1
        self._answered[self._last_request] = answered
        self._take(Requested(self._last_request, request))

    def commit_at_once(self, request: CommitOffsets) -> ErrorCode | None:
        """Commit offsets without metadata, and return the error; return None, and nothing has
        happened, where the commit waits for followers or a disk.
        """
        number = partition_of(request.group_id, self._partition_count)
        hosted = self._partitions.led(OFFSETS_TOPIC, number)
        if (
            not isinstance(hosted, HostedPartition)
            or not answers_at_once(hosted, ALL_ACKS)
            or self._is_working
        ):
            return None
        core, clock = self._core, self._ports.clock
        self._is_working = True
        try:
            begun = core.begin_commit(request, clock.now_ms(), clock.wall_ms())
            if isinstance(begun, ErrorCode):
                error = begun
            else:
                written = self._write(begun, ALL_ACKS)
                if isinstance(written, ErrorCode):
                    error = core.fail_commit(written)
                else:
                    assert not written.must_wait(ALL_ACKS), "nothing is waited for"
                    core.end_commit(request, written.outcome.base_offset)
                    error = ErrorCode.NONE
        finally:
            self._is_working = False
        if self._events:
            self._work()
        else:
            self._plan()
        return error

    def refusal(self, group_id: str) -> ErrorCode:
        """Return why this broker does not answer for the group: NONE if it does."""
        return self._core.refusal(group_id)

    def fetch_offsets(
        self,
        group_id: str,
        partitions: Collection[TopicPartition] | None,
        *,
        requires_stable: bool,
    ) -> FetchAnswer:
        """Return the committed offsets of *partitions*; None for all that the group has."""
        return self._core.fetch_offsets(group_id, partitions, requires_stable=requires_stable)

    def describe(self, group_id: str) -> GroupView:
        return self._core.describe(group_id)

    def list_groups(
        self, states: Collection[str], types: Collection[str]
    ) -> tuple[ErrorCode, tuple[ListedGroup, ...]]:
        return self._core.list_groups(states, types)

    def counts(self) -> tuple[Mapping[GroupState, int], int]:
        """Return how many groups are in each state, and how many offsets are committed."""
        return self._core.counts()

    def coordinator_of(self, group_id: str) -> int | None:
        """Return the broker that coordinates the group, maybe NO_LEADER; None without the topic."""
        known = self._cache.partitions_of(OFFSETS_TOPIC)
        if not known:
            return None
        partition = known.get(partition_of(group_id, len(known)))
        return None if partition is None else partition.leader

    # What happens in the cluster.

    def became_leader(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        if partition.topic == OFFSETS_TOPIC:
            self._led[partition.partition] = leader_epoch
            self._take(Elected(partition.partition, leader_epoch))

    def became_follower(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        if partition.topic == OFFSETS_TOPIC:
            self._led.pop(partition.partition, None)
            self._take(Resigned(partition.partition, leader_epoch))

    def stopped(self, partition: TopicPartition) -> None:
        if partition.topic == OFFSETS_TOPIC:
            self._led.pop(partition.partition, None)
            self._take(Resigned(partition.partition, None))

    def _topics_deleted(self, partitions: tuple[TopicPartition, ...]) -> None:
        if self._led:
            self._take(TopicsDeleted(partitions))

    def _look_at_topic(self) -> None:
        """Start again if the topic has another partition count than expected.

        A broker may be elected before it receives metadata of the topic, which another broker has
        created with other configs.  Kafka's broker would have to be restarted.
        """
        count = len(self._cache.partitions_of(OFFSETS_TOPIC))
        if count in (0, self._partition_count):
            return
        for number in self._led:
            self._take(Resigned(number, None))
        self._partition_count = count
        self._core = self._new_core()
        for number, leader_epoch in self._led.items():
            self._take(Elected(number, leader_epoch))

    def expire_offsets(self, settled_ms: int) -> None:
        """Remove old offsets, as of *settled_ms* of a wall clock that can be trusted."""
        self._take(ExpirationDue(settled_ms))

    # Events and effects.

    def _take(self, event: Event) -> None:
        """Let the core handle *event*, after the events before it."""
        self._events.append(event)
        self._work()

    def _work(self, *, is_due: bool = False) -> None:
        """Do what the core wants because of the events, and before that because time is up."""
        if self._is_working:
            return
        now_ms, wall_ms = self._ports.clock.now_ms(), self._ports.clock.wall_ms()
        self._is_working = True
        try:
            if is_due:
                self._carry_out(self._core.on_deadline(now_ms, wall_ms))
            while self._events:
                event = self._events.popleft()
                self._carry_out(self._core.step(event, now_ms, wall_ms))
        finally:
            self._is_working = False
        self._plan()

    def _carry_out(self, effects: Collection[Effect]) -> None:
        for effect in effects:
            match effect:
                case Respond(request_id, answer):
                    self._answered.pop(request_id)(answer)
                case Append():
                    self._append(effect)
                case Load(number, leader_epoch):
                    loaded = partial(self._loaded, number, leader_epoch)
                    self._loading.begin(number, leader_epoch, loaded)
                case _:
                    assert_never(effect)

    def _loaded(self, number: int, leader_epoch: LeaderEpoch, replay: Replay) -> None:
        self._take(Loaded(number, leader_epoch, replay))

    def _append(self, append: Append) -> None:
        """Append a batch in its leader epoch, and give the core the outcome that it waits for."""
        acks = LEADER_ACKS if append.append_id is None else ALL_ACKS
        written = self._write(append, acks)
        if append.append_id is None:
            return
        if isinstance(written, ErrorCode):
            self._append_failed(append.partition, append.append_id, written)
            return
        succeeded = Appended(append.partition, append.append_id, written.outcome.base_offset)
        if not written.must_wait(ALL_ACKS):
            self._take(succeeded)
            return
        status = ProducePartitionStatus(written, ALL_ACKS)
        core = self._core

        def over() -> None:
            if core is not self._core:
                return
            if status.outcome is ErrorCode.NONE:
                self._take(succeeded)
            else:
                self._append_failed(succeeded.partition, succeeded.append_id, status.outcome)

        timeout_ms = self._ports.settings.groups.commit_timeout_ms
        await_appends(self._ports, (status,), timeout_ms, over)

    def _append_failed(self, number: int, append_id: int, error: ErrorCode) -> None:
        self._take(AppendFailed(number, append_id, error))

    def _write(self, append: Append, acks: int) -> appending.Appended | ErrorCode:
        number = append.partition
        hosted = self._partitions.led(OFFSETS_TOPIC, number, append.leader_epoch)
        if isinstance(hosted, ErrorCode):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER if hosted in OTHER_EPOCH else hosted
        try:
            batch = build_batch(
                encode_all(append.records),
                self._ports.clock.wall_ms(),
                *append.producer,
                count=len(append.records),
            )
        except UnencodableMessageError as error:
            self._ports.journal.error(f"a record of {hosted.partition} is not written: {error}")
            return ErrorCode.UNKNOWN_SERVER_ERROR
        written = self._appender.append_to(
            hosted, memoryview(batch), acks, has_checked_records=True
        )
        if isinstance(written, Refusal):
            return written.error
        return appending.Appended(hosted, AppendOutcome(*written))

    # Deadlines.

    def _plan(self) -> None:
        """Wake up for the core's next deadline; one that was put off wakes up for nothing."""
        deadline_ms = self._core.next_deadline()
        if deadline_ms is None:
            return
        if self._planned_ms is not None:
            if self._planned_ms <= deadline_ms:
                return
            assert self._stop_timer is not None
            self._stop_timer()
        self._planned_ms = deadline_ms
        delay_ms = max(0, deadline_ms - self._ports.clock.now_ms())
        self._stop_timer = self._ports.clock.call_later(delay_ms, self._on_deadline)

    def _on_deadline(self) -> None:
        self._planned_ms = None
        self._work(is_due=True)
