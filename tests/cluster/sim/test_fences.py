"""What each fence is good for: without it some story ends badly."""

import pytest

from cluster.controller.core import ControllerCore
from cluster.controller.events import Ticket
from cluster.sim.faults import run
from cluster.sim.world import Fences

SEEDS_MAX = 600


class TakesAnyAnswer(ControllerCore):
    """Takes the answer to a request of another controller epoch for the one it waits for."""

    __slots__ = ()

    def _is_awaited(self, ticket: Ticket) -> bool:
        return self._ticket is not None


@pytest.mark.sim
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "fences",
    [
        pytest.param(Fences(state_versions=False), id="zkVersion of a partition's state"),
        pytest.param(Fences(epoch_checks=False), id="check of the controller epoch"),
        pytest.param(Fences(core=TakesAnyAnswer), id="ticket of an answer"),
        pytest.param(Fences(orders=False), id="epochs that brokers check"),
    ],
)
def test_without_this_fence_some_story_ends_badly(fences: Fences) -> None:
    assert any(ends_badly(seed, fences) for seed in range(SEEDS_MAX))


def ends_badly(seed: int, fences: Fences) -> bool:
    try:
        run(seed, fences)
    except AssertionError:
        return True
    return False
