"""Procedures that run by themselves: what they wait for, and where others have their turn."""

from collections.abc import Callable
from functools import partial
from typing import Any

from cluster.broker.procedures import PAUSE, Procedure, outcome_of, run, run_all
from tests.cluster.api.world import Clock


def waits_for(begun: list[Callable[..., None]]) -> Procedure[str]:
    outcome: str = yield from outcome_of(begun.append)
    return outcome


def test_a_procedure_goes_on_with_what_it_waited_for() -> None:
    begun: list[Callable[..., None]] = []
    results: list[str] = []

    run(Clock(), waits_for(begun), results.append)
    assert [] == results
    begun[0]("done")

    assert ["done"] == results


def test_others_have_their_turn_where_a_procedure_pauses() -> None:
    clock, steps = Clock(), list[Any]()

    def works() -> Procedure[None]:
        for number in range(2):
            steps.append(number)
            yield PAUSE

    run(clock, works(), steps.append)
    clock.call_later(0, partial(steps.append, "others"))
    clock.advance(0)

    assert [0, 1, "others", None] == steps


def test_the_results_of_many_come_in_their_order_when_all_are_there() -> None:
    begun: list[Callable[..., None]] = []
    results: list[list[str]] = []

    def at_once() -> Procedure[str]:
        yield from ()
        return "at once"

    run_all(Clock(), (waits_for(begun), at_once(), waits_for(begun)), results.append)
    begun[1]("third")
    assert [] == results
    begun[0]("first")

    assert [["first", "at once", "third"]] == results


def test_of_none_the_results_are_there() -> None:
    results: list[list[str]] = []

    run_all(Clock(), (), results.append)

    assert [[]] == results
