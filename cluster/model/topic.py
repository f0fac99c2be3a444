"""Topics and the states of their partitions: which replicas has a topic, and who leads them?"""

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
"""Of a leader after an unclean election, from 3.2 on; Kafka's LeaderRecoveryState."""

LISTS_MAX: Final = 10_000


@lru_cache(LISTS_MAX)
def kept_once(brokers: tuple[BrokerId, ...]) -> tuple[BrokerId, ...]:
    """Of equal lists of brokers the first one: thousands of partitions have the same."""
    return brokers


class PartitionAssignment(NamedTuple):
    """A partition's replicas in order of preference; while it is moved, also who comes and goes.

    *adding* and *removing* are parts of *replicas*; both are empty when nothing moves.  A znode
    that somebody wrote by hand may name no replica, or one several times: who counts replicas
    counts the members of a set.  A tuple, as is `PartitionState`, since there is one for each
    partition of a cluster: a frozen dataclass takes four times as long to make.

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
        """The assignment on the way to *target*, in whose order the replicas stand from now on.

        The way begins at the origin: what a reassignment that is under way has added is given up,
        unless *target* has it too.

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
    of URL-safe base64, or None where the cluster gives none.
    """

    partitions: Mapping[int, PartitionAssignment]
    version: int = 3
    topic_id: str | None = None
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
    _is_reassigning: bool | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def is_reassigning(self) -> bool:
        """Whether any partition is; looked for once, since each of thousands may be asked about."""
        known = self._is_reassigning
        if known is None:
            known = any(partition.is_reassigning for partition in self.partitions.values())
            object.__setattr__(self, "_is_reassigning", known)
        return known

    @property
    def fewest_replicas(self) -> int | None:
        """How many replicas every partition has at least, once nothing moves; None without any."""
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
