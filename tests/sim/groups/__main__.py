"""Plays stories of groups: `python -m tests.sim.groups --seeds 1000`, or `--seed 17`."""

from tests.sim.groups.world import violation_of
from tests.sim.playing import play

if __name__ == "__main__":
    play("tests.sim.groups", violation_of, seeds=1000)
