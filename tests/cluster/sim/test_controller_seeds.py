"""Many stories, each drawn from one seed; SEEDS=20000 in the environment tells more of them.

A failure names its seed: `python -c "from cluster.sim.faults import run; run(17)"` plays it again.
"""

import os

import pytest

from cluster.sim.faults import run
from cluster.sim.world import SEEDS_PER_TRACE
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line

SEEDS = int(os.environ.get("SEEDS", "1200"))
SEEDS_IN_A_TEST = 100
SECONDS_FOR_A_SEED = 1
"""A hundred times what one takes: a run that does not end is a failure too."""

pytestmark = pytest.mark.sim


@pytest.mark.timeout(SEEDS_IN_A_TEST * SECONDS_FOR_A_SEED)
@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_IN_A_TEST))
def test_whatever_fails_nothing_wrong_happens_and_all_comes_right(first: int) -> None:
    for seed in range(first, min(first + SEEDS_IN_A_TEST, SEEDS)):
        try:
            run(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def test_a_seed_tells_the_same_story_again() -> None:
    first, again = run(0), run(0)

    assert first.lines == again.lines
    assert first.now_ms == again.now_ms


def test_every_line_of_a_story_is_read_by_kadmin() -> None:
    heads = {
        f"[2026-11-21 15:41:00,123] {line.level} {line.message.splitlines()[0]}"
        for seed in range(0, 8 * SEEDS_PER_TRACE, SEEDS_PER_TRACE)
        for line in run(seed).lines
    }

    unread = [head for head in heads if parse_line(head).kind is Kind.OTHER]

    assert unread == []
    assert len(heads) > 1000
