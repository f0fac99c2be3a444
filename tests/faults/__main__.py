"""Long trials: `python -m tests.faults --minutes 10 --seed 1`, or `make faults MINUTES=10 SEED=1`.

Says what it does and what it found.  What a trial leaves stays, where something was wrong.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Final

from tests.faults.kinds import Ground
from tests.faults.linked import LinkedNetwork
from tests.faults.machine import compiler
from tests.faults.network import Namespaces, Network, can_enter, enter
from tests.faults.plan import Round, rounds
from tests.faults.trial import MEMBERS, run_trial

TRIAL_MINUTES: Final = 15
"""After so long the next seed gets a new cluster: logs, and what is known of them, stay small."""
INSIDE: Final = "--inside"


def say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Break things.")
    parser.add_argument("--minutes", type=float, default=10, help="for how long")
    parser.add_argument("--seed", type=int, default=1, help="which faults come, and when")
    parser.add_argument("--rounds", type=int, default=sys.maxsize, help="at most, of each seed")
    parser.add_argument("--plan", type=int, help="say so many rounds that would come")
    parser.add_argument("--links", action="store_true", help="without namespaces of the kernel")
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    has_namespaces = given.inside or (not given.links and can_enter())
    if given.plan:
        for one in islice(plan(given.seed, ground(given.seed, has_namespaces)), given.plan):
            say(str(one))
        return 0
    if given.inside:
        return 0 if is_right(given.seed, 60 * given.minutes, given.rounds, has_namespaces) else 1
    end_s = time.monotonic() + 60 * given.minutes
    for seed in count(given.seed):
        minutes = min((end_s - time.monotonic()) / 60, TRIAL_MINUTES)
        if minutes <= 0:
            return 0
        if has_namespaces:
            # Namespaces end with their process: each trial has its own.
            words = ("--seed", seed, "--minutes", minutes, "--rounds", given.rounds)
            is_well = enter("tests.faults", [INSIDE, *map(str, words)]) == 0
        else:
            is_well = is_right(seed, 60 * minutes, given.rounds, has_namespaces)
        if not is_well:
            say(f"again: make faults SEED={seed} MINUTES={TRIAL_MINUTES}")
            return 1
        if given.rounds < sys.maxsize:
            return 0
    raise AssertionError("there is no last seed")


def ground(seed: int, has_namespaces: bool) -> Ground:
    return Ground(
        has_namespaces=has_namespaces,
        has_compiler=compiler() is not None,
        syncs_all=seed % 2 == 0,
    )


def plan(seed: int, on: Ground) -> Iterator[Round]:
    return rounds(seed, on.kinds, MEMBERS, syncs_all=on.syncs_all)


def is_right(seed: int, lasts_s: float, rounds_max: int, has_namespaces: bool) -> bool:
    """Play a trial, and say what came of it."""
    end_s = time.monotonic() + lasts_s
    on = ground(seed, has_namespaces)

    def in_time() -> Iterator[Round]:
        for one in islice(plan(seed, on), rounds_max):
            if time.monotonic() >= end_s:
                return
            yield one

    directory = Path(tempfile.mkdtemp(prefix="kadmin-faults-"))
    say(f"seed {seed}, in {directory}: {on}")
    network: type[Namespaces | LinkedNetwork] = Namespaces if has_namespaces else LinkedNetwork
    net: Network = network(MEMBERS.brokers, MEMBERS.zookeepers)
    result = run_trial(directory, in_time(), net, on, say)
    say(
        f"{result.faults} faults in {result.rounds} rounds; {result.acknowledged:,} records"
        f" acknowledged, the slowest after {result.worst_s:.1f} s; {result.committed:,} commits of"
        f" groups answered; whole again after at most {result.healing_s:.1f} s"
    )
    for text in result.wrong:
        say(f"WRONG: {text}")
    if not result.wrong:
        say("each of them is there once, in order, where it was acknowledged, as is what was read")
        say("no group was given less than it had committed")
        say("replicas are equal, as bytes and by kadmin verify-replicas --deep")
        shutil.rmtree(directory)
    return not result.wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
