"""Plays stories of the simulator, on all cores, or one of them line by line.

    python -m cluster.sim --seeds 1000           play the first thousand
    python -m cluster.sim --seed 17              play one, with a line for each event
    python -m cluster.sim --seed 17 --without LOST_FRAME,crash --skip freeze#1

A story that ends badly is told again without what it does not need for that.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from cluster.sim.faults import run
from cluster.sim.shrinking import command_of, shrunk, violation_of
from cluster.sim.story import Story
from cluster.sim.violation import Violation

SEEDS_IN_A_TURN: Final = 5


class Played(NamedTuple):
    """One story; *violation* is None when it has ended well."""

    seed: int
    event_count: int
    violation: str | None


def play(seed: int) -> Played:
    try:
        return Played(seed, run(Story(seed)).event_count, None)
    except Violation as violation:
        return Played(seed, 0, str(violation))


def play_many(first: int, count: int, process_count: int | None) -> int:
    """Play *count* stories, and tell the first that fails in short; the exit status."""
    started_s = time.perf_counter()
    with multiprocessing.Pool(process_count) as pool:
        seeds = range(first, first + count)
        played = list(pool.imap_unordered(play, seeds, SEEDS_IN_A_TURN))
    took_s = time.perf_counter() - started_s
    events = sum(one.event_count for one in played)
    rates = f"{count / took_s:.1f} seeds/s, {events / took_s:.0f} events/s"
    say(f"{count} seeds in {took_s:.1f} s: {rates}")
    failed = sorted(one for one in played if one.violation is not None)
    for one in failed:
        say(f"seed {one.seed}: {one.violation}")
    if not failed:
        return 0
    violation = violation_of(Story(failed[0].seed))
    assert violation is not None
    story = shrunk(Story(failed[0].seed), violation.kind)
    say("")
    play_one(story)
    return 1


def play_one(story: Story) -> int:
    """Play one story with a line for each event; the exit status."""
    events: list[str] = []
    violation = violation_of(story, events=events)
    for line in events:
        say(line)
    if violation is None:
        say("all is well")
        return 0
    say(str(violation))
    say(f"again: {command_of(story)}")
    return 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def names(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) - {""}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m cluster.sim", description="Play stories.")
    parser.add_argument("--seeds", type=int, default=1000, help="how many to play")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--processes", type=int, help="how many at a time; as many as cores")
    parser.add_argument("--seed", type=int, help="play this one, line by line")
    parser.add_argument("--without", type=names, default=frozenset(), help="kinds to leave out")
    parser.add_argument("--skip", type=names, default=frozenset(), help="single ones: CRASH#2")
    parser.add_argument("--shrink", action="store_true", help="leave out what the end needs not")
    given = parser.parse_args(arguments)
    if given.seed is None:
        return play_many(given.first, given.seeds, given.processes)
    story = Story(given.seed, given.without, given.skip)
    violation = violation_of(story) if given.shrink else None
    return play_one(story if violation is None else shrunk(story, violation.kind))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
