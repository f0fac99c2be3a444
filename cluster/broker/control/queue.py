"""The queue of controllers' orders.

Each order is a procedure, obeyed to its end before the next one begins, whatever connections they
come by, as in Kafka under its lock for changes of replicas.  A long order pauses now and then, so
that clients are served: each partition costs several files.

A controller sends one request at a time, so few wait, whatever happens: of somebody else's, on many
connections, no more than a few are kept, nor more than a few megabytes of them.  Until they are
obeyed they count as memory of requests (`queued.max.request.bytes`), and keep large ones from being
received.  A sender that knows this broker's epoch has read it in ZooKeeper as a controller does,
and goes first.
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple, TypeVar

from cluster.broker.handling import throw
from cluster.broker.ports import Clock, RequestMemory
from cluster.broker.procedures import Procedure
from cluster.model.error_codes import ErrorCode

T = TypeVar("T")

HEAVY: Final = 20
"""What a step costs that opens or writes files."""
LIGHT: Final = 1
"""What a step costs that touches no file, but for a line of state-change.log."""
TURN_COST_MAX: Final = 100
"""How much of an order is done before others have their turn of the loop."""
WAITING_MAX: Final = 8
"""How many orders wait of those that know the broker's epoch, and of the others."""
WAITING_SIZE_MAX: Final = 16 * 1024**2
"""How many bytes they have together, unless it is one alone; one about 70,000 partitions has four
million."""


class Order(NamedTuple):
    """An order that waits for its turn, or is obeyed."""

    procedure: Procedure[None]
    failed: Callable[[], None]
    size: int


class ControlQueue:
    """The orders that wait, and the one that is obeyed."""

    __slots__ = (
        "_clock",
        "_is_beginning",
        "_is_closed",
        "_memory",
        "_order",
        "_others",
        "_room",
        "_waiting",
    )

    def __init__(self, clock: Clock, memory: RequestMemory) -> None:
        self._clock = clock
        self._memory = memory
        self._waiting: deque[Order] = deque()
        self._others: deque[Order] = deque()
        """Those that do not know the broker's epoch; the controllers of Kafka before 2.2 do not."""
        self._order: Order | None = None
        """The one that is obeyed now."""
        self._room = TURN_COST_MAX
        """What it may still cost before it pauses."""
        self._is_beginning = False
        self._is_closed = False

    def enter(
        self,
        procedure: Procedure[None],
        failed: Callable[[], None],
        size: int,
        *,
        knows_epoch: bool = True,
    ) -> bool:
        """Run *procedure* when all that came before are obeyed; False when too much waits.

        *failed* is called when one of its steps raises, before the next order has its turn; *size*
        is that of the request, in bytes.
        """
        waiting = self._waiting if knows_epoch else self._others
        if len(waiting) >= WAITING_MAX:
            return False
        if waiting and size + sum(one.size for one in waiting) > WAITING_SIZE_MAX:
            return False
        if not self._is_closed:
            waiting.append(Order(procedure, failed, size))
            self._memory.hold(size, size)
            self._begin()
        return True

    def _begin(self) -> None:
        """Begin what waits, one after the other: of many that end at once, none is in another."""
        if self._is_beginning:
            return
        self._is_beginning = True
        try:
            while (waiting := self._waiting or self._others) and self._order is None:
                self._order = waiting.popleft()
                self._room = TURN_COST_MAX
                self._resume(self._order)
        finally:
            self._is_beginning = False
            if (self._waiting or self._others) and self._order is None:
                # A mistake in one order is none in those behind it.
                self._begin()

    def _resume(self, order: Order, outcome: object = None) -> None:
        """Take the steps of *order* up to where it waits; none when the queue is closed."""
        if order is not self._order:
            return
        try:
            wait = order.procedure.send(outcome)
            while isinstance(wait, int) and wait <= self._room:
                self._room -= wait
                wait = next(order.procedure)
            if isinstance(wait, int):
                self._room = TURN_COST_MAX - wait
                self._clock.call_later(0, partial(self._resume, order))
            else:
                wait(partial(self._resume, order))
        except StopIteration:
            self._end(order)
        except BaseException:
            # A mistake of ours goes on to the loop, which logs it.
            if order is self._order:
                try:
                    order.failed()
                finally:
                    self._end(order)
            raise

    def _end(self, order: Order) -> None:
        if order is self._order:
            self._order = None
            # Whoever waited for the memory may have another order: it waits behind these.
            self._memory.let_go(order.size, order.size)
            self._begin()

    def close(self) -> None:
        """Obey nothing any more, not even what is left of an order that was begun.

        The logs are about to be closed: one that was made afterwards would miss that.
        """
        self._is_closed = True
        self._waiting.clear()
        self._others.clear()
        self._order = None


def codes_of(
    clock: Clock, items: Iterable[T], act: Callable[[T], ErrorCode], cost: int = HEAVY
) -> Procedure[list[ErrorCode]]:
    """The result of *act* for each of *items*, each of which has that *cost*.

    UNKNOWN_SERVER_ERROR stands for one that makes *act* raise: the others are done all the same.
    """
    codes: list[ErrorCode] = []
    for item in items:
        yield cost
        try:
            codes.append(act(item))
        except Exception as mistake:  # noqa: BLE001
            codes.append(ErrorCode.UNKNOWN_SERVER_ERROR)
            # It goes on to the loop, which logs it, apart from what is left to do.
            clock.call_later(0, partial(throw, mistake))
    return codes
