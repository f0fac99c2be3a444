"""What each fence is good for: without it some story ends badly, and in which way."""

from itertools import count, islice

import pytest

from cluster.controller.core import ControllerCore
from cluster.controller.events import Ticket
from tests.sim.shrinking import violation_of
from tests.sim.story import Fault, Fences, Story, faults_of
from tests.sim.violation import Kind

STORIES_MAX = 200
"""From 0 on, whatever the commit: one of them has to miss each fence."""


class TakesAnyAnswer(ControllerCore):
    """Takes the answer to a request of another controller epoch for the one it waits for."""

    __slots__ = ()

    def _is_awaited(self, ticket: Ticket) -> bool:
        return self._ticket is not None


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("fences", "first", "needed", "kinds"),
    [
        pytest.param(
            Fences(state_versions=False),
            16,
            set(),
            {Kind.LOST_UPDATE},
            id="zkVersion of a partition's state",
        ),
        pytest.param(
            Fences(epoch_checks=False),
            14,
            {Fault.FREEZE},
            {Kind.ZOMBIE_CONTROLLER},
            id="check of the controller epoch",
        ),
        pytest.param(
            Fences(removal_checks=False),
            8,
            {Fault.LATE_REMOVAL},
            {Kind.ZOMBIE_CONTROLLER},
            id="check of the controller epoch on resignation",
        ),
        pytest.param(
            Fences(core=TakesAnyAnswer),
            84,
            {Fault.EXPIRY, Fault.LATE_NEWS},
            {Kind.ASSERTION},
            id="ticket of an answer",
        ),
        pytest.param(
            Fences(orders=False),
            2311,
            {Fault.SLOW_ORDER, Fault.EXPIRY, Fault.FORCED_MOVE},
            {Kind.METADATA, Kind.NOT_LED, Kind.ROLE, Kind.STALE_ORDER, Kind.UNKNOWN_ORDER},
            id="epochs that brokers check",
        ),
        pytest.param(
            Fences(flushes=False),
            3,
            {Fault.CRASH, Fault.MACHINE},
            {Kind.LOST_RECORD, Kind.ASSERTION},
            id="flushes of logs",
        ),
        pytest.param(
            Fences(steady_clocks=False),
            7,
            {Fault.CLOCK_STEP},
            {Kind.LEFTOVER, Kind.NOT_LED, Kind.METADATA, Kind.ROLE, Kind.STUCK},
            id="durations by a clock that has no steps",
        ),
        pytest.param(
            Fences(settled_clocks=False),
            6,
            {Fault.CLOCK_STEP},
            {Kind.LOST_RECORD, Kind.REPLICAS},
            id="retention by a clock that has settled",
        ),
    ],
)
def test_without_this_fence_some_story_ends_badly(
    fences: Fences, first: int, needed: set[Fault], kinds: set[Kind]
) -> None:
    """Stories before the *first* and without the faults *needed* have nothing for it to stop."""
    seeds = (seed for seed in count(first) if needed <= faults_of(seed))
    violations = (violation_of(Story(seed), fences) for seed in islice(seeds, STORIES_MAX))

    found = next(one for one in violations if one is not None)

    assert found.kind in kinds, found
