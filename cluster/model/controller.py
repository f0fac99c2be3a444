"""The controller, its epoch, the quorum that it leads on KRaft, and the state of a migration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cluster.model.ids import NEVER_READ, BrokerId, ControllerEpoch, ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """The content of `/controller`.

    *timestamp_ms* is when it was elected, None where the node lacks it.
    *kraft_controller_epoch* above 0 means that a KRaft quorum owns the cluster and that nothing
    may be written to ZooKeeper.
    """

    broker_id: BrokerId
    timestamp_ms: int | None = None
    version: int = 1
    kraft_controller_epoch: int = -1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_kraft(self) -> bool:
        return self.kraft_controller_epoch > 0


@dataclass(frozen=True, slots=True)
class ControllerEpochNode:
    """The content of `/controller_epoch`; *epoch_zk_version* fences every write of a controller."""

    epoch: ControllerEpoch
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumReplica:
    """A node's replica of the metadata log, as the leader of the quorum knows it.

    *log_end_offset* is -1 while it is unknown.  Times are the leader's, in ms: when the node
    fetched last, and up to when it had everything; None where that is unknown, as before Kafka 3.4.
    A leader does not fetch.  *endpoints* are known of voters, from Kafka 3.9 on.
    """

    node_id: BrokerId
    is_voter: bool
    log_end_offset: int
    last_fetch_ms: int | None = None
    last_caught_up_ms: int | None = None
    endpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """The metadata quorum of a cluster on KRaft.

    *replicas* are its voters, then its observers, each in order of id.
    """

    leader_id: BrokerId
    leader_epoch: int
    high_watermark: int
    replicas: tuple[QuorumReplica, ...]

    @property
    def leader(self) -> QuorumReplica | None:
        """None where a leader has just been replaced."""
        return next((each for each in self.replicas if each.node_id == self.leader_id), None)

    @property
    def now_ms(self) -> int | None:
        """Return the time of the leader's answer, by its clock; None where that is unknown."""
        return None if self.leader is None else self.leader.last_caught_up_ms

    def lag(self, replica: QuorumReplica) -> int | None:
        """Return how many records *replica* lacks; None where that is unknown."""
        leader = self.leader
        if leader is None or replica.log_end_offset < 0 or leader.log_end_offset < 0:
            return None
        return max(0, leader.log_end_offset - replica.log_end_offset)


METADATA_VERSION: Final = "metadata.version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A feature of a cluster on KRaft: the *level* that is finalized, 0 while it is off, and from
    which to which level the broker that was asked supports."""

    name: str
    level: int
    supported_min: int
    supported_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationState:
    """The content of `/migration`: how far a KRaft controller has copied the cluster (3.4 on).

    All numbers are -1 where nothing was copied yet.
    """

    kraft_controller_id: BrokerId
    kraft_controller_epoch: int
    kraft_metadata_offset: int
    kraft_metadata_epoch: int
    version: int = 0
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def has_begun(self) -> bool:
        """Whether a KRaft controller has copied something, so that it may own the cluster."""
        return self.kraft_controller_id >= 0 and self.kraft_metadata_offset >= 0

    def __str__(self) -> str:
        return (
            f"KRaft controller {self.kraft_controller_id} has copied the cluster up to offset"
            f" {self.kraft_metadata_offset}"
        )
