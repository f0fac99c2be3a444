"""Steps of the brokers' wall clocks, both ways, in a troubled world that has them.

What they are is drawn apart from all else: a story without them is otherwise the same.  Nobody sets
the clocks right when the faults are over: everything has to come right all the same.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from cluster.model.ids import BrokerId
from tests.sim.story import Fault
from tests.sim.surroundings import Surroundings

STEPS_MAX: Final = 12
HOUR_MS: Final = 3600 * 1000
STEPS_MS: Final = (100, 3000, HOUR_MS, 365 * 24 * HOUR_MS)


def plan_clock_steps(world: Surroundings, until_ms: int) -> None:
    """Have clocks set at some moments before *until_ms*."""
    if Fault.CLOCK_STEP not in world.faults:
        return
    plan = Random(f"{world.story.seed} clocks")
    for _ in range(plan.randint(1, STEPS_MAX)):
        broker_id = plan.choice(world.broker_ids)
        ahead_ms = plan.choice((-1, 0, 1)) * plan.choice(STEPS_MS)
        world.after(plan.randint(0, until_ms), step(world, broker_id, ahead_ms))


def step(world: Surroundings, broker_id: BrokerId, ahead_ms: int) -> Callable[[], None]:
    def set_clock() -> None:
        if world.comes_up(f"{Fault.CLOCK_STEP.name}.b{broker_id}"):
            world.wall_clocks_ahead_ms[broker_id] = ahead_ms
            world.process_of(broker_id).clock.ahead_ms = ahead_ms
            world.tell(None, "clock", f"of b{broker_id} is {ahead_ms} ms ahead")

    return set_clock
