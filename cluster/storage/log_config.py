"""Log config: the configs of a topic that its log needs.

Parses the values of Kafka's keys once.  Knows no broker defaults: the caller merges them in before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from cluster.model.config_spec import is_true, members, trimmed, value_problem
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.storage.errors import InvalidLogConfig

UNLIMITED: Final = -1
"""Of retention: keep everything."""
NO_BOUND: Final = 2**63 - 1

COMPACT: Final = "compact"
DELETE: Final = "delete"
SERVED_POLICIES: Final = (COMPACT, DELETE)
"""The allowed values of cleanup.policy."""

READ_KEYS: Final = (
    "segment.bytes",
    "segment.ms",
    "segment.index.bytes",
    "index.interval.bytes",
    "retention.ms",
    "retention.bytes",
    "max.message.bytes",
    "message.downconversion.enable",
    "message.timestamp.type",
    "message.timestamp.difference.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.after.max.ms",
    "flush.messages",
    "flush.ms",
    "file.delete.delay.ms",
    "preallocate",
    "cleanup.policy",
    "min.compaction.lag.ms",
    "max.compaction.lag.ms",
    "min.cleanable.dirty.ratio",
    "delete.retention.ms",
)
"""The keys that this module reads; other modules read the other keys of a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """A log's limits; the defaults are those of Kafka 3.9."""

    segment_size_max: int = 1024**3
    segment_ms: int = 7 * 24 * 3600 * 1000
    index_size_max: int = 10 * 1024**2
    index_interval_size: int = 4096
    retention_ms: int = 7 * 24 * 3600 * 1000
    retention_size: int = UNLIMITED
    message_size_max: int = 1024**2 + 12
    converts_down: bool = True
    """Whether consumers that only know messages of magic 0 and 1 get them."""
    uses_log_append_time: bool = False
    timestamp_before_max_ms: int = NO_BOUND
    timestamp_after_max_ms: int = NO_BOUND
    flush_messages: int = NO_BOUND
    flush_ms: int = NO_BOUND
    file_delete_delay_ms: int = 60_000
    preallocates: bool = False
    deletes: bool = True
    """Whether old records are deleted by time and size."""
    compacts: bool = False
    """Whether of each key only the last record is kept."""
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = NO_BOUND
    min_cleanable_ratio: float = 0.5
    delete_retention_ms: int = 24 * 3600 * 1000

    @classmethod
    def parse(cls, configs: Mapping[str, str]) -> Self:
        """Parse the configs of a topic; other keys are ignored, missing ones are defaults.

        `segment.jitter.ms` has no effect: segments roll when they are due.

        Raises:
            InvalidLogConfig: with every wrong value.
        """
        texts = {name: trimmed(configs[name]) for name in READ_KEYS if name in configs}
        problems = [
            problem
            for name, text in texts.items()
            if (problem := value_problem(TOPIC_CONFIGS[name], text)) is not None
        ]
        if problems:
            raise InvalidLogConfig(problems)
        return cls._of(frozenset(texts.items()))

    @classmethod
    @lru_cache(maxsize=1000)
    def _of(cls, said: frozenset[tuple[str, str]]) -> Self:
        """Return the value that logs of equal configs share: a broker may have 10,000s of them."""
        texts = dict(said)
        policies = members(texts.get("cleanup.policy", DELETE))

        def number(name: str) -> int:
            default = TOPIC_CONFIGS[name].default
            assert default is not None
            return int(texts.get(name, default))

        # The older key speaks for both directions, as far as the newer ones are silent.
        difference = number("message.timestamp.difference.max.ms")
        before = number("message.timestamp.before.max.ms")
        after = number("message.timestamp.after.max.ms")
        ratio = TOPIC_CONFIGS["min.cleanable.dirty.ratio"]
        segment_ms, compaction_lag_ms = number("segment.ms"), number("max.compaction.lag.ms")
        if COMPACT in policies:
            # What is in the segment that grows is not compacted.
            segment_ms = min(segment_ms, compaction_lag_ms)
        return cls(
            segment_size_max=number("segment.bytes"),
            segment_ms=segment_ms,
            index_size_max=number("segment.index.bytes"),
            index_interval_size=number("index.interval.bytes"),
            retention_ms=number("retention.ms"),
            retention_size=number("retention.bytes"),
            message_size_max=number("max.message.bytes"),
            converts_down=is_true(texts.get("message.downconversion.enable", "true")),
            uses_log_append_time=texts.get("message.timestamp.type") == "LogAppendTime",
            timestamp_before_max_ms=difference if before == NO_BOUND else before,
            timestamp_after_max_ms=difference if after == NO_BOUND else after,
            flush_messages=number("flush.messages"),
            flush_ms=number("flush.ms"),
            file_delete_delay_ms=number("file.delete.delay.ms"),
            preallocates=is_true(texts.get("preallocate", "false")),
            deletes=DELETE in policies,
            compacts=COMPACT in policies,
            min_compaction_lag_ms=number("min.compaction.lag.ms"),
            max_compaction_lag_ms=compaction_lag_ms,
            min_cleanable_ratio=float(texts.get(ratio.name, ratio.default or "")),
            delete_retention_ms=number("delete.retention.ms"),
        )
