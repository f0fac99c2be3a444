"""Log directories of brokers, with the replicas in each.

Values alone, as DescribeLogDirs returns them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLog:
    """The log of a replica in one directory.

    *lag_records* is how far its end is behind the high watermark that its broker knows.  One that
    *is_future* is being copied from another directory of the same broker, which it leaves in the
    end: its lag is behind the end of the log there.
    """

    partition: TopicPartition
    size_bytes: int
    lag_records: int
    is_future: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDir:
    """One directory, with *replicas* in order of partition.

    *error_code* is Kafka's, and 0 where the directory works; one that does not has no other field.
    *total_bytes* and *usable_bytes* are of the disk, and None where brokers do not return them:
    Kafka does since 3.3.
    """

    path: str
    replicas: tuple[ReplicaLog, ...] = ()
    error_code: int = 0
    total_bytes: int | None = None
    usable_bytes: int | None = None


LogDirs: TypeAlias = Mapping[BrokerId, Sequence[LogDir]]
"""The directories of each broker that returned them, in order of id and path."""


def pairs(log_dirs: LogDirs) -> Iterator[tuple[BrokerId, LogDir]]:
    for broker, directories in log_dirs.items():
        for directory in directories:
            yield broker, directory


def offline_dirs(log_dirs: LogDirs) -> list[tuple[BrokerId, str]]:
    """Return the directories that have failed, by broker and path."""
    return [
        (broker, directory.path)
        for broker, directory in pairs(log_dirs)
        if directory.error_code != ErrorCode.NONE
    ]
