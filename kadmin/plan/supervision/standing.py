"""Where a partition of a run stands, by the cluster alone."""

from enum import Enum

from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.moves import part_of
from kadmin.plan.reassignment.status import heading_of


class Standing(Enum):
    BEFORE = "before"
    """It has the replicas of before, and does not move."""
    MOVING = "moving"
    """It moves to the planned replicas."""
    RETURNING = "returning"
    """It moves to the replicas of before, in any order."""
    DONE = "done"
    """It has the planned replicas, and does not move."""
    BEFORE_REORDERED = "before-reordered"
    """It has the brokers of before in another order, as after a cancellation."""
    DONE_REORDERED = "done-reordered"
    """It has the planned brokers in another order: another client has changed that."""
    ELSEWHERE = "elsewhere"
    """Another client has it moved to other replicas."""
    FOREIGN = "foreign"
    """It has other replicas than before and than planned: another client has moved it."""
    GONE = "gone"
    """There is no such partition any more."""

    @property
    def is_under_way(self) -> bool:
        return self in (Standing.MOVING, Standing.RETURNING, Standing.ELSEWHERE)

    @property
    def is_lost(self) -> bool:
        """Return whether a run must not touch it."""
        return self in (Standing.FOREIGN, Standing.GONE)


def standing_of(snapshot: ClusterSnapshot, move: PlannedMove) -> Standing:
    part = part_of(snapshot, move.partition)
    if part is None:
        return Standing.GONE
    heading = heading_of(snapshot, move.partition, part)
    if heading:
        if heading == move.target:
            return Standing.MOVING
        is_return = set(heading) == set(move.replicas)
        return Standing.RETURNING if is_return else Standing.ELSEWHERE
    if part.replicas == move.target:
        return Standing.DONE
    if part.replicas == move.replicas:
        return Standing.BEFORE
    if set(part.replicas) == set(move.replicas):
        return Standing.BEFORE_REORDERED
    is_done = set(part.replicas) == set(move.target)
    return Standing.DONE_REORDERED if is_done else Standing.FOREIGN
