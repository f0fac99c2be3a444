"""Procedures: work that waits, as generators that read from top to bottom.

A procedure yields what it waits for and is resumed with its outcome, or yields a number to let
other work of the loop run.  Two things run procedures: `run` for a single one, and the queue of
controllers' orders, one after the other.
"""

from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from cluster.broker.ports import Clock

T = TypeVar("T")
Wait: TypeAlias = Callable[[Callable[..., None]], object]
"""Begins something, and calls its argument, with the outcome if there is one: once, at once or
later."""
Procedure: TypeAlias = Generator[int | Wait, Any, T]
"""Steps of work.  A number is the cost of the next step: costly ones let other work run first."""

PAUSE: Final = 1
"""The cost of any step where only one procedure runs."""


def outcome_of(wait: Callable[[Callable[[T], None]], object]) -> Procedure[T]:
    """Wait for the outcome of what *wait* begins."""
    outcome: T = yield wait
    return outcome


def run(
    clock: Clock, procedure: Procedure[T], done: Callable[[T], None], outcome: object = None
) -> None:
    """Run the steps of *procedure*, a turn of the loop for each number, then call *done*.

    *outcome* is that of what it waits for, if it has begun.
    """
    try:
        wait = procedure.send(outcome)
    except StopIteration as end:
        result: T = end.value
    else:
        go_on = partial(run, clock, procedure, done)
        if isinstance(wait, int):
            clock.call_later(0, go_on)
        else:
            wait(go_on)
        return
    done(result)


def run_all(
    clock: Clock, procedures: Iterable[Procedure[T]], done: Callable[[list[T]], None]
) -> None:
    """Run *procedures* beside each other, then call *done* with their results in order."""
    procedures = tuple(procedures)
    results: dict[int, T] = {}

    def put(number: int, result: T) -> None:
        results[number] = result
        if len(results) == len(procedures):
            done([results[each] for each in range(len(procedures))])

    if not procedures:
        done([])
    for number, procedure in enumerate(procedures):
        run(clock, procedure, partial(put, number))
