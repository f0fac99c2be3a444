"""Stories of groups, each drawn from one seed: others with each commit (tests/support/seeds.py).

SEEDS=20000 in the environment tells more of them.

A failure names its seed: `python -m tests.sim.groups --seed 17` plays it again.
"""

import os
from typing import Final

import pytest

from tests.sim.groups.world import World, violation_of
from tests.support.seeds import block_id, blocks

SEEDS: Final = int(os.environ.get("SEEDS", "40"))
SEEDS_IN_A_TEST: Final = 10
ONCE_FAILED: Final = (211, 321, 358)
"""Stories that ended badly once: each commit plays them."""

pytestmark = pytest.mark.sim


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_whatever_fails_nothing_wrong_happens_and_all_comes_right(block: range) -> None:
    for seed in block:
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", ONCE_FAILED)
def test_what_ended_badly_once_ends_well(seed: int) -> None:
    check(seed)


def check(seed: int) -> None:
    violation = violation_of(seed)

    assert violation is None, f"python -m tests.sim.groups --seed {seed}: {violation}"


@pytest.mark.slow
def test_a_seed_tells_the_same_story_again() -> None:
    first, again = World(0), World(0)
    first.play()
    again.play()

    assert first.log.batches == again.log.batches


@pytest.mark.slow
def test_stories_have_what_they_are_told_for() -> None:
    worlds = [World(seed) for seed in range(5)]
    for world in worlds:
        world.play()

    assert sum(len(world.oracle.generations) for world in worlds) > 20
    assert sum(world.oracle.acknowledged_count for world in worlds) > 300
    assert sum(world.oracle.read_count for world in worlds) > 500
    assert sum(world.log.leader_epoch for world in worlds) > 15
