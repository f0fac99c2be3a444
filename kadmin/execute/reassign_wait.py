"""Waiting for reassignments: without a limit of time, and through outages of whoever is asked.

Each look is a new one: nothing of what is waited for is lost with a connection.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin
from kadmin.errors import UnreachableError
from kadmin.execute.reassign_status import look
from kadmin.plan.reassignment.status import PartitionProgress, Progress, judge, why_moving
from kadmin.plan.reassignment.targets import Targets
from kadmin.plan.select import TopicSelection

POLL_FIRST_S: Final = 0.1
POLL_MAX_S: Final = 2.0
SILENCE_MAX_S: Final = 5.0
"""How long nothing is told."""


def wait_until_moved(
    connect: Callable[[], AbstractContextManager[ReassignmentAdmin]],
    targets_in: Callable[[ClusterSnapshot], Targets],
    note: Callable[[str], None],
) -> None:
    """Wait until nothing is being moved of that of which *targets_in* tells what is wanted.

    *note* is told how far it is, by and by, and what it waits for where it stands still.  While
    nobody answers, *connect* is called again.
    """
    waiting = Waiting(targets_in, note)
    while True:
        try:
            with connect() as admin:
                while not waiting.is_over(admin):
                    time.sleep(waiting.pause_s())
                return
        except UnreachableError as error:
            waiting.tell(f"{error.message}; waiting on")
            time.sleep(POLL_MAX_S)


class Waiting:
    """What has been seen so far, and when it was told last."""

    def __init__(
        self, targets_in: Callable[[ClusterSnapshot], Targets], note: Callable[[str], None]
    ) -> None:
        self.targets_in = targets_in
        self.note = note
        self.began_s = self.told_s = time.monotonic()
        self.most_moving = 0
        self.told_moving: int | None = None
        self.looks = 0

    def pause_s(self) -> float:
        """Longer with every look."""
        return min(POLL_MAX_S, POLL_FIRST_S * self.looks)

    def is_over(self, admin: ReassignmentAdmin) -> bool:
        """Whether nothing moves any more, by a new look."""
        self.looks += 1
        snapshot = look(admin)
        judged = judge(snapshot, self.targets_in(snapshot))
        moving = [item for item in judged if item.progress is Progress.MOVING]
        self.most_moving = max(self.most_moving, len(moving))
        if moving and time.monotonic() - self.told_s >= SILENCE_MAX_S:
            self.tell(self.progress(admin, moving))
        return not moving

    def progress(self, admin: ReassignmentAdmin, moving: list[PartitionProgress]) -> str:
        """How far it is, and how long it takes at this rate; or what it waits for."""
        done = self.most_moving - len(moving)
        text = f"{done} of {self.most_moving} partitions are there, {len(moving)} are moving"
        stands_still = self.told_moving == len(moving)
        self.told_moving = len(moving)
        if stands_still or done == 0:
            first = moving[0]
            seen = admin.snapshot(TopicSelection(wanted=(first.partition.topic,)))
            return f"{text}; {first.partition}: {why_moving(seen, first)}"
        left_s = (time.monotonic() - self.began_s) / done * len(moving)
        return f"{text}; about {left_s:,.0f} s left"

    def tell(self, text: str) -> None:
        self.told_s = time.monotonic()
        self.note(text)
