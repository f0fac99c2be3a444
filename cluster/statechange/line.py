"""A line of state-change.log, from its author to the writer of the file.

The templates are in `controller` and `broker`.
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
