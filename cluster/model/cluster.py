"""Data of the cluster as a whole: its id, its producer ids and its features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from cluster.model.ids import NEVER_READ, BrokerId, ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterId:
    """The content of `/cluster/id`; *version* is text there, and unused."""

    cluster_id: str
    version: str = "1"
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerIdBlock:
    """The last assigned producer ids, from *first* to *last*, both included."""

    broker_id: BrokerId
    first: int
    last: int
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert 0 <= self.first <= self.last


class FeatureStatus(IntEnum):
    """Whether the cluster's inter-broker protocol (2.7 and later) has features at all."""

    DISABLED = 0
    ENABLED = 1


@dataclass(frozen=True, slots=True)
class FeatureLevels:
    """The finalized levels of a feature; *min_level* is None in version 2, which dropped it."""

    max_level: int
    min_level: int | None = None

    def __post_init__(self) -> None:
        assert 1 <= (1 if self.min_level is None else self.min_level) <= self.max_level


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalizedFeatures:
    """The content of `/feature`, in version 1 (2.7 to 3.2) or 2 (3.3 and later)."""

    status: FeatureStatus
    levels: Mapping[str, FeatureLevels]
    version: int = 2
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert all((at.min_level is None) == (self.version == 2) for at in self.levels.values())
