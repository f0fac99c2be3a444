"""The checks of records that take long: they run on a thread, while the loop serves others.

One batch at a time: what it unpacks to can be a hundred times as large as the batch.
"""

from collections import deque
from collections.abc import Callable

from cluster.broker.ports import Disks
from cluster.model.record_batch import CorruptBatchError
from cluster.storage.errors import LogError
from cluster.storage.log_config import LogConfig
from cluster.storage.validation import check_heavy_batch


class RecordCheck:
    """A batch that is waiting, or was looked at: then `error` says what is wrong with it."""

    __slots__ = ("config", "done", "error", "records")

    def __init__(
        self, records: bytearray, config: LogConfig, done: Callable[["RecordCheck"], None]
    ) -> None:
        self.records = records
        """Of its own: what a request holds is gone when its handler returns."""
        self.config = config
        self.done = done
        """Called with this when it was looked at, in the loop."""
        self.error: LogError | CorruptBatchError | None = None

    def run(self) -> None:
        """Look.  Runs on a thread."""
        try:
            check_heavy_batch(self.records, self.config)
        except (LogError, CorruptBatchError) as error:
            # The frames of the error hold what was unpacked.
            error.__context__ = None
            self.error = error.with_traceback(None)


class RecordChecks:
    """Those that wait, oldest first."""

    __slots__ = ("_disks", "_waiting")

    def __init__(self, disks: Disks) -> None:
        self._disks = disks
        self._waiting: deque[RecordCheck] = deque()

    def add(self, check: RecordCheck) -> None:
        """Have *check* run; its `done` is called afterwards."""
        self._waiting.append(check)
        if len(self._waiting) == 1:
            self._begin(check)

    def _begin(self, check: RecordCheck) -> None:
        self._disks.do(check.run, self._ended)

    def _ended(self) -> None:
        check = self._waiting.popleft()
        if self._waiting:
            self._begin(self._waiting[0])
        check.done(check)
