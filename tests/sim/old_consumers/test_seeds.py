"""Stories of old consumers, each drawn from one seed: others with each commit.

SEEDS=20000 in the environment plays more of them.  A failure names its seed: `python -m
tests.sim.old_consumers --seed 17` plays it again.
"""

import os
from typing import Final

import pytest

from tests.sim.old_consumers.world import violation_of
from tests.support.seeds import block_id, blocks

SEEDS: Final = int(os.environ.get("SEEDS", "40"))
SEEDS_IN_A_TEST: Final = 10

pytestmark = pytest.mark.sim


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_whatever_fails_each_record_is_read_and_none_is_skipped(block: range) -> None:
    for seed in block:
        violation = violation_of(seed)

        assert violation is None, f"python -m tests.sim.old_consumers --seed {seed}: {violation}"
