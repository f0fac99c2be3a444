"""Reports on groups: which come first, and is all the rest counted?"""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.plan.groups.lag import lags_of
from kadmin.plan.groups.verdict import Look, judge
from kadmin.render.groups.lag import heading
from kadmin.reports.groups import (
    GroupLag,
    GroupsReport,
    JudgedGroups,
    Order,
    by_host,
    ranked,
    ranked_verdicts,
)
from tests.kadmin.plan.groups.builders import T0, T1, U0, group, logs, member

LOGS = logs({T0: (0, 10), T1: (0, 10), U0: (0, 10)})
A = GroupLag(group=group("a"), rows=tuple(lags_of(group("a"), {T0: 9, T1: 4}, LOGS)))
B = GroupLag(group=group("b"), rows=tuple(lags_of(group("b"), {U0: 2}, LOGS)))
NONE = GroupLag(group=group("none"), rows=())
REPORT = GroupsReport(groups=(A, B, NONE), now_ms=0)


@pytest.mark.parametrize(
    ("order", "limit", "expected", "hidden"),
    [
        (Order.NAME, None, [("a", [T0, T1]), ("b", [U0]), ("none", [])], 0),
        (Order.LAG, None, [("b", [U0]), ("a", [T1, T0]), ("none", [])], 0),
        (Order.NAME, 1, [("a", [T0]), ("none", [])], 2),
        (Order.LAG, 2, [("b", [U0]), ("a", [T1]), ("none", [])], 1),
        # No time is known: all are equal.
        (Order.TIME, None, [("a", [T0, T1]), ("b", [U0]), ("none", [])], 0),
    ],
)
def test_groups_and_their_partitions_are_sorted_and_cut(
    order: Order, limit: int | None, expected: list[object], hidden: int
) -> None:
    found = ranked(REPORT, order, limit)

    assert expected == [
        (each.group.name, [row.partition for row in each.rows]) for each in found.groups
    ]
    assert hidden == found.hidden_count


def test_members_are_counted_by_host() -> None:
    members = [member("a", T0, host="/x"), member("b", T1, U0, host="/y"), member("c", host="/x")]

    assert [("/y", 1, 2), ("/x", 2, 1)] == [
        (each.host, len(each.members), each.partition_count) for each in by_host(members)
    ]


@pytest.mark.parametrize(
    ("order", "limit", "expected", "hidden"),
    [
        # Of a and b the first has no member, and all that none has read is ok.
        (None, None, ["b", "a", "none"], 0),
        (None, 1, ["b"], 2),
        (Order.NAME, None, ["a", "b", "none"], 0),
        (Order.LAG, None, ["b", "a", "none"], 0),
        (Order.TIME, None, ["a", "b", "none"], 0),
    ],
)
def test_the_worst_verdicts_come_first_unless_another_order_is_wanted(
    order: Order | None, limit: int | None, expected: list[str], hidden: int
) -> None:
    stopped, behind = (
        B,
        GroupLag(
            group=group("a", member("m", T0, T1)),
            rows=tuple(lags_of(group("a", member("m", T0, T1)), {T0: 9, T1: 4}, LOGS)),
        ),
    )
    groups = tuple(
        judge([Look(time_ms=0, group=each.group, rows=each.rows)], 60_000)
        for each in (behind, stopped, NONE)
    )
    judged = JudgedGroups(groups=groups, now_ms=0, behind_ms=60_000, window_ms=0)

    found = ranked_verdicts(judged, order, limit)

    assert (expected, hidden) == ([each.group.name for each in found.groups], found.hidden_count)


@pytest.mark.parametrize(
    ("ends", "unknown", "expected", "words"),
    [
        ({T0: (0, 5)}, {}, 0, "nothing to read"),
        ({}, {T0: "no leader"}, None, "lag not known"),
        # What is known counts.
        ({T1: (0, 7)}, {T0: "no leader"}, None, "2 records behind"),
    ],
)
def test_a_group_whose_end_is_not_known_has_not_read_all(
    ends: dict[TopicPartition, tuple[int, int]],
    unknown: dict[TopicPartition, str],
    expected: int | None,
    words: str,
) -> None:
    committed = dict.fromkeys([*ends, *unknown], 5)
    rows = tuple(lags_of(group("g"), committed, logs(ends, unknown=unknown)))

    found = GroupLag(group=group("g"), rows=rows)
    judged = judge([Look(time_ms=0, group=group("g"), rows=rows)], 0)

    assert (expected, expected) == (found.lag_ms(0), judged.lag_ms)
    assert f"g: Stable, 0 members, {words}" == heading(found, 0)
    assert list(unknown) == [row.partition for row in judged.unknown]
