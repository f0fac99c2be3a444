"""What the checks of a migration judge: all that was read of a cluster that leaves ZooKeeper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cluster.model.acl import ResourceAcls, ResourcePattern
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from cluster.model.controller import MigrationState
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.token import DelegationToken
from cluster.zk import paths

FRESH_MS: Final = 7 * 24 * 3600 * 1000
"""Old consumers that have written within this time are taken to be in use."""


OWNERSHIP: Final = (*(paths.CONTROLLER, paths.CONTROLLER_EPOCH, paths.MIGRATION, paths.BROKER_IDS),)
"""The znodes that show who owns the cluster, and how far a migration is."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A znode at *path* that cannot be decoded, or *is_hidden* from this user, for a
    *reason*."""

    path: str
    reason: str
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class NodeTimes:
    """When a znode was created and last written, and how often since; *is_ephemeral* while it ends
    with the session of its creator."""

    created_ms: int
    written_ms: int
    zk_version: int
    is_ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class OldConsumers:
    """A group of consumers that keeps its offsets in ZooKeeper, with the number of its live
    members, and when it last wrote an offset; None where it has none."""

    group: str
    members: int
    written_ms: int | None

    def is_in_use(self, now_ms: int) -> bool:
        """Return whether it has members, or has written an offset within a week."""
        is_fresh = self.written_ms is not None and now_ms - self.written_ms < FRESH_MS
        return self.members > 0 or is_fresh


class OldRequests(NamedTuple):
    """How many requests of one kind and version clients of one software have sent."""

    software: str
    request: str
    version: str
    sent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAnswer:
    """The configs of a broker by name, as it describes them; one that it hides is None."""

    configs: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationEvidence:
    """One look at a cluster, at *now_ms* since 1970.

    *nodes* are the times of `/controller`, `/controller_epoch` and `/migration`, by path, as far as
    these exist; *migration* is None without a readable `/migration`, in its initial state, too.
    *configs* are those of brokers, users, clients and addresses, and of topics that do not exist.
    *orphan_marks* are topics that are marked for deletion and do not exist; *elections* and
    *log_dir_events* are pending.  *damages* are znodes of any kind, *misplaced* are paths of
    configs that no broker reads.  *restricted* are the paths that not anyone may read and write,
    each with who may.  *foreign* are znodes beside Kafka's own.  *answers* are those of brokers,
    None where none was asked; *silent* those that did not answer.  *old_requests* are those of
    clients that Kafka 4.0 does not serve, by the metrics of each endpoint.  *unlooked* gives the
    reasons.  *connect* is where ZooKeeper is, with the chroot.
    """

    snapshot: ClusterSnapshot
    now_ms: int
    connect: str = "HOST:PORT"
    default_min_isr: int = 1
    nodes: Mapping[str, NodeTimes] = field(default_factory=dict)
    migration: MigrationState | None = None
    cluster_id: str | None = None
    configs: Mapping[ConfigEntity, ConfigOverrides] = field(default_factory=dict)
    acls: Mapping[ResourcePattern, ResourceAcls] = field(default_factory=dict)
    tokens: tuple[DelegationToken, ...] = ()
    producer_ids: ProducerIdBlock | None = None
    orphan_marks: tuple[str, ...] = ()
    elections: tuple[TopicPartition, ...] = ()
    log_dir_events: int = 0
    damages: tuple[Damage, ...] = ()
    misplaced: tuple[str, ...] = ()
    restricted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    old_consumers: tuple[OldConsumers, ...] = ()
    foreign: tuple[str, ...] = ()
    has_id_sequence: bool = False
    answers: Mapping[BrokerId, BrokerAnswer] | None = None
    silent: tuple[BrokerId, ...] = ()
    old_requests: Mapping[str, tuple[OldRequests, ...]] = field(default_factory=dict)
    unlooked: tuple[str, ...] = ()

    @property
    def gone(self) -> tuple[BrokerId, ...]:
        """The brokers that have replicas, or are to have some, and are not registered."""
        unread = {each.path for each in self.damages}
        if paths.BROKER_IDS in unread:
            return ()
        return tuple(
            broker
            for broker in sorted(self.assigned)
            if broker not in self.snapshot.brokers and paths.broker(broker) not in unread
        )

    @property
    def blind(self) -> tuple[Damage, ...]:
        """The damages of what shows who owns the cluster, and how far a migration is."""
        return tuple(each for each in self.damages if each.path in OWNERSHIP)

    @property
    def unknown_epochs(self) -> tuple[Damage, ...]:
        """What of the topics may not be read: any epoch may stand there."""
        return tuple(
            each
            for each in self.damages
            if each.is_hidden and f"{each.path}/".startswith(f"{paths.TOPICS}/")
        )

    @property
    def has_damaged_migration(self) -> bool:
        """Whether `/migration` is there, and can be decoded by no controller."""
        return any(each.path == paths.MIGRATION and not each.is_hidden for each in self.damages)

    @property
    def assigned(self) -> dict[BrokerId, list[str]]:
        """The topics of each broker that has replicas, or is to have some; topics that wait for
        their deletion are not copied, and do not count."""
        found: dict[BrokerId, list[str]] = {}
        for topic in self.snapshot.topics.values():
            if topic.is_marked_for_deletion:
                continue
            # Thousands of partitions share the same list.
            lists = {part.replicas for part in topic.assignment.partitions.values()}
            brokers = set().union(*lists)
            for broker in sorted(brokers):
                found.setdefault(broker, []).append(topic.name)
        return found
