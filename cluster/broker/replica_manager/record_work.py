"""Work on records that takes long: it runs on a thread, while the loop serves others.

It checks a producer's batch, makes a batch of messages of magic 0 and 1, and makes such messages
of batches (`down_conversion`).  One piece at a time: unpacked it can be a hundred times as large.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, TypeAlias

from cluster.broker.ports import Disks, RequestMemory
from cluster.formats.record_batch import CURRENT_MAGIC, MAGIC_AT, CorruptBatchError
from cluster.storage.errors import LogError
from cluster.storage.log_config import LogConfig
from cluster.storage.records.up_conversion import up_converted
from cluster.storage.records.validation import check_heavy_batch


class RecordWork(Protocol):
    """A piece of work on records of its own: the buffer of the request is used again meanwhile."""

    @property
    def size(self) -> int:
        """Return how many bytes it holds until it is done."""
        ...

    def run(self) -> None:
        """Do it.  Runs on a thread, and raises nothing."""
        ...


Done: TypeAlias = Callable[[], None]


class RecordCheck:
    """The check of a batch; afterwards `error` is what is wrong with it.

    Messages of magic 0 or 1 are converted; then `records` is a batch of magic 2.
    """

    __slots__ = ("_config", "_wall_ms", "error", "is_converted", "records", "size")

    def __init__(self, records: bytearray, config: LogConfig, wall_ms: int) -> None:
        self.records = records
        self.size = len(records)
        self.is_converted = records[MAGIC_AT] != CURRENT_MAGIC
        self._config = config
        self._wall_ms = wall_ms
        self.error: LogError | CorruptBatchError | None = None

    def run(self) -> None:
        try:
            if self.is_converted:
                self.records = up_converted(self.records, self._config, self._wall_ms)
            else:
                check_heavy_batch(self.records, self._config, self._wall_ms)
        except (LogError, CorruptBatchError) as error:
            # The frames of the error hold what was unpacked.
            error.__context__ = None
            self.error = error.with_traceback(None)


class Turn(NamedTuple):
    """The work of one request that still waits, and its bytes at first."""

    works: deque[tuple[RecordWork, Done]]
    size: int


class RecordWorks:
    """Waiting work, by request: one of each in turn, so that none waits for all of another request.

    Its records count as memory of requests, and keep large requests from being received.
    """

    __slots__ = ("_disks", "_memory", "_turns")

    def __init__(self, disks: Disks, memory: RequestMemory) -> None:
        self._disks = disks
        self._memory = memory
        self._turns: deque[Turn] = deque()

    def add(self, works: Iterable[tuple[RecordWork, Done]]) -> None:
        """Have *works*, those of one request, run in their order; each is followed by its call in
        the loop."""
        waiting = deque(works)
        size = sum(work.size for work, _ in waiting)
        self._memory.hold(size, size)
        self._turns.append(Turn(waiting, size))
        if len(self._turns) == 1:
            self._begin()

    def _begin(self) -> None:
        self._disks.do(self._turns[0].works[0][0].run, self._ended)

    def _ended(self) -> None:
        turn = self._turns.popleft()
        work, done = turn.works.popleft()
        if turn.works:
            self._turns.append(turn)
        if self._turns:
            self._begin()
        done()
        self._memory.let_go(work.size, turn.size)
