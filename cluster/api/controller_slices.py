"""Long lists for the controller: a slice after the other, so that nobody else waits for all of it.

The controller does whatever it is asked in one go, apart from what it waits for ZooKeeper.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeVar

from cluster.broker.broker import Broker
from cluster.controller.requests import ControllerReply, Request

T = TypeVar("T")
ReplyT = TypeVar("ReplyT", bound=ControllerReply)

SLICE_SIZE: Final = 1000


def submit_in_slices(
    broker: Broker,
    items: Iterable[T],
    request_for: Callable[[tuple[T, ...]], Request[ReplyT]],
    take: Callable[[ReplyT], bool],
    done: Callable[[], None],
) -> None:
    """Ask the controller for all *items*, if only for none, and then call *done*.

    *take* gets each reply; when it returns False, nothing more is asked.
    """
    waiting = iter(items)

    def submit(part: tuple[T, ...]) -> None:
        broker.ports.controller.submit(request_for(part), taken)

    def taken(reply: ReplyT) -> None:
        part = tuple(islice(waiting, SLICE_SIZE)) if take(reply) else ()
        if part:
            broker.ports.clock.call_later(0, lambda: submit(part))
        else:
            done()

    submit(tuple(islice(waiting, SLICE_SIZE)))
