"""What each fence of a supervised run is good for: without it some story ends badly, and how."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from kadmin.execute.supervision import carrying_out
from kadmin.execute.supervision.carrying_out import Supervisor
from kadmin.plan.supervision import procedure
from kadmin.plan.supervision.events import Done, Keep, PutBack
from kadmin.plan.supervision.procedure import Memory, Procedure, Work
from kadmin.plan.supervision.progress import is_settled
from kadmin.plan.supervision.run import Goal, MoveRun
from kadmin.plan.supervision.standing import Standing
from kadmin.plan.supervision.view import View
from tests.sim.moves.violation import Kind
from tests.sim.moves.world import World, violation_of

STORIES_MAX: Final = 10
"""Whatever the commit: one of so many has to miss each fence."""

Patch = pytest.MonkeyPatch


def nothing(world: World) -> None:
    """The world is as it is."""


def any_writer(patch: Patch) -> None:
    """Nothing checks that the journal is as it was read."""
    patch.setattr(Supervisor, "is_current", lambda _: True)


def checks_neither(world: World) -> None:
    """Neither the journal nor the lease fences anything."""
    world.state.checks_run = False
    world.state.checks_lease = False


def checks_no_lease(world: World) -> None:
    """The lease fences nothing; the journal alone does, once the next supervisor has written it."""
    world.state.checks_lease = False


def throttles_stay(patch: Patch) -> None:
    """A run ends without putting throttles back."""
    patch.setattr(Supervisor, "put_back", lambda _: Done())


def ended_first(patch: Patch) -> None:
    """The journal has the end of a run before throttles are put back."""

    def end(run: MoveRun, work: Work, seen: View, memory: Memory) -> Procedure[MoveRun]:
        state, reason = procedure.ending(run, work, memory)
        ended = replace(run, state=state, reason=reason, ended_at_ms=seen.time_ms)
        if not isinstance((yield Keep(ended)), Done):
            return run
        if run.settings.rate is not None:
            yield PutBack()
        return ended

    patch.setattr(procedure, "end", end)


def foreign_is_ours(patch: Patch) -> None:
    """What another client has moved is moved again."""
    patch.setattr(Standing, "is_lost", property(lambda self: self is Standing.GONE))


def order_is_nothing(patch: Patch) -> None:
    """A partition that was given up may keep its replicas in any order."""

    def is_done(move: object, found: Standing, goal: Goal) -> bool:
        return found is Standing.BEFORE_REORDERED or is_settled(move, found, goal)  # type: ignore[arg-type]

    patch.setattr(procedure, "is_settled", is_done)


def throttle_unrecorded(patch: Patch) -> None:
    """Throttles are set without a lease."""

    def set_throttles(
        admin: object, snapshot: object, wanted: object, *_: object
    ) -> frozenset[object]:
        configs, _faults = admin.configs.read(list(wanted))  # type: ignore[attr-defined, call-overload]
        plans = carrying_out_plans(wanted, configs)
        for plan in plans:
            admin.configs.write(admin.fence(), plan)  # type: ignore[attr-defined]
        return frozenset()

    def carrying_out_plans(wanted: object, configs: object) -> list[object]:
        from kadmin.plan.reassignment.journal import throttle_plans

        return list(throttle_plans(wanted, configs, None))  # type: ignore[arg-type]

    patch.setattr(carrying_out, "set_throttles", set_throttles)


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("take_out", "change", "first", "kinds"),
    [
        (any_writer, checks_neither, 344, {Kind.TWO_WRITERS, Kind.ELSEWHERE}),
        (any_writer, checks_no_lease, 344, {Kind.TWO_WRITERS}),
        (throttles_stay, nothing, 0, {Kind.THROTTLE_LEFT, Kind.THROTTLE_LOST}),
        (ended_first, nothing, 0, {Kind.THROTTLE_LEFT, Kind.THROTTLE_LOST}),
        (foreign_is_ours, nothing, 11, {Kind.OVERWRITTEN}),
        (order_is_nothing, nothing, 27, {Kind.ELSEWHERE}),
        (throttle_unrecorded, nothing, 0, {Kind.THROTTLE_LEFT, Kind.THROTTLE_LOST}),
    ],
)
def test_without_this_fence_some_story_ends_badly(
    monkeypatch: Patch,
    take_out: Callable[[Patch], None],
    change: Callable[[World], None],
    first: int,
    kinds: set[Kind],
) -> None:
    take_out(monkeypatch)

    violations = (violation_of(seed, change) for seed in range(first, first + STORIES_MAX))
    found = next((one for one in violations if one is not None), None)

    assert found is not None
    assert found.kind in kinds
