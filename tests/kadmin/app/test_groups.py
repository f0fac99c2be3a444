"""Looks at groups: is what moved between them known, and are there never many of them?"""

from kadmin.app.groups import History
from kadmin.plan.groups.lag import lags_of
from kadmin.plan.groups.verdict import Movement, Verdict
from kadmin.reports.groups import GroupLag, GroupsReport
from tests.kadmin.plan.groups.builders import T0, T1, group, logs, member

BOTH = member("m", T0, T1)


def report(seconds: int, committed: int, *names: str) -> GroupsReport:
    spans = logs({T0: (0, 100 + seconds), T1: (0, 100)})
    return GroupsReport(
        now_ms=1000 * seconds,
        groups=tuple(
            GroupLag(
                group=group(name, BOTH),
                rows=tuple(lags_of(group(name, BOTH), {T0: committed, T1: 100}, spans)),
            )
            for name in names
        ),
    )


def test_what_moves_is_known_from_the_second_look_on() -> None:
    history = History(60_000)

    history.add(report(0, 10, "a"))
    assert history.needs_another
    assert {} == history.movements()
    history.add(report(10, 40, "a", "b"))

    assert not history.needs_another
    assert {("a", T0): Movement(3.0, 1.0), ("a", T1): Movement(0.0, 0.0)} == history.movements()
    assert [("a", Verdict.OK), ("b", Verdict.BEHIND)] == [
        (each.group.name, each.verdict) for each in history.verdicts(0)
    ]


def test_few_looks_are_kept_and_they_reach_back_as_far_as_the_window() -> None:
    history = History(60_000)
    for seconds in range(0, 300, 2):
        history.add(report(seconds, seconds, "a"))

    times = [look.time_ms for look in history.looks("a")]
    assert 298_000 == times[-1]
    assert 2 <= len(times) <= 4
    assert times == sorted(times)
    assert times[-1] - times[0] >= 60_000


def test_a_window_of_nothing_is_one_look() -> None:
    assert not History(0).needs_another
