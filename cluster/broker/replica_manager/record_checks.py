"""The checks of records that take long: they run on a thread, while the loop serves others.

One batch at a time: what it unpacks to can be a hundred times as large as the batch.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from cluster.broker.ports import Disks, RequestMemory
from cluster.formats.record_batch import CorruptBatchError
from cluster.storage.errors import LogError
from cluster.storage.log_config import LogConfig
from cluster.storage.records.validation import check_heavy_batch


class RecordCheck:
    """A batch that is waiting, or was looked at: then `error` says what is wrong with it."""

    __slots__ = ("_wall_ms", "config", "done", "error", "records")

    def __init__(
        self,
        records: bytearray,
        config: LogConfig,
        wall_ms: int,
        done: Callable[["RecordCheck"], None],
    ) -> None:
        self.records = records
        """Of its own: what a request holds is gone when its handler returns."""
        self.config = config
        self._wall_ms = wall_ms
        self.done = done
        """Called with this when it was looked at, in the loop."""
        self.error: LogError | CorruptBatchError | None = None

    def run(self) -> None:
        """Look.  Runs on a thread."""
        try:
            check_heavy_batch(self.records, self.config, self._wall_ms)
        except (LogError, CorruptBatchError) as error:
            # The frames of the error hold what was unpacked.
            error.__context__ = None
            self.error = error.with_traceback(None)


class Turn(NamedTuple):
    """What still waits of one request, and how many bytes it kept at first."""

    checks: deque[RecordCheck]
    size: int


class RecordChecks:
    """Those that wait, by request: one of each in turn, so that nobody waits behind all of another.

    What they hold counts as memory of requests, and keeps large ones from being received.
    """

    __slots__ = ("_disks", "_memory", "_turns")

    def __init__(self, disks: Disks, memory: RequestMemory) -> None:
        self._disks = disks
        self._memory = memory
        self._turns: deque[Turn] = deque()

    def add(self, checks: Iterable[RecordCheck]) -> None:
        """Have *checks*, those of one request, run in their order; each is `done` afterwards."""
        waiting = deque(checks)
        size = sum(len(check.records) for check in waiting)
        self._memory.hold(size, size)
        self._turns.append(Turn(waiting, size))
        if len(self._turns) == 1:
            self._begin()

    def _begin(self) -> None:
        self._disks.do(self._turns[0].checks[0].run, self._ended)

    def _ended(self) -> None:
        turn = self._turns.popleft()
        check = turn.checks.popleft()
        if turn.checks:
            self._turns.append(turn)
        if self._turns:
            self._begin()
        check.done(check)
        self._memory.let_go(len(check.records), turn.size)
