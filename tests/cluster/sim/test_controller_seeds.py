"""Thousands of stories, each drawn from one seed; SEEDS=20000 in the environment tells more.

A failure names its seed: `python -c "from cluster.sim.trouble import run; run(17)"` plays it again.
"""

import os

import pytest

from cluster.sim.trouble import run

SEEDS = int(os.environ.get("SEEDS", "800"))
BATCH = 100

pytestmark = [pytest.mark.sim, pytest.mark.timeout(0 if SEEDS > 10_000 else 300)]


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_whatever_fails_nothing_wrong_happens_and_all_comes_right(first: int) -> None:
    for seed in range(first, min(first + BATCH, SEEDS)):
        try:
            run(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error
