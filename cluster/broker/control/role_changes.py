"""Role changes: how a broker becomes the leader or a follower of partitions, and when it refuses.

Source: Kafka's ReplicaManager.becomeLeaderOrFollower and Partition.makeLeader, makeFollower.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.broker.control.fences import ControllerFence, Sender
from cluster.broker.control.leadership import LeadershipListener
from cluster.broker.control.queue import HEAVY, LIGHT, ControlQueue, codes_of
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.procedures import Procedure, outcome_of
from cluster.broker.refusals_log import quoted
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_manager.hosting import Hosting
from cluster.broker.replica_manager.leader_flush import flush
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.topic_config_handler import TopicConfigHandler
from cluster.coordination.client_requests import TopicOverrides
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER_EPOCH, LeaderEpoch, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.model.topic_name import can_be
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
from cluster.storage.errors import InvalidLogConfig, KafkaStorageError

IMPOSSIBLE_NAMED_MAX: Final = 10
"""How many impossible partitions of an order are logged by name; the others are only counted."""

TransitionLine: TypeAlias = Callable[[OrderTag, TopicPartition, int | None], StateChangeLine]


class RoleChange(NamedTuple):
    """The part of an order about one partition: its leader and state from now on."""

    partition: TopicPartition
    topic_id: bytes
    state: PartitionState
    assignment: PartitionAssignment
    is_new: bool

    def __str__(self) -> str:
        return leader_and_isr_text(self.partition, self.state, self.assignment, self.is_new)


class RolesChanged(NamedTuple):
    """The result of an order: *error* refuses all of it, *errors* are those of its partitions."""

    error: ErrorCode
    errors: Mapping[TopicPartition, ErrorCode] = {}


Unserved: TypeAlias = dict[TopicPartition, tuple[Sender, RoleChange]]
"""Partitions whose topics have invalid configs, and the controller's last order for each: it is not
sent again, and the broker carries it out once the configs are repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChanger:
    """Makes this broker the leader or a follower of partitions."""

    ports: Ports
    cache: MetadataCache
    partitions: Partitions
    hosting: Hosting
    fence: ControllerFence
    control_queue: ControlQueue
    replica_fetchers: ReplicaFetcherManager
    topic_config_handler: TopicConfigHandler
    unserved: Unserved
    refused_partitions: RefusedPartitions
    listeners: Sequence[LeadershipListener]
    foreign_logs: dict[TopicPartition, bytes] = field(default_factory=dict)
    """Partitions whose log here belongs to another topic, and the topic id for which that is
    logged.
    """

    def change(
        self, sender: Sender, changes: Sequence[RoleChange]
    ) -> Procedure[RolesChanged | ApiError]:
        """Carry out an order, after reading the configs of topics that are new here.

        Returns an ApiError while they cannot be read.  A topic whose configs are damaged is not
        served, and does not delay the others.
        """
        overrides = yield from self._read_overrides(changes)
        if isinstance(overrides, ApiError):
            return overrides
        self.topic_config_handler.learn(overrides)
        began_ms, journal = self.ports.clock.now_ms(), self.ports.journal
        journal.state_change(handling(sender.tag, "LeaderAndIsr", len(changes)))
        # Only now: a newer controller may have sent an order while the configs were read.
        error = self.fence.refusal(sender, "LeaderAndIsr")
        if error is not ErrorCode.NONE:
            return RolesChanged(error)
        order = RoleChanges(self, sender)
        yield from order.make(changes)
        self.topic_config_handler.settle(overrides)
        duration_ms = self.ports.clock.now_ms() - began_ms
        journal.state_change(finished_leader_and_isr(sender.tag, duration_ms, len(changes)))
        return RolesChanged(ErrorCode.NONE, order.errors)

    def _read_overrides(
        self, changes: Sequence[RoleChange]
    ) -> Procedure[TopicOverrides | ApiError]:
        """The overrides of the topics of partitions that are new here."""
        unknown: dict[str, None] = {}
        for change in changes:
            yield LIGHT
            topic = change.partition.topic
            if (
                topic not in unknown
                and can_be(change.partition)
                and self.partitions.find(change.partition) is None
            ):
                unknown[topic] = None
        overrides: TopicOverrides | ApiError = {}
        if unknown:
            read = partial(self.ports.store.read_topic_overrides, tuple(unknown))
            overrides = yield from outcome_of(read)
        return overrides

    def change_topic_configs(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Apply *overrides* of *topic* from now on; keep the former ones if they are invalid."""
        self.topic_config_handler.change(topic, overrides)
        self.try_again(topic)

    def topic_defaults_changed(self) -> None:
        """Apply the broker's present configs where topics do not override them."""
        self.topic_config_handler.defaults_changed()
        self.try_again()

    def try_again(self, topic: str | None = None) -> None:
        """Carry out again the last order for the unserved partitions of *topic*, None for all."""
        orders: dict[Sender, list[RoleChange]] = {}
        for sender, change in tuple(self.unserved.values()):
            if topic in (None, change.partition.topic):
                orders.setdefault(sender, []).append(change)
                del self.unserved[change.partition]
        for sender, changes in orders.items():
            again = self._change_again(sender, changes)
            if not self.control_queue.enter(again, lambda: None, 0):
                self._keep(sender, changes)

    def _change_again(self, sender: Sender, changes: Sequence[RoleChange]) -> Procedure[None]:
        changed = yield from self.change(sender, changes)
        if isinstance(changed, ApiError):
            self._keep(sender, changes)
            return
        for partition, error in changed.errors.items():
            if error is ErrorCode.NONE:
                self.ports.journal.info(
                    f"partition {partition} is served: its topic's configs are mended"
                )

    def _keep(self, sender: Sender, changes: Iterable[RoleChange]) -> None:
        self.unserved.update((change.partition, (sender, change)) for change in changes)


class RoleChanges:
    """One accepted order in progress; afterwards `errors` has the outcome of each partition."""

    def __init__(self, changer: RoleChanger, sender: Sender) -> None:
        self._changer = changer
        self._ports = changer.ports
        self._sender = sender
        self._tag = sender.tag
        self._configs: dict[str, EffectiveTopicConfigs] = {}
        self._followers: dict[TopicPartition, HostedPartition] = {}
        """Those that have begun to follow, and are not fetched yet."""
        self.errors: dict[TopicPartition, ErrorCode] = {}

    def make(self, changes: Sequence[RoleChange]) -> Procedure[None]:
        """Make all changes that are not refused, those to leaders first."""
        yield from self._each(changes, self._judge, LIGHT)
        self._log_impossible(changes)
        accepted = [
            change
            for change in changes
            if self.errors[change.partition] is ErrorCode.NONE
            and change.state.leader_epoch != self._epoch_of(change)
        ]
        assert all(change.state.leader_epoch > self._epoch_of(change) for change in accepted), (
            "orders of older leader epochs are refused"
        )
        leading = [change for change in accepted if self._is_led(change)]
        following = [change for change in accepted if not self._is_led(change)]

        self._trace(transition_begins, leading)
        # Before any of them leads: no answer of the former leader may be processed after that.
        self._changer.replica_fetchers.stop(change.partition for change in leading)
        if leading:
            self._log(fetchers_stopped(self._tag, True, len(leading)))
        yield from self._each(leading, partial(self._take_role, self._become_leader))
        self._trace(transition_ends, leading)

        self._trace(transition_begins, following)
        yield from self._each(following, partial(self._take_role, self._become_follower))
        if following:
            self._log(fetchers_stopped(self._tag, False, len(following)))
        # All together, so that the first request to each leader names all its partitions.
        self._changer.replica_fetchers.follow(self._followers.values())
        self._changer.replica_fetchers.close_idle()
        self._trace(transition_ends, following)

    def _each(
        self,
        changes: Sequence[RoleChange],
        act: Callable[[RoleChange], ErrorCode],
        cost: int = HEAVY,
    ) -> Procedure[None]:
        codes = yield from codes_of(self._ports.clock, changes, act, cost)
        for change, code in zip(changes, codes, strict=True):
            self.errors[change.partition] = code

    def _is_led(self, change: RoleChange) -> bool:
        return change.state.leader == self._ports.registration.broker_id

    def _log(self, line: StateChangeLine) -> None:
        self._ports.journal.state_change(line)

    def _trace(self, template: TransitionLine, changes: list[RoleChange]) -> None:
        if self._ports.settings.traces_state_changes:
            for change in changes:
                leader = None if self._is_led(change) else change.state.leader
                self._log(template(self._tag, change.partition, leader))

    def _epoch_of(self, change: RoleChange) -> LeaderEpoch:
        hosted = self._changer.partitions.find(change.partition)
        return NO_LEADER_EPOCH if hosted is None else hosted.replica.leader_epoch

    # Which changes are refused.

    def _judge(self, change: RoleChange) -> ErrorCode:
        """Why *change* is not carried out; NONE also where only a missing topic id is adopted."""
        partition = change.partition
        if not can_be(partition):
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        if self._ports.settings.traces_state_changes:
            self._log(received_leader_and_isr(self._tag, str(change)))
        hosting = self._changer.hosting
        hosted = self._changer.partitions.find(partition)
        if hosting.is_offline(partition) if hosted is None else hosted.log.is_offline:
            return self._offline(partition)
        try:
            known_id = hosting.topic_id(partition)
        except KafkaStorageError:
            return self._offline(partition)
        if NO_TOPIC_ID not in (known_id, change.topic_id) and known_id != change.topic_id:
            self._log(topic_id_differs(self._tag, partition, known_id, change.topic_id))
            self._log_foreign(change, known_id)
            return ErrorCode.INCONSISTENT_TOPIC_ID
        self._changer.foreign_logs.pop(partition, None)
        current, epoch = self._epoch_of(change), change.state.leader_epoch
        if epoch == current and hosted is not None and known_id != change.topic_id:
            return self._take_topic_id(hosted, change.topic_id)
        if epoch <= current:
            self._log(stale_leader_epoch(self._tag, LEADER_AND_ISR, partition, epoch, current))
            return ErrorCode.STALE_CONTROLLER_EPOCH
        if self._ports.registration.broker_id not in change.assignment.replicas:
            self._log(not_assigned(self._tag, partition, change.assignment.replicas))
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.NONE

    def _offline(self, partition: TopicPartition) -> ErrorCode:
        self._log(offline_directory(self._tag, LEADER_AND_ISR, partition))
        return ErrorCode.KAFKA_STORAGE_ERROR

    def _take_topic_id(self, hosted: HostedPartition, topic_id: bytes) -> ErrorCode:
        if hosted.topic_id != NO_TOPIC_ID:
            # The controller has lost the id that this broker has.
            return ErrorCode.INCONSISTENT_TOPIC_ID
        try:
            self._changer.hosting.take_topic_id(hosted, topic_id)
        except KafkaStorageError:
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._changer.replica_fetchers.follow_anew(hosted)
        return ErrorCode.NONE

    def _log_foreign(self, change: RoleChange, known_id: bytes) -> None:
        """Log once that a log belongs to another topic: only an operator can decide which is
        right.
        """
        said = self._changer.foreign_logs
        if said.get(change.partition) != change.topic_id:
            said[change.partition] = change.topic_id
            reason = (
                f"its log here is that of a topic with id {topic_id_text(known_id)}, and the"
                f" topic's id is {topic_id_text(change.topic_id)}"
            )
            self._ports.journal.error(f"{change.partition} is not served: {reason}")
            self._changer.refused_partitions.note(change.partition, reason)

    def _log_impossible(self, changes: Sequence[RoleChange]) -> None:
        impossible = [change.partition for change in changes if not can_be(change.partition)]
        for topic, index in impossible[:IMPOSSIBLE_NAMED_MAX]:
            self._ports.journal.error(
                f"partition {index} of topic {quoted(topic)} is not served: it cannot be called"
                " this"
            )
        if len(impossible) > IMPOSSIBLE_NAMED_MAX:
            self._ports.journal.error(
                f"{len(impossible) - IMPOSSIBLE_NAMED_MAX} more partitions of the same order are"
                " not served: they cannot be called as they are"
            )

    # How a partition takes its role.

    def _take_role(
        self, become: Callable[[RoleChange, HostedPartition], None], change: RoleChange
    ) -> ErrorCode:
        """Change the role of one partition, and keep its failure from harming the others."""
        changer, partition = self._changer, change.partition
        refused = changer.refused_partitions
        changer.unserved.pop(partition, None)
        try:
            hosted = self._hosted(change)
            become(change, hosted)
            hosted.assert_committed()
        except KafkaStorageError as error:
            if not changer.hosting.has_failed(error.directory):
                # A failed directory is reported to operators as a whole.
                refused.note(partition, error.reason)
            leader = None if self._is_led(change) else change.state.leader
            epoch = change.state.controller_epoch
            self._log(skipped_for_storage(self._tag, partition, epoch, leader, str(error)))
            if error.is_offline and changer.partitions.find(partition) is None:
                changer.partitions.lose(partition)
            return ErrorCode.KAFKA_STORAGE_ERROR
        except InvalidLogConfig as error:
            self._ports.journal.error(f"partition {partition} is not served: {error}")
            refused.note(partition, str(error))
            changer.unserved[partition] = (self._sender, change)
            return error.error_code
        refused.forget(partition)
        return ErrorCode.NONE

    def _hosted(self, change: RoleChange) -> HostedPartition:
        """The partition, created with an empty log where there is none.

        Raises:
            KafkaStorageError: its directory is offline, or no directory is left to create it in.
            InvalidLogConfig: the topic has invalid overrides.
        """
        hosted = self._changer.partitions.find(change.partition)
        if hosted is not None:
            # It was not offline when the order came, but other work has run since.
            hosted.log.health.check()
            return hosted
        configs = self._configs_of(change.partition.topic)
        return self._changer.hosting.host(
            change.partition, change.topic_id, configs, is_new=change.is_new
        )

    def _configs_of(self, topic: str) -> EffectiveTopicConfigs:
        configs = self._configs.get(topic)
        if configs is None:
            configs = self._changer.topic_config_handler.configs_of(topic)
            self._configs[topic] = configs
        return configs

    def _become_leader(self, change: RoleChange, hosted: HostedPartition) -> None:
        previous = hosted.replica.state
        # The epoch begins here even when nothing is written in it: replicas find their divergence
        # by it.
        hosted.log.assign_epoch(change.state.leader_epoch)
        log = hosted.log
        hosted.replica.committable_end = log.committable_end
        if log.owes_flush:
            # What was fetched last, and not yet acknowledged by another fetch.
            flush(self._ports, hosted)
        hosted.replica.lead(
            change.state, change.assignment, log.log_end_offset, self._ports.clock.now_ms()
        )
        self._log(
            leader_starts(
                self._tag,
                change.partition,
                hosted.topic_id,
                change.state,
                change.assignment,
                previous,
                log.log_end_offset,
                hosted.replica.high_watermark,
                hosted.replica.is_under_min_isr,
            )
        )
        for listener in self._changer.listeners:
            listener.became_leader(change.partition, change.state.leader_epoch)

    def _become_follower(self, change: RoleChange, hosted: HostedPartition) -> None:
        partition, state = change.partition, change.state
        if state.leader not in self._changer.cache.brokers:
            # The log exists now, but role and epoch stay: the next leader causes another order.
            epoch = state.controller_epoch
            self._log(leader_unavailable(self._tag, partition, epoch, state.leader))
            return
        self._changer.replica_fetchers.stop((partition,))
        hosted.replica.follow(state, change.assignment)
        self._followers[partition] = hosted
        end, high_watermark = hosted.log.log_end_offset, hosted.replica.high_watermark
        self._log(follower_starts(self._tag, partition, state, end, high_watermark))
        for listener in self._changer.listeners:
            listener.became_follower(partition, state.leader_epoch)
