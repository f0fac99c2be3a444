"""Repetition: what stands more than once where it may stand once?"""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def repeated(items: Iterable[Item]) -> list[Item]:
    """Return those that are there more than once, in their order."""
    return [item for item, count in Counter(items).items() if count > 1]
