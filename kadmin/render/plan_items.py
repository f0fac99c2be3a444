"""The items of a plan, a line each: how many are shown before it is carried out?"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")

PLAN_LINES_MAX: Final = 20
"""Notes show no more items of a plan than that; a dry run shows all."""


def item_lines(
    items: Sequence[Item], text: Callable[[Item], str], limit: int | None
) -> Iterator[str]:
    """Return the *text* of each of *items*, indented, and how many more than *limit* there are;
    None for all."""
    for item in items[:limit]:
        yield f"  {text(item)}"
    if limit is not None and len(items) > limit:
        yield f"  … and {len(items) - limit} more (--dry-run shows all)"
