"""How many requests wait in the purgatory, and for how many conditions, by kind."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class WaitingCount:
    """Requests of one kind that wait."""

    operations: int = 0
    conditions: int = 0


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """Those of a broker."""

    produce: WaitingCount = field(default_factory=WaitingCount)
    fetch: WaitingCount = field(default_factory=WaitingCount)
    delete_records: WaitingCount = field(default_factory=WaitingCount)
