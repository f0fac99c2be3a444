"""Long trials: `python -m tests.faults --minutes 10 --seed 1`, or `make faults MINUTES=10 SEED=1`.

Says what it does and what it found.  What a trial leaves stays, where something was wrong.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.faults.trial import FAULTS, Fault, run_trial


def say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Break things.")
    parser.add_argument("--minutes", type=float, default=10, help="for how long")
    parser.add_argument("--seed", type=int, default=1, help="which faults come, and when")
    given = parser.parse_args(arguments)
    lots = Random(given.seed)
    end_s = time.monotonic() + 60 * given.minutes

    def next_fault(count: int) -> Fault | None:
        return lots.choice(FAULTS) if time.monotonic() < end_s else None

    directory = Path(tempfile.mkdtemp(prefix="kadmin-faults-"))
    say(f"seed {given.seed}, in {directory}")
    result = run_trial(directory, given.seed, next_fault, say)
    say(
        f"{result.faults} faults; {result.acknowledged:,} records acknowledged, the slowest after"
        f" {result.worst_s:.1f} s"
    )
    for text in result.wrong:
        say(f"WRONG: {text}")
    if not result.wrong:
        say("each of them is there once, in order, where it was acknowledged")
        say("replicas are equal, as bytes and by kadmin verify-replicas --deep")
        shutil.rmtree(directory)
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
