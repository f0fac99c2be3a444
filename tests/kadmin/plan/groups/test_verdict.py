"""Verdicts: is somebody woken for what matters, and nobody for what does not?

Burrow's issues that are named here are complaints about verdicts by counting commits.
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kadmin.plan.groups.group import EMPTY, PREPARING_REBALANCE, Member
from kadmin.plan.groups.lag import PartitionLag, lags_of
from kadmin.plan.groups.verdict import Look, Movement, Verdict, judge
from tests.kadmin.plan.groups.builders import T0, T1, group, logs, member

NOW_MS = 1_700_000_000_000
MINUTE_MS = 60_000
READER = member("reader", T0)


def look(
    seconds: float,
    committed: int | None,
    end: int | None,
    *,
    unread_s: float | None = 0,
    state: str = "Stable",
    members: tuple[Member, ...] = (READER,),
    start: int = 0,
) -> Look:
    time_ms = NOW_MS + round(1000 * seconds)
    found = group("g", *members, state=state)
    offsets = {} if committed is None else {T0: committed}
    (row,) = lags_of(found, offsets, logs({} if end is None else {T0: (start, end)}))
    since_ms = None if unread_s is None or not row.lag else time_ms - round(1000 * unread_s)
    return Look(time_ms=time_ms, group=found, rows=(row._replace(unread_since_ms=since_ms),))


def verdict(*looks: Look) -> Verdict:
    return judge(looks, MINUTE_MS).verdict


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        pytest.param([look(0, 9, 9)], Verdict.OK, id="all-read"),
        pytest.param([look(0, 5, 150, unread_s=3)], Verdict.OK, id="a-lag-of-145-for-3s-#223"),
        pytest.param([look(0, 5, 150, unread_s=61)], Verdict.BEHIND, id="unread-for-too-long"),
        # Commits have stopped, and records still come: the lag is what the log says.
        pytest.param(
            [look(0, 5, 50, unread_s=70), look(10, 5, 60, unread_s=80)],
            Verdict.STALLED,
            id="stale-lag-#287",
        ),
        pytest.param(
            [look(0, 9, 9), look(5, 9, 20, unread_s=2), look(10, 9, 30, unread_s=7)],
            Verdict.OK,
            id="has-just-begun-to-lag",
        ),
        # The lag was zero once, and nothing has been read for minutes.
        pytest.param(
            [look(300, 9, 20, unread_s=200), look(310, 9, 30, unread_s=210)],
            Verdict.STALLED,
            id="one-zero-before-hides-no-stop-#303-#745",
        ),
        # The lag grows for hours; that one step fell changes nothing.
        pytest.param(
            [look(0, 100, 900, unread_s=3600), look(5, 300, 910, unread_s=3500)],
            Verdict.BEHIND,
            id="one-step-fell-#453-#738",
        ),
        pytest.param([look(0, 9, 9), look(86_400, 9, 9)], Verdict.OK, id="a-quiet-topic-#128-#123"),
        pytest.param(
            [look(0, 9, 9, state=EMPTY, members=())], Verdict.OK, id="no-member-and-all-read"
        ),
        pytest.param(
            [look(0, 5, 9, unread_s=61, state=EMPTY, members=())],
            Verdict.STOPPED,
            id="no-member-in-one-look",
        ),
        pytest.param(
            [look(0, 5, 9, unread_s=5, state=EMPTY, members=())], Verdict.OK, id="restarting"
        ),
        pytest.param(
            [look(0, 50, 90, unread_s=5), look(10, 20, 95, unread_s=9)],
            Verdict.REWOUND,
            id="went-back",
        ),
        pytest.param(
            [look(0, 50, 90), look(5, 20, 95), look(10, 60, 95, unread_s=1)],
            Verdict.OK,
            id="went-back-and-read-it-again",
        ),
        pytest.param(
            [look(0, 5, 90, unread_s=70), look(10, 8, 95, unread_s=75)],
            Verdict.BEHIND,
            id="slow",
        ),
        pytest.param([look(0, 12, 9)], Verdict.STALLED, id="beyond-the-end"),
        pytest.param(
            [look(0, 3, 90, unread_s=1, start=10)], Verdict.BEHIND, id="retention-was-faster"
        ),
        # Brokers before 0.11 tell no times: only what moves is known.
        pytest.param(
            [look(0, 5, 90, unread_s=None), look(10, 8, 95, unread_s=None)],
            Verdict.OK,
            id="moves-at-an-unknown-time",
        ),
        pytest.param(
            [look(0, 5, 90, unread_s=None), look(10, 5, 95, unread_s=None)],
            Verdict.STALLED,
            id="stands-still-at-an-unknown-time",
        ),
        pytest.param([look(0, None, 90)], Verdict.OK, id="nothing-committed-yet"),
        pytest.param([look(0, 9, 9), look(10, 9, None)], Verdict.UNKNOWN, id="without-a-leader"),
        pytest.param([look(0, 9, 9), look(10, 5, None)], Verdict.REWOUND, id="went-back-unled"),
        # Producers choose the times of records.
        pytest.param(
            [look(0, 5, 90, unread_s=-3600), look(10, 5, 95, unread_s=-3590)],
            Verdict.STALLED,
            id="stands-still-at-a-time-to-come",
        ),
        pytest.param([look(0, 5, 90, unread_s=-1)], Verdict.OK, id="a-producer-s-clock-is-fast"),
        pytest.param(
            [look(0, 5, 90, unread_s=9000), look(10, 90, 95, unread_s=9000)],
            Verdict.OK,
            id="reads-old-records-as-they-are-written",
        ),
        pytest.param(
            [
                look(0, 5, 90, unread_s=70, state=EMPTY, members=()),
                look(10, 8, 95, unread_s=75, state=EMPTY, members=()),
            ],
            Verdict.BEHIND,
            id="assigns-partitions-to-itself",
        ),
    ],
)
def test_verdicts(looks: list[Look], expected: Verdict) -> None:
    assert expected == verdict(*looks)


def test_a_rebalance_that_does_not_end_names_who_it_waits_for() -> None:
    members = (member("slow", host="/a"), member("quick", host="/b"))

    def rebalancing(seconds: float, *those: Member) -> Look:
        return look(seconds, 5, 9, unread_s=70 + seconds, state=PREPARING_REBALANCE, members=those)

    waiting = judge([rebalancing(0, *members), rebalancing(30, *members)], MINUTE_MS)
    ended = judge([rebalancing(0, *members), rebalancing(30, members[1])], MINUTE_MS)
    short = judge([rebalancing(0, *members)], MINUTE_MS)

    assert waiting.worst is not None
    assert ended.worst is not None
    assert Verdict.STALLED == waiting.verdict
    assert (
        "4 unread for 2 min, and the group has been rebalancing for 30 s or longer:"
        " it waits for one of quick (quick-id) on /b, slow (slow-id) on /a"
    ) == waiting.worst.reason
    assert ended.worst.reason.endswith("it waited for slow (slow-id) on /a")
    assert Verdict.BEHIND == short.verdict


def test_the_worst_partition_speaks_for_its_group() -> None:
    found = group("g", READER)
    rows = tuple(
        PartitionLag(
            partition=partition,
            committed=1,
            end=5,
            member=READER if partition == T0 else None,
            unread_since_ms=NOW_MS - 70_000,
        )
        for partition in (T0, T1)
    )

    judged = judge([Look(time_ms=NOW_MS, group=found, rows=rows)], MINUTE_MS)

    assert [(T1, Verdict.STOPPED), (T0, Verdict.BEHIND)] == [
        (each.row.partition, each.verdict) for each in judged.partitions
    ]
    assert (Verdict.STOPPED, 8, 70_000) == (judged.verdict, judged.lag, judged.lag_ms)
    assert "t-1: 4 unread for 70 s, and no member has it; and 1 more" == judged.reason
    assert judged.movement is None


def test_of_partitions_late_by_the_same_second_the_one_with_most_to_read_is_worst() -> None:
    since_ms = {T0: NOW_MS - 70_000, T1: NOW_MS - 70_100}
    rows = tuple(
        PartitionLag(partition=each, committed=1, end=end, unread_since_ms=since_ms[each])
        for each, end in ((T1, 5), (T0, 900))
    )

    judged = judge([Look(time_ms=NOW_MS, group=group("g"), rows=rows)], MINUTE_MS)

    assert [T0, T1] == [each.row.partition for each in judged.partitions]


@pytest.mark.parametrize(
    ("movement", "lag", "expected"),
    [
        (Movement(30, 10), 600, 30.0),
        (Movement(10, 10), 101, None),
        (Movement(5, 10), 51, None),
        # No more than what lies between two commits of a group that keeps up.
        (Movement(10, 10), 50, 5.0),
        (Movement(10, 10.5), 100, 10.0),
        (Movement(10, 9.99), 20, 2.0),
        (Movement(0, 0), 1, None),
        (Movement(0, 0), 0, 0.0),
        (Movement(-5, 0), 7, None),
    ],
)
def test_when_the_rest_is_read(movement: Movement, lag: int, expected: float | None) -> None:
    assert expected == movement.caught_up_in_s(lag)


def test_rates_are_of_the_whole_time_between_looks() -> None:
    judged = judge([look(0, 10, 100), look(4, 40, 90), look(10, 60, 120)], MINUTE_MS)

    assert Movement(5.0, 2.0) == judged.movement
    assert 60 / 3 == judged.caught_up_in_s


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(50, 99)), min_size=1, max_size=6),
    st.integers(0, 200),
)
@example([(0, 50), (50, 51)], 61)
def test_nobody_is_woken_for_what_is_read_in_time(
    points: list[tuple[int, int]], unread_s: int
) -> None:
    looks = [
        look(5 * number, committed, end, unread_s=unread_s)
        for number, (committed, end) in enumerate(points)
    ]

    found, last = verdict(*looks), points[-1][0]

    if max(committed for committed, _ in points) > last:
        assert Verdict.REWOUND == found
    else:
        # What it has not read came after a look at which the log ended there, some seconds ago.
        is_new = any(end <= last for _, end in points)
        assert (found is Verdict.OK) == (is_new or unread_s <= 60)
