"""The queue of controllers' orders.

Each order is a procedure, carried out to its end before the next one begins, whatever connections
they come from, as in Kafka under its lock for changes of replicas.  A long order pauses now and
then, so that clients are served: each partition costs several files.

A controller sends one request at a time, so few wait in any case: of other senders, on many
connections, only a few are kept, and only a few megabytes of them.  Until they are carried out they
count as memory of requests (`queued.max.request.bytes`), and keep large ones from being received.
A sender that knows this broker's epoch has read it in ZooKeeper as a controller does, and goes
first.
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
"""The cost of a step that opens or writes files."""
LIGHT: Final = 1
"""The cost of a step that touches no file, but for a line of state-change.log."""
TURN_COST_MAX: Final = 100
"""How much of an order is done before other work of the loop runs."""
WAITING_MAX: Final = 8
"""How many orders may wait with the broker's epoch, and how many others."""
WAITING_SIZE_MAX: Final = 16 * 1024**2
"""How many bytes they may have together, unless there is only one; an order for about 70,000
partitions has four million."""


class Order(NamedTuple):
    """An order that waits, or is being carried out."""

    procedure: Procedure[None]
    failed: Callable[[], None]
    size: int


class ControlQueue:
    """The waiting orders, and the current one."""

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
        """Those without the broker's epoch; controllers of Kafka before 2.2 do not send it."""
        self._order: Order | None = None
        """The current order."""
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
        """Run *procedure* after all earlier orders; returns False when too much waits.

        *failed* is called when one of its steps raises, before the next order begins; *size* is
        that of the request, in bytes.
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
        """Begin waiting orders, one after the other; orders that end at once do not nest."""
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
                # A bug in one order must not stop those behind it.
                self._begin()

    def _resume(self, order: Order, outcome: object = None) -> None:
        """Run the steps of *order* until it waits; nothing happens when the queue is closed."""
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
            # A bug of ours goes on to the loop, which logs it.
            if order is self._order:
                try:
                    order.failed()
                finally:
                    self._end(order)
            raise

    def _end(self, order: Order) -> None:
        if order is self._order:
            self._order = None
            # A connection that waits for the memory may have another order: it waits behind these.
            self._memory.let_go(order.size, order.size)
            self._begin()

    def close(self) -> None:
        """Carry out nothing any more, not even the rest of the current order.

        The logs are about to be closed: a log created afterwards would stay open.
        """
        self._is_closed = True
        self._waiting.clear()
        self._others.clear()
        self._order = None


def codes_of(
    clock: Clock, items: Iterable[T], act: Callable[[T], ErrorCode], cost: int = HEAVY
) -> Procedure[list[ErrorCode]]:
    """The result of *act* for each of *items*, each of which has that *cost*.

    UNKNOWN_SERVER_ERROR stands for one for which *act* raises: the others are done all the same.
    """
    codes: list[ErrorCode] = []
    for item in items:
        yield cost
        try:
            codes.append(act(item))
        except Exception as mistake:  # noqa: BLE001
            codes.append(ErrorCode.UNKNOWN_SERVER_ERROR)
            # It goes on to the loop, which logs it, apart from the remaining items.
            clock.call_later(0, partial(throw, mistake))
    return codes
