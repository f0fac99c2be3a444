"""Is waited as long as there is hope, and no longer?"""

from collections.abc import Sequence

import pytest

from kadmin.admin.ports import Remaining
from kadmin.execute import waiting
from kadmin.execute.waiting import wait
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.usefixtures("quick_waits")


class Cluster:
    """Takes up one of the things it is asked about at each look."""

    def __init__(self, *, has_controller: bool = True) -> None:
        self.has_controller = has_controller
        self.looks: list[Sequence[str]] = []

    def look(self, items: Sequence[str]) -> Remaining[str]:
        self.looks.append(items)
        return Remaining(
            items=items[1:] if self.has_controller else items, has_controller=self.has_controller
        )


def never() -> None:
    raise AssertionError("told something")


def test_only_what_remained_is_asked_about_again() -> None:
    cluster = Cluster()

    remaining = wait(cluster.look, ["a", "b", "c"], timeout_s=OUTER_LIMIT_S, tell=never)

    assert Remaining(items=[], has_controller=True) == remaining
    assert [["a", "b", "c"], ["b", "c"], ["c"]] == cluster.looks


def test_nobody_waits_for_a_controller_that_is_not_there() -> None:
    cluster = Cluster(has_controller=False)

    remaining = wait(cluster.look, ["a"], timeout_s=OUTER_LIMIT_S, tell=never)

    assert Remaining(items=["a"], has_controller=False) == remaining
    assert 1 == len(cluster.looks)


def test_waiting_ends_with_the_timeout_and_says_what_remains() -> None:
    def look(items: Sequence[str]) -> Remaining[str]:
        return Remaining(items=items, has_controller=True)

    assert ["a"] == wait(look, ["a"], timeout_s=0.05, tell=never).items


def test_it_is_told_how_much_remains_whenever_it_is_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SILENCE_MAX_S", 0.0)
    left = iter(["abc", "abc", "bc", "bc", "c", ""])
    told = list[str]()

    def look(_: Sequence[str]) -> Remaining[str]:
        return Remaining(items=list(next(left)), has_controller=True)

    wait(
        look,
        "abcd",
        timeout_s=OUTER_LIMIT_S,
        tell=lambda: told.append("told"),
        progress=lambda items: told.append("".join(items)),
    )

    assert ["told", "bc", "c"] == told


def test_it_is_told_once_that_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SILENCE_MAX_S", 0.0)
    cluster, told = Cluster(), list[str]()

    wait(
        cluster.look,
        ["a", "b", "c", "d"],
        timeout_s=OUTER_LIMIT_S,
        tell=lambda: told.append("told"),
    )

    assert ["told"] == told
