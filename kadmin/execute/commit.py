"""The commit of a plan, which is planned anew when others changed the cluster in between.

Knows neither what is planned nor how it is shown.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from cluster.model.outcome import Committed, Conflict, FenceMoved
from kadmin.admin.ports import Fence, Made, Partly, Writer
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


def commit(
    writer: Writer[Plan],
    fence: Fence,
    plan: Plan,
    *,
    replan: Callable[[], Plan],
    approve: Callable[[Plan], None] = lambda _: None,
) -> tuple[Plan, Made]:
    """Write *plan*, and as long as something moved first, what *replan* makes of it; returns what
    was written, and with which outcome.

    *fence* was read before *plan* was made.  *approve* is called with every new plan that is not
    the one before it, and refuses it by raising.

    Raises:
        ChangedInBetween: the cluster never stood still.
        RefusedError: nothing may be written here.
    """
    reason = ""
    for attempt in range(ATTEMPTS_MAX):
        if attempt > 0:
            # The fence first: what moves after it is noticed, whatever the plan was made from.
            fence, newer = writer.fence(), replan()
            if newer != plan:
                approve(newer)
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
