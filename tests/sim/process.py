"""One life of a broker's process in virtual time.

The shell's twin: the real broker, dispatch, logs and controller core, with a session of the
simulated ZooKeeper and a simulated disk.  It can be killed, and frozen: a frozen process keeps all
that arrives until it goes on.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeVar

from cluster.api.dispatch import Dispatch
from cluster.broker.broker import Broker
from cluster.broker.cluster_store import ZooKeeperStore
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.broker.ports import ApiSettings, FetcherSettings, Ports
from cluster.controller.core import ControllerCore
from cluster.controller.events import SessionExpired, UncleanElectionEnabled
from cluster.controller.hints import hint_of
from cluster.coordination.client import Client
from cluster.coordination.client_requests import TopicOverrides, read_topic_overrides
from cluster.coordination.notifications import notify_log_dir_failure
from cluster.coordination.registration import change_registration
from cluster.formats.directory_names import partition_of
from cluster.formats.errors import CorruptFileError
from cluster.model.api_error import ApiError
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.config_spec import is_true
from cluster.model.ids import (
    MATCH_ANY,
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    TopicPartition,
)
from cluster.model.topic import PartitionState
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.model.topic_id import topic_id_text
from cluster.replication.replica import Replica
from cluster.runtime.disk.settled_clock import SettledClock
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.directories.properties import read_topic_id
from cluster.storage.errors import InvalidLogConfig, KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.wire.api_keys import ApiKey
from cluster.zk import paths
from cluster.zk.brokers import decode_incarnation, encode_broker, encode_incarnation
from cluster.zk.configs import decode_config
from cluster.zk.requests import Create, Multi, SetData, ZkReply
from cluster.zk.steps import Refusal, Steps, read_children
from tests.sim.controller import LISTENER, SimController
from tests.sim.disk import Crashed, SimDisk
from tests.sim.history import Incarnation, LogKey
from tests.sim.peers import SimPeers, endpoint_of
from tests.sim.ports import (
    SimClock,
    SimDisks,
    SimJournal,
    SimMemory,
    SimRandomStream,
    SimRegistration,
)
from tests.sim.surroundings import Surroundings
from tests.sim.violation import Kind, Violation
from tests.sim.zookeeper import NO_SESSION, Author

DIRECTORIES: Final = ("/data0", "/data1")
CONFIGS: Final = BrokerConfigs(
    {
        "log.index.size.max.bytes": "400",
        "log.flush.interval.ms": "1000",
        "log.segment.delete.delay.ms": "2000",
    },
)
"""Small indexes, which are filled up with zeros; flushes and deletions of files within a story."""
FLUSH_MS: Final = 8
NO_ID: Final = ""
"""For a log whose topic id cannot be read."""

T = TypeVar("T")


class Process:
    """It starts at once, and ends with `kill`."""

    def __init__(
        self,
        world: Surroundings,
        broker_id: BrokerId,
        disk: SimDisk,
        core: Callable[[Client], ControllerCore],
        unreadable: frozenset[str],
    ) -> None:
        """The configs of the topics *unreadable* are not to be had at the start."""
        self.world = world
        pace = world.pace
        self.disk = disk
        self.is_up = True
        self.session = NO_SESSION
        self.is_registered = False
        self.is_frozen = False
        self.is_expiring = False
        """Whether the news that its session has ended is on its way."""
        self._inbox: deque[Callable[[], None]] = deque()
        self._known_roles: dict[TopicPartition, PartitionState] = {}
        self._failed_directories: set[str] = set()
        self._high_watermarks: dict[TopicPartition, tuple[Replica, int]] = {}
        self.known_logs: dict[TopicPartition, str] = {}
        """The partitions of which there are logs, with the ids of their topics."""
        self.registration = SimRegistration(broker_id)
        self.clock = SimClock(world.schedule, self.deliver)
        self.clock.ahead_ms = self._noted_ahead_ms = world.wall_clocks_ahead_ms[broker_id]
        self.clock.is_steady = world.fences.steady_clocks
        disk.now_ms = self.clock.wall_ms()
        self.logs = LogManager.open(disk, DIRECTORIES, broker_id, self.registration.cluster_id)
        started = world.zookeeper.node(paths.incarnation(broker_id))
        assert started is not None
        self.logs.begin_incarnation(decode_incarnation(started))
        self._retention_clock: SettledClock | None = None
        if world.fences.settled_clocks:
            self._retention_clock = SettledClock(self.clock, disk, self.logs, ignore)
        for one in self.logs.load(self._config_of(unreadable), self.clock.now_ms()):
            world.tell(broker_id, "log", f"{one.partition} {one.problem or 'is open'}")
        self.registration.intact_since = self.logs.intact_since
        self.registration.flushed_since = self.logs.flushed_since
        self.registration.ordered = self._settle_loss
        self._has_open_loss = False
        """Whether no controller is known to have taken a loss that is registered into account."""
        self.disks = SimDisks(disk, self.clock, self.later, flushes=world.fences.flushes)
        self.controller = SimController(world, self, core)
        self.journal = SimJournal(world.lines)
        self.broker = Broker(
            Ports(
                clock=self.clock,
                registration=self.registration,
                logs=self.logs,
                files=disk,
                disks=self.disks,
                memory=SimMemory(),
                store=ZooKeeperStore(broker_id, self),
                controller=self.controller,
                peers=SimPeers(world, self),
                journal=self.journal,
                random_stream=SimRandomStream(world.random_stream(f"chance b{broker_id}")),
                settings=ApiSettings(
                    auto_creates_topics=False,
                    configs=CONFIGS,
                    traces_state_changes=world.writes_traces,
                    fetchers=FetcherSettings(
                        wait_max_ms=pace.fetch_wait_ms,
                        backoff_ms=pace.fetch_backoff_ms,
                        timeout_ms=pace.peer_timeout_ms,
                    ),
                    lag_max_ms=pace.lag_max_ms,
                    controller_timeout_ms=pace.peer_timeout_ms,
                    session_timeout_ms=pace.session_timeout_ms,
                ),
            )
        )
        world.fences.take_out(self.broker)
        self.dispatch = Dispatch(self.broker)
        self.known_logs = dict(self.topic_ids())
        self.broker.start()

    def _config_of(self, unreadable: frozenset[str]) -> Callable[[str], LogConfig]:
        def config_of(topic: str) -> LogConfig:
            if topic in unreadable:
                raise InvalidLogConfig(["its configs cannot be read"])
            node = self.world.zookeeper.node(paths.topic_config(topic))
            values = {} if node is None else decode_config(node).values
            return EffectiveTopicConfigs.parse(CONFIGS.topic_defaults, values).log

        return config_of

    @property
    def broker_id(self) -> BrokerId:
        return self.registration.broker_id

    def kill(self) -> None:
        self.is_up = False
        self._inbox.clear()

    def close(self) -> None:
        """Come to an orderly end: flushes are over before the logs are closed beneath them."""
        self.broker.stop()
        self.disks.close()
        if self._retention_clock is not None:
            self._retention_clock.note()
        self.logs.write_high_watermarks(self.broker.partitions.high_watermarks())
        epoch, since = self.registration.broker_epoch, self.registration.intact_since
        self.logs.close(self.clock.now_ms(), epoch, intact_since=since)

    def freeze(self) -> None:
        self.is_frozen = True

    def thaw(self) -> None:
        self.is_frozen = False
        while self._inbox and self.is_up and not self.is_frozen:
            self._do(self._inbox.popleft())

    def deliver(self, action: Callable[[], None]) -> None:
        """Let something arrive here; it waits while the process is frozen, and is lost with it."""
        if not self.is_up:
            return
        if self.is_frozen:
            self._inbox.append(action)
        else:
            self._do(action)

    def _do(self, action: Callable[[], None]) -> None:
        self.disk.now_ms = self.clock.wall_ms()
        try:
            if self.clock.ahead_ms != self._noted_ahead_ms:
                self._note_step()
            action()
        except Crashed as crashed:
            self.world.tell(self.broker_id, "machine stops", str(crashed))
            self.world.crash(self, is_machine=True)
            self.world.start_later(self.broker_id)

    def _note_step(self) -> None:
        """Note a step of the clock before any file gets a time behind it."""
        self._noted_ahead_ms = self.clock.ahead_ms
        if self._retention_clock is not None:
            self._retention_clock.wall_ms()

    def later(self, action: Callable[[], None]) -> None:
        """Let *action* happen here after the time that a disk takes."""
        delay_ms = self.world.between(1, FLUSH_MS, f"disk b{self.broker_id}")
        self.world.after(delay_ms, lambda: self.deliver(action))

    # Session

    def start_session(self, session: int) -> None:
        """Register, again for as long as an older registration is in the way."""
        self.session = session
        if self.broker_id not in self.world.known_broker_ids:
            # It had nothing to lose, and has no loss to settle: stories are shorter without that.
            self.world.known_broker_ids.add(self.broker_id)
            self.registration.intact_since = BrokerEpoch(0)
        self._register(session)

    def _register(self, session: int) -> None:
        if session != self.session:
            return
        broker_epoch = self._registered()
        if broker_epoch is None:
            self.world.after(
                self.world.pace.retry_ms, lambda: self.deliver(lambda: self._register(session))
            )
            return
        self.world.tell(self.broker_id, "registered", f"epoch {broker_epoch}")
        self.is_registered = True
        self.registration.broker_epoch = broker_epoch
        self._has_open_loss = self.registration.intact_since == UNKNOWN_BROKER_EPOCH
        self.logs.note_intact_since(self.registration.intact_since, self.registration.flushed_since)
        self.controller.joined(session)
        self._read_config_changes()

    def _settle_loss(self) -> None:
        """Register as intact from now on: a controller that knows the registration gives orders."""
        if not self._has_open_loss or not self.is_registered:
            return
        self._has_open_loss = False
        self.registration.intact_since = self.registration.broker_epoch
        self.logs.note_intact_since(self.registration.intact_since)
        self.run(change_registration(self._registration(), self.session), ignore)

    def _registration(self) -> BrokerRegistration:
        host, port = endpoint_of(self.broker_id)
        return BrokerRegistration(
            broker_id=self.broker_id,
            endpoints=(
                Endpoint(listener=LISTENER, security_protocol=LISTENER, host=host, port=port),
            ),
            version=5,
            host=host,
            port=port,
            timestamp_ms=self.clock.wall_ms(),
            intact_since=self.registration.intact_since,
            flushed_since=self.registration.flushed_since,
        )

    def _registered(self) -> BrokerEpoch | None:
        """Make the broker's registration; None when one of another session is in the way."""
        if not self.world.zookeeper.is_live(self.session):
            return None
        path = paths.broker(self.broker_id)
        create = Create(path, encode_broker(self._registration()), is_ephemeral=True)
        author = Author(self.broker_id, "broker")
        counter = paths.incarnation(self.broker_id)
        count = SetData(counter, encode_incarnation(self.logs.incarnation), MATCH_ANY)
        self.world.zookeeper.serve(self.session, Multi((create, count)), author)
        node = self.world.zookeeper.node(path)
        if node is None or node.ephemeral_owner != self.session:
            return None
        return BrokerEpoch(node.czxid)

    def on_session_expired(self, next_session: int) -> None:
        """The news arrives: everything of the last session is void."""
        self.is_registered = False
        self.is_expiring = False
        self.controller.step(SessionExpired())
        self.start_session(next_session)

    def on_watch(self, path: str) -> None:
        if path == paths.CONFIG_CHANGES:
            self._read_config_changes()
            return
        hint = hint_of(path)
        assert hint is not None, f"nobody watches {path}"
        self.controller.step(hint)

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        """Carry *steps* out by the session of now; see `cluster.broker.cluster_store.Runner`."""
        session = self.session
        author = Author(self.broker_id, "broker")

        def go_on(replies: tuple[ZkReply, ...] | None) -> None:
            if not self.is_registered or self.session != session or self.is_expiring:
                done(None)
                return
            try:
                requests = next(steps) if replies is None else steps.send(replies)
            except StopIteration as end:
                done(end.value)
            else:
                self.world.ask(self, requests, author, go_on)

        self.world.after(0, lambda: self.deliver(lambda: go_on(None)))

    # Configs of topics

    def _read_config_changes(self) -> None:
        """Read the configs of all topics of this broker, whichever of them has changed."""
        topics = self.world.zookeeper.children(paths.TOPICS)

        def read() -> Steps[TopicOverrides | Refusal]:
            try:
                yield from read_children(paths.CONFIG_CHANGES, is_watched=True)
                return (yield from read_topic_overrides(topics))
            except Refusal as refusal:
                return refusal

        self.run(read(), self._take_configs)

    def _take_configs(self, found: TopicOverrides | Refusal | None) -> None:
        if isinstance(found, Refusal):
            self.later(self._read_config_changes)
            return
        for topic, overrides in (found or {}).items():
            if isinstance(overrides, ApiError):
                raise AssertionError(f"nobody damages configs here: {overrides}")
            self.broker.role_changer.change_topic_configs(topic, overrides)
            if is_true(overrides.get(UNCLEAN_LEADER_ELECTION, "")):
                self.controller.step(UncleanElectionEnabled(topic))

    # Logs

    def topic_ids(self) -> Iterable[tuple[TopicPartition, str]]:
        """The partitions of which there are logs, with the ids of their topics, as far as known."""
        for directory in self.logs.directories:
            for partition in (*directory.logs, *directory.unopened):
                hosted = self.broker.partitions.find(partition)
                if hosted is not None:
                    yield partition, topic_id_text(hosted.topic_id)
                elif partition in self.known_logs:
                    yield partition, self.known_logs[partition]
                else:
                    with suppress(OSError, CorruptFileError):
                        text = read_topic_id(self.disk, directory.path_of(partition))
                        yield partition, text or NO_ID

    def open_logs(self) -> Iterable[tuple[TopicPartition, PartitionLog]]:
        for directory in self.logs.online:
            yield from directory.logs.items()

    def partitions_on_disk(self) -> set[TopicPartition]:
        """The partitions whose directories wait for nothing, whatever is known of them here."""
        return {
            partition
            for directory in DIRECTORIES
            for entry in self.disk.list(directory)
            if (partition := partition_of(entry.name)) is not None
        }

    def on_answered(self, api_key: ApiKey) -> None:
        """Look at what an order has changed, before its answer is on its way."""
        if api_key in (ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA):
            self._look_at_roles()

    def _look_at_high_watermarks(self) -> None:
        for hosted in self.broker.partitions:
            replica, partition = hosted.replica, hosted.partition
            before, offset = self._high_watermarks.get(partition, (replica, 0))
            may_fall = (
                partition.topic in self.world.invariants.ever_unclean_topics
                # A leader may have lost what it had not flushed, and its followers follow it back.
                or self.world.history.machine_stops > 0
            )
            if before is replica and replica.high_watermark < offset and not may_fall:
                fell = f"fell from {offset} to {replica.high_watermark}"
                text = f"{partition} on broker {self.broker_id} {fell}"
                raise Violation(Kind.HIGH_WATERMARK, text)
            self._high_watermarks[partition] = (replica, replica.high_watermark)

    def _look_at_roles(self) -> None:
        world, broker_id = self.world, self.broker_id
        roles = {}
        for hosted in self.broker.partitions:
            partition, state = hosted.partition, hosted.replica.state
            if hosted.replica.leader_epoch < 0:
                continue
            roles[partition] = state
            before = self._known_roles.get(partition)
            if before != state:
                topic_id = topic_id_text(hosted.topic_id)
                word = "leads" if hosted.replica.is_leader else "follows"
                world.tell(broker_id, word, f"{partition} {text_of(state)}")
                world.invariants.on_role(broker_id, partition, before, state, topic_id)
        self._known_roles = roles
        self._look_at_high_watermarks()
        logs = dict(self.topic_ids())
        for partition, topic_id in self.known_logs.items():
            if partition not in logs:
                world.tell(broker_id, "deleted", str(partition))
                world.invariants.on_deleted(broker_id, partition, topic_id)
                of = Incarnation(topic_id, partition)
                world.history.on_deleted(LogKey(broker_id, of))
        self.known_logs = logs

    # What is done from time to time

    def upkeep(self) -> None:
        now_ms = self.clock.now_ms()
        for _, log in self.open_logs():
            if log.flush_is_due(now_ms):
                self.disks.flush(log, ignore)
        dropped = self.logs.delete_old_segments(
            now_ms,
            (self._retention_clock or self.clock).wall_ms(),
            self.broker.partitions.high_watermark,
        )
        self.broker.partitions.log_starts_moved(dropped)
        for deletion in self.logs.take_due_deletions(now_ms):
            with suppress(KafkaStorageError):
                deletion.run(self.disk)
        self.logs.write_checkpoints()
        self.logs.write_high_watermarks(self.broker.partitions.high_watermarks())
        self._look_at_high_watermarks()
        self.look_for_failures()
        for partition, log in self.open_logs():
            self.world.history.check_member(self, partition, log)

    def look_for_failures(self) -> None:
        """End what waits for a failed directory, and tell the controller; without any, end."""
        for directory in self.logs.directories:
            if directory.health.failure is None or directory.path in self._failed_directories:
                continue
            self._failed_directories.add(directory.path)
            failed = self.broker.replica_stops.notice_failed_directories()
            text = f"{directory.path}: {len(failed)} partitions"
            self.world.tell(self.broker_id, "offline", text)
            # The next registration tells it.
            self._has_open_loss = False
            self.registration.intact_since = UNKNOWN_BROKER_EPOCH
            self.registration.flushed_since = UNKNOWN_BROKER_EPOCH
            self.logs.note_intact_since(UNKNOWN_BROKER_EPOCH)
            if not self.logs.online:
                self.world.stop(self)
                self.world.start_later(self.broker_id)
                return
            self.run(notify_log_dir_failure(self.broker_id), ignore)

    @property
    def has_failed_logs(self) -> bool:
        return bool(self._failed_directories)


def text_of(state: PartitionState) -> str:
    return f"leader {state.leader} epoch {state.leader_epoch} isr {list(state.isr)}"


def ignore(result: object) -> None:
    """A failure is in the directory's health, where `look_for_failures` finds it."""
