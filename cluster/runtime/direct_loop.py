"""An event loop that calls readers directly while it polls the kernel for ready sockets.

asyncio's own loop makes a list of what is ready, queues a handle for each and takes them out again,
each in a context of its own: that costs 0.6 to 1.2 µs of the 10 for which Python works on a small
request.  Here a reader without arguments, and without a waiting writer, is called during the poll.
All else is left to asyncio: writers, readers with arguments, timers, signals, its own transports.

The semantics stay: callbacks are the same ones, one after the other in the kernel's order, and
their exceptions reach the loop's exception handler.  Callbacks of `call_soon` come after those of a
poll, and not before them.  To remove it, delete this module and its test, and let
`cluster.runtime.broker` use `asyncio.run` again.
"""

import asyncio
import os
import select
import selectors
import sys
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, Final, TypeAlias, TypeVarTuple, cast

from cluster.runtime.moment import Moment

Ts = TypeVarTuple("Ts")

FileObject: TypeAlias = Any
"""A descriptor or what has one, as in asyncio's own signatures."""

EVENTS_MAX: Final = 1023
"""How many ready sockets are handled before the loop's other work runs: the default maximum of
epoll."""
READABLE: Final = select.POLLIN
WRITABLE: Final = select.POLLOUT
"""Bits of poll, and the same ones of epoll."""


class CallingSelector(selectors.DefaultSelector):
    """Calls readers that are ready and in `calls`; returns the others that are ready."""

    def __init__(self) -> None:
        super().__init__()
        self._poll: Callable[[float | None, int], list[tuple[int, int]]] = self._poll_slowly
        self._close_poll: Callable[[], None] | None = None
        if sys.platform == "linux" and hasattr(select, "epoll"):
            # The same instance of epoll with a second descriptor: each object closes one.
            epoll = select.epoll.fromfd(os.dup(self.fileno()))
            self._poll, self._close_poll = epoll.poll, epoll.close
        self.calls: dict[int, Callable[[], object]] = {}
        """The callbacks, by descriptor, for readable descriptors without a waiting writer."""
        self.failed: Callable[[Callable[[], object], BaseException], None] | None = None
        """Receives the exception of a call."""
        self.idle_ns = 0
        """How long it has waited for events, in all."""
        self.moment = Moment()
        """When it had waited last, or later."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        others = []
        calls = self.calls
        began_ns = perf_counter_ns()
        ready = self._poll(timeout, EVENTS_MAX)
        self.moment.ns = woken_ns = perf_counter_ns()
        self.idle_ns += woken_ns - began_ns
        for descriptor, events in ready:
            # Looked up now: an earlier call of this round may have removed it.
            call = None if events & WRITABLE else calls.get(descriptor)
            if call is None:
                key = self.get_map().get(descriptor)
                if key is not None:
                    others.append((key, key.events & mask_of(events)))
                continue
            try:
                call()
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001 - as in asyncio: the others go on
                assert self.failed is not None
                self.failed(call, error)
        return others

    def _poll_slowly(self, timeout: float | None, _: int) -> list[tuple[int, int]]:
        """Return what epoll would: macOS has none."""
        return [(key.fd, bits_of(events)) for key, events in super().select(timeout)]

    def close(self) -> None:
        if self._close_poll is not None:
            self._close_poll()
        super().close()


def bits_of(mask: int) -> int:
    """Return a mask of selectors in the form of epoll."""
    readable = READABLE if mask & selectors.EVENT_READ else 0
    return readable | (WRITABLE if mask & selectors.EVENT_WRITE else 0)


def mask_of(events: int) -> int:
    """epoll's *events* in the form of selectors: errors are for readers and writers."""
    readable = selectors.EVENT_READ if events & ~WRITABLE else 0
    return readable | (selectors.EVENT_WRITE if events & ~READABLE else 0)


class DirectLoop(asyncio.SelectorEventLoop):
    """asyncio's loop with that selector."""

    def __init__(self) -> None:
        selector = CallingSelector()
        selector.failed = self._call_failed
        self._calls = selector.calls
        self._calling_selector = selector
        super().__init__(selector)

    @property
    def idle_ns(self) -> int:
        """How long the loop has waited for events since it was made."""
        return self._calling_selector.idle_ns

    @property
    def moment(self) -> Moment:
        """When the loop woke up last, or a later time that a callback has read."""
        return self._calling_selector.moment

    def add_reader(self, fd: FileObject, callback: Callable[[*Ts], Any], *args: *Ts) -> None:
        super().add_reader(fd, callback, *args)
        if args:
            self._calls.pop(descriptor_of(fd), None)
        else:
            self._calls[descriptor_of(fd)] = cast(Callable[[], object], callback)

    def remove_reader(self, fd: FileObject) -> bool:
        was_there = super().remove_reader(fd)
        self._calls.pop(descriptor_of(fd), None)
        return was_there

    def _call_failed(self, call: Callable[[], object], error: BaseException) -> None:
        self.call_exception_handler(
            {"message": f"Exception in callback {call!r}", "exception": error}
        )


def descriptor_of(file: FileObject) -> int:
    return file if isinstance(file, int) else int(file.fileno())
