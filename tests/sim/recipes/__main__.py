"""Plays stories of elections: `python -m tests.sim.recipes --seeds 1000`, or `--seed 17`."""

from tests.sim.playing import play
from tests.sim.recipes.world import violation_of

if __name__ == "__main__":
    play("tests.sim.recipes", violation_of, seeds=1000)
