"""Plays stories of supervised runs: `python -m tests.sim.moves --seed 17`, or `--seeds 500`."""

import argparse

from tests.sim.moves.world import violation_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=int, default=100)
    options = parser.parse_args()
    for seed in range(options.seeds) if options.seed is None else (options.seed,):
        violation = violation_of(seed)
        if violation is not None:
            print(f"seed {seed}: {violation}")


if __name__ == "__main__":
    main()
