"""Names of directories in a log directory, and their partitions."""

import re
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import TopicPartition

NAME_SIZE_MAX: Final = 255
DELETE_SUFFIX: Final = "-delete"
FUTURE_SUFFIX: Final = "-future"
UNIQUE_ID_SIZE: Final = 32

PARTITION: Final = re.compile(r"(?P<topic>[a-zA-Z0-9._-]{1,249})-(?P<partition>[0-9]{1,10})")
DELETED: Final = re.compile(r"\S+-\S+\.\S+-delete")
FUTURE: Final = re.compile(r"(?P<own>\S+-\S+)\.[^\s.]+-future")
PARTITION_MAX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Survey:
    """The directories in a log directory, by kind."""

    partitions: tuple[TopicPartition, ...]
    deleted: tuple[str, ...]
    """Names of partitions that were being deleted."""
    futures: tuple[tuple[TopicPartition, str], ...]
    """Partitions that were being copied from another directory, each with the copy's name."""
    foreign: tuple[str, ...]
    """Names of other content, which is not touched."""


def directory_name(partition: TopicPartition) -> str:
    return f"{partition.topic}-{partition.partition}"


def deleted_name(partition: TopicPartition, unique_id: str) -> str:
    """Return the name of a partition's directory while it waits for deletion, cut as Kafka cuts it.

    *unique_id* keeps it apart from a namesake that was deleted before: 32 hexadecimal digits.
    """
    suffix = f"-{partition.partition}.{unique_id}{DELETE_SUFFIX}"
    return partition.topic[: NAME_SIZE_MAX - len(suffix)] + suffix


def future_name(partition: TopicPartition, unique_id: str) -> str:
    """Return the name of the directory that a partition's log is copied into, until it takes the
    place of the one that it is copied from.

    Not cut, unlike `deleted_name`: a start has to know whose it is.  See `may_be_copied`.
    """
    return f"{directory_name(partition)}.{unique_id}{FUTURE_SUFFIX}"


def may_be_copied(partition: TopicPartition) -> bool:
    """Return whether the topic's name is short enough for a `future_name`."""
    return len(future_name(partition, "0" * UNIQUE_ID_SIZE)) <= NAME_SIZE_MAX


def deleted_future_name(name: str) -> str:
    """Return the name of the copy *name* while it waits for deletion: as long, and as unique."""
    return name.removesuffix(FUTURE_SUFFIX) + DELETE_SUFFIX


def partition_of(name: str) -> TopicPartition | None:
    """Return the partition whose directory is called *name*; None when no partition's is."""
    found = PARTITION.fullmatch(name)
    if found is None or DELETED.fullmatch(name) is not None or found["topic"] in (".", ".."):
        return None
    partition = TopicPartition(found["topic"], int(found["partition"]))
    # `orders-007` is no partition's: that of partition 7 has another name.
    is_own = partition.partition <= PARTITION_MAX and directory_name(partition) == name
    return partition if is_own else None


def survey(names: tuple[str, ...]) -> Survey:
    """Sort the names of directories."""
    partitions: list[TopicPartition] = []
    deleted: list[str] = []
    futures: list[tuple[TopicPartition, str]] = []
    foreign: list[str] = []
    for name in names:
        partition = partition_of(name)
        if partition is not None and partition.topic != "__cluster_metadata":
            partitions.append(partition)
        elif DELETED.fullmatch(name) is not None:
            deleted.append(name)
        elif (copied := copied_partition(name)) is not None:
            futures.append((copied, name))
        else:
            foreign.append(name)
    return Survey(tuple(partitions), tuple(deleted), tuple(futures), tuple(foreign))


def copied_partition(name: str) -> TopicPartition | None:
    """Return the partition whose log is copied into the directory *name*; None when none is."""
    found = FUTURE.fullmatch(name)
    return None if found is None else partition_of(found["own"])
