"""The queue of controllers' requests.

How do a controller's requests take their turns, without stopping everything else?

One is obeyed to its end before the next one begins, whatever connections they come by, as in Kafka
under its lock for changes of replicas.  A request about many partitions is obeyed in slices:
between two of them clients are served, since each partition costs several files.

A controller sends one request at a time, so few wait, whatever happens: of somebody else's, on many
connections, no more than a few are kept, nor more than a few megabytes of them.  Until they are
obeyed they count as memory of requests (`queued.max.request.bytes`), and keep large ones from being
received.  Who knows this broker's epoch has read it in ZooKeeper as
a controller does, and goes first.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from typing import Final, Generic, NamedTuple, NoReturn, ParamSpec, TypeAlias, TypeVar

from cluster.broker.handling import throw
from cluster.broker.ports import Clock, RequestMemory

P = ParamSpec("P")
T = TypeVar("T")

SLICE_SIZE: Final = 4
"""How many things are done in a turn of the loop that cost files."""
LIGHT_SLICE_SIZE: Final = 100
"""How many of those that cost none, but for a line of state-change.log."""
WAITING_MAX: Final = 8
"""How many requests wait of those that know the broker's epoch, and of the others."""
WAITING_SIZE_MAX: Final = 16 * 1024**2
"""How many bytes they have together, unless it is one alone; one about 70,000 partitions has four
million."""


class End(Enum):
    """What comes after the last item."""

    END = 0


END: Final = End.END


class Turn:
    """The turn of one request.  It ends once: with `finish`, or with a step that raises.

    What obeys the request later, from the loop, is a step of it only as `step` returns it: else a
    mistake in it would keep all that wait from their turns, for good.
    """

    __slots__ = ("_ended", "_failed", "_is_over")

    def __init__(self, ended: Callable[[], None], failed: Callable[[], None]) -> None:
        self._ended = ended
        self._failed = failed
        self._is_over = False

    def finish(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._ended()

    def step(self, function: Callable[P, None]) -> Callable[P, None]:
        """*function* as a step of the turn, to be called now or later.

        When the turn is over the step does nothing.
        """

        def take(*args: P.args, **kwargs: P.kwargs) -> None:
            if self._is_over:
                return
            is_taken = False
            try:
                function(*args, **kwargs)
                is_taken = True
            finally:
                if not is_taken:
                    # A mistake of ours goes on to the loop, which logs it.
                    self._fail()

        return take

    def give_up(self) -> None:
        """Let no further step be taken; nobody is told."""
        self._is_over = True

    def _fail(self) -> None:
        if not self._is_over:
            try:
                self._failed()
            finally:
                self.finish()


Obey: TypeAlias = Callable[[Turn], None]
"""Obeys one request, and finishes its turn, at once or later."""


class Waiting(NamedTuple):
    """A request that waits for its turn."""

    obey: Obey
    failed: Callable[[], None]
    size: int


class ControlQueue:
    """The requests that wait for their turn."""

    __slots__ = (
        "_is_beginning",
        "_is_closed",
        "_memory",
        "_others",
        "_turn",
        "_turn_size",
        "_waiting",
    )

    def __init__(self, memory: RequestMemory) -> None:
        self._memory = memory
        self._waiting: deque[Waiting] = deque()
        self._others: deque[Waiting] = deque()
        """Those that do not know the broker's epoch; the controllers of Kafka before 2.2 do not."""
        self._turn: Turn | None = None
        """The one of the request that is obeyed now."""
        self._turn_size = 0
        self._is_beginning = False
        self._is_closed = False

    def enter(
        self, obey: Obey, failed: Callable[[], None], size: int, *, knows_epoch: bool = True
    ) -> bool:
        """Have *obey* called when all that came before are obeyed; False when too much waits.

        *failed* is called when one of its steps raises, before the next request has its turn;
        *size* is that of the request, in bytes.
        """
        waiting = self._waiting if knows_epoch else self._others
        if len(waiting) >= WAITING_MAX:
            return False
        if waiting and size + sum(one.size for one in waiting) > WAITING_SIZE_MAX:
            return False
        if not self._is_closed:
            waiting.append(Waiting(obey, failed, size))
            self._memory.hold(size, size)
            self._go_on()
        return True

    def _go_on(self) -> None:
        """Begin what waits, one after the other: of many that end at once, none is in another."""
        if self._is_beginning:
            return
        self._is_beginning = True
        try:
            while (waiting := self._waiting or self._others) and self._turn is None:
                obey, failed, self._turn_size = waiting.popleft()
                turn = self._turn = Turn(self._ended, failed)
                turn.step(obey)(turn)
        finally:
            self._is_beginning = False
            if (self._waiting or self._others) and self._turn is None:
                # What has raised was a mistake in one request: those behind it go on.
                self._go_on()

    def _ended(self) -> None:
        self._turn = None
        # Whoever waited for the memory may have another order: it waits behind those that are here.
        self._memory.let_go(self._turn_size, self._turn_size)
        self._go_on()

    def close(self) -> None:
        """Obey nothing any more, not even what is left of a request that was begun.

        The logs are about to be closed: one that was made afterwards would miss that.
        """
        self._is_closed = True
        self._waiting.clear()
        self._others.clear()
        if self._turn is not None:
            self._turn.give_up()


def in_slices(
    clock: Clock,
    turn: Turn,
    items: Iterable[T],
    act: Callable[[T], None],
    failed: Callable[[T], None],
    done: Callable[[], None],
    *,
    size: int = SLICE_SIZE,
) -> None:
    """Do *act* for all *items*, *size* of them in each turn of the loop, then *done*.

    An item that makes *act* raise is one for *failed*, and the others are done all the same.
    *items* may be made while they are taken; if that raises, the turn ends.
    """
    Slices(clock, turn, iter(items), act, failed, done, size).take()


class Slices(Generic[T]):
    """What `in_slices` has still to do.

    No function that calls itself later: that would keep itself, and the whole request with it,
    until the collector of garbage comes by.
    """

    __slots__ = ("_act", "_clock", "_done", "_failed", "_item", "_size", "_turn", "_waiting")

    def __init__(
        self,
        clock: Clock,
        turn: Turn,
        waiting: Iterator[T],
        act: Callable[[T], None],
        failed: Callable[[T], None],
        done: Callable[[], None],
        size: int,
    ) -> None:
        self._clock = clock
        self._turn = turn
        self._waiting = waiting
        self._act = act
        self._failed = failed
        self._done = done
        self._size = size
        self._item: T | End = next(waiting, END)

    def take(self) -> None:
        item, waiting, act = self._item, self._waiting, self._act
        for _ in range(self._size):
            if isinstance(item, End):
                break
            try:
                act(item)
            except Exception as mistake:  # noqa: BLE001
                self._failed(item)
                # It goes on to the loop, which logs it, apart from what is left to do.
                self._clock.call_later(0, partial(throw, mistake))
            item = next(waiting, END)
        if isinstance(item, End):
            self._done()
        else:
            self._item = item
            self._clock.call_later(0, self._turn.step(self.take))


def throw_again(item: object) -> NoReturn:
    """For `in_slices`, where a mistake with one item is one with all: the turn ends."""
    raise
