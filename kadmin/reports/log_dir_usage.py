"""The use of log directories, by broker, directory, topic, partition or replica.

Pure: brokers' answers in, rows out.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog, pairs


class Grouping(StrEnum):
    """What there is a row for."""

    BROKER = "broker"
    DIR = "dir"
    TOPIC = "topic"
    PARTITION = "partition"
    REPLICA = "replica"


class Order(StrEnum):
    """Which rows come first; among equals, the order of names."""

    NAME = "name"
    SIZE = "size"
    LAG = "lag"


@dataclass(frozen=True, slots=True)
class Place:
    """What a row is about; what it sums up over is None."""

    broker: BrokerId | None = None
    path: str | None = None
    topic: str | None = None
    partition: int | None = None
    is_future: bool | None = None


PLACES: Final[Mapping[Grouping, Callable[[BrokerId, LogDir, ReplicaLog], Place]]] = {
    Grouping.BROKER: lambda broker, _dir, _log: Place(broker),
    Grouping.DIR: lambda broker, directory, _log: Place(broker, directory.path),
    Grouping.TOPIC: lambda _broker, _dir, log: Place(topic=log.partition.topic),
    Grouping.PARTITION: lambda _broker, _dir, log: Place(
        topic=log.partition.topic, partition=log.partition.partition
    ),
    Grouping.REPLICA: lambda broker, directory, log: Place(
        broker, directory.path, log.partition.topic, log.partition.partition, log.is_future
    ),
}
assert PLACES.keys() == set(Grouping)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The use of *place*.

    *lag_records* is the largest of its replicas.  Those of *future_count* are being copied from
    another directory.  Of *dir_count* directories, *offline_count* have failed; both are 0 where a
    row is no broker and no directory.  *total_bytes* and *usable_bytes* are of the disks, None
    where brokers do not report them.
    """

    place: Place
    replica_count: int = 0
    future_count: int = 0
    size_bytes: int = 0
    lag_records: int = 0
    dir_count: int = 0
    offline_count: int = 0
    total_bytes: int | None = None
    usable_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """*rows* are those that are shown, *hidden_count* more are not; *total* is of all of them.

    *silent* brokers did not answer, *dead* ones have replicas and are not there to be asked.
    """

    grouping: Grouping
    rows: tuple[Usage, ...]
    hidden_count: int
    total: Usage
    silent: tuple[BrokerId, ...]
    dead: tuple[BrokerId, ...]


def usage_report(
    log_dirs: LogDirs,
    grouping: Grouping,
    *,
    order: Order = Order.NAME,
    limit: int | None = None,
    silent: Collection[BrokerId] = (),
    dead: Collection[BrokerId] = (),
) -> UsageReport:
    """Sum *log_dirs* up by *grouping*; no more than *limit* rows, None for all.

    What has failed comes first, whatever the order.
    """
    rows = usages(log_dirs, grouping)
    match order:
        case Order.SIZE:
            rows.sort(key=lambda row: -row.size_bytes)
        case Order.LAG:
            rows.sort(key=lambda row: -row.lag_records)
        case Order.NAME:
            pass
    rows.sort(key=lambda row: -row.offline_count)
    shown = tuple(rows[:limit])
    return UsageReport(
        grouping=grouping,
        rows=shown,
        hidden_count=len(rows) - len(shown),
        total=total_of(log_dirs),
        silent=tuple(sorted(silent)),
        dead=tuple(sorted(dead)),
    )


def usages(log_dirs: LogDirs, grouping: Grouping) -> list[Usage]:
    """Return the rows in order of what they are about; directories and brokers also where they
    are empty or have failed."""
    groups: dict[Place, list[ReplicaLog]] = {}
    dirs: dict[Place, list[LogDir]] = {}
    for broker, directory in pairs(log_dirs):
        if grouping in (Grouping.BROKER, Grouping.DIR):
            place = Place(broker, directory.path if grouping is Grouping.DIR else None)
            groups.setdefault(place, [])
            dirs.setdefault(place, []).append(directory)
        for log in directory.replicas:
            groups.setdefault(PLACES[grouping](broker, directory, log), []).append(log)
    rows = [usage_of(place, logs, dirs.get(place, ())) for place, logs in groups.items()]
    return sorted(rows, key=lambda row: name_of(row.place))


def total_of(log_dirs: LogDirs) -> Usage:
    directories = [directory for _, directory in pairs(log_dirs)]
    logs = [log for directory in directories for log in directory.replicas]
    return usage_of(Place(), logs, directories)


def usage_of(place: Place, logs: Sequence[ReplicaLog], dirs: Iterable[LogDir]) -> Usage:
    directories = tuple(dirs)
    return Usage(
        place=place,
        replica_count=len(logs),
        future_count=sum(log.is_future for log in logs),
        size_bytes=sum(log.size_bytes for log in logs),
        lag_records=max((log.lag_records for log in logs), default=0),
        dir_count=len(directories),
        offline_count=sum(directory.error_code != ErrorCode.NONE for directory in directories),
        total_bytes=summed([directory.total_bytes for directory in directories]),
        usable_bytes=summed([directory.usable_bytes for directory in directories]),
    )


def summed(numbers: Sequence[int | None]) -> int | None:
    """Return the sum of those that are known; None where none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def name_of(place: Place) -> tuple[str, int, int, str, bool]:
    """Return the order of names: a partition's replicas beside each other, brokers by number."""
    return (
        place.topic or "",
        -1 if place.partition is None else place.partition,
        -1 if place.broker is None else place.broker,
        place.path or "",
        bool(place.is_future),
    )
