"""Drift: partitions that are not as they were when a plan was made."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import ExitCode, KadminError
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.supervision.standing import Standing, standing_of
from kadmin.wording import counted, listed

UNDRIFTED: Final = frozenset(Standing) - {
    Standing.FOREIGN,
    Standing.BEFORE_REORDERED,
    Standing.DONE_REORDERED,
}
"""It has the replicas, in this order, that are planned from or for; or it is gone, or being moved,
of which others judge whether it may be."""


class PlanDrifted(KadminError):
    """Partitions are not as they were when the plan was made."""

    exit_code = ExitCode.FOUND

    def __init__(self, drifted: Sequence[str]) -> None:
        super().__init__(
            f"{counted(len(drifted), 'partition')} changed since the plan was made, and nothing was"
            f" written: {listed(drifted, '; ')}",
            hint="plan again from what is there now: kadmin reassign plan",
        )
        self.drifted = tuple(drifted)


def check_replicas(
    planned: Mapping[TopicPartition, tuple[BrokerId, ...]],
    targets: Targets,
    snapshot: ClusterSnapshot,
) -> None:
    """Refuse *targets* of partitions that have other replicas than those *planned* from.

    Raises:
        PlanDrifted: some have.
    """
    moves = [
        PlannedMove(partition=each, replicas=replicas, target=targets[each].replicas)
        for each, replicas in planned.items()
    ]
    check_drift(moves, snapshot)


def check_drift(
    moves: Iterable[PlannedMove],
    snapshot: ClusterSnapshot,
    allowed: Collection[Standing] = UNDRIFTED,
) -> None:
    """Refuse *moves* of which one stands otherwise than *allowed*.

    Raises:
        PlanDrifted: some do.
    """
    drifted = [
        f"{move.partition} {drift_of(move, standing, snapshot)}"
        for move in moves
        if (standing := standing_of(snapshot, move)) not in allowed
    ]
    if drifted:
        raise PlanDrifted(drifted)


def drift_of(move: PlannedMove, standing: Standing, snapshot: ClusterSnapshot) -> str:
    """Return what has become of a partition since it was planned."""
    if standing is Standing.GONE:
        return "is not there any more"
    if standing.is_under_way:
        return "is being moved"
    topic = snapshot.topics[move.partition.topic]
    now = topic.assignment.partitions[move.partition.partition].replicas
    return f"has {ids(now)}, planned from {ids(move.replicas)}"


def ids(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers))
