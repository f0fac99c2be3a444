"""Stories by the lines of simulated clusters, beside what the simulator knows to be true."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest

from cluster.model.topic import PartitionState
from cluster.zk.topics import decode_state
from kadmin.story.fold import fold
from kadmin.story.values import NO_LEADER, AnomalyKind, Reason, Story
from tests.kadmin.story.lines import Logs
from tests.sim.invariants import partition_of_state
from tests.sim.run import run
from tests.sim.story import Plot
from tests.sim.story import Story as SimStory
from tests.sim.world import World
from tests.sim.zookeeper import Commit
from tests.support.examples import example_count

BEGIN = datetime(2026, 11, 20)

IMPOSSIBLE = {
    AnomalyKind.TWO_LEADERS,
    AnomalyKind.EPOCH_FELL,
    AnomalyKind.STALE_CONTROLLER,
    AnomalyKind.UNANSWERED_ORDER,
}
"""What no cluster of ours does, whatever fails."""

SEEDS = {Plot.CLUSTER: range(example_count(15)), Plot.PARTITION: range(example_count(30))}

UNCLEAN = (23, 57)
"""Seeds of stories that have unclean elections."""


class Truth(NamedTuple):
    """A state that somebody wrote, and the one before it."""

    state: PartitionState
    before: PartitionState | None

    @property
    def is_unclean(self) -> bool:
        led = self.state.leader != NO_LEADER and self.before is not None
        return led and self.before is not None and self.state.leader not in self.before.isr


def told(story: SimStory) -> tuple[Logs, dict[tuple[str, int], dict[tuple[int, int], Truth]]]:
    """The lines of a story, and the states of its partitions by leader epoch and leader."""
    truth: dict[tuple[str, int], dict[tuple[int, int], Truth]] = {}
    last: dict[tuple[str, int], PartitionState] = {}

    def watch(world: World) -> None:
        inner = world.invariants.on_commit

        def on_commit(commit: Commit) -> None:
            if commit.path.endswith("/state"):
                found = partition_of_state(commit.path)
                name = found.topic, found.partition
                if commit.after is None:
                    last.pop(name, None)
                else:
                    state = decode_state(commit.after)
                    key = state.leader_epoch, state.leader
                    truth.setdefault(name, {}).setdefault(key, Truth(state, last.get(name)))
                    last[name] = state
            inner(commit)

        world.invariants.on_commit = on_commit  # type: ignore[method-assign]

    world = run(story, on_made=watch)
    return Logs(lines_of(world)), truth


def lines_of(world: World) -> Iterator[tuple[str, str]]:
    for time_ms, line in zip(world.lines.times_ms, world.lines, strict=True):
        moment = BEGIN + timedelta(milliseconds=time_ms)
        date = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d}"
        writer = re.search(r"id=([0-9]+)", line.message)
        assert writer is not None
        yield writer[1], f"[{date}] {line.level} {line.message.splitlines()[0]}"


def stories(logs: Logs) -> dict[tuple[str, int], list[Story]]:
    told = {name: fold(*name, events, logs.coverage) for name, events in logs.events.items()}
    return {name: some for name, some in told.items() if some}


def is_last_of_its_controller(states: dict[tuple[int, int], Truth], key: tuple[int, int]) -> bool:
    """Whether what was decided next was decided by another controller."""
    later = [each for epoch, each in states.items() if epoch > key]
    following = min(later, key=lambda each: each.state.leader_epoch, default=None)
    term = states[key].state.controller_epoch
    return following is None or following.state.controller_epoch != term


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("plot", Plot)
def test_what_is_told_is_what_was_written_and_nothing_is_missing(plot: Plot) -> None:
    counts = {"told": 0, "untold": 0}
    for seed in SEEDS[plot]:
        logs, truth = told(SimStory(seed, plot=plot))
        for name, incarnations in stories(logs).items():
            said = {
                (each.leader_epoch, each.leader)
                for story in incarnations
                for each in story.leaderships
            }
            kinds = {each.kind for story in incarnations for each in story.anomalies}

            # Of a partition without a live replica nobody ever writes a state.
            true = truth.get(name, {})
            assert said <= set(true), (seed, name)
            assert not IMPOSSIBLE & kinds, (seed, name)
            untold = set(true) - said
            assert all(is_last_of_its_controller(true, key) for key in untold), (seed, name)
            # What a controller wrote and had no time to log, and another one changed at once.
            named = {(event.leader_epoch, event.leader) for event in logs.events[name]}
            assert not untold & named, (seed, name)
            counts["told"] += len(said)
            counts["untold"] += len(untold)
    # One in 1,000, of some hundred seeds; of these at most one.
    assert counts["untold"] <= 1, counts
    assert counts["told"] > 4 * len(SEEDS[plot]), counts


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("seed", UNCLEAN)
def test_unclean_elections_are_told_and_no_others(seed: int) -> None:
    found = 0
    logs, truth = told(SimStory(seed))
    for story in (each for some in stories(logs).values() for each in some):
        true = truth.get((story.topic, story.partition), {})
        for each in story.leaderships:
            if each.leader_epoch is None:
                continue
            assert each.leader is not None, (story.name, each)
            is_unclean = true[each.leader_epoch, each.leader].is_unclean
            assert is_unclean == (each.reason is Reason.UNCLEAN_ELECTION), (story.name, each)
            found += is_unclean

    assert found > 0
