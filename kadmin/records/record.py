"""A record that is sent to a broker or was read from one."""

from dataclasses import dataclass
from typing import TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record to be produced; a *value* of None is a tombstone.

    Without a *partition* its key, or else chance, decides; without *timestamp_ms* it is now.
    """

    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    partition: int | None = None
    timestamp_ms: int | None = None
