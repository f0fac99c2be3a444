"""Role changes: how a broker becomes the leader or a follower of partitions, and why it refuses to.

Source: Kafka's ReplicaManager.becomeLeaderOrFollower and Partition.makeLeader, makeFollower.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.broker.control.fences import ControllerFence
from cluster.broker.control.queue import (
    LIGHT_SLICE_SIZE,
    SLICE_SIZE,
    ControlQueue,
    Turn,
    in_slices,
    throw_again,
)
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.control.unserved import Unserved
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports, TopicOverrides
from cluster.broker.refusals_log import quoted
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_manager.delayed_produce import flush, unheard
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.topic_config_handler import TopicConfigHandler
from cluster.formats.errors import CorruptFileError
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import (
    NO_LEADER_EPOCH,
    BrokerId,
    LeaderEpoch,
    TopicPartition,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_bytes, topic_id_text
from cluster.model.topic_name import can_be
from cluster.replication.replica import IsrRules, Replica
from cluster.statechange.broker import (
    LEADER_AND_ISR,
    OrderTag,
    fetchers_stopped,
    finished_leader_and_isr,
    follower_starts,
    handling,
    leader_starts,
    leader_unavailable,
    not_assigned,
    offline_directory,
    received_leader_and_isr,
    skipped_for_storage,
    stale_leader_epoch,
    topic_id_differs,
    transition_begins,
    transition_ends,
)
from cluster.statechange.controller import leader_and_isr_text
from cluster.statechange.line import StateChangeLine
from cluster.storage.directories.properties import read_topic_id, write_topic_id
from cluster.storage.errors import InvalidLogConfig, KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog

IMPOSSIBLE_NAMED_MAX: Final = 10
"""How many partitions of an order are named that cannot be; of the others it is said how many."""

TransitionLine: TypeAlias = Callable[[OrderTag, TopicPartition, int | None], StateChangeLine]


class RoleChange(NamedTuple):
    """What a request says of one partition: whom it is led by from now on."""

    partition: TopicPartition
    topic_id: bytes
    state: PartitionState
    assignment: PartitionAssignment
    is_new: bool

    def __str__(self) -> str:
        return leader_and_isr_text(self.partition, self.state, self.assignment, self.is_new)


class RolesChanged(NamedTuple):
    """What became of a request: *error* refuses all of it, *errors* are those of its partitions."""

    error: ErrorCode
    errors: Mapping[TopicPartition, ErrorCode] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChanger:
    """Makes this broker the leader or a follower of partitions."""

    ports: Ports
    cache: MetadataCache
    partitions: Partitions
    isr_rules: IsrRules
    fence: ControllerFence
    control_queue: ControlQueue
    replica_fetchers: ReplicaFetcherManager
    log_dir_moves: LogDirMoves
    topic_config_handler: TopicConfigHandler
    unserved: Unserved
    refused_partitions: RefusedPartitions
    foreign_logs: dict[TopicPartition, bytes] = field(default_factory=dict)
    """Partitions whose log here is another topic's, and the topic id for which that is logged."""

    def change(
        self,
        tag: OrderTag,
        broker_epoch: int,
        changes: Sequence[RoleChange],
        done: Callable[[RolesChanged | ApiError], None],
        turn: Turn,
    ) -> None:
        """Obey an order in its *turn*, after reading the configs of topics that are new here.

        *done* gets an ApiError while they cannot be read.  A topic whose configs are damaged is not
        served, and does not keep the others waiting.
        """
        unknown: dict[str, None] = {}

        def look_for(change: RoleChange) -> None:
            topic = change.partition.topic
            if (
                topic not in unknown
                and can_be(change.partition)
                and self.partitions.find(change.partition) is None
            ):
                unknown[topic] = None

        def told(overrides: TopicOverrides | ApiError) -> None:
            if isinstance(overrides, ApiError):
                done(overrides)
                turn.finish()
            else:
                self.topic_config_handler.learn(overrides)
                self._obey(tag, broker_epoch, changes, overrides, done, turn)

        def read() -> None:
            if unknown:
                self.ports.store.read_topic_overrides(tuple(unknown), turn.step(told))
            else:
                told({})

        clock = self.ports.clock
        in_slices(clock, turn, changes, look_for, throw_again, read, size=LIGHT_SLICE_SIZE)

    def _obey(
        self,
        tag: OrderTag,
        broker_epoch: int,
        changes: Sequence[RoleChange],
        overrides: TopicOverrides,
        done: Callable[[RolesChanged | ApiError], None],
        turn: Turn,
    ) -> None:
        clock, journal = self.ports.clock, self.ports.journal
        began_ms = clock.now_ms()
        journal.state_change(handling(tag, "LeaderAndIsr", len(changes)))
        # Only now: a newer controller may have been heard while the configs were read.
        error = self.fence.refusal(tag, "LeaderAndIsr", broker_epoch)
        if error is not ErrorCode.NONE:
            done(RolesChanged(error))
            turn.finish()
            return
        role_changes = RoleChanges(self, tag, overrides, turn)

        unserved: dict[TopicPartition, RoleChange] = {}

        def obey_again(partitions: Sequence[TopicPartition]) -> None:
            """Once their configs are mended; the controller does not wait for it."""
            refused = [unserved[partition] for partition in partitions]

            def told(changed: RolesChanged | ApiError) -> None:
                if isinstance(changed, ApiError):
                    self.unserved.keep(partitions, obey_again)
                    return
                for partition, error in changed.errors.items():
                    if error is ErrorCode.NONE:
                        journal.info(
                            f"partition {partition} is served: its topic's configs are mended"
                        )

            is_queued = self.control_queue.enter(
                lambda turn: self.change(tag, broker_epoch, refused, told, turn),
                lambda: None,
                0,
            )
            if not is_queued:
                self.unserved.keep(partitions, obey_again)

        def end() -> None:
            unserved.update((change.partition, change) for change in role_changes.unserved)
            self.unserved.keep(unserved, obey_again)
            self.topic_config_handler.settle(overrides)
            duration_ms = clock.now_ms() - began_ms
            journal.state_change(finished_leader_and_isr(tag, duration_ms, len(changes)))
            done(RolesChanged(ErrorCode.NONE, role_changes.errors))
            turn.finish()

        role_changes.make(changes, end)


class RoleChanges:
    """One accepted request at work; `errors` has the outcome of each partition afterwards."""

    def __init__(
        self, changer: RoleChanger, tag: OrderTag, overrides: TopicOverrides, turn: Turn
    ) -> None:
        """*overrides* are those of the topics that are new to this broker."""
        self._changer = changer
        self._turn = turn
        self._ports = changer.ports
        self._tag = tag
        self._overrides = overrides
        self._settings: dict[str, EffectiveTopicConfigs] = {}
        self._followers: dict[TopicPartition, HostedPartition] = {}
        """Those that have begun to follow, and are not fetched yet."""
        self._impossible_count = 0
        self.unserved: list[RoleChange] = []
        """Those of topics whose configs cannot be served."""
        self.errors: dict[TopicPartition, ErrorCode] = {}

    def make(self, changes: Sequence[RoleChange], done: Callable[[], None]) -> None:
        """Make all that are not refused, those to leaders first, then call *done*."""
        leading: list[RoleChange] = []
        following: list[RoleChange] = []

        def judge(change: RoleChange) -> None:
            self.errors[change.partition] = error = self._judged(change)
            if error is ErrorCode.NONE and change.state.leader_epoch != self._epoch_of(change):
                is_leader = change.state.leader == self._ports.registration.broker_id
                (leading if is_leader else following).append(change)

        def lead() -> None:
            self._tell_rest_of_impossible()
            self._trace(transition_begins, leading)
            # Before any of them leads: nothing that the former leader said may come behind that.
            self._changer.replica_fetchers.stop(change.partition for change in leading)
            if leading:
                self._say(fetchers_stopped(self._tag, True, len(leading)))
            self._in_slices(leading, self._lead, follow_then)

        def follow_then() -> None:
            self._trace(transition_ends, leading)
            self._follow_all(following, done)

        self._in_slices(changes, judge, lead, LIGHT_SLICE_SIZE)

    def _judged(self, change: RoleChange) -> ErrorCode:
        """As `_refusal`, also of what cannot be; says what came."""
        if not can_be(change.partition):
            self._tell_impossible(change.partition)
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        if self._ports.settings.traces_state_changes:
            self._say(received_leader_and_isr(self._tag, str(change)))
        return self._refusal(change)

    def _tell_impossible(self, named: TopicPartition) -> None:
        self._impossible_count += 1
        if self._impossible_count <= IMPOSSIBLE_NAMED_MAX:
            self._ports.journal.error(
                f"partition {named.partition} of topic {quoted(named.topic)} is not"
                " served: it cannot be called this"
            )

    def _tell_rest_of_impossible(self) -> None:
        rest = self._impossible_count - IMPOSSIBLE_NAMED_MAX
        if rest > 0:
            self._ports.journal.error(
                f"{rest} more partitions of the same order are not served: they cannot be called as"
                " they are"
            )

    def _follow_all(self, following: list[RoleChange], done: Callable[[], None]) -> None:
        def end() -> None:
            if following:
                self._say(fetchers_stopped(self._tag, False, len(following)))
            # All together: the first requests name as many as there are for each leader.
            self._changer.replica_fetchers.follow(self._followers.values())
            self._changer.replica_fetchers.close_idle()
            self._trace(transition_ends, following)
            done()

        self._trace(transition_begins, following)
        self._in_slices(following, self._follow, end)

    def _in_slices(
        self,
        changes: Sequence[RoleChange],
        act: Callable[[RoleChange], None],
        done: Callable[[], None],
        size: int = SLICE_SIZE,
    ) -> None:
        in_slices(self._ports.clock, self._turn, changes, act, self._fail, done, size=size)

    def _fail(self, change: RoleChange) -> None:
        self.errors[change.partition] = ErrorCode.UNKNOWN_SERVER_ERROR

    def _say(self, line: StateChangeLine) -> None:
        self._ports.journal.state_change(line)

    def _trace(self, template: TransitionLine, changes: list[RoleChange]) -> None:
        if not self._ports.settings.traces_state_changes:
            return
        for change in changes:
            is_leader = change.state.leader == self._ports.registration.broker_id
            leader = None if is_leader else change.state.leader
            self._say(template(self._tag, change.partition, leader))

    def _epoch_of(self, change: RoleChange) -> LeaderEpoch:
        hosted = self._changer.partitions.find(change.partition)
        return NO_LEADER_EPOCH if hosted is None else hosted.replica.leader_epoch

    def _refusal(self, change: RoleChange) -> ErrorCode:
        """Why *change* is not obeyed; NONE also where only a missing topic id is taken."""
        hosted = self._changer.partitions.find(change.partition)
        log = self._ports.logs.log(change.partition) if hosted is None else hosted.log
        if log is not None and log.is_offline:
            return self._offline(change)
        try:
            known_id = self._topic_id(hosted, log)
        except KafkaStorageError:
            return self._offline(change)
        if NO_TOPIC_ID not in (known_id, change.topic_id) and known_id != change.topic_id:
            self._say(topic_id_differs(self._tag, change.partition, known_id, change.topic_id))
            self._tell_topic_id(change, known_id)
            return ErrorCode.INCONSISTENT_TOPIC_ID
        self._changer.foreign_logs.pop(change.partition, None)
        current = self._epoch_of(change)
        epoch = change.state.leader_epoch
        if epoch == current and hosted is not None and known_id != change.topic_id:
            return self._take_topic_id(hosted, change.topic_id)
        if epoch <= current:
            self._say(
                stale_leader_epoch(self._tag, LEADER_AND_ISR, change.partition, epoch, current)
            )
            return ErrorCode.STALE_CONTROLLER_EPOCH
        if self._ports.registration.broker_id not in change.assignment.replicas:
            self._say(not_assigned(self._tag, change.partition, change.assignment.replicas))
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.NONE

    def _tell_topic_id(self, change: RoleChange, known_id: bytes) -> None:
        """Say once that a log is another topic's: nobody but people can tell which is right."""
        told = self._changer.foreign_logs
        if told.get(change.partition) != change.topic_id:
            told[change.partition] = change.topic_id
            reason = (
                f"its log here is that of a topic with id {topic_id_text(known_id)}, and the"
                f" topic's id is {topic_id_text(change.topic_id)}"
            )
            self._ports.journal.error(f"{change.partition} is not served: {reason}")
            self._changer.refused_partitions.note(change.partition, reason)

    def _offline(self, change: RoleChange) -> ErrorCode:
        self._say(offline_directory(self._tag, LEADER_AND_ISR, change.partition))
        return ErrorCode.KAFKA_STORAGE_ERROR

    def _topic_id(self, hosted: HostedPartition | None, log: PartitionLog | None) -> bytes:
        """The id that the partition has in memory or on disk; NO_TOPIC_ID without one.

        Raises:
            KafkaStorageError: the log directory fails.
        """
        if hosted is not None:
            return hosted.topic_id
        if log is None:
            return NO_TOPIC_ID
        try:
            return self._stored_topic_id(log)
        except (CorruptFileError, ValueError) as error:
            # Without a readable id the log may be another topic's of the same name: as Kafka, trust
            # the controller.
            self._ports.journal.warning(f"{log.directory}: no topic id can be read: {error}")
            return NO_TOPIC_ID

    def _stored_topic_id(self, log: PartitionLog) -> bytes:
        with log.health.guard():
            text = read_topic_id(self._ports.files, log.directory)
        return NO_TOPIC_ID if text is None else topic_id_bytes(text)

    def _take_topic_id(self, hosted: HostedPartition, topic_id: bytes) -> ErrorCode:
        if hosted.topic_id != NO_TOPIC_ID:
            # The controller has lost the id that this broker knows.
            return ErrorCode.INCONSISTENT_TOPIC_ID
        try:
            self._write_topic_id(hosted.log, topic_id)
        except KafkaStorageError:
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._changer.partitions.learn_id(hosted, topic_id)
        self._changer.replica_fetchers.follow_anew(hosted)
        return ErrorCode.NONE

    def _write_topic_id(self, log: PartitionLog, topic_id: bytes) -> None:
        with log.health.guard():
            write_topic_id(self._ports.files, log.directory, topic_id_text(topic_id))

    def _lead(self, change: RoleChange) -> None:
        self._change_role(change, self._become_leader, None)

    def _follow(self, change: RoleChange) -> None:
        self._change_role(change, self._become_follower, change.state.leader)

    def _change_role(
        self,
        change: RoleChange,
        become: Callable[[RoleChange, HostedPartition], None],
        leader: BrokerId | None,
    ) -> None:
        """Let one partition take its new role, and keep it from harming the others."""
        self._changer.unserved.forget(change.partition)
        refused = self._changer.refused_partitions
        try:
            become(change, self._hosted(change))
            refused.forget(change.partition)
        except KafkaStorageError as error:
            if not self._has_failed(error.directory):
                # Of a directory that has failed operators hear otherwise.
                refused.note(change.partition, error.reason)
            controller_epoch = change.state.controller_epoch
            self._say(
                skipped_for_storage(
                    self._tag, change.partition, controller_epoch, leader, str(error)
                )
            )
            self.errors[change.partition] = ErrorCode.KAFKA_STORAGE_ERROR
            if error.is_offline and self._changer.partitions.find(change.partition) is None:
                self._changer.partitions.lose(change.partition)
        except InvalidLogConfig as error:
            self._ports.journal.error(f"partition {change.partition} is not served: {error}")
            refused.note(change.partition, str(error))
            self.unserved.append(change)
            self.errors[change.partition] = error.error_code

    def _has_failed(self, path: str) -> bool:
        failed = [one.path for one in self._ports.logs.directories if one.health.failure]
        return path in failed

    def _hosted(self, change: RoleChange) -> HostedPartition:
        """The partition, made with an empty log where there is none.

        Raises:
            KafkaStorageError: its directory is offline, or no directory is left to make it in.
            InvalidLogConfig: the topic's overrides cannot be served.
        """
        hosted = self._changer.partitions.find(change.partition)
        if hosted is not None:
            # It was not offline when the order came, but others had their turn since.
            hosted.log.health.check()
            return hosted
        settings = self._settings_of(change.partition.topic)
        log = self._log_of(change, settings)
        directory = self._ports.logs.directory_of(change.partition)
        assert directory is not None
        replica = Replica(
            self._ports.registration.broker_id,
            directory.high_watermark(change.partition),
            settings.min_isr,
            self._changer.isr_rules,
        )
        hosted = HostedPartition(change.partition, replica, log, change.topic_id)
        self._changer.partitions.add(hosted)
        self._changer.log_dir_moves.resume(hosted)
        return hosted

    def _log_of(self, change: RoleChange, settings: EffectiveTopicConfigs) -> PartitionLog:
        logs, topic_id = self._ports.logs, change.topic_id
        is_there = logs.log(change.partition) is not None
        log = logs.get_or_create(
            change.partition,
            settings.log,
            None if topic_id == NO_TOPIC_ID else topic_id_text(topic_id),
            self._ports.clock.now_ms(),
            is_new=change.is_new,
        )
        if not is_there:
            # It was begun with its id.
            return log
        stored_id = NO_TOPIC_ID
        # What cannot be read was said when the change was looked at.
        with suppress(CorruptFileError, ValueError):
            stored_id = self._stored_topic_id(log)
        if stored_id != topic_id and topic_id != NO_TOPIC_ID:
            self._write_topic_id(log, topic_id)
        return log

    def _settings_of(self, topic: str) -> EffectiveTopicConfigs:
        settings = self._settings.get(topic)
        if settings is None:
            overrides = self._overrides.get(topic, {})
            if isinstance(overrides, ApiError):
                raise InvalidLogConfig([str(overrides.message)])
            settings = EffectiveTopicConfigs.parse(self._ports.settings.topic_defaults, overrides)
            self._settings[topic] = settings
        return settings

    def _become_leader(self, change: RoleChange, hosted: HostedPartition) -> None:
        previous = hosted.replica.state
        # The epoch begins here even when nothing is written in it: replicas that differ part by it.
        hosted.log.assign_epoch(change.state.leader_epoch)
        log = hosted.log
        hosted.replica.committable_end = log.committable_end
        if log.owes_flush:
            # What was fetched last, and no fetch has said that it is there.
            flush(self._ports, hosted, unheard)
        hosted.replica.lead(
            change.state,
            change.assignment,
            hosted.log.log_end_offset,
            self._ports.clock.now_ms(),
        )
        self._say(
            leader_starts(
                self._tag,
                change.partition,
                hosted.topic_id,
                change.state,
                change.assignment,
                previous,
                hosted.log.log_end_offset,
                hosted.replica.high_watermark,
                hosted.replica.is_under_min_isr,
            )
        )

    def _become_follower(self, change: RoleChange, hosted: HostedPartition) -> None:
        if change.state.leader not in self._changer.cache.brokers:
            # The log is there now, but role and epoch stay: whoever leads next will say so.
            self._say(
                leader_unavailable(
                    self._tag,
                    change.partition,
                    change.state.controller_epoch,
                    change.state.leader,
                )
            )
            return
        self._changer.replica_fetchers.stop((change.partition,))
        hosted.replica.follow(change.state, change.assignment)
        self._followers[change.partition] = hosted
        self._say(
            follower_starts(
                self._tag,
                change.partition,
                change.state,
                hosted.log.log_end_offset,
                hosted.replica.high_watermark,
            )
        )
