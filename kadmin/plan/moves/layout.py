"""The layout of a cluster: brokers, racks, replicas and sizes, all that a planner of moves uses.

It may come from a live cluster or from a file.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from cluster.model.placement import Racks
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.log_dirs import LogDirs, pairs
from kadmin.plan.reassignment.moves import AlreadyMoving
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.plan.reassignment.status import active_partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPartition:
    """*replicas* in order of preference; see `PlannedMove` for the rest."""

    replicas: tuple[BrokerId, ...]
    zk_version: ZkVersion | None = None
    size_bytes: int | None = None

    @property
    def is_sound(self) -> bool:
        """Whether it has replicas, each once; a znode that was edited by hand may not."""
        return 0 < len(self.replicas) == len(set(self.replicas))


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """The disk of the log directory *path*, and how full it is."""

    path: str
    percent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Disks:
    """The disks of a broker's log directories, taken together; *single* has each of several."""

    total_bytes: int
    used_bytes: int
    single: tuple[Disk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLayout:
    """*brokers* are alive; *partitions* are in order.  *disks* has the brokers that report them,
    which Kafka's do since 3.3."""

    brokers: Racks
    partitions: Mapping[TopicPartition, PlacedPartition]
    cluster_id: str | None = None
    disks: Mapping[BrokerId, Disks] = field(default_factory=dict)

    @property
    def hosts(self) -> set[BrokerId]:
        """The brokers that have replicas, alive or not."""
        return {broker for each in self.partitions.values() for broker in each.replicas}

    @property
    def loads(self) -> Counter[BrokerId]:
        return Counter(broker for each in self.partitions.values() for broker in each.replicas)

    @property
    def knows_sizes(self) -> bool:
        return all(each.size_bytes is not None for each in self.partitions.values())

    @property
    def knows_racks(self) -> bool:
        """Whether all brokers have one: a broker without may share any rack."""
        return all(rack is not None for rack in self.brokers.values())


def layout_of(
    snapshot: ClusterSnapshot, log_dirs: LogDirs | None = None, cluster_id: str | None = None
) -> ClusterLayout:
    """Return the layout in *snapshot*, with the sizes in *log_dirs*; topics that are being deleted
    are left out.

    Raises:
        AlreadyMoving: there is a reassignment, after which all would be different.
    """
    active = active_partitions(snapshot)
    if active:
        raise AlreadyMoving(
            active, is_in_znode=bool(snapshot.moving), lacks_controller=snapshot.lacks_controller
        )
    sizes = {} if log_dirs is None else sizes_of(log_dirs)
    partitions = {}
    for name, topic in snapshot.topics.items():
        if topic.is_marked_for_deletion:
            continue
        version = topic.assignment.zk_version
        for number, part in topic.assignment.partitions.items():
            partition = TopicPartition(name, number)
            partitions[partition] = PlacedPartition(
                replicas=part.replicas,
                zk_version=None if version == NEVER_READ else version,
                size_bytes=max(sizes.get(partition, {}).values(), default=None),
            )
    return ClusterLayout(
        brokers={broker: found.rack for broker, found in sorted(snapshot.brokers.items())},
        partitions=dict(sorted(partitions.items())),
        cluster_id=cluster_id,
        disks=disks_of(log_dirs or {}),
    )


def disks_of(log_dirs: LogDirs) -> dict[BrokerId, Disks]:
    """Return the disks of the brokers all of whose directories report one."""
    total: Counter[BrokerId] = Counter()
    usable: Counter[BrokerId] = Counter()
    single: dict[BrokerId, list[Disk]] = {}
    silent = set()
    for broker, directory in pairs(log_dirs):
        if directory.total_bytes is None or directory.usable_bytes is None:
            silent.add(broker)
            continue
        used = directory.total_bytes - directory.usable_bytes
        percent = 100 * used / max(1, directory.total_bytes)
        single.setdefault(broker, []).append(Disk(path=directory.path, percent=percent))
        total[broker] += directory.total_bytes
        usable[broker] += directory.usable_bytes
    return {
        broker: Disks(
            total_bytes=whole,
            used_bytes=whole - usable[broker],
            single=tuple(single[broker]) if len(single[broker]) > 1 else (),
        )
        for broker, whole in total.items()
        if broker not in silent
    }
