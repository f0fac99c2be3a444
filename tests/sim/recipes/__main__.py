"""Plays stories of elections: `python -m tests.sim.recipes --seeds 1000`, or `--seed 17`."""

import argparse
import sys
from collections.abc import Sequence

from tests.sim.recipes.world import violation_of


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.sim.recipes", description="Play stories."
    )
    parser.add_argument("--seeds", type=int, default=1000, help="how many to play, from 0 on")
    parser.add_argument("--seed", type=int, help="play this one only")
    given = parser.parse_args(arguments)
    seeds = range(given.seeds) if given.seed is None else (given.seed,)
    failed = 0
    for seed in seeds:
        violation = violation_of(seed)
        if violation is not None:
            failed += 1
            sys.stdout.write(f"seed {seed}: {violation}\n")
    sys.stdout.write(f"{len(seeds)} stories, {failed} end badly\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
