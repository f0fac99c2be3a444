"""What has become of a reassignment, and what is moving: as `--verify` and `--list` ask."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cluster.model import fault as subjects
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin
from kadmin.errors import ExitCode, InProgressError, KadminError
from kadmin.execute.throttles import put_throttles_back
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.reassignment.moves import Move, running_moves
from kadmin.plan.reassignment.status import PartitionProgress, Progress, exit_code, judge
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.plan.select import TopicSelection
from kadmin.plan.wording import counted_partitions


class StillMoving(InProgressError):
    """Some partitions are still being reassigned."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"still being reassigned: {counted_partitions(partitions)}",
            hint="'kadmin reassign --list' shows all that is moving; run --verify again later",
        )
        self.partitions = tuple(partitions)


class NotAsWanted(KadminError):
    """Nothing moves, and some partitions are not as asked for: they have other replicas, or are
    *missing*."""

    exit_code = ExitCode.FOUND

    def __init__(
        self, partitions: Sequence[TopicPartition], missing: Sequence[TopicPartition]
    ) -> None:
        problems = []
        hint = "--execute with the same file asks for them"
        if partitions:
            problems.append(f"other replicas than asked for: {counted_partitions(partitions)}")
        if missing:
            problems.append(f"not there: {counted_partitions(missing)}")
            # --execute takes a file only if all of it is there.
            hint = "'kadmin topics --describe' shows what partitions there are; take those out"
            hint += " that are not" + (", then --execute asks for the rest" if partitions else "")
        super().__init__("; ".join(problems), hint=hint)
        self.partitions = tuple(partitions)
        self.missing = tuple(missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """*throttles* is None where they were left alone."""

    judged: Sequence[PartitionProgress]
    throttles: ThrottlesNow | None

    def check(self) -> None:
        """Raise StillMoving or NotAsWanted, unless all is as it was asked for."""
        code = exit_code(self.judged)
        if code is ExitCode.IN_PROGRESS:
            raise StillMoving(self.having(Progress.MOVING))
        if code is ExitCode.FOUND:
            raise NotAsWanted(self.having(Progress.MISMATCH), self.having(Progress.MISSING))

    def having(self, progress: Progress) -> list[TopicPartition]:
        return [each.partition for each in self.judged if each.progress is progress]


def verify(
    admin: ReassignmentAdmin,
    targets_in: Callable[[ClusterSnapshot], Targets],
    *,
    keeps_throttles: bool,
    warn: Callable[[str], None],
) -> Verified:
    """Judge every partition of which *targets_in* tells what is wanted, given the cluster.

    Unless it *keeps_throttles*, those of reassignments are taken away where nothing moves any more.

    Raises:
        Unreadable: what the judgement depends on is damaged.
    """
    snapshot = look(admin)
    targets = targets_in(snapshot)
    refuse_unreadable(snapshot, {subjects.topic(partition.topic) for partition in targets})
    judged = judge(snapshot, targets)
    if keeps_throttles:
        return Verified(judged=judged, throttles=None)
    brokers = sorted({broker for target in targets.values() for broker in target.replicas})
    back = put_throttles_back(admin, lambda: look(admin), brokers)
    if back is None and all(each.progress is not Progress.MOVING for each in judged):
        warn(
            "throttles stay for now: other partitions are still being reassigned"
            " ('kadmin reassign --list' shows them)"
        )
    return Verified(judged=judged, throttles=back)


def ongoing(
    admin: ReassignmentAdmin,
) -> tuple[list[Move], Mapping[TopicPartition, Mapping[BrokerId, int]]]:
    """All moves that are being done, and the bytes of the replicas as far as they can be had."""
    moves = running_moves(look(admin))
    return moves, admin.replica_sizes([move.partition for move in moves])


def look(admin: ReassignmentAdmin) -> ClusterSnapshot:
    """All topics, with configs and without states.

    Raises:
        Unreadable: nobody can tell what is moving.
    """
    snapshot = admin.snapshot(TopicSelection(), with_states=False, with_configs=True)
    refuse_unreadable(snapshot, {subjects.REASSIGNMENT})
    return snapshot
