"""Waiting for reassignments: without a limit of time, and through outages of brokers or ZooKeeper.

Each check reads everything anew: nothing is lost with a connection.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, TypeVar

from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import UnreachableError
from kadmin.execute.reassign_status import judge_dirs, look
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.moves import running_moves
from kadmin.plan.reassignment.progress import Judged, Progress
from kadmin.plan.reassignment.sizes import bytes_left, copied_bytes, sizes_of
from kadmin.plan.reassignment.status import PartitionProgress, judge, why_moving
from kadmin.plan.reassignment.targets import Targets
from kadmin.wording import amount, span

POLL_FIRST_S: Final = 0.1
POLL_MAX_S: Final = 2.0
RATE_WEIGHT: Final = 0.3
"""How much the last look counts for the rate."""
SILENCE_MAX_S: Final = 5.0
"""The longest time without a line of progress."""


def wait_until_moved(
    connect: Callable[[], AbstractContextManager[ReassignmentAdmin]],
    targets_in: Callable[[ClusterSnapshot], Targets],
    note: Callable[[str], None],
    throttle: int | None = None,
) -> None:
    """Wait until none of the partitions for which *targets_in* returns a target is being moved.

    *note* takes lines of progress, and what is waited for where there is none; no broker is
    expected to copy more than *throttle*, in bytes per s.  While no server answers, *connect* is
    called again.
    """
    waiting = Waiting(targets_in, note, throttle)
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
    """What has been seen so far, and when it was last reported."""

    def __init__(
        self,
        targets_in: Callable[[ClusterSnapshot], Targets],
        note: Callable[[str], None],
        throttle: int | None = None,
    ) -> None:
        self.targets_in = targets_in
        self.note = note
        self.throttle = throttle
        self.began_s = self.reported_s = time.monotonic()
        self.most_moving = 0
        self.reported_moving: int | None = None
        self.weighed: Weighed | None = None
        self.rate = 0.0
        self.noun = "partitions"
        self.looks = 0
        self.has_reported = False

    def pause_s(self) -> float:
        """Return the pause before the next read; it grows with every read."""
        return min(POLL_MAX_S, POLL_FIRST_S * self.looks)

    def is_over(self, admin: ReassignmentAdmin) -> bool:
        """Return whether nothing moves any more, by a new look."""
        self.looks += 1
        snapshot = look(admin)
        targets = self.targets_in(snapshot)
        judged = judge(snapshot, targets)
        moving = having(Progress.MOVING, judged)
        judged_dirs = judge_dirs(admin, targets) or ()
        dirs = having(Progress.MOVING, judged_dirs)
        count = len(moving) + len(dirs)
        self.most_moving = max(self.most_moving, count)
        if dirs:
            self.noun = "moves"
        if not count:
            if self.has_reported:
                done = [*having(Progress.DONE, judged), *having(Progress.DONE, judged_dirs)]
                left = max(0, len(judged) + len(judged_dirs) - len(done))
                self.tell(self.count_text(max(0, self.most_moving - left)))
            return True
        if self.looks == 1:
            self.weighed = weigh(admin, snapshot, moving, dirs)
        if time.monotonic() - self.reported_s >= SILENCE_MAX_S:
            self.tell(self.progress(admin, snapshot, moving, dirs))
        return False

    def progress(
        self,
        admin: ReassignmentAdmin,
        snapshot: ClusterSnapshot,
        moving: list[PartitionProgress],
        dirs: list[DirMove],
    ) -> str:
        """Return how far it is, and how long it takes at this rate; or what it waits for."""
        count = len(moving) + len(dirs)
        done = self.most_moving - count
        self.has_reported = True
        text = f"{self.count_text(done)}, {count} moving"
        stands_still = self.reported_moving == count
        self.reported_moving = count
        before, self.weighed = self.weighed, weigh(admin, snapshot, moving, dirs)
        if self.weighed is not None:
            text += f"; {amount(self.weighed.bytes_left)} left"
            rate = self.weighed.rate_since(before)
            least_s = 0.0 if self.throttle is None else self.weighed.busiest_bytes / self.throttle
            if rate > 0:
                # One look may catch a burst, or a pause.
                self.rate += (rate - self.rate) * (RATE_WEIGHT if self.rate else 1)
                left_s = max(least_s, self.weighed.bytes_left / self.rate)
                return f"{text}, {amount(self.rate)}/s, about {span(left_s)}"
            if least_s:
                text += f", at least {span(least_s)} at the throttle"
        if moving and (stands_still or done == 0):
            first = moving[0]
            seen = admin.snapshot(TopicSelection(wanted=(first.partition.topic,)))
            return f"{text}; {first.partition}: {why_moving(seen, first)}"
        if self.weighed is not None or done == 0:
            return text
        left_s = (time.monotonic() - self.began_s) / done * count
        return f"{text}; about {span(left_s)} left"

    def count_text(self, done: int) -> str:
        return f"{done:,} of {self.most_moving:,} {self.noun} done"

    def tell(self, text: str) -> None:
        self.reported_s = time.monotonic()
        self.note(text)


@dataclass(frozen=True, slots=True)
class Weighed:
    """How many bytes were left to copy at a moment, and how many of them by the busiest broker."""

    bytes_left: int
    busiest_bytes: int
    at_s: float

    def rate_since(self, before: "Weighed | None") -> float:
        """Return the bytes per s since *before*; 0 where nothing got less."""
        if before is None or self.at_s <= before.at_s:
            return 0
        return max(0, before.bytes_left - self.bytes_left) / (self.at_s - before.at_s)


def weigh(
    admin: ReassignmentAdmin,
    snapshot: ClusterSnapshot,
    moving: list[PartitionProgress],
    dirs: list[DirMove],
) -> Weighed | None:
    """Return what is left of *moving* and *dirs*; None where brokers do not report sizes."""
    partitions = {item.partition for item in moving}
    log_dirs = admin.log_dirs(sorted(partitions)) if partitions else {}
    if log_dirs is None:
        return None
    sizes = sizes_of(log_dirs)
    running = [move for move in running_moves(snapshot) if move.partition in partitions]
    left = sum(bytes_left(move, sizes) or 0 for move in running)
    return Weighed(
        left + sum(move.bytes_left for move in dirs),
        max(copied_bytes(running, sizes).values(), default=0),
        time.monotonic(),
    )


Item = TypeVar("Item", bound=Judged)


def having(progress: Progress, judged: Sequence[Item]) -> list[Item]:
    return [item for item in judged if item.progress is progress]
