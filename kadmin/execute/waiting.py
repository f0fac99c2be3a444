"""Waiting until the cluster has taken a change up.

One loop for all that a controller does after a write.  Knows neither what is waited for nor who
is asked about it.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from kadmin.admin.ports import Remaining

POLL_FIRST_S: Final = 0.02
POLL_MAX_S: Final = 0.5
SILENCE_MAX_S: Final = 1.0

Item = TypeVar("Item")


def wait(
    look: Callable[[Sequence[Item]], Remaining[Item]],
    items: Sequence[Item],
    *,
    timeout_s: float,
    tell: Callable[[], None],
) -> Remaining[Item]:
    """Wait until nothing of *items* remains, or *timeout_s* is over; returns what was seen last.

    *look* tells which of those that remained the last time still do.  Does not wait while there is
    no controller, whose work it would be.  *tell* is called once when it takes longer than
    `SILENCE_MAX_S`.
    """
    started = time.monotonic()
    has_told = False
    pause_s = POLL_FIRST_S
    while True:
        remaining = look(items)
        waited_s = time.monotonic() - started
        if not remaining.items or not remaining.has_controller or waited_s >= timeout_s:
            return remaining
        if not has_told and waited_s > SILENCE_MAX_S:
            tell()
            has_told = True
        items = remaining.items
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, POLL_MAX_S)
