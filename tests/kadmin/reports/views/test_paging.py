"""Pages of tables: what is on which, and what of a bad request?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.errors import UsageError
from kadmin.reports.views.paging import Page, PageRequest, page_of, parse_page

ROWS = [("Ant", 3), ("bee", None), ("cat", 1), ("dog", 3), ("emu", 2)]
Row = tuple[str, int | None]


def page(request: PageRequest) -> Page[Row]:
    columns = {"name": lambda row: row[0], "size": lambda row: row[1]}
    return page_of(ROWS, request, lambda row: row[0], columns)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "Ant bee cat dog emu"),
        ({"filter": "A"}, "Ant cat"),
        ({"filter": "x"}, ""),
        ({"sort": "size"}, "cat emu Ant dog bee"),
        ({"sort": "-size"}, "Ant dog emu cat bee"),
        ({"sort": "-name", "size": "2"}, "emu dog"),
        ({"size": "2", "page": "3"}, "emu"),
        ({"size": "2", "page": "9"}, "emu"),
    ],
)
def test_a_page_is_filtered_sorted_and_cut(query: dict[str, str], expected: str) -> None:
    assert expected.split() == [name for name, _ in page(parse_page(query)).rows]


def test_a_page_counts_what_it_does_not_show() -> None:
    found = page(PageRequest(text="t", size=1, number=2))

    assert (2, 5, 2, 2) == (
        found.match_count,
        found.total_count,
        found.page_count,
        found.first_number,
    )


def test_an_empty_page_is_the_first_one() -> None:
    found = page(PageRequest(text="nothing", number=4))

    assert (1, 1, 0) == (found.request.number, found.page_count, found.first_number)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page", "0"),
        ("page", "-1"),
        ("page", "x"),
        ("page", "1" * 5000),
        ("page", "²"),
        ("size", "1001"),
        ("size", "1.5"),
    ],
)
def test_a_number_that_is_none_is_refused(name: str, text: str) -> None:
    with pytest.raises(UsageError, match="whole number from 1 to"):
        parse_page({name: text})


def test_a_column_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError) as error:
        page(PageRequest(order="weight"))

    assert "name, size" in str(error.value.hint)


@given(st.integers(1, 7), st.sampled_from(["", "name", "size", "-size"]))
def test_the_pages_together_have_every_row_once(size: int, sort: str) -> None:
    first = page(parse_page({"size": str(size), "sort": sort}))
    rows = [
        row
        for number in range(1, first.page_count + 1)
        for row in page(parse_page({"size": str(size), "sort": sort, "page": str(number)})).rows
    ]

    assert sorted(ROWS, key=lambda row: row[0]) == sorted(rows, key=lambda row: row[0])
