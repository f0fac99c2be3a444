"""Plays stories of the simulator, on all cores, or one of them line by line.

    python -m tests.sim --seeds 1000           play the first thousand of each plot
    python -m tests.sim --plot partition       … of this plot only
    python -m tests.sim --first 600000         … from this seed on
    python -m tests.sim --seed 17              play one, with a line for each event
    python -m tests.sim --seed 17 --without LOST_FRAME,crash --skip freeze#1

What was played before with the same code is not played again: a run that was stopped goes on where
it was, and one that asks for more seeds plays those that are new.  `--anew` begins with the first.

A story that ends badly is told again without what it does not need for that.
"""

import argparse
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.sim.progress import (
    DIRECTORY,
    Progress,
    path_of,
    read_progress,
    write_progress,
)
from tests.sim.run import run
from tests.sim.shrinking import command_of, shrunk, violation_of
from tests.sim.story import Plot, Story
from tests.sim.violation import Violation

SEEDS_IN_A_TURN: Final = 5
SAVE_S: Final = 2.0
TELL_S: Final = 60.0
"""How often a long run says how far it is."""
INTERRUPTED: Final = 130


class Played(NamedTuple):
    """One story; *violation* is None when it has ended well."""

    seed: int
    event_count: int
    violation: str | None


def play(story: Story) -> Played:
    try:
        return Played(story.seed, run(story).event_count, None)
    except Violation as violation:
        return Played(story.seed, 0, str(violation))


class Run:
    """The stories of one plot with *seeds*, as far as they have not been played yet."""

    def __init__(self, plot: Plot, seeds: range, path: Path, progress: Progress) -> None:
        self._plot = plot
        self._seeds = seeds
        self._path = path
        self._progress = progress
        self._first = progress.next_seed
        self._event_count = 0
        self._began_s = self._saved_s = self._told_s = time.perf_counter()

    def play(self, process_count: int | None) -> bool:
        """Play them, save how far it went, also when interrupted, and tell; whether all is well."""
        progress = self._progress
        before_count = self._first - self._seeds.start
        if before_count > 0:
            say(f"{self._plot.value}: {before_count} seeds were played before with this code")
        for seed, text in progress.failed.items():
            say(f"{self._plot.value} seed {seed}: {text}")
        if self._first >= self._seeds.stop:
            return not progress.failed
        took_before_s = progress.took_s
        stories = (Story(seed, plot=self._plot) for seed in range(self._first, self._seeds.stop))
        with multiprocessing.Pool(process_count, leave_interrupts) as pool:
            try:
                # In order: what is saved is how far all have been played.
                for played in pool.imap(play, stories, SEEDS_IN_A_TURN):
                    self._count(played)
                    progress.took_s = took_before_s + time.perf_counter() - self._began_s
                    self._save_and_tell()
            finally:
                write_progress(self._path, progress)
                say(self._rates())
        return not progress.failed

    def _count(self, played: Played) -> None:
        progress = self._progress
        progress.next_seed = played.seed + 1
        progress.event_count += played.event_count
        self._event_count += played.event_count
        if played.violation is not None:
            progress.failed[str(played.seed)] = played.violation
            say(f"{self._plot.value} seed {played.seed}: {played.violation}")

    def _save_and_tell(self) -> None:
        now_s = time.perf_counter()
        if now_s - self._saved_s >= SAVE_S:
            self._saved_s = now_s
            write_progress(self._path, self._progress)
        if now_s - self._told_s >= TELL_S:
            self._told_s = now_s
            say(self._rates())

    def _rates(self) -> str:
        took_s = time.perf_counter() - self._began_s
        count = self._progress.next_seed - self._first
        rates = f"{count / took_s:.1f} seeds/s, {self._event_count / took_s:.0f} events/s"
        return f"{self._plot.value}: {count} seeds in {took_s:.1f} s: {rates}"

    def shorten_first(self) -> None:
        """Tell the first story that ended badly, without what it does not need for that."""
        for seed in self._progress.failed:
            story = Story(int(seed), plot=self._plot)
            violation = violation_of(story)
            assert violation is not None
            say("")
            play_one(shrunk(story, violation.kind))
            return


def leave_interrupts() -> None:
    """Let the parent decide what an interrupt comes to; it gets the same signal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def play_many(
    plots: Sequence[Plot],
    seeds: range,
    process_count: int | None,
    progress_of: Callable[[Plot], tuple[Path, Progress]],
) -> int:
    """Play the stories of *plots*, and tell the first that fails in short; the exit status."""
    runs = [Run(plot, seeds, *progress_of(plot)) for plot in plots]
    failed = []
    try:
        failed = [one for one in runs if not one.play(process_count)]
    except KeyboardInterrupt:
        say("stopped; the next run goes on from here")
        return INTERRUPTED
    for one in failed:
        one.shorten_first()
    return 1 if failed else 0


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
    sys.stdout.flush()


def names(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) - {""}


def main(arguments: Sequence[str], directory: Path = DIRECTORY) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description="Play stories.")
    parser.add_argument("--plot", type=Plot, help=f"one of {', '.join(Plot)}; each of them")
    parser.add_argument("--seeds", type=int, default=1000, help="how many to play")
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--anew", action="store_true", help="play also what was played before")
    parser.add_argument("--processes", type=int, help="how many at a time; as many as cores")
    parser.add_argument("--seed", type=int, help="play this one, line by line")
    parser.add_argument("--without", type=names, default=frozenset(), help="kinds to leave out")
    parser.add_argument("--skip", type=names, default=frozenset(), help="single ones: CRASH#2")
    parser.add_argument("--shrink", action="store_true", help="leave out what the end needs not")
    given = parser.parse_args(arguments)
    if given.seed is None:

        def progress_of(plot: Plot) -> tuple[Path, Progress]:
            path, anew = path_of(plot, directory, given.first), Progress(next_seed=given.first)
            return path, anew if given.anew else read_progress(path, given.first)

        plots = tuple(Plot) if given.plot is None else (given.plot,)
        seeds = range(given.first, given.first + given.seeds)
        return play_many(plots, seeds, given.processes, progress_of)
    story = Story(given.seed, given.without, given.skip, given.plot or Plot.CLUSTER)
    violation = violation_of(story) if given.shrink else None
    return play_one(story if violation is None else shrunk(story, violation.kind))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
