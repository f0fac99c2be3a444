"""Ranges of versions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

VERSION_MAX: Final = 2**15 - 1


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions *lowest* to *highest*, both included; none where *lowest* is the greater."""

    lowest: int
    highest: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `3`, `3+`, `3-5` or `none`, the forms of ranges in the tables."""
        if text == "none":
            return cls(1, 0)
        lowest, dash, highest = text.partition("-")
        if dash:
            return cls(int(lowest), int(highest))
        if text.endswith("+"):
            return cls(int(text[:-1]), VERSION_MAX)
        return cls(int(text), int(text))

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def newest_up_to(self, version: int) -> int | None:
        """The newest of them that is not newer than *version*; None when all are."""
        newest = min(version, self.highest)
        return newest if newest >= self.lowest else None

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lowest, self.highest + 1))


NEVER: Final = Versions.parse("none")
