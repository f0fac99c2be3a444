"""Stories of elections, each drawn from one seed: others with each commit.

SEEDS=20000 in the environment plays more of them.

A failure names its seed: `python -m tests.sim.recipes --seed 17` plays it again.
"""

import os
from typing import Final

import pytest

from tests.sim.recipes.world import World, kind_of, violation_of
from tests.support.seeds import block_id, blocks

SEEDS: Final = int(os.environ.get("SEEDS", "30"))
SEEDS_IN_A_TEST: Final = 10

pytestmark = [pytest.mark.sim, pytest.mark.slow]


@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_whatever_fails_one_leads_at_a_time_and_nothing_is_left(block: range) -> None:
    for seed in block:
        violation = violation_of(seed)

        assert violation is None, f"python -m tests.sim.recipes --seed {seed}: {violation}"


@pytest.mark.parametrize("seed", [100_696])
def test_a_seed_that_once_ended_badly_ends_well(seed: int) -> None:
    """100696: a contender was elected right behind a pause, and its server was then cut off."""
    assert violation_of(seed) is None


def test_stories_have_elections_and_writes() -> None:
    worlds = [World(seed, kind_of(seed)) for seed in range(6)]
    for world in worlds:
        world.play()

    assert sum(world.elected_count for world in worlds) > 50
    assert sum(world.written_count for world in worlds) > 1000
