"""How is one change carried through while others change the cluster, too?

Plan, review, write; when something moved in between, nothing was written, and all of it is done
again.  Knows neither what is planned nor how it is shown.
"""

from collections.abc import Callable, Collection
from typing import Final, TypeVar

from cluster.model.errors import CorruptZnodeError
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Committed, Conflict, Fence, FenceMoved, Writer
from kadmin.errors import RefusedError

ATTEMPTS_MAX: Final = 5

Plan = TypeVar("Plan")


class ChangedInBetween(RefusedError):
    """Others change the same thing all the time; nothing was written."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"gave up after {ATTEMPTS_MAX} attempts: {reason}; nothing was written",
            hint="find out who else is changing it, or why it is not as brokers make it, then run"
            " the command again",
        )


class Unreadable(RefusedError):
    """A znode to be changed cannot be understood, so nothing could be kept of it; or one that says
    whether there may be a change."""

    def __init__(self, fault: CorruptZnodeError) -> None:
        super().__init__(
            f"nothing is changed, since this cannot be understood: {fault}",
            hint=f"look at {fault.path} with zookeeper-shell",
        )


def refuse_unreadable(snapshot: ClusterSnapshot, paths: Collection[str]) -> None:
    """Refuse a change that depends on one of the znodes *paths* that *snapshot* had to leave out.

    Raises:
        Unreadable: it is there, but damaged; to the snapshot it looks as if it were missing.
    """
    for fault in snapshot.faults:
        if fault.path in paths:
            raise Unreadable(fault) from fault


def carry_out(
    cluster: Writer[Plan],
    *,
    plan: Callable[[], Plan],
    review: Callable[[Plan], None],
    approved: tuple[Fence, Plan] | None = None,
) -> Plan:
    """Plan, review and write until the cluster stood still for that long; returns what was written.

    *review* shows a plan and refuses by raising; it is called with every new plan, so it should
    let an equal one pass without asking twice.  A plan that was *approved* already, under a fence
    that was read before it, is tried first; its own checks tell whether it still holds.

    Raises:
        ChangedInBetween: it never stood still.
        RefusedError: nothing may be written here.
    """
    reason = ""
    for _attempt in range(ATTEMPTS_MAX):
        if approved is not None:
            fence, candidate = approved
            approved = None
        else:
            fence, candidate = cluster.fence(), plan()
            review(candidate)
        outcome = cluster.write(fence, candidate)
        match outcome:
            case Committed():
                return candidate
            case FenceMoved():
                reason = "another controller is elected again and again"
            case Conflict():
                reason = str(outcome)
    raise ChangedInBetween(reason)
