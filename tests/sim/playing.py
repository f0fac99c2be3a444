"""The command that plays the stories of one simulator: seeds, and which of them end badly."""

import argparse
import sys
from collections.abc import Callable


def play(module: str, violation_of: Callable[[int], object], *, seeds: int) -> None:
    """Play *seeds* stories from 0 on, or the one that is asked for; exit with 1 if one ends badly.

    *module* is the name by which Python runs it; *violation_of* returns what breaks in a story,
    None if nothing does.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description="Play stories.")
    parser.add_argument("--seeds", type=int, default=seeds, help="how many to play, from 0 on")
    parser.add_argument("--seed", type=int, help="play this one only")
    given = parser.parse_args()
    played = range(given.seeds) if given.seed is None else (given.seed,)
    failed = 0
    for seed in played:
        violation = violation_of(seed)
        if violation is not None:
            failed += 1
            sys.stdout.write(f"seed {seed}: {violation}\n")
    sys.stdout.write(f"{len(played)} stories, {failed} end badly\n")
    sys.exit(1 if failed else 0)
