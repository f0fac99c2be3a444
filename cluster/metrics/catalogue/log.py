"""Beans of logs and their directories, of the cleaner, and of partitions."""

from typing import Final

from cluster.metrics.beans import BeanType

_PARTITION: Final = ("topic", "partition")

LOG: Final = BeanType("kafka.log", "Log")
SIZE: Final = LOG.gauge("Size", "Bytes of a log, indexes not counted.", tags=_PARTITION)
SEGMENTS: Final = LOG.gauge("NumLogSegments", "Segments of a log.", tags=_PARTITION)
START_OFFSET: Final = LOG.gauge(
    "LogStartOffset", "The first offset of a log that can be read.", tags=_PARTITION
)
END_OFFSET: Final = LOG.gauge(
    "LogEndOffset", "The offset that the next record of a log gets.", tags=_PARTITION
)

FLUSHES: Final = BeanType("kafka.log", "LogFlushStats").timer(
    "LogFlushRateAndTimeMs",
    "How long flushes of logs took.",
    differs="With the wait for one of the threads that flush.",
)

LOG_MANAGER: Final = BeanType("kafka.log", "LogManager")
OFFLINE_DIRECTORIES: Final = LOG_MANAGER.gauge(
    "OfflineLogDirectoryCount", "Log directories that have failed."
)
DIRECTORY_OFFLINE: Final = LOG_MANAGER.gauge(
    "LogDirectoryOffline", "1 if a log directory has failed, else 0.", tags=("logDirectory",)
)

CLEANER_MANAGER: Final = BeanType("kafka.log", "LogCleanerManager")
UNCLEANABLE_PARTITIONS: Final = CLEANER_MANAGER.gauge(
    "uncleanable-partitions-count",
    "Logs that are not compacted since they are damaged.",
    tags=("logDirectory",),
)
MAX_DIRTY: Final = CLEANER_MANAGER.gauge(
    "max-dirty-percent",
    "The share of the dirtiest log that is not compacted yet, in percent, as the cleaner found it"
    " last.",
)
SINCE_LAST_RUN: Final = CLEANER_MANAGER.gauge(
    "time-since-last-run-ms", "How long ago the cleaner last looked for a dirty log."
)
CLEANER: Final = BeanType("kafka.log", "LogCleaner")
MAX_CLEAN_TIME: Final = CLEANER.gauge(
    "max-clean-time-secs",
    "How many seconds the last cleaning took.",
    differs="Of the last cleaning; Kafka's is the longest of those of its threads.",
)
RECOPY: Final = CLEANER.gauge(
    "cleaner-recopy-percent",
    "How much the last cleaning left of what it compacted, in percent.",
)

PARTITION: Final = BeanType("kafka.cluster", "Partition")
PARTITION_UNDER_REPLICATED: Final = PARTITION.gauge(
    "UnderReplicated",
    "1 if this broker leads the partition and its ISR lacks replicas.",
    tags=_PARTITION,
)
PARTITION_UNDER_MIN_ISR: Final = PARTITION.gauge(
    "UnderMinIsr",
    "1 if this broker leads the partition and its ISR is below `min.insync.replicas`.",
    tags=_PARTITION,
)
PARTITION_AT_MIN_ISR: Final = PARTITION.gauge(
    "AtMinIsr",
    "1 if this broker leads the partition and its ISR has just `min.insync.replicas`.",
    tags=_PARTITION,
)
ISR_COUNT: Final = PARTITION.gauge(
    "InSyncReplicasCount",
    "Members of the ISR of a partition that this broker leads; else 0.",
    tags=_PARTITION,
)
REPLICAS_COUNT: Final = PARTITION.gauge(
    "ReplicasCount",
    "Replicas of a partition that this broker leads; else 0.",
    tags=_PARTITION,
)
STABLE_LAG: Final = PARTITION.gauge(
    "LastStableOffsetLag",
    "By how many offsets open transactions hold consumers of committed records back.",
    tags=_PARTITION,
)
