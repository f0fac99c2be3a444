"""The commit of a plan, which is planned anew when others changed the cluster in between.

Knows neither what is planned nor how it is shown.
"""

from collections.abc import Callable, Generator
from typing import Final, TypeVar

from cluster.model.outcome import Committed, Conflict, FenceMoved
from kadmin.admin.ports import Fence, Made, Partly, Writer
from kadmin.errors import RefusedError

ATTEMPTS_MAX: Final = 5

Plan = TypeVar("Plan")
Proposal = TypeVar("Proposal")


class ChangedInBetween(RefusedError):
    """Others change the same thing all the time; nothing was written."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"gave up after {ATTEMPTS_MAX} attempts: {reason}; nothing was written",
            hint="find out who else is changing it, or why it is not as brokers make it, then run"
            " the command again",
        )


def committing(
    writer: Writer[Plan],
    fence: Fence,
    plan: Plan,
    *,
    replan: Callable[[], Plan],
    propose: Callable[[Plan], Proposal],
) -> Generator[Proposal, None, tuple[Plan, Made]]:
    """Write *plan*, or as long as the cluster changed first, what *replan* makes of it.

    *fence* was read before *plan* was made.  Yields what *propose* makes of each plan that differs
    from the one before it, ahead of its write; returns what was written, and its outcome.

    Raises:
        ChangedInBetween: the cluster keeps changing.
        RefusedError: nothing may be written here.
    """
    reason = ""
    for attempt in range(ATTEMPTS_MAX):
        if attempt > 0:
            # The fence first: what moves after it is noticed, whatever the plan was made from.
            fence, newer = writer.fence(), replan()
            if newer != plan:
                yield propose(newer)
            # Also where it is the same to an operator: it bears what it was made from.
            plan = newer
        match writer.write(fence, plan):
            case Committed() | Partly() as outcome:
                return plan, outcome
            case FenceMoved():
                reason = "another controller is elected again and again"
            case Conflict() as conflict:
                reason = str(conflict)
    raise ChangedInBetween(reason)


def commit(writer: Writer[Plan], fence: Fence, plan: Plan, *, replan: Callable[[], Plan]) -> None:
    """Do the same without confirmation."""
    for _ in committing(writer, fence, plan, replan=replan, propose=lambda newer: newer):
        pass
