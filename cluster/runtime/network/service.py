"""What all connections of a broker share: handler, limits, memory, turns, metrics, clock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cluster.broker.handling import Handler
from cluster.runtime.moment import Moment
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.request_metrics import Immediate, RequestMetrics
from cluster.runtime.network.turns import Turns
from cluster.wire.api_keys import ApiKey
from cluster.wire.encoders import Buffers
from cluster.wire.errors import UnsupportedVersionError
from cluster.wire.versions import Versions

FlatPath: TypeAlias = Callable[[memoryview], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Shared by all connections of a broker."""

    handler: Handler
    served: Mapping[ApiKey, Versions]
    refuse_version: Callable[[UnsupportedVersionError], Buffers | None]
    """The answer to a request that is not *served*; None: its connection is closed."""
    elements_max: Mapping[ApiKey, int]
    """How many elements a large request may have, where that is not `ELEMENTS_MAX` of the codec."""
    memory: MemoryPool
    turns: Turns
    metrics: RequestMetrics
    call_soon: Callable[[Callable[[], None]], object]
    """Schedules a call for after the loop has served the others."""
    now_ns: Callable[[], int]
    """A clock that never falls; its zero means nothing."""
    moment: Moment | None = None
    """The loop's, by that clock; None for one that sets none."""
    flat_paths: Mapping[tuple[ApiKey, int], FlatPath] = field(default_factory=dict)
    """By API and version: it answers the usual request in a frame by itself; None for any other,
    without a side effect."""
    flat: Mapping[int, tuple[FlatPath, Immediate]] = field(init=False)
    """The same with where such requests are noted, by the first four bytes of a frame."""

    def __post_init__(self) -> None:
        flat = {
            api_key << 16 | version: (path, self.metrics.immediate(api_key, version))
            for (api_key, version), path in self.flat_paths.items()
        }
        object.__setattr__(self, "flat", flat)
