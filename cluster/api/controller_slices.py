"""Long lists for the controller: a slice after the other, so that nobody else waits for all of it.

The controller does whatever it is asked in one go, apart from what it waits for ZooKeeper.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, Generic, TypeVar

from cluster.broker.ports import Clock, ControllerPort
from cluster.controller.requests import ControllerReply, Request

T = TypeVar("T")
ReplyT = TypeVar("ReplyT", bound=ControllerReply)

SLICE_SIZE: Final = 1000


def submit_in_slices(
    clock: Clock,
    controller: ControllerPort,
    items: Iterable[T],
    request_for: Callable[[tuple[T, ...]], Request[ReplyT]],
    take: Callable[[ReplyT], bool],
    done: Callable[[], None],
) -> None:
    """Ask the controller for all *items*, if only for none, and then call *done*.

    *take* gets each reply; when it returns False, nothing more is asked.
    """
    Slices(clock, controller, iter(items), request_for, take, done).submit()


class Slices(Generic[T, ReplyT]):
    """What `submit_in_slices` has still to ask.

    No functions that call each other later: they would keep each other, and all that was asked and
    answered with them, until the collector of garbage comes by.
    """

    __slots__ = ("_clock", "_controller", "_done", "_request_for", "_take", "_waiting")

    def __init__(
        self,
        clock: Clock,
        controller: ControllerPort,
        waiting: Iterator[T],
        request_for: Callable[[tuple[T, ...]], Request[ReplyT]],
        take: Callable[[ReplyT], bool],
        done: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._controller = controller
        self._waiting = waiting
        self._request_for = request_for
        self._take = take
        self._done = done

    def submit(self) -> None:
        """Ask for the first slice, if only for none."""
        self._submit(self._next())

    def _next(self) -> tuple[T, ...]:
        return tuple(islice(self._waiting, SLICE_SIZE))

    def _submit(self, part: tuple[T, ...]) -> None:
        self._controller.submit(self._request_for(part), self._taken)

    def _taken(self, reply: ReplyT) -> None:
        part = self._next() if self._take(reply) else ()
        if part:
            self._clock.call_later(0, partial(self._submit, part))
        else:
            self._done()
