"""What is known of a log before it is opened, and what was found when it was."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

UNKNOWN: Final = -1


class Kind(StrEnum):
    """What is wrong; the text is for people."""

    LOST_TAIL = "lost tail"
    """The end of what was written never reached the disk, or not whole."""
    GAP = "gap"
    """Offsets without records between two segments, both of which are kept."""
    DAMAGE = "damage"
    """Bytes that were written once, and are no batch, or not in their place, any more."""
    FINISHED = "finished"
    """Work on the segments that was interrupted."""
    REBUILT = "rebuilt"
    """A file beside the segments that was made anew from their batches."""


class Finding(NamedTuple):
    """A deviation from what a log should be."""

    kind: Kind
    reason: str
    first_offset: int = UNKNOWN
    """The first offset that it is about."""
    end_offset: int = UNKNOWN
    """The offset after the last one; UNKNOWN also where the number of records is unknown."""
    size: int = 0
    """Bytes that are no longer in the log."""
    set_aside: tuple[str, ...] = ()
    """The files that hold them now, by their names in the partition's directory."""

    def __str__(self) -> str:
        text = f"{self.kind}: "
        if self.first_offset != UNKNOWN:
            text += f"offsets {self.first_offset} "
            text += "and on, " if self.end_offset == UNKNOWN else f"to {self.end_offset - 1}, "
        if self.size > 0:
            text += f"{self.size} bytes, "
        text += self.reason
        if self.set_aside:
            text += f"; set aside: {', '.join(self.set_aside)}"
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOffsets:
    """The content of a log directory's checkpoints for one log; 0 where they have none."""

    recovery_point: int = 0
    log_start_offset: int = 0
    high_watermark: int = 0
    cleaned_offset: int | None = None
    """None for a log that was never compacted."""
    was_closed: bool = False
    """Whether the broker that had the directory before shut down cleanly."""
    machine_stopped: bool = False
    """Whether the machine has stopped since a broker of this project had the directory: what was
    not synced may be lost without a trace.
    """


class RecoveryReport(NamedTuple):
    """What was found and done when a log was opened."""

    scanned_size: int
    """Bytes that were read and checked."""
    cut_size: int
    """Bytes that were no whole batch, or followed such, in the segment that was truncated."""
    dropped: tuple[int, ...]
    """Base offsets of the segments after that one: their files were set aside."""
    reindexed: tuple[int, ...]
    """Base offsets of the segments whose indexes were rebuilt."""
    findings: tuple[Finding, ...]
    """What an operator should know, in the order of the offsets."""

    @property
    def found_damage(self) -> bool:
        return self.cut_size > 0 or len(self.dropped) > 0
