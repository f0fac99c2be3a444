"""Pages of a table: filtered, sorted and cut where the rows are, not by who shows them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from kadmin.errors import UsageError

Row = TypeVar("Row")

SIZE_DEFAULT: Final = 100
SIZE_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """Page *number*, from 1, of the rows whose names contain *text*, whatever the case.

    Sorted by the column *order*; an empty one leaves the order of names.
    """

    text: str = ""
    order: str = ""
    is_descending: bool = False
    number: int = 1
    size: int = SIZE_DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """One page; *match_count* rows match the filter, of *total_count*."""

    rows: tuple[Row, ...]
    request: PageRequest
    match_count: int
    total_count: int

    @property
    def page_count(self) -> int:
        """How many pages there are; one where nothing matches."""
        return max(1, -(-self.match_count // self.request.size))

    @property
    def first_number(self) -> int:
        """The number of its first row, from 1; 0 where it has none."""
        if not self.rows:
            return 0
        return (self.request.number - 1) * self.request.size + 1


def parse_page(values: Mapping[str, str]) -> PageRequest:
    """Read a request from *values* named `filter`, `sort`, `page` and `size`, as in a query.

    A `-` before the column sorts downwards.

    Raises:
        UsageError: a number that is none, or out of bounds.
    """
    order = values.get("sort", "")
    return PageRequest(
        text=values.get("filter", ""),
        order=order.removeprefix("-"),
        is_descending=order.startswith("-"),
        number=whole_number(values, "page", 1, 1_000_000),
        size=whole_number(values, "size", SIZE_DEFAULT, SIZE_MAX),
    )


def whole_number(values: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = values.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:10]) <= most:
        raise UsageError(
            f"{name} is '{text}', and no whole number from 1 to {most:,}",
            hint=f"leave {name} out for {default}",
        )
    return int(text)


def page_of(
    rows: Sequence[Row],
    request: PageRequest,
    name: Callable[[Row], str],
    columns: Mapping[str, Callable[[Row], Any]],
) -> Page[Row]:
    """Return the page of *rows*, which are in the order of their names, that *request* asks for.

    Rows without a value in the column come last, in either direction.  A page beyond the last is
    the last: the rows may have become fewer since the link to it was made.

    Raises:
        UsageError: there is no such column.
    """
    found: Sequence[Row] = rows
    if request.text:
        text = request.text.casefold()
        found = [row for row in rows if text in name(row).casefold()]
    if request.order:
        found = ordered(found, request, columns)
    number = min(request.number, max(1, -(-len(found) // request.size)))
    begin = (number - 1) * request.size
    return Page(
        rows=tuple(found[begin : begin + request.size]),
        request=PageRequest(
            text=request.text,
            order=request.order,
            is_descending=request.is_descending,
            number=number,
            size=request.size,
        ),
        match_count=len(found),
        total_count=len(rows),
    )


def ordered(
    rows: Sequence[Row], request: PageRequest, columns: Mapping[str, Callable[[Row], Any]]
) -> list[Row]:
    column = columns.get(request.order)
    if column is None:
        raise UsageError(
            f"there is no column '{request.order}' to sort by",
            hint=f"sort by one of {', '.join(columns)}; with a '-' before it downwards",
        )
    pairs = [(column(row), row) for row in rows]
    known = [pair for pair in pairs if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=request.is_descending)
    return [*(row for _, row in known), *(row for key, row in pairs if key is None)]
