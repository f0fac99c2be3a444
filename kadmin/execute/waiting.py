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
    progress: Callable[[Sequence[Item]], None] = lambda _: None,
) -> Remaining[Item]:
    """Wait until nothing of *items* remains, or *timeout_s* is over; return what remained at last.

    *look* returns which of those that remained the last time still do.  Does not wait while there
    is no controller, which would have to do the work.  *tell* is called once when it takes longer
    than `SILENCE_MAX_S`, and *progress* so often afterwards, with what remains, as long as it gets
    less.
    """
    started = reported = time.monotonic()
    reported_count = None
    pause_s = POLL_FIRST_S
    while True:
        remaining = look(items)
        now = time.monotonic()
        waited_s = now - started
        if not remaining.items or not remaining.has_controller or waited_s >= timeout_s:
            return remaining
        if now - reported > SILENCE_MAX_S and len(remaining.items) != reported_count:
            if reported_count is None:
                tell()
            else:
                progress(remaining.items)
            reported, reported_count = now, len(remaining.items)
        items = remaining.items
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, POLL_MAX_S)
