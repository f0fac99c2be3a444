"""Moments and partitions, as options name them."""

import pytest

from kadmin.arguments.moments import moment_text, parse_moment, parse_numbers
from kadmin.errors import UsageError
from kadmin.plan.offsets import (
    EARLIEST,
    LATEST,
    MAX_TIMESTAMP,
)

NOW_MS = 1_700_000_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("latest", LATEST),
        ("earliest", EARLIEST),
        ("max-timestamp", MAX_TIMESTAMP),
        ("-1", LATEST),
        ("-2", EARLIEST),
        ("-3", MAX_TIMESTAMP),
        ("0", 0),
        ("1700000000123", 1_700_000_000_123),
        ("-2h", NOW_MS - 7_200_000),
        ("2023-11-14T22:13:20", NOW_MS),
        ("1960-01-01", 0),
    ],
)
def test_a_moment_is_a_place_a_number_or_a_time(text: str, expected: int) -> None:
    assert expected == parse_moment(text, NOW_MS)


@pytest.mark.parametrize("text", ["", "soon", "-4", "-5", "1e3", str(2**63)])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no time, and no place in a log"):
        parse_moment(text, NOW_MS)


def test_a_moment_is_written_as_it_may_be_given() -> None:
    assert ["latest", "earliest", "max-timestamp", "0"] == [
        moment_text(moment) for moment in (LATEST, EARLIEST, MAX_TIMESTAMP, 0)
    ]


def test_numbers_of_partitions() -> None:
    assert frozenset({0, 7}) == parse_numbers("7, 0,7")
    for text in ("", "1,", "-1", "a", "1-3"):
        with pytest.raises(UsageError, match="are no numbers of partitions"):
            parse_numbers(text)
