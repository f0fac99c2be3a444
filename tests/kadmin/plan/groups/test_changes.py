"""Resets: does each partition get the offset that was asked for, within its log?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.errors import ExitCode
from kadmin.plan.groups.changes import (
    Edge,
    FromFile,
    GroupIsAlive,
    NotChanged,
    OffsetMove,
    ShiftBy,
    ToOffset,
    ToTime,
    UnfitReset,
    Wanted,
    plan_reset,
    reset_failures,
)
from kadmin.plan.groups.group import DEAD, EMPTY
from kadmin.plan.groups.lag import Position
from tests.kadmin.plan.groups.builders import T0, T1, U0, group, logs, member

IDLE = group("g", state=EMPTY)
NOW_MS = 1_700_000_000_000


def after(
    wanted: Wanted,
    committed: int | None = 15,
    span: tuple[int, int] = (10, 20),
    found: int | None = None,
) -> OffsetMove:
    offsets = {} if committed is None else {T0: committed}
    (move,) = plan_reset(IDLE, wanted, [T0], offsets, logs({T0: span}), {T0: found}).moves
    return move


@pytest.mark.parametrize(
    ("wanted", "expected", "is_clipped"),
    [
        (Edge.EARLIEST, 10, False),
        (Edge.LATEST, 20, False),
        (Edge.CURRENT, 15, False),
        (ToOffset(10), 10, False),
        (ToOffset(0), 10, True),
        (ToOffset(21), 20, True),
        (ShiftBy(3), 18, False),
        (ShiftBy(-3), 12, False),
        (ShiftBy(0), 15, False),
        (ShiftBy(-100), 10, True),
        (ShiftBy(100), 20, True),
        (FromFile({None: {T0: 11}}), 11, False),
        # What is said of the group wins.
        (FromFile({None: {T0: 11}, "g": {T0: 12}, "h": {T0: 13}}), 12, False),
    ],
)
def test_where_each_way_of_saying_it_leads(wanted: Wanted, expected: int, is_clipped: bool) -> None:
    move = after(wanted)

    assert (expected, is_clipped) == (move.after, move.is_clipped)


def test_to_a_time_is_to_its_first_record_or_the_end() -> None:
    assert 17 == after(ToTime(1), found=17).after
    assert 20 == after(ToTime(1), found=None).after


def test_without_a_commit_the_current_offset_is_the_end() -> None:
    assert 20 == after(Edge.CURRENT, None).after
    with pytest.raises(
        UnfitReset, match="cannot shift offset for partition t-0 since there is no current"
    ):
        after(ShiftBy(1), None)


def test_all_that_cannot_be_reset_is_named_at_once() -> None:
    spans = logs({U0: (0, 5)}, [T0], {T1: "it has no leader"})

    with pytest.raises(UnfitReset) as raised:
        plan_reset(IDLE, Edge.LATEST, [T0, T1, U0], {}, spans, {})

    assert ("there is no partition t-0", "t-1: it has no leader") == raised.value.problems


@pytest.mark.parametrize(
    ("committed", "offset", "skipped", "again"),
    [
        (12, 18, 6, 0),
        (18, 12, 0, 6),
        (12, 12, 0, 0),
        # What retention has taken is not skipped, and what is beyond the end not read again.
        (3, 12, 2, 0),
        (25, 12, 0, 8),
        (None, 12, 0, 0),
    ],
)
def test_records_that_are_skipped_or_read_again_are_counted(
    committed: int | None, offset: int, skipped: int, again: int
) -> None:
    move = after(ToOffset(offset), committed)

    assert (skipped, again) == (move.skipped_count, move.again_count)


@given(
    start=st.integers(0, 50),
    size=st.integers(0, 50),
    committed=st.none() | st.integers(0, 120),
    offset=st.integers(0, 200),
)
def test_a_group_is_never_put_outside_of_a_log_and_twice_is_once(
    start: int, size: int, committed: int | None, offset: int
) -> None:
    span = (start, start + size)
    move = after(ToOffset(offset), committed, span)
    again = after(ToOffset(offset), move.after, span)

    assert start <= move.after <= start + size
    assert not again.is_change
    assert move.is_clipped == (not start <= offset <= start + size)
    assert 0 in (move.skipped_count, move.again_count)
    assert max(move.skipped_count, move.again_count) <= size


@pytest.mark.parametrize(
    ("before", "after_offset", "before_ms", "after_ms", "expected"),
    [
        (12, 18, NOW_MS - 9_000, NOW_MS - 3_000, 6_000),
        (12, 20, NOW_MS - 9_000, None, 9_000),
        (20, 12, None, NOW_MS - 9_000, 9_000),
        (12, 18, None, NOW_MS, None),
        (None, 18, None, NOW_MS, None),
    ],
)
def test_the_time_between_two_offsets(
    before: int | None,
    after_offset: int,
    before_ms: int | None,
    after_ms: int | None,
    expected: int | None,
) -> None:
    move = OffsetMove(
        partition=T0,
        before=before,
        after=after_offset,
        start=10,
        end=20,
        wanted=after_offset,
        before_ms=before_ms,
        after_ms=after_ms,
    )

    assert expected == move.span_ms(NOW_MS)


def test_times_are_only_asked_for_where_there_is_a_record() -> None:
    committed = {T0: 3, T1: 12, U0: 5}
    spans = logs({T0: (10, 20), T1: (10, 20), U0: (0, 5)})
    plan = plan_reset(IDLE, Edge.LATEST, committed, committed, spans, {})

    assert {Position(T1, 12)} == plan.positions
    assert [T0, T1] == [move.partition for move in plan.changes]


def test_a_group_that_is_dead_is_made() -> None:
    plan = plan_reset(group("new", state=DEAD), Edge.LATEST, [T0], {}, logs({T0: (0, 1)}), {})

    assert not plan.exists


def test_what_is_committed_afterwards_decides_what_was_done() -> None:
    plan = plan_reset(
        IDLE, Edge.EARLIEST, [T0, T1, U0], {U0: 0}, logs(dict.fromkeys((T0, T1, U0), (0, 9))), {}
    )

    # The answer of the first was lost, and it was done; the second was refused.
    found = reset_failures(plan, {T0: "no answer", T1: "the group has members again"}, {T0: 0})

    assert {T1: "the group has members again"} == found
    assert {T0: "another commit has replaced it"} == reset_failures(plan, {}, {T0: 5, T1: 0})


def test_a_group_with_members_is_refused_and_they_are_named() -> None:
    alive = group("g", member("b", TopicPartition("t", 0)), member("a"))
    error = GroupIsAlive([alive, group("h")])

    assert ExitCode.REFUSED == error.exit_code
    assert (
        "group 'g' has members, and 1 more groups; nothing was written: it is Stable,"
        " with a (a-id) on /h, b (b-id) on /h" == error.message
    )


def test_what_was_refused_for_one_reason_is_named_together() -> None:
    refused = dict.fromkeys([f"g: t-{number}" for number in range(9)], "it is subscribed")

    assert (
        "could not delete offsets: g: t-0, g: t-1, g: t-2, g: t-3, g: t-4, …: it is subscribed;"
        " g: u-0: denied"
    ) == str(NotChanged("delete offsets", refused | {"g: u-0": "denied"}))
