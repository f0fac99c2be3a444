"""Many stories, each drawn from one seed: others with each commit (tests/support/seeds.py).

SEEDS=20000 in the environment tells more of them.

A failure names its seed: `python -m tests.sim --seed 17 --shrink` tells it again, line by line.
"""

import os

import pytest

from cluster.zk import paths
from cluster.zk.topics import decode_state
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.sim.run import run
from tests.sim.shrinking import command_of, violation_of
from tests.sim.story import SEEDS_PER_TRACE, Plot, Story, kind_of
from tests.sim.world import World
from tests.support.seeds import block_id, blocks

SEEDS = int(os.environ.get("SEEDS", "300"))
SEEDS_IN_A_TEST = 10
"""Few, so that no worker has many of them left when others are done."""
ONCE_FAILED = (
    Story(8935, plot=Plot.CLUSTER),
    Story(160, plot=Plot.PARTITION),
    Story(1080, plot=Plot.PARTITION),
    Story(900, plot=Plot.PARTITION),
    Story(4845, plot=Plot.PARTITION),
)
"""Stories that ended badly before their fault was mended (`test_isr_fences`): each commit plays
them.
"""

pytestmark = pytest.mark.sim


@pytest.mark.slow
@pytest.mark.parametrize("plot", Plot)
@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_whatever_fails_nothing_wrong_happens_and_all_comes_right(block: range, plot: Plot) -> None:
    for seed in block:
        check(Story(seed, plot=plot))


@pytest.mark.slow
@pytest.mark.parametrize("story", ONCE_FAILED, ids=lambda story: f"{story.plot}-{story.seed}")
def test_what_ended_badly_once_ends_well(story: Story) -> None:
    check(story)


def check(story: Story) -> None:
    violation = violation_of(story)

    assert violation is None, f"{command_of(story)} --shrink: {violation}"


@pytest.mark.slow
def test_a_seed_tells_the_same_story_again() -> None:
    first_events: list[str] = []
    events_again: list[str] = []
    first = run(Story(0), events=first_events)
    again = run(Story(0), events=events_again)

    assert first_events == events_again
    assert first.lines == again.lines
    assert first.now_ms == again.now_ms


@pytest.mark.slow
def test_stories_have_what_they_are_told_for_and_kadmin_reads_each_of_their_lines() -> None:
    """Clients read, and each kind of act and fault comes up somewhere."""
    # Those whose logs have the lines of all levels.
    worlds = [run(Story(seed)) for seed in range(0, 12 * SEEDS_PER_TRACE, SEEDS_PER_TRACE)]

    assert sum(world.history.read_count for world in worlds) > 100
    happened = {kind_of(name) for world in worlds for name in world.happened}
    assert {"LOST_FRAME", "MACHINE", "crash", "freeze", "fail_disk", "stop_broker"} <= happened
    assert "CLOCK_STEP" in happened
    assert {"reassign", "client_reassigns", "client_moves_log"} <= happened
    assert sum(map(moved_count, worlds)) > 5

    heads = {
        f"[2026-11-21 15:41:00,123] {line.level} {line.message.splitlines()[0]}"
        for world in worlds
        for line in world.lines
    }

    assert [] == [head for head in heads if parse_line(head).kind is Kind.OTHER]
    assert len(heads) > 1000


@pytest.mark.slow
def test_stories_of_one_partition_change_its_leaders_and_its_isr() -> None:
    worlds = [run(Story(seed, plot=Plot.PARTITION)) for seed in range(12)]
    states = [
        decode_state(node)
        for world in worlds
        if (node := world.zookeeper.node(paths.state("a", 0))) is not None
    ]

    assert sum(state.leader_epoch for state in states) > 30
    assert sum(state.zk_version for state in states) > 60
    assert sum(world.history.acknowledged_count for world in worlds) > 200
    assert sum(world.history.read_count for world in worlds) > 500
    happened = {kind_of(name) for world in worlds for name in world.happened}
    assert {"hold_link", "hold_orders", "move_leader", "stop_broker", "crash"} <= happened
    assert "client_moves_log" in happened
    assert sum(map(moved_count, worlds)) > 5


def moved_count(world: World) -> int:
    """How many logs came to another directory in the lives that the brokers had last."""
    lines = (line for process in world.processes.values() for line in process.journal.infos)
    return sum(" is in /data" in line for line in lines)
