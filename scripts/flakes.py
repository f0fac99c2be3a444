"""Runs the tests repeatedly beside busy loops, and names what failed once.

usage: python -m scripts.flakes [--runs N] [--loads N] [--together N] [COMMAND…]

Each run has an order of its own, by a seed of pytest-randomly.  The results of runs are kept in
`.flakes/`, so that those of one commit add up.  COMMAND runs pytest with the options in
PYTEST_ADDOPTS; without one it is `make test`.
"""

import argparse
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from scripts.results import Results, read_results
from tests.support.belongings import ENDS_WITH

CHECKOUT: Final = Path(__file__).parents[1]
DIRECTORY: Final = CHECKOUT / ".flakes"
GRACE_S: Final = 60
"""How long an interrupted run may take to stop its servers."""
LOOP: Final = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
"""Busy until the process that started it is gone, for whatever reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One stored run; *failed* has `pytest` where there are no results of single tests."""

    commit: str
    seed: int
    exit_code: int
    passed: int
    failed: list[str]
    skipped: int
    took_s: float
    loads: int
    together: int

    def __str__(self) -> str:
        counts = f"{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped"
        return f"{counts} in {self.took_s:.0f} s, seed {self.seed}"


class Runner:
    """The runs of one call: their command, and the running processes."""

    def __init__(self, command: Sequence[str], directory: Path, loads: int, together: int) -> None:
        self.command = command
        self.directory = directory
        self.loads = loads
        self.together = together
        self.commit = commit_of(CHECKOUT)
        self.is_ending = False
        self.processes: set[subprocess.Popen[bytes]] = set()

    def run(self, number: int, seed: int) -> Run | None:
        """Run the tests once; None when it was interrupted."""
        # The paths of sockets must be short, and so must their directory's.
        with tempfile.TemporaryDirectory(prefix="flakes-", ignore_cleanup_errors=True) as own:
            junit = Path(own, "results.xml")
            words = [f"--randomly-seed={seed}", f"--basetemp={own}/t", f"--junitxml={junit}"]
            words += ["-o", "junit_family=xunit1"]
            environment = {
                **os.environ,
                "PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} {shlex.join(words)}",
                "COVERAGE_FILE": f"{own}/.coverage",
                ENDS_WITH: str(os.getpid()),
            }
            began_s = time.monotonic()
            with (self.directory / f"run-{number}.log").open("wb") as output:
                process = subprocess.Popen(
                    self.command,
                    cwd=CHECKOUT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            self.processes.add(process)
            if self.is_ending:
                end(process, signal.SIGINT)
            exit_code = process.wait()
            # Processes that it has left behind, if any.
            end(process, signal.SIGKILL)
            self.processes.discard(process)
            if self.is_ending:
                return None
            return self.result(seed, exit_code, time.monotonic() - began_s, read_results(junit))

    def result(self, seed: int, exit_code: int, took_s: float, results: Results | None) -> Run:
        failed = [] if results is None else list(results.failed)
        if exit_code != 0 and not failed:
            failed = ["pytest"]
        return Run(
            commit=self.commit,
            seed=seed,
            exit_code=exit_code,
            passed=0 if results is None else results.passed_count,
            failed=failed,
            skipped=0 if results is None else results.skipped_count,
            took_s=round(took_s, 1),
            loads=self.loads,
            together=self.together,
        )

    def end(self) -> None:
        """Stop all runs: as Ctrl-C does, so that tests stop their servers, and then by force."""
        self.is_ending = True
        for process in tuple(self.processes):
            end(process, signal.SIGINT)
        deadline_s = time.monotonic() + GRACE_S
        try:
            while self.processes and time.monotonic() < deadline_s:
                time.sleep(0.1)
        finally:
            for process in tuple(self.processes):
                end(process, signal.SIGKILL)


def end(process: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    """Signal all processes of a run, which is the leader of a group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)


@contextmanager
def busy_loops(count: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """*count* processes that keep a core busy each, ended at the end."""
    loops = []
    try:
        for _ in range(count):
            command = [sys.executable, "-c", LOOP, str(os.getpid())]
            loops.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
        yield loops
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def commit_of(checkout: Path) -> str:
    """HEAD, marked when files differ from it; empty without git."""
    command = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    asked = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def kept_runs(path: Path, commit: str) -> list[Run]:
    """The stored runs of *commit*; lines of other versions are left out."""
    runs = []
    with suppress(FileNotFoundError):
        for line in path.read_text().splitlines():
            with suppress(json.JSONDecodeError, TypeError):
                run = Run(**json.loads(line))
                if run.commit == commit:
                    runs.append(run)
    return runs


def keep(path: Path, run: Run) -> None:
    with path.open("a") as file:
        file.write(f"{json.dumps(asdict(run))}\n")


def summary(runs: Sequence[Run], repeat: str) -> list[str]:
    """Name what failed in *runs*, each with the seeds, and how many runs failed."""
    seeds: dict[str, list[int]] = {}
    for run in runs:
        for name in run.failed:
            seeds.setdefault(name, []).append(run.seed)
    lines = []
    for name, of_it in sorted(seeds.items()):
        lines.append(f"failed {len(of_it)} of {len(runs)}: {name}")
        lines += [f"    PYTEST_ADDOPTS=--randomly-seed={seed} {repeat}" for seed in of_it]
    failed_count = sum(run.exit_code != 0 for run in runs)
    return [*lines, f"{failed_count} of {len(runs)} runs failed"]


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str], directory: Path = DIRECTORY) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.flakes")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--loads", type=int, default=4)
    parser.add_argument("--together", type=int, default=1, help="how many runs side by side")
    parser.add_argument("command", nargs="*", default=["make", "test"])
    given = parser.parse_args(arguments)
    # Any signal but SIGKILL makes it end its runs; loops end after that, too.
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, interrupt)
    own = directory / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    own.mkdir(parents=True)
    kept = directory / "runs.jsonl"
    runner = Runner(given.command, own, given.loads, given.together)
    repeat = shlex.join(given.command)
    runs: list[Run] = []
    try:
        with ExitStack() as stack:
            stack.enter_context(busy_loops(given.loads))
            pool = stack.enter_context(ThreadPoolExecutor(given.together))
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            stack.callback(runner.end)
            chance = random.SystemRandom()
            numbers = {
                pool.submit(runner.run, number, chance.getrandbits(32)): number
                for number in range(1, given.runs + 1)
            }
            for future in as_completed(numbers):
                run = future.result()
                if run is not None:
                    runs.append(run)
                    keep(kept, run)
                    say(f"run {numbers[future]}: {run}")
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    finally:
        for line in summary(runs, repeat):
            say(line)
        say(f"What they printed is in {own}")
        every = kept_runs(kept, runner.commit)
        if len(every) > len(runs):
            say(f"Of this commit: {summary(every, repeat)[-1]}")
    return 1 if any(run.exit_code != 0 for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
