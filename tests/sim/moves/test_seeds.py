"""Stories of supervised runs, each drawn from one seed: others with each commit
(tests/support/seeds.py).

SEEDS=2000 in the environment plays more of them.  A failure names its seed: `python -m
tests.sim.moves --seed 17` plays it again.
"""

import os
from typing import Final

import pytest

from kadmin.plan.supervision.run import RunState
from tests.sim.moves.cluster import Era
from tests.sim.moves.world import World, violation_of
from tests.support.seeds import block_id, blocks

SEEDS: Final = int(os.environ.get("SEEDS", "16"))
SEEDS_IN_A_TEST: Final = 8

pytestmark = [pytest.mark.sim, pytest.mark.slow]


@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_whoever_dies_a_run_ends_as_planned_or_as_before(block: range) -> None:
    for seed in block:
        violation = violation_of(seed)

        assert violation is None, f"python -m tests.sim.moves --seed {seed}: {violation}"


def test_stories_have_what_they_are_played_for() -> None:
    worlds = [World(seed) for seed in range(14)]
    for world in worlds:
        world.play()

    runs = [world.state.run for world in worlds if world.state.run is not None]
    assert set(Era) == {world.cluster.era for world in worlds}
    assert {RunState.DONE, RunState.FAILED, RunState.ROLLED_BACK} == {run.state for run in runs}
    assert sum(run.epoch for run in runs) > 40
    assert sum(world.state.asked_count for world in worlds) > 60
    assert sum(world.state.lease_writes for world in worlds) > 20
    assert any(world.touched for world in worlds)
