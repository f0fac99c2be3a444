"""Long lists for the controller: a slice after the other, so that nobody else waits for all of it.

The controller does whatever it is asked in one go, apart from what it waits for ZooKeeper.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, TypeVar

from cluster.broker.ports import ControllerPort
from cluster.broker.procedures import PAUSE, Procedure, outcome_of
from cluster.controller.requests import Request

T = TypeVar("T")
ReplyT = TypeVar("ReplyT")

SLICE_SIZE: Final = 1000


def submit_in_slices(
    controller: ControllerPort,
    items: Iterable[T],
    request_for: Callable[[tuple[T, ...]], Request[ReplyT]],
    is_last: Callable[[ReplyT], bool] = lambda _: False,
) -> Procedure[list[ReplyT]]:
    """Ask the controller for all *items*, if only for none, and return its replies.

    Behind a reply that makes *is_last* true nothing more is asked.
    """
    replies: list[ReplyT] = []
    for part in slices(items):
        if replies:
            yield PAUSE
        reply = yield from outcome_of(partial(controller.submit, request_for(part)))
        replies.append(reply)
        if is_last(reply):
            break
    return replies


def slices(items: Iterable[T]) -> Iterator[tuple[T, ...]]:
    """*items* in their order, `SLICE_SIZE` at a time; an empty slice for none."""
    waiting = iter(items)
    yield tuple(islice(waiting, SLICE_SIZE))
    while part := tuple(islice(waiting, SLICE_SIZE)):
        yield part
