"""Long lists for the controller: submitted in slices, so that other requests run in between.

The controller carries out each request in one piece, apart from waiting for ZooKeeper.
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
    """Submit all *items* to the controller, at least one request, and return its replies.

    After a reply that makes *is_last* true nothing more is submitted.
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
    """Yield *items* in their order, `SLICE_SIZE` at a time; an empty slice for none."""
    waiting = iter(items)
    yield tuple(islice(waiting, SLICE_SIZE))
    while part := tuple(islice(waiting, SLICE_SIZE)):
        yield part
