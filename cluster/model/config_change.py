"""How does one say that the overrides of an entity have changed?"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.ids import NEVER_READ, ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """A notification that the overrides under `/config/<entity_path>` have changed.

    *version* is the form: 0 is 0.8's bare topic name, 1 (0.9, 0.10.0) knows topics and clients,
    2 (0.10.1 and later) everything.  Names in the path stand as in ZooKeeper.
    """

    entity_path: str
    version: int = 2
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
