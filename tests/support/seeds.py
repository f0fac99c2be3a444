"""The seeds that random tests play: other ones with each commit, so that runs add up.

SEED_BASE=… in the environment plays those of another run again.  A test that rests on what certain
seeds show (a fence that some story misses, a count over many of them) keeps seeds of its own.
"""

import os
import subprocess
from typing import Final

from tests.support.checkout import CHECKOUT

STEP: Final = 100
"""Bases are multiples of it, so that numbers of a run look alike."""


def drawn_base() -> int:
    """The first seed of this commit; 0 where there is no git."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        asked = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return base_of(asked.stdout)


def base_of(commit: str) -> int:
    return int(commit[:6], 16) // STEP * STEP


BASE: Final = int(os.environ.setdefault("SEED_BASE", str(drawn_base())))
"""The first seed.  Workers of xdist find it in the environment, whatever becomes of HEAD."""


def seeds(count: int) -> range:
    """The *count* seeds from the base on."""
    return range(BASE, BASE + count)


def blocks(count: int, size: int) -> list[range]:
    """The same seeds, *size* of them for one test."""
    return [seeds(count)[first : first + size] for first in range(0, count, size)]


def block_id(block: range) -> str:
    """The name of a test that plays *block*."""
    return f"{block[0]}-{block[-1]}"
