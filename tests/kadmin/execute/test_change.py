"""A change driven step by step, as a page or a supervisor does: nothing is written unconfirmed."""

from kadmin.execute.change import Begun, Question, carry_out
from tests.kadmin.cli.test_changing import Increment, Numbers, Put, once


def test_a_change_that_is_dropped_at_a_question_has_written_what_was_confirmed() -> None:
    numbers = Numbers({"a": 1, "b": 1})
    change = Increment(numbers, "ab", "go?")
    stages = carry_out(change)

    first = next(stages)
    assert not isinstance(first, Begun)
    assert (Put("a", 1, 2), Put("b", 1, 2)) == first.plans
    assert Question("go?") == first.question
    assert {"a": 1, "b": 1} == numbers.values

    numbers.disturb = once(lambda those: those.values.update(b=8))
    numbers.values["a"] = 5
    second = next(stages)
    assert not isinstance(second, Begun)
    assert (Put("a", 5, 6),) == second.plans
    assert Question("a so?") == second.question
    assert [] == change.written

    third = next(stages)
    assert not isinstance(third, Begun)
    assert (Put("b", 8, 9),) == third.plans
    assert (("b is odd",),) == third.warnings
    stages.close()  # type: ignore[attr-defined]

    assert [Put("a", 5, 6)] == change.written
    assert {"a": 6, "b": 8} == numbers.values
