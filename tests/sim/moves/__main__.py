"""Plays stories of supervised runs: `python -m tests.sim.moves --seeds 500`, or `--seed 17`."""

from tests.sim.moves.world import violation_of
from tests.sim.playing import play

if __name__ == "__main__":
    play("tests.sim.moves", violation_of, seeds=500)
