"""How far the stories of one plot have been played with this code, so that a run goes on there.

One file for each plot and each state of the sources: with other code all stories are others.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from tests.sim.story import Plot
from tests.support.checkout import CHECKOUT

SOURCES: Final = (CHECKOUT / "cluster", CHECKOUT / "tests" / "sim")
DIRECTORY: Final = CHECKOUT / ".cache" / "sim"


@dataclass(slots=True, kw_only=True)
class Progress:
    """Of the stories from a first seed on."""

    next_seed: int = 0
    """All before it have been played."""
    event_count: int = 0
    took_s: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)
    """The violations of those that have ended badly, by their seeds."""


def code_digest(sources: Sequence[Path] = SOURCES) -> str:
    """A short name for the code as it is now, committed or not."""
    digest = hashlib.sha256()
    for source in sources:
        for path in sorted(source.rglob("*.py")):
            digest.update(str(path.relative_to(source.parent)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def path_of(plot: Plot, directory: Path = DIRECTORY, first: int = 0) -> Path:
    since = f"-{first}" if first > 0 else ""
    return directory / f"{plot.value}-{code_digest()}{since}.json"


def read_progress(path: Path, first: int = 0) -> Progress:
    """What stands there; a beginning without the file, or with one that was cut short."""
    try:
        return Progress(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return Progress(next_seed=first)


def write_progress(path: Path, progress: Progress) -> None:
    """Whole or not at all: a run may be killed at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(asdict(progress)), encoding="utf-8")
    temporary.replace(path)
