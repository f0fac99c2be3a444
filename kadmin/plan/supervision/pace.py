"""An adaptive throttle: as fast as the brokers bear it."""

from dataclasses import dataclass
from typing import Final

from kadmin.plan.supervision.run import MoveRun
from kadmin.plan.supervision.stalls import Stall
from kadmin.plan.supervision.view import View

FIRST: Final = 64 * 2**20
LEAST: Final = 2**20
MOST: Final = 2**30
"""Bytes per s, all of them powers of two: there are few values to be kept in the lease."""

HURT_MS: Final = 10_000
"""A throttle that was lowered has its effect after so long."""
QUIET_MS: Final = 60_000
"""After so long without harm it is raised."""


@dataclass(slots=True)
class Pace:
    """*shrunk* counts the replicas that were out of sync when the run began, without its own."""

    shrunk: int | None = None
    changed_at_ms: int = 0

    def next_rate(self, run: MoveRun, view: View, stalls: tuple[Stall, ...]) -> tuple[int, str]:
        """Return the rate that *run* should have, and why; the same where it bears it."""
        rate = run.settings.rate
        assert rate is not None
        now_shrunk = out_of_sync(run, view)
        if self.shrunk is None:
            self.shrunk, self.changed_at_ms = now_shrunk, view.now_ms
        self.shrunk = min(self.shrunk, now_shrunk)
        quiet_ms = view.now_ms - self.changed_at_ms
        if now_shrunk > self.shrunk:
            if quiet_ms >= HURT_MS and rate > LEAST:
                return self.changed(rate // 2, view, "replicas fall out of the ISR")
            return rate, ""
        is_outrun = any(stall.is_outrun for stall in stalls)
        if rate < MOST and quiet_ms >= (HURT_MS if is_outrun else QUIET_MS):
            reason = "it is below a produce rate" if is_outrun else "brokers bear more"
            return self.changed(rate * 2, view, reason)
        return rate, ""

    def changed(self, rate: int, view: View, reason: str) -> tuple[int, str]:
        self.changed_at_ms = view.now_ms
        return rate, reason


def out_of_sync(run: MoveRun, view: View) -> int:
    """Return how many replicas of before are alive and out of sync."""
    count = 0
    for move in run.moves:
        state = view.state(move.partition)
        if state is not None:
            kept = set(move.replicas) & set(move.target) & view.live
            count += len(kept - set(state.isr))
    return count
