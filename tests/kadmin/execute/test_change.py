"""Does a change go its whole way, and does nobody lose who changes the same at the same time?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from kadmin.admin.ports import Fence, Made, Outcome, Partly
from kadmin.errors import InProgressError, RefusedError
from kadmin.execute.change import Change, Step, carry_out
from kadmin.execute.commit import ATTEMPTS_MAX, ChangedInBetween

NO_FENCE = Fence(mark=None)


@dataclass(frozen=True)
class Put:
    """A plan: *name* gets the number *after*, if it still has *before*."""

    name: str
    before: int
    after: int


@dataclass
class Numbers:
    """A cluster of numbers, which others change when *disturb* does so before a write."""

    values: dict[str, int]
    disturb: Callable[["Numbers"], Outcome | None] = lambda _: None
    is_owned_by_kraft: bool = False

    def fence(self) -> Fence:
        if self.is_owned_by_kraft:
            raise RefusedError("a KRaft controller owns this cluster")
        return NO_FENCE

    def write(self, fence: Fence, plan: Put) -> Outcome:
        disturbed = self.disturb(self)
        if disturbed is not None:
            return disturbed
        if self.values[plan.name] != plan.before:
            return Conflict(plan.name, ConflictKind.VERSION)
        self.values[plan.name] = plan.after
        return Committed()

    def plan(self, name: str) -> Put:
        """One more than there is."""
        return Put(name, self.values[name], self.values[name] + 1)

    def steps(self, names: Iterable[str]) -> list[Step[Put]]:
        return [Step(plan=self.plan(name), replan=partial(self.plan, name)) for name in names]


@dataclass
class Listener:
    """An operator who says yes to the first *yes_count* questions."""

    yes_count: int = 99
    cluster: str = "prod"
    heard: list[str] = field(default_factory=list)

    def note(self, line: str) -> None:
        self.heard.append(f"note: {line}")

    def tell(self, line: str) -> None:
        self.heard.append(line)

    def warn(self, line: str) -> None:
        self.heard.append(f"warning: {line}")

    def ask(self, question: str) -> None:
        self.heard.append(question)
        self.yes_count -= 1
        if self.yes_count < 0:
            raise RefusedError("not confirmed; nothing was written")


def change_of(
    numbers: Numbers, names: Sequence[str], listener: Listener, question: str | None = None
) -> Change[Put]:
    def report(plans: Sequence[Put], *, is_dry_run: bool) -> None:
        what = "planned" if is_dry_run else "written"
        listener.heard.append(f"{what}: {' '.join(f'{plan.name}={plan.after}' for plan in plans)}")

    return Change(
        steps=lambda: numbers.steps(names),
        lines=lambda plan: [f"{plan.name}: {plan.before} -> {plan.after}"],
        warnings=lambda plan: [f"{plan.name} is odd"] if plan.after % 2 else [],
        report=report,
        question=lambda _: question,
        question_again=lambda plan: f"{plan.name} so?",
    )


def once(
    change: Callable[[Numbers], None], outcome: Outcome | None = None
) -> Callable[[Numbers], Outcome | None]:
    """Others who *change* the numbers before the first write, and never again."""
    left = [change]

    def disturb(numbers: Numbers) -> Outcome | None:
        if not left:
            return None
        left.pop()(numbers)
        return outcome

    return disturb


def test_change_is_shown_asked_about_written_and_reported() -> None:
    numbers, listener = Numbers({"a": 1, "b": 2}), Listener()

    written = carry_out(change_of(numbers, "ab", listener, "go?"), numbers, listener)

    assert {"a": 2, "b": 3} == numbers.values
    assert [Put("a", 1, 2), Put("b", 2, 3)] == written
    shown = ["a: 1 -> 2", "b: 2 -> 3", "warning: b is odd"]
    assert ["cluster: prod", *shown, "prod: go?", "written: a=2 b=3"] == listener.heard


def test_plan_that_nobody_is_asked_about_may_be_spared() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()

    carry_out(change_of(numbers, "a", listener), numbers, listener)

    assert ["note: cluster: prod", "note: a: 1 -> 2", "written: a=2"] == listener.heard


def test_dry_run_reports_the_plans_and_writes_none() -> None:
    numbers, listener = Numbers({"a": 2}), Listener()

    written = carry_out(
        change_of(numbers, "a", listener, "go?"), numbers, listener, is_dry_run=True
    )

    assert {"a": 2} == numbers.values
    assert () == written
    assert [
        "note: cluster: prod",
        "planned: a=3",
        "warning: a is odd",
        "note: dry run: nothing was written",
    ] == listener.heard


def test_nothing_is_planned_where_nothing_may_be_written() -> None:
    numbers, listener = Numbers({"a": 1}, is_owned_by_kraft=True), Listener()

    with pytest.raises(RefusedError, match="KRaft"):
        carry_out(change_of(numbers, "a", listener, "go?"), numbers, listener, is_dry_run=True)

    assert [] == listener.heard


def test_no_stops_before_the_first_write() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener(yes_count=0)

    with pytest.raises(RefusedError, match="not confirmed"):
        carry_out(change_of(numbers, "ab", listener, "go?"), numbers, listener)

    assert {"a": 1, "b": 1} == numbers.values
    assert "written: " == listener.heard[-1]


def test_nothing_to_do_asks_nothing() -> None:
    numbers, listener = Numbers({}), Listener()

    carry_out(change_of(numbers, "", listener, "go?"), numbers, listener)

    assert ["written: "] == listener.heard


def test_plan_that_another_has_overtaken_is_shown_and_asked_about_again() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    numbers.disturb = once(lambda those: those.values.update(a=5))

    written = carry_out(change_of(numbers, "a", listener, "go?"), numbers, listener)

    assert [Put("a", 5, 6)] == written
    assert [
        *("cluster: prod", "a: 1 -> 2", "prod: go?"),
        *("a: 5 -> 6", "prod: a so?", "written: a=6"),
    ] == listener.heard


def test_plan_that_holds_under_another_controller_is_not_asked_about_again() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    numbers.disturb = once(lambda _: None, FenceMoved())

    carry_out(change_of(numbers, "a", listener, "go?"), numbers, listener)

    assert ["cluster: prod", "a: 1 -> 2", "prod: go?", "written: a=2"] == listener.heard


def test_each_plan_is_settled_before_the_next_is_written() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()
    partly = Partly({TopicPartition("t", 0): "no replica is alive"})
    numbers.disturb = once(lambda _: None, partly)
    settled = []

    def settle(plan: Put, made: Made) -> None:
        settled.append((plan, made, dict(numbers.values)))

    change = replace(change_of(numbers, "ab", listener), settle=settle)
    written = carry_out(change, numbers, listener)

    before, after = {"a": 1, "b": 1}, {"a": 1, "b": 2}
    a, b = Put("a", 1, 2), Put("b", 1, 2)
    assert [(a, partly, before), (b, Committed(), after)] == settled
    assert [a, b] == written


def test_what_is_still_going_on_stops_what_comes_after_it_and_is_reported() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()

    def settle(plan: Put, _made: Made) -> None:
        raise InProgressError(f"{plan.name} is still going on")

    change = replace(change_of(numbers, "ab", listener), settle=settle)

    with pytest.raises(InProgressError, match="a is still going on"):
        carry_out(change, numbers, listener)

    assert {"a": 2, "b": 1} == numbers.values
    assert "written: a=2" == listener.heard[-1]


def test_what_was_written_before_a_no_is_reported() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener(yes_count=1)
    change = change_of(numbers, "ab", listener, "go?")

    def disturb(those: Numbers) -> Outcome | None:
        if those.values["a"] == 2:
            those.values["b"] = 7
        return None

    numbers.disturb = disturb

    with pytest.raises(RefusedError, match="not confirmed"):
        carry_out(change, numbers, listener)

    assert {"a": 2, "b": 7} == numbers.values
    assert ["prod: b so?", "written: a=2"] == listener.heard[-2:]


def test_cluster_that_never_stands_still_is_given_up() -> None:
    numbers, listener = Numbers({"a": 0}), Listener()

    def disturb(those: Numbers) -> Outcome | None:
        those.values["a"] += 10
        return None

    numbers.disturb = disturb

    with pytest.raises(ChangedInBetween, match="a was changed in between; nothing was written"):
        carry_out(change_of(numbers, "a", listener), numbers, listener)

    assert 10 * ATTEMPTS_MAX == numbers.values["a"]
    assert "written: " == listener.heard[-1]


def test_controllers_that_change_all_the_time_are_told_as_such() -> None:
    numbers = Numbers({"a": 0}, disturb=lambda _: FenceMoved())
    listener = Listener()

    with pytest.raises(ChangedInBetween, match="another controller is elected again and again"):
        carry_out(change_of(numbers, "a", listener), numbers, listener)


def test_a_plan_made_anew_that_has_a_question_is_asked_about_though_the_first_had_none():
    numbers, listener = Numbers({"a": 1}, once(lambda n: n.values.update(a=9))), Listener(0)
    change = replace(
        change_of(numbers, ["a"], listener),
        question=lambda plans: f"{plans[0].after}?" if plans[0].after > 5 else None,
    )

    with pytest.raises(RefusedError):
        carry_out(change, numbers, listener)

    assert "prod: 10?" in listener.heard
    assert {"a": 9} == numbers.values


def test_what_has_to_be_safe_is_so_before_the_first_write_and_after_the_answer() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()

    def prepare(plans: Sequence[Put]) -> None:
        listener.heard.append(f"prepared: {len(plans)} plans, {numbers.values}")

    change = replace(change_of(numbers, "ab", listener, "go?"), prepare=prepare)
    carry_out(change, numbers, listener)

    prepared = "prepared: 2 plans, {'a': 1, 'b': 1}"
    assert ["prod: go?", prepared, "written: a=2 b=2"] == listener.heard[3:]


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_nothing_is_written_that_could_not_be_made_safe(is_dry_run: bool) -> None:
    numbers, listener = Numbers({"a": 1}), Listener()

    def prepare(plans: Sequence[Put]) -> None:
        listener.heard.append("prepared")
        raise RefusedError("no room on the disk")

    change = replace(change_of(numbers, "a", listener), prepare=prepare)
    if is_dry_run:
        carry_out(change, numbers, listener, is_dry_run=True)
    else:
        with pytest.raises(RefusedError, match="no room on the disk"):
            carry_out(change, numbers, listener)

    assert {"a": 1} == numbers.values
    assert is_dry_run == ("prepared" not in listener.heard)
