"""Does a change go its whole way, and does nobody lose who changes the same at the same time?"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from errno import ENOSPC
from functools import partial

import pytest

from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from kadmin.admin.ports import Fence, Made, Outcome, Partly
from kadmin.cli.changing import make
from kadmin.errors import InProgressError, RefusedError
from kadmin.execute.change import Begun, Change, Question, Step
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
    takes_reports: bool = True

    def flush(self) -> None:
        if not self.takes_reports:
            raise OSError(ENOSPC, "No space left on device")

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


class Increment(Change[Put]):
    """One more for each of *names*; *question* is asked about all of it."""

    def __init__(self, numbers: Numbers, names: Iterable[str], question: str | None = None):
        super().__init__(numbers)
        self.numbers = numbers
        self.names = names
        self.text = question

    def steps(self) -> list[Step[Put]]:
        return self.numbers.steps(self.names)

    def warnings(self, plan: Put) -> list[str]:
        return [f"{plan.name} is odd"] if plan.after % 2 else []

    def question(self, plans: Sequence[Put]) -> Question | None:
        return None if self.text is None else Question(self.text)

    def question_again(self, plan: Put, first: Question | None) -> Question | None:
        return self.question([plan]) if first is None else Question(f"{plan.name} so?")


def carry_out(
    change: Change[Put], listener: Listener, *, is_dry_run: bool = False, is_confirmed: bool = False
) -> list[Put]:
    def report(plans: Sequence[Put], *, is_dry_run: bool) -> None:
        what = "planned" if is_dry_run else "written"
        listener.heard.append(f"{what}: {' '.join(f'{plan.name}={plan.after}' for plan in plans)}")

    make(
        change,
        listener,
        lines=lambda plan: [f"{plan.name}: {plan.before} -> {plan.after}"],
        report=report,
        is_dry_run=is_dry_run,
        is_confirmed=is_confirmed,
        nothing="nothing to put",
    )
    return change.written


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

    written = carry_out(Increment(numbers, "ab", "go?"), listener)

    assert {"a": 2, "b": 3} == numbers.values
    assert [Put("a", 1, 2), Put("b", 2, 3)] == written
    shown = ["a: 1 -> 2", "b: 2 -> 3", "warning: b is odd"]
    assert ["cluster: prod", *shown, "prod: go?", "written: a=2 b=3"] == listener.heard


def test_plan_that_nobody_is_asked_about_may_be_spared() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()

    carry_out(Increment(numbers, "a"), listener)

    assert ["note: cluster: prod", "note: a: 1 -> 2", "written: a=2"] == listener.heard


def test_dry_run_reports_the_plans_and_writes_none() -> None:
    numbers, listener = Numbers({"a": 2}), Listener()

    written = carry_out(Increment(numbers, "a", "go?"), listener, is_dry_run=True)

    assert {"a": 2} == numbers.values
    assert [] == written
    assert [
        "note: cluster: prod",
        "planned: a=3",
        "warning: a is odd",
        "note: dry run: nothing was written",
    ] == listener.heard


def test_nothing_is_planned_where_nothing_may_be_written() -> None:
    numbers, listener = Numbers({"a": 1}, is_owned_by_kraft=True), Listener()

    with pytest.raises(RefusedError, match="KRaft"):
        carry_out(Increment(numbers, "a", "go?"), listener, is_dry_run=True)

    assert [] == listener.heard


def test_no_stops_before_the_first_write() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener(yes_count=0)

    with pytest.raises(RefusedError, match="not confirmed"):
        carry_out(Increment(numbers, "ab", "go?"), listener)

    assert {"a": 1, "b": 1} == numbers.values
    assert "written: " == listener.heard[-1]
    assert "note: nothing to put" not in listener.heard


def test_nothing_to_do_asks_nothing() -> None:
    numbers, listener = Numbers({}), Listener()

    carry_out(Increment(numbers, "", "go?"), listener)

    assert ["note: nothing to put", "written: "] == listener.heard


def test_plan_that_another_has_overtaken_is_shown_and_asked_about_again() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    numbers.disturb = once(lambda those: those.values.update(a=5))

    written = carry_out(Increment(numbers, "a", "go?"), listener)

    assert [Put("a", 5, 6)] == written
    assert [
        *("cluster: prod", "a: 1 -> 2", "prod: go?"),
        *("a: 5 -> 6", "prod: a so?", "written: a=6"),
    ] == listener.heard


def test_plan_that_holds_under_another_controller_is_not_asked_about_again() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    numbers.disturb = once(lambda _: None, FenceMoved())

    carry_out(Increment(numbers, "a", "go?"), listener)

    assert ["cluster: prod", "a: 1 -> 2", "prod: go?", "written: a=2"] == listener.heard


def test_each_plan_is_settled_before_the_next_is_written() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()
    partly = Partly({TopicPartition("t", 0): "no replica is alive"})
    numbers.disturb = once(lambda _: None, partly)
    settled = []

    def settle(plan: Put, made: Made) -> None:
        settled.append((plan, made, dict(numbers.values)))

    change = Increment(numbers, "ab")
    change.settle = settle  # type: ignore[method-assign]
    written = carry_out(change, listener)

    before, after = {"a": 1, "b": 1}, {"a": 1, "b": 2}
    a, b = Put("a", 1, 2), Put("b", 1, 2)
    assert [(a, partly, before), (b, Committed(), after)] == settled
    assert [a, b] == written


def test_what_is_still_going_on_stops_what_comes_after_it_and_is_reported() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()

    def settle(plan: Put, made: Made) -> None:
        raise InProgressError(f"{plan.name} is still going on")

    change = Increment(numbers, "ab")
    change.settle = settle  # type: ignore[method-assign]

    with pytest.raises(InProgressError, match="a is still going on"):
        carry_out(change, listener)

    assert {"a": 2, "b": 1} == numbers.values
    assert "written: a=2" == listener.heard[-1]


def test_what_was_written_before_a_no_is_reported() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener(yes_count=1)
    change = Increment(numbers, "ab", "go?")

    def disturb(those: Numbers) -> Outcome | None:
        if those.values["a"] == 2:
            those.values["b"] = 7
        return None

    numbers.disturb = disturb

    with pytest.raises(RefusedError, match="not confirmed"):
        carry_out(change, listener)

    assert {"a": 2, "b": 7} == numbers.values
    assert ["prod: b so?", "written: a=2"] == listener.heard[-2:]


@pytest.mark.parametrize(("yes_count", "written"), [(0, []), (1, [Put("a", 1, 2)])])
def test_a_report_that_cannot_be_written_does_not_hide_that_the_change_was_made(
    yes_count: int, written: list[Put]
) -> None:
    listener = Listener(yes_count, takes_reports=False)
    change = Increment(Numbers({"a": 1}), ["a"], "sure?")

    with pytest.raises(OSError, match="No space left"):
        carry_out(change, listener)

    assert written == change.written
    assert bool(written) is (
        "warning: the change was made; only its report is missing" in listener.heard
    )


def test_cluster_that_never_stands_still_is_given_up() -> None:
    numbers, listener = Numbers({"a": 0}), Listener()

    def disturb(those: Numbers) -> Outcome | None:
        those.values["a"] += 10
        return None

    numbers.disturb = disturb

    with pytest.raises(ChangedInBetween, match="a was changed in between; nothing was written"):
        carry_out(Increment(numbers, "a"), listener)

    assert 10 * ATTEMPTS_MAX == numbers.values["a"]
    assert "written: " == listener.heard[-1]


def test_controllers_that_change_all_the_time_are_told_as_such() -> None:
    numbers = Numbers({"a": 0}, disturb=lambda _: FenceMoved())
    listener = Listener()

    with pytest.raises(ChangedInBetween, match="another controller is elected again and again"):
        carry_out(Increment(numbers, "a"), listener)


def test_a_plan_made_anew_that_has_a_question_is_asked_about_though_the_first_had_none():
    numbers, listener = Numbers({"a": 1}, once(lambda n: n.values.update(a=9))), Listener(0)
    change = Increment(numbers, ["a"])

    def question(plans: Sequence[Put]) -> Question | None:
        return Question(f"{plans[0].after}?") if plans[0].after > 5 else None

    change.question = question  # type: ignore[method-assign]

    with pytest.raises(RefusedError):
        carry_out(change, listener)

    assert "prod: 10?" in listener.heard
    assert {"a": 9} == numbers.values


def test_what_has_to_be_safe_is_so_before_the_first_write_and_after_the_answer() -> None:
    numbers, listener = Numbers({"a": 1, "b": 1}), Listener()

    def prepare(plans: Sequence[Put]) -> Iterator[Begun]:
        listener.heard.append(f"prepared: {len(plans)} plans, {numbers.values}")
        yield Begun()

    change = Increment(numbers, "ab", "go?")
    change.prepare = prepare  # type: ignore[method-assign]
    carry_out(change, listener)

    prepared = "prepared: 2 plans, {'a': 1, 'b': 1}"
    assert ["prod: go?", prepared, "written: a=2 b=2"] == listener.heard[3:]


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_nothing_is_written_that_could_not_be_made_safe(is_dry_run: bool) -> None:
    numbers, listener = Numbers({"a": 1}), Listener()

    def prepare(plans: Sequence[Put]) -> Iterator[Begun]:
        listener.heard.append("prepared")
        raise RefusedError("no room on the disk")

    change = Increment(numbers, "a")
    change.prepare = prepare  # type: ignore[method-assign]
    if is_dry_run:
        carry_out(change, listener, is_dry_run=True)
    else:
        with pytest.raises(RefusedError, match="no room on the disk"):
            carry_out(change, listener)

    assert {"a": 1} == numbers.values
    assert is_dry_run == ("prepared" not in listener.heard)


@pytest.mark.parametrize(("is_optional", "is_asked"), [(True, False), (False, True)])
def test_without_a_terminal_only_what_must_be_confirmed_is_asked(
    is_optional: bool, is_asked: bool
) -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    change = Increment(numbers, "a")
    change.question = lambda plans: Question("go?", is_optional)  # type: ignore[method-assign]

    carry_out(change, listener)

    assert is_asked == ("prod: go?" in listener.heard)
    assert {"a": 2} == numbers.values


def test_what_is_confirmed_already_is_noted_and_not_asked() -> None:
    numbers, listener = Numbers({"a": 1}), Listener()
    numbers.disturb = once(lambda those: those.values.update(a=5))

    carry_out(Increment(numbers, "a", "go?"), listener, is_confirmed=True)

    assert ["note: cluster: prod", "note: a: 1 -> 2", "note: a: 5 -> 6"] == listener.heard[:3]
    assert {"a": 6} == numbers.values
