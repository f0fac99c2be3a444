"""What has become of a reassignment, and what is moving: as `--verify` and `--list` ask."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cluster.model import fault as subjects
from cluster.model.config_entity import broker_entity
from cluster.model.fault import Fault, Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import ExitCode, InProgressError, KadminError
from kadmin.execute.throttles import put_throttles_back
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.broker_names import no_broker_text, unknown_brokers
from kadmin.plan.reassignment.dir_moves import (
    DirMove,
    Replica,
    counted_replicas,
    dir_moves,
    running_dir_moves,
)
from kadmin.plan.reassignment.moves import Move, running_moves
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.sizes import Ends, Sizes, sizes_of
from kadmin.plan.reassignment.status import PartitionProgress, exit_code, judge
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.wording import counted_partitions


class StillMoving(InProgressError):
    """Some *partitions* are still being reassigned, or *replicas* copied to other directories.

    *wait* is the command that waits for the end.
    """

    def __init__(
        self,
        partitions: Sequence[TopicPartition],
        replicas: Sequence[Replica] = (),
        *,
        wait: str,
    ) -> None:
        problems = []
        if partitions:
            problems.append(f"still being reassigned: {counted_partitions(partitions)}")
        if replicas:
            problems.append(
                f"still being copied to other log directories: {counted_replicas(replicas)}"
            )
        super().__init__(
            "; ".join(problems),
            hint=f"'kadmin reassign --list' shows all that is moving; to wait for it: {wait}",
        )
        self.partitions = tuple(partitions)
        self.replicas = tuple(replicas)


class NotAsWanted(KadminError):
    """Nothing moves, and some is not as asked for: *partitions* have other replicas, or are
    *missing*, and *replicas* are in other log directories, or nowhere.  *brokers* are asked for and
    do not exist.  *command* is the one that asks for all of it, None where there is none."""

    exit_code = ExitCode.FOUND

    def __init__(
        self,
        partitions: Sequence[TopicPartition],
        missing: Sequence[TopicPartition],
        replicas: Sequence[Replica] = (),
        brokers: Sequence[BrokerId] = (),
        *,
        command: str | None,
    ) -> None:
        problems = []
        how = " with --execute" if command is None else f": {command}"
        hint = f"ask for them{how}"
        if partitions:
            problems.append(f"other replicas than asked for: {counted_partitions(partitions)}")
        if replicas:
            problems.append(f"not in the log directory asked for: {counted_replicas(replicas)}")
        if missing:
            problems.append(f"not there: {counted_partitions(missing)}")
            # --execute takes a file only if all of it is there.
            hint = "'kadmin topics --describe' shows what partitions there are; take those out"
            hint += " that are not" + (
                f", then ask for the rest{how}" if partitions or replicas else ""
            )
        if brokers:
            problems.append(no_broker_text(brokers))
            hint = "'kadmin brokers --describe' lists all there are"
        super().__init__("; ".join(problems), hint=hint)
        self.partitions = tuple(partitions)
        self.missing = tuple(missing)
        self.replicas = tuple(replicas)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """*dirs* are the replicas of which a log directory is asked for; *throttles* is None where they
    were left alone.  *unknown_brokers* are asked for and do not exist."""

    judged: Sequence[PartitionProgress]
    dirs: Sequence[DirMove]
    throttles: ThrottlesNow | None
    unknown_brokers: Sequence[BrokerId] = ()

    def check(self, wait: str, command: str | None) -> None:
        """Raise StillMoving or NotAsWanted, unless all is as it was asked for.

        *wait* and *command* are the commands that wait for it and that ask for it.
        """
        code = exit_code([*self.judged, *self.dirs])
        if code is ExitCode.IN_PROGRESS:
            raise StillMoving(
                self.having(Progress.MOVING), self.dirs_having(Progress.MOVING), wait=wait
            )
        if code is ExitCode.FOUND:
            raise NotAsWanted(
                self.having(Progress.MISMATCH),
                self.having(Progress.MISSING),
                self.dirs_having(Progress.MISMATCH, Progress.MISSING),
                self.unknown_brokers,
                command=command,
            )

    def slowed(self, broker: BrokerId) -> bool:
        """Return whether reassignments had set a throttle for *broker*, which was taken away."""
        entity = broker_entity(broker)
        return self.throttles is not None and entity in self.throttles.cleared

    def having(self, progress: Progress) -> list[TopicPartition]:
        return [each.partition for each in self.judged if each.progress is progress]

    def dirs_having(self, *progress: Progress) -> list[Replica]:
        return [each.replica for each in self.dirs if each.progress in progress]


def verify(
    admin: ReassignmentAdmin,
    targets_in: Callable[[ClusterSnapshot], Targets],
    *,
    keeps_throttles: bool,
    warn: Callable[[str], None],
) -> Verified:
    """Judge every partition for which *targets_in* returns a target, given the cluster.

    Unless it *keeps_throttles*, those of reassignments are removed where nothing moves any more.

    Raises:
        Unreadable: what the judgement depends on is damaged.
    """
    snapshot = look(admin)
    targets = targets_in(snapshot)
    refuse_unreadable(snapshot, {subjects.topic(partition.topic) for partition in targets})
    judged = judge(snapshot, targets)
    dirs = judge_dirs(admin, targets)
    if dirs is None:
        warn(
            "ZooKeeper does not know log directories, so those of the file were not checked;"
            " brokers do: --bootstrap-server HOST:PORT instead of --zookeeper"
        )
        dirs = ()
    brokers = sorted({broker for target in targets.values() for broker in target.replicas})
    unknown = unknown_brokers(snapshot, brokers)
    if keeps_throttles:
        return Verified(judged=judged, dirs=dirs, throttles=None, unknown_brokers=unknown)
    back = put_throttles_back(admin, lambda: look(admin), brokers)
    if back is None and exit_code([*judged, *dirs]) is not ExitCode.IN_PROGRESS:
        warn(
            "throttles stay for now: others are still being moved"
            " ('kadmin reassign --list' shows them)"
        )
    return Verified(judged=judged, dirs=dirs, throttles=back, unknown_brokers=unknown)


def judge_dirs(admin: ReassignmentAdmin, targets: Targets) -> Sequence[DirMove] | None:
    """Return the replicas for which *targets* name a log directory; None if no broker reports
    directories."""
    chosen = [partition for partition, target in targets.items() if target.chosen_dirs]
    if not chosen:
        return ()
    log_dirs = admin.log_dirs(chosen)
    return None if log_dirs is None else dir_moves(targets, log_dirs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ongoing:
    """All that is being done: *moves* of partitions, and *dirs* of replicas to other directories,
    with the *sizes* and *ends* of replicas, as far as brokers report them.

    *stale* is what is requested in ZooKeeper for partitions that do not exist, and
    *lacks_controller* if there is something to carry out, and no controller.  *unread* are
    topics that may be moving and cannot be read.
    """

    moves: Sequence[Move]
    dirs: Sequence[DirMove]
    sizes: Sizes
    ends: Ends
    stale: Mapping[TopicPartition, tuple[BrokerId, ...]]
    lacks_controller: bool
    unread: Sequence[Fault]


def ongoing(admin: ReassignmentAdmin) -> Ongoing:
    snapshot = look(admin, is_read=True)
    moves = running_moves(snapshot)
    log_dirs = admin.log_dirs(None)
    if log_dirs is None and moves:
        log_dirs = admin.log_dirs([move.partition for move in moves])
    # Brokers that do not report directories do not report log end offsets, either.
    living = {
        move.partition: [
            broker
            for broker in dict.fromkeys((*move.before.replicas, *move.incomplete))
            if broker in snapshot.brokers
        ]
        for move in moves
    }
    ends = admin.end_offsets(living) if moves and log_dirs is not None else {}
    return Ongoing(
        moves=moves,
        dirs=running_dir_moves(log_dirs or {}),
        sizes=sizes_of(log_dirs or {}),
        ends=ends,
        stale=snapshot.stale_moves,
        lacks_controller=bool(moves or snapshot.stale_moves) and snapshot.lacks_controller,
        unread=[fault for fault in snapshot.faults if fault.subject.thing is Thing.TOPIC],
    )


def look(admin: ReassignmentAdmin, *, is_read: bool = False) -> ClusterSnapshot:
    """Return all topics, with configs and without states.

    Raises:
        Unreadable: what is moving cannot be read.
    """
    snapshot = admin.snapshot(TopicSelection(), with_states=False, with_configs=True)
    refuse_unreadable(snapshot, {subjects.REASSIGNMENT}, is_read=is_read)
    return snapshot
