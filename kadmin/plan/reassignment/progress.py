"""How far something is that was asked for, whatever it is."""

from enum import Enum
from typing import Protocol


class Progress(Enum):
    DONE = "done"
    MOVING = "moving"
    """It is being moved, maybe elsewhere than was asked for."""
    MISMATCH = "mismatch"
    """Nothing moves, and it is not as asked for: a partition may have the same replicas in another
    order."""
    MISSING = "missing"
    """There is no such thing."""


class Judged(Protocol):
    """Something of which it is known how far it is."""

    @property
    def progress(self) -> Progress: ...
