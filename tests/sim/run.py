"""A story from its first event to its last."""

from collections.abc import Callable
from typing import Final

from tests.sim import faults, one_partition
from tests.sim.story import ALL_FENCES, Fences, Plot, Story
from tests.sim.violation import Kind, Violation
from tests.sim.world import World
from tests.support.collector import collector_disabled

PLAY: Final[dict[Plot, Callable[[World], None]]] = {
    Plot.CLUSTER: faults.play,
    Plot.PARTITION: one_partition.play,
}


def run(
    story: Story,
    fences: Fences = ALL_FENCES,
    events: list[str] | None = None,
    on_made: Callable[[World], None] = lambda world: None,
) -> World:
    """Play one story to its end: faults, healing, and a look at how everything is.

    *on_made* is given the world before anything happens in it.

    Raises:
        Violation: something happened that must not, or something did not come right.
    """
    # A story ends before what it makes fills the memory: looking for garbage amid it is in vain.
    with collector_disabled():
        world = World(story, fences, events)
        on_made(world)
        try:
            PLAY[story.plot](world)
        except Violation:
            raise
        except AssertionError as error:
            raise Violation(Kind.ASSERTION, str(error)) from error
        except Exception as error:
            raise Violation(Kind.ERROR, repr(error)) from error
        return world
