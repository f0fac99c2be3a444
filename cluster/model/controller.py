"""The controller, its epoch, and the state of a migration to KRaft."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
