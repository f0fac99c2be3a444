"""The configs of a group coordinator, with Kafka's defaults."""

from typing import Final, NamedTuple

INT_MAX: Final = 2**31 - 1


class GroupConfig(NamedTuple):
    """Each field is named as its config, which starts with `group.` or `offsets.`."""

    min_session_timeout_ms: int = 6000
    max_session_timeout_ms: int = 1_800_000
    initial_rebalance_delay_ms: int = 3000
    max_size: int = INT_MAX
    metadata_max_bytes: int = 4096
    """`offset.metadata.max.bytes`, which Kafka counts in characters."""
    retention_ms: int = 7 * 24 * 3600 * 1000
    """`offsets.retention.minutes`."""
