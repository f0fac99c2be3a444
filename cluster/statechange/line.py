"""A line of state-change.log, as whoever decides something hands it to whoever writes the file.

Knows no template: these stand in `controller` and `broker`.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Level(StrEnum):
    TRACE = "TRACE"
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


class StateChangeLine(NamedTuple):
    """*message* may have a second line, the exception that Kafka names below an error."""

    level: Level
    message: str

    def __str__(self) -> str:
        return self.message


def listed(numbers: Iterable[int], separator: str = ", ") -> str:
    return separator.join(map(str, numbers))
