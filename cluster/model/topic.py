"""Topics: their assignments, and the states of their partitions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from cluster.model.extra import NOTHING
from cluster.model.ids import (
    NEVER_READ,
    NO_LEADER,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    ZkVersion,
)

RECOVERED: Final = 0
RECOVERING: Final = 1
"""State of a leader after an unclean election, from 3.2 on; Kafka's LeaderRecoveryState."""

LISTS_MAX: Final = 10_000


@lru_cache(LISTS_MAX)
def kept_once(brokers: tuple[BrokerId, ...]) -> tuple[BrokerId, ...]:
    """The first of equal lists of brokers: thousands of partitions share the same."""
    return brokers


class PartitionAssignment(NamedTuple):
    """A partition's replicas in order of preference; during a reassignment, also the added and
    removed.

    *adding* and *removing* are parts of *replicas*; both are empty without a reassignment.  A znode
    that was edited by hand may have no replica, or one several times: count replicas by a set.  A
    tuple, as is `PartitionState`, since there is one for each partition of a cluster: a frozen
    dataclass takes four times as long to make.

    Source: KIP-455.
    """

    replicas: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...] = ()
    removing: tuple[BrokerId, ...] = ()

    @property
    def preferred_leader(self) -> BrokerId:
        """The first replica; -1 for an empty list, which only a damaged znode has."""
        return self.replicas[0] if self.replicas else NO_LEADER

    @property
    def is_reassigning(self) -> bool:
        return bool(self.adding or self.removing)

    @property
    def origin(self) -> tuple[BrokerId, ...]:
        return tuple(replica for replica in self.replicas if replica not in self.adding)

    @property
    def target(self) -> tuple[BrokerId, ...]:
        return tuple(replica for replica in self.replicas if replica not in self.removing)

    def reassigned(self, target: tuple[BrokerId, ...]) -> "PartitionAssignment":
        """The assignment during a reassignment to *target*, in whose order the replicas are then.

        It begins at the origin: what a present reassignment has added is given up, unless *target*
        has it too.

        Source: Kafka's ReplicaAssignment.reassignTo.
        """
        origin = self.origin
        replicas = tuple(dict.fromkeys((*target, *origin)))
        return PartitionAssignment(
            replicas,
            adding=tuple(replica for replica in replicas if replica not in origin),
            removing=tuple(replica for replica in replicas if replica not in target),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAssignment:
    """The content of `/brokers/topics/<topic>`; *partitions* is ordered by partition id.

    *version* is the node's format, 1 (up to 2.3), 2 (2.4) or 3 (2.8).  *topic_id* is 22 characters
    of URL-safe base64, or None where the cluster has no topic ids.
    """

    partitions: Mapping[int, PartitionAssignment]
    version: int = 3
    topic_id: str | None = None
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
    _reassigning: tuple[int, ...] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @property
    def reassigning(self) -> tuple[int, ...]:
        """The partitions that are; computed once, since each of thousands may be queried."""
        known = self._reassigning
        if known is None:
            each = self.partitions.items()
            known = tuple(number for number, partition in each if partition.is_reassigning)
            object.__setattr__(self, "_reassigning", known)
        return known

    @property
    def is_reassigning(self) -> bool:
        return bool(self.reassigning)

    @property
    def fewest_replicas(self) -> int | None:
        """The lowest number of replicas of any partition, after all moves; None without
        partitions.
        """
        counts = (len(set(partition.target)) for partition in self.partitions.values())
        return min(counts, default=None)


class PartitionState(NamedTuple):
    """The content of `/brokers/topics/<topic>/partitions/<partition>/state`.

    *leader* is NO_LEADER when the partition has none, *leader_recovery_state* RECOVERING while the
    leader recovers from an unclean election.
    """

    leader: BrokerId
    isr: tuple[BrokerId, ...]
    leader_epoch: LeaderEpoch
    controller_epoch: ControllerEpoch
    leader_recovery_state: int = RECOVERED
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = NOTHING
