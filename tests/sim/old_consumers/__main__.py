"""Plays stories of old consumers: `python -m tests.sim.old_consumers`, or with `--seed 17`."""

from tests.sim.old_consumers.world import violation_of
from tests.sim.playing import play

if __name__ == "__main__":
    play("tests.sim.old_consumers", violation_of, seeds=1000)
