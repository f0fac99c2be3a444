"""Tables of pages: which rows are shown, and where links to other orders and pages lead."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from kadmin.reports.views.paging import Page, PageRequest, page_of, parse_page
from kadmin.web.visit import Visit

Row = TypeVar("Row")

BY_NAME: Final = ("topic", "group", "broker")
"""Columns that are sorted upwards at first; of numbers the largest are looked for."""


@dataclass(frozen=True, slots=True)
class Table(Generic[Row]):
    """One page of a table, with the addresses of its other pages."""

    page: Page[Row]

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.page.rows

    @property
    def order(self) -> str:
        return self.page.request.order

    @property
    def is_descending(self) -> bool:
        return self.page.request.is_descending

    @property
    def sort(self) -> str:
        return f"-{self.order}" if self.is_descending else self.order

    @property
    def text(self) -> str:
        return self.page.request.text

    @property
    def number(self) -> int:
        return self.page.request.number

    @property
    def page_count(self) -> int:
        return self.page.page_count

    @property
    def match_count(self) -> int:
        return self.page.match_count

    @property
    def total_count(self) -> int:
        return self.page.total_count

    @property
    def first(self) -> int:
        return self.page.first_number

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1

    def sorted_by(self, column: str) -> str:
        """Return the query that sorts by *column*; the other way if it already is."""
        is_descending = not self.is_descending if self.order == column else column not in BY_NAME
        return self.query(sort=f"-{column}" if is_descending else column)

    def at_page(self, number: int) -> str:
        """Return the query that shows page *number*."""
        return self.query(sort=self.sort, page=str(number))

    def query(self, **values: str) -> str:
        given = {"filter": self.text, **values}
        return urlencode({name: value for name, value in given.items() if value})


def requested(visit: Visit) -> PageRequest:
    """Return the page that the address asks for.

    Raises:
        UsageError: a number in it is none.
    """
    return parse_page(visit.request.query_params)


def table_of(
    visit: Visit,
    rows: Sequence[Row],
    name: Callable[[Row], str],
    columns: Mapping[str, Callable[[Row], Any]] | None = None,
) -> Table[Row]:
    """Return the page of *rows* that the address asks for.

    Raises:
        UsageError: a number in it is none, or there is no such column.
    """
    return Table(page_of(rows, requested(visit), name, columns or {}))
