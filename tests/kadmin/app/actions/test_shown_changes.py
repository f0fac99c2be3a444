"""Changes that are shown and confirmed: by whom, once, as they were seen?"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Fence, Outcome
from kadmin.app.actions import shown_changes
from kadmin.app.actions.action import Action
from kadmin.app.actions.shown_changes import (
    AGE_S_MAX,
    COUNT_OF_ONE_MAX,
    ChangedMeanwhile,
    NotConfirmed,
    ShownChange,
    ShownChanges,
    Stage,
    TooMany,
)
from kadmin.app.session import Session
from kadmin.errors import KadminError, UnreachableError
from kadmin.execute.change import Begun, Change, Question, Step
from kadmin.execute.rollback_file import write_rollback_file
from tests.support.waiting import wait_until


@dataclass
class Cluster:
    """What a change reads and writes: *value* becomes one more for each plan that is written."""

    value: int = 0
    written: list[str] = field(default_factory=list)
    before_write: Callable[["Cluster"], None] = lambda cluster: None
    error: KadminError | None = None

    def fence(self) -> Fence:
        return Fence(mark=None)

    def write(self, _fence: Fence, plan: str) -> Outcome:
        self.before_write(self)
        if not plan.endswith(f"from {self.value}"):
            return Conflict("/value", ConflictKind.VERSION)
        if self.error is not None:
            raise self.error
        self.written.append(plan)
        return Committed()


class Increase(Change[str]):
    def __init__(self, cluster: Cluster, names: str, path: str) -> None:
        super().__init__(cluster)
        self.cluster = cluster
        self.names = names
        self.path = path

    def steps(self) -> list[Step[str]]:
        return [Step(plan=self.plan(each), replan=partial(self.plan, each)) for each in self.names]

    def plan(self, name: str) -> str:
        return f"{name} from {self.cluster.value}"

    def question(self, plans: Any) -> Question:
        return Question("Go on?")

    def prepare(self, plans: Any) -> Iterator[Begun]:
        if self.path.endswith(".txt"):
            write_rollback_file(self.path, "back")
            yield Begun()


@dataclass(frozen=True)
class Increasing(Action):
    cluster: Cluster
    names: str = "a"
    to_be_typed: str = ""
    rollback_suffix: str = ""

    @property
    def verb(self) -> str:
        return "Increase"

    @property
    def command(self) -> str:
        return "kadmin topics --increase"

    @contextmanager
    def change(self, session: Session, rollback_path: str) -> Iterator[Increase]:
        session.note("looked")
        yield Increase(self.cluster, self.names, rollback_path)

    def lines(self, plan: str) -> list[str]:
        return [plan]


@dataclass
class Time:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def changes(tmp_path: Path, time: Time) -> ShownChanges:
    return ShownChanges(tmp_path / "rollback", time)


FLAGS = {"zookeeper": "z:2181/c"}


def propose(changes: ShownChanges, action: Action, owner: str = "ann") -> ShownChange:
    return changes.propose(owner, "prod", dict(FLAGS), action)


def confirm(changes: ShownChanges, shown: ShownChange, typed: str = "") -> bool:
    began = changes.confirm(shown, typed)
    wait_until(lambda: shown.stage is not Stage.WRITING, what="the end of the change")
    return began


def test_a_change_is_shown_and_not_written_until_it_is_confirmed(changes: ShownChanges) -> None:
    cluster = Cluster()
    shown = propose(changes, Increasing(cluster))

    assert (("a from 0",), "Go on?", ["looked"], Stage.SHOWN) == (
        shown.lines,
        shown.question,
        shown.notes,
        shown.stage,
    )
    assert shown.command == "kadmin --zookeeper z:2181/c topics --increase"
    assert [] == cluster.written

    assert confirm(changes, shown)
    assert (["a from 0"], ("a from 0",), True, None) == (
        cluster.written,
        shown.written,
        shown.is_done,
        shown.error,
    )


def test_a_change_is_written_once_however_often_it_is_confirmed(changes: ShownChanges) -> None:
    cluster = Cluster()
    may_end = threading.Event()

    def wait(_: Cluster) -> None:
        may_end.wait()

    cluster.before_write = wait
    shown = propose(changes, Increasing(cluster))
    ends: list[Stage] = []
    first = threading.Thread(
        target=lambda: changes.confirm(shown, ended=lambda: ends.append(shown.stage))
    )
    first.start()
    wait_until(lambda: shown.stage is Stage.WRITING, what="the begin of the change")

    assert not changes.confirm(shown)
    assert [] == ends
    may_end.set()
    first.join()
    assert shown.ended.wait()
    assert not changes.confirm(shown)
    assert ["a from 0"] == cluster.written
    assert [Stage.ENDED] == ends


def test_a_plan_that_is_no_longer_the_one_shown_is_shown_again(changes: ShownChanges) -> None:
    cluster = Cluster()
    shown = propose(changes, Increasing(cluster))
    cluster.value = 7
    confirm(changes, shown)

    assert ([], False, None) == (cluster.written, shown.is_done, shown.error)
    newer = changes.find(str(shown.successor), "ann")
    assert newer is not None
    assert ("a from 7",) == newer.lines
    confirm(changes, newer)
    assert ["a from 7"] == cluster.written


def test_a_plan_that_changes_right_before_its_write_is_shown_again(changes: ShownChanges) -> None:
    cluster = Cluster(before_write=lambda it: setattr(it, "value", 3))
    shown = propose(changes, Increasing(cluster))
    confirm(changes, shown)

    newer = changes.find(str(shown.successor), "ann")
    assert newer is not None
    assert (("a from 3",), []) == (newer.lines, cluster.written)


def test_a_change_of_which_a_part_is_written_names_the_rest(changes: ShownChanges) -> None:
    def change_second(cluster: Cluster) -> None:
        cluster.value = len(cluster.written)

    cluster = Cluster(before_write=change_second)
    shown = propose(changes, Increasing(cluster, names="ab"))
    confirm(changes, shown)

    assert isinstance(shown.error, ChangedMeanwhile)
    assert "1 of 2 parts were written" in shown.error.message
    assert (("a from 0",), False, None) == (shown.written, shown.is_done, shown.successor)


def test_what_was_written_before_a_failure_is_kept(changes: ShownChanges) -> None:
    cluster = Cluster()
    shown = propose(changes, Increasing(cluster))
    cluster.error = UnreachableError("no one answers")
    confirm(changes, shown)

    assert shown.error is cluster.error
    assert (False, ()) == (shown.is_done, shown.written)


def test_a_change_that_cannot_be_planned_is_not_kept(changes: ShownChanges) -> None:
    class Failing(Increasing):
        @contextmanager
        def change(self, session: Session, rollback_path: str) -> Iterator[Increase]:
            raise UnreachableError("no one answers")
            yield

    with pytest.raises(UnreachableError):
        propose(changes, Failing(Cluster()))
    assert [] == changes.of_owner("ann", "prod")


def test_a_change_with_nothing_to_do_cannot_be_confirmed(changes: ShownChanges) -> None:
    shown = propose(changes, Increasing(Cluster(), names=""))

    assert not shown.has_changes
    assert not changes.confirm(shown)


@pytest.mark.parametrize("typed", ["", "Orders", "order", "orders x"])
def test_what_has_to_be_typed_is_typed(changes: ShownChanges, typed: str) -> None:
    cluster = Cluster()
    shown = propose(changes, Increasing(cluster, to_be_typed="orders"))

    with pytest.raises(NotConfirmed, match="type 'orders' to confirm"):
        changes.confirm(shown, typed)
    assert (Stage.SHOWN, []) == (shown.stage, cluster.written)

    assert confirm(changes, shown, " orders ")
    assert ["a from 0"] == cluster.written


def test_another_owner_finds_nothing(changes: ShownChanges) -> None:
    shown = propose(changes, Increasing(Cluster()))

    assert None is changes.find(shown.change_id, "bob")
    assert [] == changes.of_owner("bob", "prod")
    assert [] == changes.of_owner("ann", "test")
    assert [shown] == changes.of_owner("ann", "prod")


def test_an_old_plan_is_not_there_any_more(changes: ShownChanges, time: Time) -> None:
    shown = propose(changes, Increasing(Cluster()))
    time.now_s += AGE_S_MAX

    assert shown is changes.find(shown.change_id, "ann")
    time.now_s += 1
    assert None is changes.find(shown.change_id, "ann")


def test_the_result_of_a_change_is_kept_from_its_end_on(changes: ShownChanges, time: Time) -> None:
    shown = propose(changes, Increasing(Cluster()))
    time.now_s += AGE_S_MAX
    confirm(changes, shown)
    time.now_s += AGE_S_MAX

    assert shown is changes.find(shown.change_id, "ann")


def test_only_the_last_changes_of_an_owner_are_kept(changes: ShownChanges) -> None:
    of_bob = propose(changes, Increasing(Cluster()), "bob")
    made = [propose(changes, Increasing(Cluster())) for _ in range(COUNT_OF_ONE_MAX + 2)]

    assert COUNT_OF_ONE_MAX == len(changes.of_owner("ann", "prod"))
    assert None is changes.find(made[0].change_id, "ann")
    assert made[-1] is changes.of_owner("ann", "prod")[0]
    assert of_bob is changes.find(of_bob.change_id, "bob")


def test_the_number_of_changes_is_bounded(
    changes: ShownChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_changes, "COUNT_MAX", 2)
    first = propose(changes, Increasing(Cluster()), "a")
    second = propose(changes, Increasing(Cluster()), "b")
    propose(changes, Increasing(Cluster()), "c")

    assert None is changes.find(first.change_id, "a")
    second.stage = Stage.WRITING
    third = propose(changes, Increasing(Cluster()), "d")
    third.stage = Stage.WRITING
    with pytest.raises(TooMany):
        propose(changes, Increasing(Cluster()), "e")


def test_a_rollback_file_is_kept_where_no_other_is(changes: ShownChanges) -> None:
    shown = propose(changes, Increasing(Cluster(), rollback_suffix=".txt"))
    assert not shown.rollback_path.exists()
    confirm(changes, shown)

    assert shown.rollback_file == shown.rollback_path
    assert "back" == shown.rollback_path.read_text()
    assert 0o700 == shown.rollback_path.parent.stat().st_mode & 0o777
    assert shown.rollback_path.name.startswith("prod-rollback-")


def test_what_becomes_of_a_change_is_noted(changes: ShownChanges) -> None:
    noted: list[dict[str, Any]] = []

    @contextmanager
    def noting() -> Iterator[dict[str, Any]]:
        noted.append({})
        yield noted[-1]

    cluster = Cluster()
    shown = propose(changes, Increasing(cluster, rollback_suffix=".txt"))
    cluster.value = 2
    changes.confirm(shown, "", noting)
    assert shown.ended.wait()
    newer = changes.find(str(shown.successor), "ann")
    assert newer is not None
    changes.confirm(newer, "", noting)
    assert newer.ended.wait()
    changes.confirm(newer, "", noting)

    assert [
        {"replaced_by": newer.change_id},
        {"written": ("a from 2",), "rollback_file": str(newer.rollback_path)},
    ] == noted


def test_a_change_that_cannot_be_noted_is_not_made(changes: ShownChanges) -> None:
    @contextmanager
    def failing() -> Iterator[dict[str, Any]]:
        raise KadminError("the disk is full")
        yield {}

    cluster = Cluster()
    shown = propose(changes, Increasing(cluster))
    changes.confirm(shown, "", failing)
    assert shown.ended.wait()

    assert "the disk is full" == str(shown.error)
    assert ([], False) == (cluster.written, shown.is_done)
