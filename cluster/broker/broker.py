"""One broker: the assembly of its services for a process."""

from cluster.broker.control.fences import ControllerFence
from cluster.broker.control.leadership import LeadershipListener
from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.control.orders import Orders
from cluster.broker.control.queue import ControlQueue
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.control.replica_stops import ReplicaStops
from cluster.broker.control.role_changes import RoleChanger, Unserved
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.pause_detector import PauseDetector
from cluster.broker.ports import Ports
from cluster.broker.producer_ids import ProducerIds
from cluster.broker.refusals_log import RefusalsLog
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_fetcher.truncations import LogTruncations
from cluster.broker.replica_manager.appending import Appender
from cluster.broker.replica_manager.checkpoint_writes import CheckpointWrites
from cluster.broker.replica_manager.fetch_reading import FetchReader
from cluster.broker.replica_manager.fetch_sessions import FetchSessions
from cluster.broker.replica_manager.hosting import Hosting
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.replica_manager.record_work import RecordWorks
from cluster.broker.replica_manager.refused_batches import RefusedBatches
from cluster.broker.replica_manager.throttles import Throttles
from cluster.broker.replica_manager.topic_config_handler import TopicConfigHandler
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.broker.topics.new_topics import NewTopics
from cluster.replication.replica import IsrRules


class Broker:
    """The services of a broker.

    `partitions` has what it hosts of each partition: the log, and the replica's core, with its
    role, epoch and high watermark (`cluster.replication.replica`).
    """

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self.cache = MetadataCache()
        self.partitions = Partitions(self.cache)
        self.throttles = Throttles()
        self.topic_config_handler = TopicConfigHandler(ports, self.partitions, self.throttles)
        unserved: Unserved = {}
        self.refused_partitions = RefusedPartitions(ports.registration)
        self.control_queue = ControlQueue(ports.clock, ports.memory)
        self.fence = ControllerFence(ports)
        self.metadata_updates = MetadataUpdates(ports, self.cache, self.fence)
        self.pause_detector = PauseDetector(ports)
        self.orders = Orders(self.control_queue, self.pause_detector, ports.registration)
        self.auto_creation = AutoCreation(ports, self.cache)
        self.new_topics = NewTopics(self.cache, ports.random_stream, ports.settings)
        self.fetch_sessions = FetchSessions(
            ports.settings.fetch_sessions_max, first_id=1 + ports.random_stream.below(2**30)
        )
        self.fetch_reader = FetchReader(
            self.cache,
            self.partitions,
            self.throttles.leader,
            ports.clock,
            ports.journal,
        )
        self.isr_changes = IsrChanges(ports, self.cache, self.partitions)
        self.producer_ids = ProducerIds(ports)
        self.refusals_log = RefusalsLog(ports)
        self.refused_batches = RefusedBatches(ports.clock)
        self.appender = Appender(
            self.partitions, self.refused_batches, self.pause_detector, ports.clock
        )
        self.group_service = GroupService(ports, self.cache, self.partitions, self.appender)
        self.leadership_listeners: list[LeadershipListener] = [self.group_service]
        self.record_work = RecordWorks(ports.disks, ports.memory)
        self.checkpoint_writes = CheckpointWrites(ports)
        self.replica_fetchers = ReplicaFetcherManager(
            ports,
            self.cache,
            self.throttles.follower,
            LogTruncations(ports, self.checkpoint_writes),
        )
        self.log_dir_moves = LogDirMoves(
            ports, self.partitions, self.throttles.log_dirs, self.replica_fetchers.follow_anew
        )
        self.role_changer = RoleChanger(
            ports=ports,
            cache=self.cache,
            partitions=self.partitions,
            hosting=Hosting(
                ports=ports,
                partitions=self.partitions,
                isr_rules=IsrRules(
                    ports.settings.lag_max_ms, lambda broker_id: broker_id in self.cache.brokers
                ),
                log_dir_moves=self.log_dir_moves,
            ),
            fence=self.fence,
            control_queue=self.control_queue,
            replica_fetchers=self.replica_fetchers,
            topic_config_handler=self.topic_config_handler,
            unserved=unserved,
            refused_partitions=self.refused_partitions,
            listeners=self.leadership_listeners,
        )
        self.replica_stops = ReplicaStops(
            ports=ports,
            partitions=self.partitions,
            fence=self.fence,
            replica_fetchers=self.replica_fetchers,
            log_dir_moves=self.log_dir_moves,
            unserved=unserved,
            refused_partitions=self.refused_partitions,
            listeners=self.leadership_listeners,
        )

    def start(self) -> None:
        """Begin background work; orders and requests may have arrived before."""
        self.isr_changes.start()
        self.pause_detector.start()

    def stop(self) -> None:
        """Stop carrying out orders, fetching and proposing ISR changes."""
        self.control_queue.close()
        self.replica_fetchers.close()
        self.log_dir_moves.close()
        self.isr_changes.stop()
        self.group_service.stop()
        self.pause_detector.stop()
