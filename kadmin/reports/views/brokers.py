"""The brokers: who is alive, and how much of the cluster each has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cluster.model import fault as subjects
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from kadmin.plan.health import Load, judge_loads
from kadmin.plan.log_dirs import LogDir
from kadmin.reports.views.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class DirRow:
    """A log directory; one that *has_failed* has no other number."""

    path: str
    replica_count: int
    size_bytes: int
    total_bytes: int | None
    usable_bytes: int | None
    has_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerRow:
    """A broker, live or with replicas.

    *is_live* is None where its registration cannot be read.  Skews are as in `Load`.  *dirs* is
    None where it returned no log directories.
    """

    broker: BrokerId
    is_live: bool | None
    is_controller: bool
    endpoints: tuple[str, ...]
    rack: str | None
    since_ms: int | None
    release: str | None
    load: Load
    dirs: tuple[DirRow, ...] | None

    @property
    def size_bytes(self) -> int | None:
        """The bytes of all its replicas; None where they are not known."""
        return None if self.dirs is None else sum(each.size_bytes for each in self.dirs)


COLUMNS: Final[Mapping[str, Callable[[BrokerRow], Any]]] = {
    "broker": lambda row: row.broker,
    "rack": lambda row: row.rack,
    "replicas": lambda row: row.load.replicas,
    "replica_skew": lambda row: row.load.replica_skew_percent,
    "leaders": lambda row: row.load.leaders,
    "leader_skew": lambda row: row.load.leader_skew_percent,
    "size": lambda row: row.size_bytes,
}


def broker_rows(observed: Observed) -> list[BrokerRow]:
    """Return a row for each live broker, and each other that has replicas, in order of id."""
    return [
        row_of(observed, broker, load) for broker, load in judge_loads(observed.snapshot).items()
    ]


def row_of(observed: Observed, broker: BrokerId, load: Load) -> BrokerRow:
    snapshot = observed.snapshot
    registered = snapshot.brokers.get(broker)
    controller = snapshot.controller
    dirs = None if observed.log_dirs is None else observed.log_dirs.get(broker)
    is_live: bool | None = registered is not None
    if registered is None and is_unreadable(observed, broker):
        is_live = None
    return BrokerRow(
        broker=broker,
        is_live=is_live,
        is_controller=controller is not None and controller.broker_id == broker,
        endpoints=() if registered is None else tuple(map(str, registered.endpoints)),
        rack=None if registered is None else registered.rack,
        since_ms=None if registered is None else registered.timestamp_ms,
        release=observed.releases.get(broker),
        load=load,
        dirs=None if dirs is None else tuple(map(dir_row, dirs)),
    )


def is_unreadable(observed: Observed, broker: BrokerId) -> bool:
    wanted = (subjects.BROKERS, subjects.broker(broker))
    return any(fault.subject in wanted for fault in observed.snapshot.faults)


def dir_row(directory: LogDir) -> DirRow:
    return DirRow(
        path=directory.path,
        replica_count=len(directory.replicas),
        size_bytes=sum(log.size_bytes for log in directory.replicas),
        total_bytes=directory.total_bytes,
        usable_bytes=directory.usable_bytes,
        has_failed=directory.error_code != ErrorCode.NONE,
    )
