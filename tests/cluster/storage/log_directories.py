"""Directories on a simulated disk, and logs in them."""

from collections.abc import Callable

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.storage.directories.log_manager import Loaded, LogManager
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.sim.disk import SimDisk

CONFIG = LogConfig(segment_size_max=1000, index_interval_size=100, index_size_max=4096)
ORDERS = TopicPartition("orders", 0)
PAYMENTS = TopicPartition("payments", 3)
ID = "0123456789abcdef0123456789abcdef"
EPOCH = LeaderEpoch(0)


def disk_with(*paths: str, seed: int = 0) -> SimDisk:
    disk = SimDisk(seed)
    for path in paths:
        disk.make_directory(path)
    disk.sync_directory("/")
    return disk


def started(
    disk: SimDisk,
    *paths: str,
    broker_id: int = 1,
    cluster_id: str = "c",
    config_of: Callable[[str], LogConfig] = lambda topic: CONFIG,
) -> LogManager:
    manager, _ = loaded(disk, *paths, broker_id=broker_id, cluster_id=cluster_id)
    return manager


def loaded(
    disk: SimDisk,
    *paths: str,
    broker_id: int = 1,
    cluster_id: str = "c",
    config_of: Callable[[str], LogConfig] = lambda topic: CONFIG,
) -> tuple[LogManager, list[Loaded]]:
    manager = LogManager.open(disk, paths or ("/data",), BrokerId(broker_id), cluster_id)
    return manager, list(manager.load(config_of, START_MS))


def create(manager: LogManager, partition: TopicPartition = ORDERS) -> PartitionLog:
    return manager.get_or_create(partition, CONFIG, None, START_MS, is_new=True)


def fill(log: PartitionLog, batches: int = 20) -> None:
    for _ in range(batches):
        log.append(batch(3), EPOCH, START_MS, START_MS)


def names(disk: SimDisk, path: str) -> list[str]:
    return [entry.name for entry in disk.list(path)]


def failing(path: str, number: int) -> Callable[[str, str], OSError | None]:
    """A disk under *path* on which everything that changes something fails."""

    def fault(kind: str, where: str) -> OSError | None:
        if kind != "read" and where.startswith(path):
            return OSError(number, "the disk failed", where)
        return None

    return fault
