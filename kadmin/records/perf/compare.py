"""Two sides in turns: which is faster, by how much, and how far do the rounds differ?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Ratio:
    """What B reaches of A: the *median* of the rounds, and their range."""

    median: float
    low: float
    high: float


def turns(rounds: int) -> Iterator[tuple[int, str]]:
    """Return the number of each round with the side that runs: A B, then B A, and so on.

    So what gets slower or faster with time is for neither side.
    """
    for number in range(rounds):
        for side in "AB" if number % 2 == 0 else "BA":
            yield number, side


def ratio(of_a: Sequence[float], of_b: Sequence[float]) -> Ratio | None:
    """Return the ratios B / A of rounds that belong together; None where A has none above 0."""
    found = [b / a for a, b in zip(of_a, of_b, strict=True) if a > 0]
    return Ratio(median(found), min(found), max(found)) if found else None
