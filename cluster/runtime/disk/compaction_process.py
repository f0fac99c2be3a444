"""A compaction in a process of its own, beside which the loop serves as without it.

Python runs one thread at a time: a thread that compacts would hold up every request several times.
The process gets batches and returns what is left of them; it knows no files.  It ends with the
compaction, or with the broker, however that ends.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

from cluster.formats.record_batch import CorruptBatchError
from cluster.storage.cleaner.compaction import (
    Cleaned,
    Compaction,
    CompactionLost,
    CompactionRules,
    Compactor,
)

MODULE: Final = "cluster.runtime.disk.compaction_process"
PIPE_SIZE: Final = 1024**2
"""What the kernel holds between both, where it may: most batches go through at once."""
REQUESTS, REPLIES = 0, 1
"""Where the process reads and writes: its standard input and output."""


class CompactionProcesses:
    """Begins compactions in processes; in this one, after a process was lost."""

    def __init__(self) -> None:
        self._has_lost_one = False

    def begin(self, rules: CompactionRules) -> Compactor:
        if self._has_lost_one:
            return Compaction(rules)
        return ProcessCompaction(rules, self._lost)

    def _lost(self) -> None:
        self._has_lost_one = True


class ProcessCompaction:
    """A `Compaction` in another process, which starts with the first request."""

    def __init__(self, rules: CompactionRules, lost: Callable[[], None]) -> None:
        self._rules = rules
        self._lost = lost
        self._started: tuple[subprocess.Popen[bytes], Connection, Connection] | None = None
        self.end_offset = rules.first_dirty_offset

    def index(self, content: bytes) -> bool:
        has_room, self.end_offset = self._ask("index", content)
        return bool(has_room)

    def skip_to(self, offset: int) -> None:
        self.end_offset = max(self.end_offset, offset)
        self._send("skip_to", offset)

    def begin_cleaning(self) -> None:
        self._send("begin_cleaning")

    def clean(self, content: bytes, *, keeps_legacy_tombstones: bool) -> Cleaned:
        aborted, _ = self._ask("clean", content, keeps_legacy_tombstones)
        return Cleaned(self._received(), aborted)

    def end_segment(self) -> Cleaned:
        aborted, _ = self._ask("end_segment", b"")
        return Cleaned(self._received(), aborted)

    def close(self) -> None:
        if self._started is not None:
            process, *connections = self._started
            for connection in connections:
                connection.close()
            process.kill()
            process.wait()

    def _ask(self, method: str, content: bytes, *arguments: object) -> Any:
        """Return the result of *method* and the new end offset.

        Raises:
            CorruptBatchError: as `Compaction` does.
        """
        self._send(method, *arguments, content=content)
        try:
            damage, result = self._connections()[1].recv()
        except (OSError, EOFError) as error:
            raise self._failure() from error
        if damage is not None:
            raise CorruptBatchError(*damage)
        return result

    def _received(self) -> bytes:
        try:
            return self._connections()[1].recv_bytes()
        except (OSError, EOFError) as error:
            raise self._failure() from error

    def _send(self, method: str, *arguments: object, content: bytes | None = None) -> None:
        try:
            requests = self._connections()[0]
            requests.send((method, arguments))
            if content is not None:
                requests.send_bytes(content)
        except OSError as error:
            raise self._failure() from error

    def _connections(self) -> tuple[Connection, Connection]:
        if self._started is None:
            self._started = started()
            self._started[1].send(self._rules)
        return self._started[1:]

    def _failure(self) -> CompactionLost:
        self._lost()
        return CompactionLost(
            "the process that compacted has ended; the broker compacts by itself from now on"
        )


def started() -> tuple["subprocess.Popen[bytes]", Connection, Connection]:
    """Start a process; return it, where it takes requests, and where it replies."""
    its_requests, requests = os.pipe()
    replies, its_replies = os.pipe()
    try:
        # Signals of a terminal are for the broker, which may be in the middle of a slice.
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE], stdin=its_requests, stdout=its_replies, process_group=0
        )
    except OSError:
        os.close(requests)
        os.close(replies)
        raise
    finally:
        os.close(its_requests)
        os.close(its_replies)
    for pipe in (requests, replies):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    return process, Connection(requests, readable=False), Connection(replies, writable=False)


# In the other process.


def serve(requests: Connection, replies: Connection) -> None:
    """Compact by what *requests* say, until their end."""
    compaction = Compaction(requests.recv())
    while True:
        method, arguments = requests.recv()
        if method == "skip_to":
            compaction.skip_to(*arguments)
            continue
        if method == "begin_cleaning":
            compaction.begin_cleaning()
            continue
        content = requests.recv_bytes()
        left: bytes | None = None
        try:
            if method == "index":
                result: object = compaction.index(content)
            else:
                if method == "clean":
                    cleaned = compaction.clean(content, keeps_legacy_tombstones=arguments[0])
                else:
                    cleaned = compaction.end_segment()
                left, result = cleaned
        except CorruptBatchError as error:
            replies.send(((error.position, error.reason), None))
            continue
        replies.send((None, (result, compaction.end_offset)))
        if left is not None:
            replies.send_bytes(left)


if __name__ == "__main__":
    with suppress(EOFError, BrokenPipeError):
        serve(Connection(REQUESTS, writable=False), Connection(REPLIES, readable=False))
