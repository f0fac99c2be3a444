"""Lag: how much is there to read, and is a commit that does not fit the log called so?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.plan.groups.group import EMPTY
from kadmin.plan.groups.lag import Condition, PartitionLag, Position, lags_of
from tests.kadmin.plan.groups.builders import T0, T1, U0, group, logs, member

NOW_MS = 1_700_000_000_000


def row_of(committed: int | None, span: tuple[int, int] = (10, 20)) -> PartitionLag:
    has_commit = {} if committed is None else {T0: committed}
    (row,) = lags_of(group("g", member("m", T0)), has_commit, logs({T0: span}))
    return row


@pytest.mark.parametrize(
    ("committed", "lag", "distance", "condition", "next_offset"),
    [
        (15, 5, 5, Condition.READING, 15),
        (10, 10, 10, Condition.READING, 10),
        (20, 0, 0, Condition.READING, None),
        (21, 0, -1, Condition.BEYOND_END, None),
        # What retention has taken is no more to be read.
        (3, 10, 17, Condition.BEFORE_START, 10),
        (0, 10, 20, Condition.BEFORE_START, 10),
        (None, None, None, Condition.NO_COMMIT, None),
    ],
)
def test_a_commit_beside_its_log(
    committed: int | None,
    lag: int | None,
    distance: int | None,
    condition: Condition,
    next_offset: int | None,
) -> None:
    row = row_of(committed)

    assert (lag, distance, condition) == (row.lag, row.distance, row.condition)
    assert (None if next_offset is None else Position(T0, next_offset)) == row.next_position


def test_topics_that_are_gone_and_leaders_that_are_silent_are_told_apart() -> None:
    found = lags_of(
        group("g", state=EMPTY), {T0: 1, T1: 2, U0: 3}, logs({U0: (0, 9)}, [T0], {T1: "no leader"})
    )

    assert [
        (T0, Condition.NO_PARTITION, None, ""),
        (T1, Condition.UNKNOWN, None, "no leader"),
        (U0, Condition.READING, 6, ""),
    ] == [(row.partition, row.condition, row.lag, row.reason) for row in found]
    assert {None, Position(U0, 3)} == {row.next_position for row in found}


def test_the_members_with_the_most_partitions_come_first_then_what_no_member_has() -> None:
    few, many = member("few", T1), member("many", T0, U0)
    found = lags_of(
        group("g", few, many), {T0: 1, T1: 1}, logs(dict.fromkeys((T0, T1, U0), (0, 2)))
    )
    without = lags_of(group("g", few), {U0: 1, T0: 1}, logs({}))

    assert [(T0, many), (U0, many), (T1, few)] == [(row.partition, row.member) for row in found]
    assert [(T1, few), (T0, None), (U0, None)] == [(row.partition, row.member) for row in without]


@given(start=st.integers(0, 50), size=st.integers(0, 50), committed=st.integers(0, 120))
def test_nobody_has_more_to_read_than_there_is(start: int, size: int, committed: int) -> None:
    row = row_of(committed, (start, start + size))

    assert row.lag is not None
    assert 0 <= row.lag <= size
    assert (row.lag > 0) == (row.next_position is not None)
    assert (row.condition is Condition.READING) == (start <= committed <= start + size)


@pytest.mark.parametrize(
    ("committed", "since_ms", "lag_ms"),
    [
        (20, None, 0),
        (15, NOW_MS - 3_000, 3_000),
        (15, None, None),
        # A producer's clock may be ahead.
        (15, NOW_MS + 3_000, 0),
        (None, None, None),
    ],
)
def test_time_counts_from_the_first_record_that_is_not_read(
    committed: int | None, since_ms: int | None, lag_ms: int | None
) -> None:
    row = row_of(committed)
    made = PartitionLag(
        partition=T0, committed=row.committed, start=10, end=20, unread_since_ms=since_ms
    )

    assert lag_ms == made.lag_ms(NOW_MS)
