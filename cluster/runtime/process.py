"""One broker as a process: its start, its failures, and its orderly shutdown.

`start` and `stop` have Kafka's order, step by step.

Source: Kafka's KafkaServer.startup and shutdown.
"""

import asyncio
import logging
import os
import random
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Final

from kazoo.exceptions import KazooException, SessionExpiredError

from cluster.api.api_versions import answer_unsupported
from cluster.api.dispatch import ELEMENTS_MAX, SERVED, Dispatch
from cluster.api.flat_paths import flat_paths
from cluster.broker.broker import Broker
from cluster.broker.cluster_store import ZooKeeperStore
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.config_propagation import ConfigPropagation, allows_unclean
from cluster.broker.metrics.services import add_services
from cluster.broker.ports import ApiSettings, Ports
from cluster.broker.replica_manager.log_cleaner import LogCleaner
from cluster.controller.active_controller import ControllerConfig, LeaderRebalance
from cluster.coordination.client_requests import TopicOverrides, read_topic_overrides
from cluster.coordination.notifications import notify_log_dir_failure
from cluster.coordination.registration import read_incarnation
from cluster.coordination.startup import (
    make_layout,
    new_broker_id,
    read_cluster_id,
    remove_stale_controller,
)
from cluster.metrics.meters import TICK_S
from cluster.metrics.registry import MetricsRegistry
from cluster.model.broker import Endpoint
from cluster.model.controller_stats import ControllerStats
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId
from cluster.model.topic_id import topic_id_text
from cluster.runtime import service_manager
from cluster.runtime.controlled_shutdown import request_controlled_shutdown
from cluster.runtime.controller.controller import Controller
from cluster.runtime.controller.controller_metrics import ControllerMetrics
from cluster.runtime.controller.stats_file import StatsFile
from cluster.runtime.direct_loop import DirectLoop
from cluster.runtime.disk.compaction_process import CompactionProcesses
from cluster.runtime.disk.disk_threads import DiskThreads, run_on_threads
from cluster.runtime.disk.files import Disk
from cluster.runtime.disk.log_loading import load_logs, owner_of
from cluster.runtime.disk.log_scheduler import LogScheduler
from cluster.runtime.disk.settled_clock import SettledClock
from cluster.runtime.environment import LogJournal, LoopClock, SystemRandomStream
from cluster.runtime.errors import DisksFailed, ZooKeeperRefuses
from cluster.runtime.listening import Listening
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.peers import TcpPeers
from cluster.runtime.network.request_metrics import RequestMetrics
from cluster.runtime.network.service import Service
from cluster.runtime.network.socket_server import SocketServer
from cluster.runtime.network.transports import TRANSPORTS
from cluster.runtime.network.turns import Turns
from cluster.runtime.process_metrics import (
    BrokerState,
    add_health,
    add_idle_time,
    add_server,
    add_sockets,
    duration_of_flushes,
    latency_of_zookeeper,
)
from cluster.runtime.reporters.reporters import Reporters
from cluster.runtime.zookeeper import earlier_session
from cluster.runtime.zookeeper.chroot import make_chroot
from cluster.runtime.zookeeper.config_change_listener import ConfigChangeListener
from cluster.runtime.zookeeper.dynamic_broker_configs import DynamicBrokerConfigs
from cluster.runtime.zookeeper.membership import Membership
from cluster.runtime.zookeeper.runner import SessionRunner, run
from cluster.runtime.zookeeper.session import Session
from cluster.settings.broker_settings import BrokerSettings
from cluster.settings.errors import InvalidSettings
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.files import Files
from cluster.zk import paths
from cluster.zk.steps import Refusal

DISK_THREADS: Final = 4

logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a broker that exist once its logs are open."""

    logs: LogManager
    memory: MemoryPool
    broker: Broker
    controller: Controller
    config_changes: ConfigChangeListener
    log_scheduler: LogScheduler
    log_cleaner: LogCleaner


class BrokerProcess:
    """One broker, from its settings to its end."""

    def __init__(self, settings: BrokerSettings, files: Files | None = None) -> None:
        """*files* are this machine's by default."""
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._settings = settings
        self._clock = LoopClock(loop)
        self._files = files or Disk()
        self.metrics = MetricsRegistry(monotonic_ns=time.monotonic_ns, random=random.random)
        self._state = BrokerState.STARTING
        self._disk = DiskThreads(loop, self._files, DISK_THREADS, duration_of_flushes(self.metrics))
        self._configs = BrokerConfigs(settings.given)
        self._server = SocketServer(loop, settings.connections)
        self._peers = peers_of(loop, settings)
        self._membership = Membership(
            settings.zookeeper_connect,
            settings.session_timeout_ms,
            latency_of_zookeeper(self.metrics),
        )
        self._runner = SessionRunner()
        self._request_metrics = RequestMetrics(self.metrics)
        self._controller_metrics = ControllerMetrics(self.metrics)
        add_server(self.metrics, lambda: self._state, self._membership)
        if isinstance(loop, DirectLoop):
            add_idle_time(self.metrics, lambda: loop.idle_ns)
        self._reporters = Reporters(
            self.metrics, settings.reporters, settings.logs_directory, self._clock.wall_ms
        )
        self._tick_timer: asyncio.TimerHandle | None = None
        self._since_ms = self._clock.wall_ms()
        self._failed: asyncio.Future[None] = loop.create_future()
        self._parts: Parts | None = None
        self._listening = Listening(self._configs, self._server, self._membership)

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The broker's registered addresses; none before it listens."""
        return self._listening.endpoints

    # Start.

    async def start(self) -> None:
        """Start the broker; when this returns, clients are served.

        Raises:
            InvalidSettings: they contradict the log directories.
            BrokerFailure: the broker cannot run with its settings.
        """
        try:
            await self._start()
        except (KazooException, Refusal, CorruptZnodeError) as error:
            raise ZooKeeperRefuses(error) from error

    async def _start(self) -> None:
        started_s = time.monotonic()
        settings, membership = self._settings, self._membership
        # 1. The addresses are bound: clients may connect, and wait until they are served.
        self._listening.begin()
        # 2. The cluster id, the broker id and the dynamic configs are read from ZooKeeper.
        await membership.connect(settings.connection_timeout_ms)
        await membership.in_session(self._identify)
        dynamic = DynamicBrokerConfigs(membership.broker_id, self._configs)
        await membership.in_session(dynamic.read)
        # 3. The logs are opened, and recovered after a crash.
        self._state = BrokerState.RECOVERY
        logs, settled_clock = await self._load_logs()
        parts = self._parts = self._assemble(logs, settled_clock, dynamic)
        # 4. Requests are served, before the registration makes others send any.
        self._server.start(self._service(parts.broker, parts.memory))
        await self._reporters.start()
        # 5. The broker registers.  The controller sees it and sends it its partitions, and this
        # broker runs for controller.
        await self._register(parts)
        # 6. Background work begins: the logs' tasks, and the checks of followers.
        parts.log_scheduler.start()
        if settings.compacts_logs:
            parts.log_cleaner.start()
        parts.broker.start()
        self._state = BrokerState.RUNNING
        self._tick()
        logger.info(
            "Broker %d of cluster %s started in %.2f s and serves %s",
            membership.broker_id,
            membership.cluster_id,
            time.monotonic() - started_s,
            ", ".join(str(endpoint) for endpoint in self.endpoints),
        )
        service_manager.notify(service_manager.READY)

    def _tick(self) -> None:
        """Move the rates of meters on, as often as Yammer's are."""
        self.metrics.tick()
        self._tick_timer = self._loop.call_later(TICK_S, self._tick)

    async def _identify(self, session: Session) -> None:
        """Read, or create, the cluster id and the broker id."""
        await make_chroot(session, self._settings.zookeeper_connect)
        await run(session, make_layout())
        drawn = topic_id_text(SystemRandomStream().unique_id())
        self._membership.cluster_id = await run(session, read_cluster_id(drawn))
        self._membership.broker_id = await self._broker_id(session)

    async def _broker_id(self, session: Session) -> BrokerId:
        """The id in the settings or the log directories, else a new one."""
        if self._settings.broker_id is not None:
            return self._settings.broker_id
        owner = owner_of(self._files, self._settings.log_directories)
        if owner is not None:
            return owner
        if not self._settings.generates_id:
            raise InvalidSettings(["broker.id is missing, and broker.id.generation.enable=false"])
        return await run(session, new_broker_id(self._settings.reserved_id_max))

    async def _load_logs(self) -> tuple[LogManager, SettledClock]:
        membership = self._membership
        broker_id = membership.broker_id
        registered = await membership.in_session(
            lambda session: run(session, read_incarnation(broker_id))
        )

        async def overrides_of(topics: tuple[str, ...]) -> TopicOverrides:
            return await membership.in_session(
                lambda session: run(session, read_topic_overrides(topics))
            )

        logs, settled_clock = await load_logs(
            self._files,
            self._settings,
            self._configs,
            overrides_of,
            broker_id,
            membership.cluster_id,
            registered,
            self._clock,
        )
        membership.incarnation = logs.incarnation
        membership.intact_since, membership.flushed_since = logs.intact_since, logs.flushed_since
        return logs, settled_clock

    def _assemble(
        self, logs: LogManager, settled_clock: SettledClock, dynamic: DynamicBrokerConfigs
    ) -> Parts:
        """Create the parts, and connect each to those that it uses."""
        controller = self._controller()
        connections = self._settings.connections
        memory = MemoryPool(connections.request_size_max, connections.queued_size_max)
        broker = Broker(self._ports(logs, controller, memory))
        log_cleaner = LogCleaner(broker.ports, broker.partitions, settled_clock.wall_ms)
        add_services(self.metrics, broker, log_cleaner)
        add_health(self.metrics, self._membership, logs)
        propagation = ConfigPropagation(
            self._configs,
            self._server,
            logs,
            broker.role_changer,
            broker.replica_fetchers,
            broker.throttles,
            self._listening,
            controller,
            log_cleaner,
        )
        propagation.start()
        return Parts(
            logs=logs,
            memory=memory,
            broker=broker,
            controller=controller,
            config_changes=ConfigChangeListener(
                propagation.topic_changed, dynamic, propagation.broker_changed
            ),
            log_scheduler=LogScheduler(
                self._loop,
                self._settings,
                logs,
                self._disk,
                broker.partitions,
                self._directory_failed,
                settled_clock,
                broker.group_service.expire_offsets,
            ),
            log_cleaner=log_cleaner,
        )

    def _controller(self) -> Controller:
        settings = self._settings
        stats_file = StatsFile(settings.logs_directory, self._controller_stats)
        return Controller(
            ControllerConfig(
                broker_id=self._membership.broker_id,
                may_delete_topics=settings.deletes_topics,
                leader_rebalance=leader_rebalance(settings),
            ),
            self._controller_metrics,
            stats_file.note_change,
            self._peers,
            listener=settings.inter_broker_listener,
            order_timeout_ms=settings.controller_timeout_ms,
            allows_unclean=allows_unclean(self._configs),
        )

    def _controller_stats(self) -> ControllerStats:
        assert self._parts is not None, "the controller of a broker whose parts are there"
        return ControllerStats(
            broker_id=self._membership.broker_id,
            pid=os.getpid(),
            controller_epoch=self._parts.controller.controller_epoch,
            since_ms=self._since_ms,
            events=self._controller_metrics.event_stats(),
        )

    def _ports(self, logs: LogManager, controller: Controller, memory: MemoryPool) -> Ports:
        settings = self._settings
        return Ports(
            clock=self._clock,
            registration=self._membership,
            logs=logs,
            files=self._files,
            disks=self._disk,
            memory=memory,
            store=ZooKeeperStore(self._membership.broker_id, self._runner),
            controller=controller,
            peers=self._peers,
            journal=LogJournal(),
            random_stream=SystemRandomStream(),
            begin_large_compaction=CompactionProcesses().begin,
            settings=ApiSettings(
                partition_count=settings.partition_count,
                replication_factor=settings.replication_factor,
                auto_creates_topics=settings.creates_topics,
                deletes_topics=settings.deletes_topics,
                configs=self._configs,
                fetch_size_max=settings.fetch_size_max,
                fetch_sessions_max=settings.fetch_session_count_max,
                selects_by_rack=settings.selects_by_rack,
                inter_broker_listener=settings.inter_broker_listener,
                fetchers=settings.fetchers,
                groups=settings.groups,
                lag_max_ms=settings.lag_max_ms,
                controller_timeout_ms=settings.controller_timeout_ms,
                session_timeout_ms=settings.session_timeout_ms,
            ),
        )

    def _service(self, broker: Broker, memory: MemoryPool) -> Service:
        turns = Turns(self._loop.call_soon, time.perf_counter_ns)
        add_sockets(self.metrics, self._server.quotas, memory, turns)
        return Service(
            handler=Dispatch(broker).handle,
            served=SERVED,
            refuse_version=partial(answer_unsupported, SERVED),
            elements_max=ELEMENTS_MAX,
            memory=memory,
            turns=turns,
            metrics=self._request_metrics,
            call_soon=self._loop.call_soon,
            now_ns=time.perf_counter_ns,
            moment=self._loop.moment if isinstance(self._loop, DirectLoop) else None,
            flat_paths=flat_paths(broker, self._request_metrics.count_errors),
        )

    async def _register(self, parts: Parts) -> None:
        """Join the cluster, and remove what is left of this broker's earlier sessions."""
        files, logs = self._files, parts.logs
        earlier_sessions = earlier_session.recall(files, logs)
        if await self._membership.in_session(
            lambda session: run(session, remove_stale_controller(earlier_sessions))
        ):
            logger.info(
                "Removed %s, which an earlier session of this broker left", paths.CONTROLLER
            )

        def note_sessions(noted: Collection[int]) -> None:
            earlier_session.remember(files, logs, noted)
            logs.note_intact_since(self._membership.intact_since, self._membership.flushed_since)

        await self._membership.join(
            self.endpoints,
            self._settings.rack,
            members=(self._runner, parts.config_changes, parts.controller),
            earlier_sessions=earlier_sessions,
            note_sessions=note_sessions,
        )

    # Serving.

    async def until_failed(self) -> None:
        """Wait for a failure that makes it impossible to go on.

        Raises:
            BrokerFailure: the failure.
        """
        waiting = (self._failed, self._membership.failed)
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for future in done:
            future.result()

    def _directory_failed(self, directory: LogDirectory) -> None:
        """End what waits for the partitions of *directory*, and notify the controller."""
        assert self._parts is not None
        failed = tuple(self._parts.broker.replica_stops.notice_failed_directories())
        logger.error("%d partitions are offline with %s", len(failed), directory.path)
        # What the disk has not taken may be lost, also if this process is killed.
        self._membership.note_loss()
        self._parts.logs.note_intact_since(UNKNOWN_BROKER_EPOCH)
        if not self._parts.logs.online:
            if not self._failed.done():
                self._failed.set_exception(DisksFailed())
        elif self._runner.session is not None:
            self._loop.create_task(self._notify_controller(self._runner.session))

    async def _notify_controller(self, session: Session) -> None:
        try:
            await run(session, notify_log_dir_failure(self._membership.broker_id))
        except (SessionExpiredError, Refusal) as error:
            logger.error("The controller cannot be told of the failed directory: %r", error)

    # Shutdown.

    async def stop(self) -> None:
        """Shut down in order, so that the next start needs no recovery."""
        service_manager.notify(service_manager.STOPPING)
        parts = self._parts
        # 1. The controller moves the leaderships away, while this broker still serves.
        self._state = BrokerState.PENDING_CONTROLLED_SHUTDOWN
        if parts is not None:
            await self._move_leaderships(parts.logs)
        self._state = BrokerState.SHUTTING_DOWN
        # 2. Clients are gone; nothing is appended any more, and no log is made.
        self._server.close()
        self._reporters.stop()
        if parts is not None:
            parts.broker.stop()
            parts.log_cleaner.stop()
            parts.log_scheduler.stop()
        self._peers.close()
        # 3. Running flushes end before their logs are closed.
        await asyncio.to_thread(self._disk.close)
        # 4. The logs are closed; the mark of a clean shutdown, which spares the next start its
        # recovery, is written last.
        if parts is not None:
            parts.logs.write_high_watermarks(parts.broker.partitions.high_watermarks())
            await asyncio.to_thread(
                parts.logs.close,
                self._clock.now_ms(),
                self._membership.broker_epoch,
                run_on_threads,
                intact_since=self._membership.intact_since,
            )
        # 5. The registration ends with the session: from here on others take this broker for dead.
        await self._membership.leave()
        self._peers.close()
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        for line in (*self._request_metrics.summary(), *self._controller_metrics.summary()):
            logger.info("%s", line)
        broker_id = self._membership.broker_id
        # It has none yet where its start fails before ZooKeeper was asked for one.
        logger.info("%s has ended", "The broker" if broker_id < 0 else f"Broker {broker_id}")

    async def _move_leaderships(self, logs: LogManager) -> None:
        membership = self._membership
        if not self._settings.shuts_down_controlled or not membership.was_registered:
            return
        if not logs.online:
            # All that is led here is offline: the end of the session helps sooner than any answer.
            logger.warning("Without a log directory no leaderships are moved away")
            return
        session = self._runner.session
        if session is None:
            logger.warning("Without a registration no leaderships are moved away")
            return
        is_released = await request_controlled_shutdown(
            session,
            self._peers,
            self._settings,
            membership.broker_id,
            membership.broker_epoch,
            lambda: membership.is_connected,
        )
        logger.info("Leaderships are %s", "moved away" if is_released else "not moved away")


def peers_of(loop: asyncio.AbstractEventLoop, settings: BrokerSettings) -> TcpPeers:
    """The connections to other brokers, by the inter-broker listener."""
    name = settings.inter_broker_listener
    (endpoint,) = (one for one in settings.advertised if one.listener == name)
    make_transport = TRANSPORTS[endpoint.security_protocol]
    return TcpPeers(loop, name, make_transport, settings.peer_receive_buffer_size)


def leader_rebalance(settings: BrokerSettings) -> LeaderRebalance | None:
    if not settings.rebalances_leaders:
        return None
    return LeaderRebalance(
        interval_ms=1000 * settings.rebalance_interval_s,
        imbalance_percentage=settings.imbalance_percentage,
    )
