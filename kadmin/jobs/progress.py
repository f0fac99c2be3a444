"""The progress of a job, in bytes of each of its phases."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """What a job is at; a merge surveys files while Spark starts."""

    SURVEY = "survey"
    MERGE = "merge"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many bytes of how many are done in a phase."""

    phase: Phase
    done_bytes: int
    total_bytes: int


Report = Callable[[Progress], None]


class Meter:
    """Adds up what is done of a phase and reports it."""

    def __init__(self, phase: Phase, total_bytes: int, report: Report) -> None:
        self.progress = Progress(phase, 0, total_bytes)
        self.report = report
        report(self.progress)

    @property
    def left_bytes(self) -> int:
        return self.progress.total_bytes - self.progress.done_bytes

    def add(self, size: int) -> None:
        before = self.progress
        self.progress = Progress(before.phase, before.done_bytes + size, before.total_bytes)
        self.report(self.progress)
