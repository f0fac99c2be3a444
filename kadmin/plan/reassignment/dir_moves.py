"""Moves between log directories of a broker: which replica should be in which, and whether it is.

Pure: brokers' answers about their directories in; moves, and what is wrong with them, out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.log_dirs import LogDirs, pairs
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.targets import ANY_DIR, Target, Targets
from kadmin.wording import SHOWN_MAX, counted


@dataclass(frozen=True, slots=True, order=True)
class Replica:
    """One broker's replica of a partition; in order of broker, as Kafka's tool has it."""

    broker: BrokerId
    partition: TopicPartition

    def __str__(self) -> str:
        return f"{self.partition}-{self.broker}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DirMove:
    """*replica* should be in the directory *target* of its broker.

    *path* is where it is, None where its broker reports no such replica.  *future* is where it is
    being copied to, None where it is not.  Sizes are in bytes, of what is in either; *lag_records*
    is how far the copy is behind, None where there is none.  *has_failed_dir* where the replica may
    be in a directory that does not work.
    """

    replica: Replica
    target: str
    path: str | None = None
    size_bytes: int = 0
    future: str | None = None
    future_size_bytes: int = 0
    lag_records: int | None = None
    has_failed_dir: bool = False

    @property
    def progress(self) -> Progress:
        if self.future is not None:
            return Progress.MOVING
        if self.path is None:
            return Progress.MISSING
        return Progress.DONE if self.path == self.target else Progress.MISMATCH

    @property
    def is_asked(self) -> bool:
        """Return whether the move still has to be requested: it is neither done nor in progress."""
        return self.target != (self.path if self.future is None else self.future)

    @property
    def bytes_left(self) -> int:
        """What there is to copy; a replica that is not there yet is made in the right place."""
        if self.progress is Progress.DONE:
            return 0
        copied = self.future_size_bytes if self.future == self.target else 0
        return max(0, self.size_bytes - copied)

    def __str__(self) -> str:
        """Return a line as of Kafka's tool."""
        partition, broker = self.replica.partition, self.replica.broker
        match self.progress:
            case Progress.DONE:
                return f"Reassignment of replica {self.replica} completed successfully."
            case Progress.MOVING if self.future == self.target:
                return f"Reassignment of replica {self.replica} is still in progress."
            case Progress.MOVING:
                return (
                    f"Partition {partition} on broker {broker} is being moved to log dir"
                    f" {self.future} instead of {self.target}."
                )
            case Progress.MISMATCH:
                return (
                    f"Partition {partition} on broker {broker} is not being moved from log dir"
                    f" {self.path} to {self.target}."
                )
            case Progress.MISSING if self.has_failed_dir:
                return (
                    f"Partition {partition} is not found in any live log dir on broker {broker}."
                    " There is likely an offline log directory on the broker."
                )
            case Progress.MISSING:
                return (
                    f"Partition {partition} cannot be found in any live log directory on broker"
                    f" {broker}."
                )


def dir_moves(targets: Targets, log_dirs: LogDirs) -> tuple[DirMove, ...]:
    """Return every replica for which *targets* name a directory, in order, as far as it is there
    by *log_dirs*."""
    wanted = {
        Replica(broker, partition): path
        for partition, target in targets.items()
        for broker, path in target.chosen_dirs.items()
    }
    return tuple(placed(wanted, log_dirs))


def running_dir_moves(log_dirs: LogDirs) -> tuple[DirMove, ...]:
    """Return every replica that is being copied to another directory, in order."""
    wanted = {
        Replica(broker, log.partition): directory.path
        for broker, directory in pairs(log_dirs)
        for log in directory.replicas
        if log.is_future
    }
    return tuple(placed(wanted, log_dirs))


def placed(wanted: Mapping[Replica, str], log_dirs: LogDirs) -> Iterator[DirMove]:
    now: dict[Replica, tuple[str, int]] = {}
    future: dict[Replica, tuple[str, int]] = {}
    lag_records: dict[Replica, int] = {}
    failed = set()
    for broker, directory in pairs(log_dirs):
        if directory.error_code != 0:
            failed.add(broker)
        for log in directory.replicas:
            of_kind = future if log.is_future else now
            of_kind[Replica(broker, log.partition)] = directory.path, log.size_bytes
            if log.is_future:
                lag_records[Replica(broker, log.partition)] = log.lag_records
    for replica in sorted(wanted):
        nowhere: tuple[None, int] = None, 0
        path, size_bytes = now.get(replica, nowhere)
        future_path, future_size_bytes = future.get(replica, nowhere)
        yield DirMove(
            replica=replica,
            target=wanted[replica],
            path=path,
            size_bytes=size_bytes,
            future=future_path,
            future_size_bytes=future_size_bytes,
            lag_records=lag_records.get(replica),
            has_failed_dir=replica.broker in failed,
        )


def dir_problems(moves: Iterable[DirMove], log_dirs: LogDirs) -> Iterator[str]:
    """Return what brokers do not have of the directories of *moves*, each with all its replicas."""
    silent: dict[BrokerId, list[Replica]] = {}
    unfit: dict[tuple[BrokerId, str, str], list[Replica]] = {}
    for move in moves:
        broker = move.replica.broker
        if broker not in log_dirs:
            silent.setdefault(broker, []).append(move.replica)
            continue
        errors = {directory.path: directory.error_code for directory in log_dirs[broker]}
        if errors.get(move.target) != 0:
            working = ", ".join(path for path, code in errors.items() if code == 0)
            what = "has failed" if move.target in errors else "is none of its"
            of_broker = unfit.setdefault((broker, move.target, f"{what} ({working})"), [])
            of_broker.append(move.replica)
    for broker, replicas in silent.items():
        yield f"broker {broker} does not list its log directories: {listed_replicas(replicas)}"
    for (broker, path, what), replicas in unfit.items():
        yield f"log directory {path} of broker {broker} {what}: {listed_replicas(replicas)}"


def given_up(moves: Iterable[DirMove]) -> tuple[DirMove, ...]:
    """Return *moves*, each back to where the replica is; one that is nowhere else goes on."""
    return tuple(replace(move, target=move.path) for move in moves if move.path is not None)


def taken_back(targets: Targets, moves: Iterable[DirMove]) -> dict[TopicPartition, Target]:
    """Return *targets*, the replicas of before, with the directories that *moves* take them
    from."""
    paths = {move.replica: move.path for move in moves if move.path is not None}
    back = {}
    for partition, target in targets.items():
        replicas = (Replica(broker, partition) for broker in target.replicas)
        log_dirs = tuple(paths.get(replica) or ANY_DIR for replica in replicas)
        back[partition] = Target(target.replicas, log_dirs)
    return back


def listed_replicas(replicas: Iterable[Replica]) -> str:
    return ", ".join(map(str, replicas))


def counted_replicas(replicas: Sequence[Replica]) -> str:
    """Return `2 replicas: t-0-1, t-0-2`, with the first of them if they are many."""
    more = ", …" if len(replicas) > SHOWN_MAX else ""
    shown = listed_replicas(replicas[:SHOWN_MAX])
    return f"{counted(len(replicas), 'replica')}: {shown}{more}"
