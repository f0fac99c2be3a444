"""Kafka's checkpoint files: a version, a count, and as many lines of numbers.

One line per partition in a log directory (recovery points, high watermarks, log starts, where the
dirty part of a compacted log begins), one per leader epoch in a partition.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from cluster.formats.errors import CorruptFileError

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
LOG_STARTS: Final = "log-start-offset-checkpoint"
CLEANED_OFFSETS: Final = "cleaner-offset-checkpoint"
LEADER_EPOCHS: Final = "leader-epoch-checkpoint"

VERSION: Final = "0"
SHOWN_SIZE_MAX: Final = 300
"""Characters of a damaged line: any sound one has less, of 249 for a topic and two numbers."""


class EpochEntry(NamedTuple):
    """A row of a leader epoch checkpoint."""

    leader_epoch: int
    start_offset: int


def parse_rows(content: bytes, path: str, width: int) -> tuple[tuple[str, ...], ...]:
    """Return the rows in the *content* of the checkpoint *path*, *width* words each.

    None of an empty file: Kafka creates it before it has any rows.

    Raises:
        CorruptFileError: version, count or a row are not what they have to be.
    """
    if not content:
        return ()
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise CorruptFileError(path, "it is no UTF-8 text") from None
    if lines[0] != VERSION:
        raise CorruptFileError(path, f"version {shown(lines[0])}, expected {VERSION!r}")
    rows = tuple(tuple(line.split()) for line in lines[2:] if line.strip())
    if len(lines) < 2 or lines[1] != str(len(rows)):
        raise CorruptFileError(path, f"{len(rows)} rows, which is not the count in line 2")
    for number, row in enumerate(rows, start=3):
        if len(row) != width or not all(is_number(word) for word in row[-2:]):
            raise CorruptFileError(path, f"line {number}: {shown(' '.join(row))}")
    return rows


def shown(line: str) -> str:
    """Return a line as a message quotes it; it may contain anything, of any length."""
    return repr(line) if len(line) <= SHOWN_SIZE_MAX else f"{line[:SHOWN_SIZE_MAX]!r}…"


def is_number(word: str) -> bool:
    """Return whether *word* is a whole number of 64 bits, as all are that Kafka writes."""
    digits = word.removeprefix("-")
    # Python refuses to convert some thousand digits: their number comes first.
    return (
        digits.isascii()
        and digits.isdigit()
        and len(digits) <= 19
        and -(2**63) <= int(word) < 2**63
    )


def encode_rows(rows: Iterable[str]) -> bytes:
    """Return the content of a checkpoint with these rows."""
    lines = list(rows)
    return "".join(f"{line}\n" for line in (VERSION, len(lines), *lines)).encode("utf-8")
