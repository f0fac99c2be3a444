"""A compaction in a process of its own, beside which the loop serves as without it.

Python runs one thread at a time: a thread that compacts would hold up every request several times.
The process gets batches and returns what is left of them, through memory that both have; it knows
no files.  It ends with the compaction, or with the broker, however that ends.
"""

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from cluster.formats.indexes import AbortedTxn
from cluster.formats.record_batch import Buffer, CorruptBatchError
from cluster.storage.cleaner.compaction import (
    Cleaned,
    Compaction,
    CompactionLost,
    CompactionRules,
    Compactor,
)

if TYPE_CHECKING:
    from subprocess import Popen

MODULE: Final = "cluster.runtime.disk.compaction_process"
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


class SharedMemory:
    """A file in memory, into which one process writes what the other one reads then.

    It is written and read by system calls, during which Python's other threads run; the process
    that only compacts has it mapped instead.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pages: mmap | None = None

    def close(self) -> None:
        os.close(self._descriptor)

    def write(self, content: Buffer) -> int:
        """Write *content*, and return its size, by which the other process reads it."""
        with memoryview(content) as view:
            written = 0
            while written < len(view):
                written += os.pwrite(self._descriptor, view[written:], written)
            return written

    def read(self, size: int) -> bytes:
        """Return what the other process has written."""
        return os.pread(self._descriptor, size, 0)

    def view(self, size: int) -> memoryview:
        """Return what the other process has written, up to its next request."""
        if size == 0:
            return memoryview(b"")
        if self._pages is None or size > len(self._pages):
            self._pages = mmap(self._descriptor, size)
        return memoryview(self._pages)[:size]


class Started(NamedTuple):
    """A process, where it takes requests, where it replies, and what both write into."""

    process: "Popen[bytes]"
    requests: BinaryIO
    replies: BinaryIO
    memory: SharedMemory


class ProcessCompaction:
    """A `Compaction` in another process, which starts with the first request."""

    def __init__(self, rules: CompactionRules, lost: Callable[[], None]) -> None:
        self._rules = rules
        self._lost = lost
        self._started: Started | None = None
        self.end_offset = rules.first_dirty_offset

    def index(self, content: Buffer) -> bool:
        has_room, self.end_offset = self._ask("index", content)
        return bool(has_room)

    def skip_to(self, offset: int) -> None:
        self.end_offset = max(self.end_offset, offset)
        self._send("skip_to", offset)

    def begin_cleaning(self) -> None:
        self._send("begin_cleaning")

    def clean(self, content: Buffer, *, keeps_legacy_tombstones: bool) -> Cleaned:
        return self._cleaned(self._ask("clean", content, keeps_legacy_tombstones))

    def end_segment(self) -> Cleaned:
        return self._cleaned(self._ask("end_segment", b""))

    def _cleaned(self, result: tuple[int, tuple[AbortedTxn, ...]]) -> Cleaned:
        size, aborted = result
        return Cleaned(self._begun().memory.read(size), aborted)

    def close(self) -> None:
        if self._started is not None:
            process, requests, replies, memory = self._started
            process.kill()
            with suppress(BrokenPipeError):
                requests.close()
            replies.close()
            process.wait()
            memory.close()

    def _ask(self, method: str, content: Buffer, *arguments: object) -> Any:
        """Return the result of *method*.

        Raises:
            CorruptBatchError: as `Compaction` does.
        """
        try:
            started = self._begun()
            send(started.requests, (method, started.memory.write(content), *arguments))
            damage, result = pickle.load(started.replies)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise self._failure() from error
        if damage is not None:
            raise CorruptBatchError(*damage)
        return result

    def _send(self, method: str, *arguments: object) -> None:
        try:
            send(self._begun().requests, (method, *arguments))
        except OSError as error:
            raise self._failure() from error

    def _begun(self) -> Started:
        if self._started is None:
            self._started = started()
            send(self._started.requests, self._rules)
        return self._started

    def _failure(self) -> CompactionLost:
        self._lost()
        return CompactionLost(
            "the process that compacted has ended; the broker compacts by itself from now on"
        )


def send(pipe: BinaryIO, message: object) -> None:
    pickle.dump(message, pipe)
    pipe.flush()


def started() -> Started:
    """Start a process."""
    # Imported here: the process itself has to start as quickly as it can.
    import subprocess

    memory = shared_memory()
    its_requests, requests = os.pipe()
    replies, its_replies = os.pipe()
    try:
        # Signals of a terminal are for the broker, which may be in the middle of a slice.
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE, str(memory)],
            stdin=its_requests,
            stdout=its_replies,
            pass_fds=[memory],
            process_group=0,
        )
    except OSError:
        for descriptor in (requests, replies, memory):
            os.close(descriptor)
        raise
    finally:
        os.close(its_requests)
        os.close(its_replies)
    return Started(
        process,
        open(requests, "wb"),
        open(replies, "rb"),
        SharedMemory(memory),
    )


def shared_memory() -> int:
    """Return the descriptor of a file without a name, on Linux in memory."""
    if sys.platform == "linux" and hasattr(os, "memfd_create"):
        return os.memfd_create("compaction")
    import tempfile

    with tempfile.TemporaryFile(prefix="compaction-") as file:
        return os.dup(file.fileno())


# In the other process.


def serve(requests: BinaryIO, replies: BinaryIO, memory: SharedMemory) -> None:
    """Compact by what *requests* say, until their end."""
    compaction = Compaction(pickle.load(requests))
    while True:
        method, *arguments = pickle.load(requests)
        if method == "skip_to":
            compaction.skip_to(*arguments)
            continue
        if method == "begin_cleaning":
            compaction.begin_cleaning()
            continue
        try:
            result = result_of(compaction, memory, method, *arguments)
        except CorruptBatchError as error:
            send(replies, ((error.position, error.reason), None))
        else:
            send(replies, (None, result))


def result_of(
    compaction: Compaction, memory: SharedMemory, method: str, size: int, *arguments: bool
) -> tuple[object, object]:
    content = memory.view(size)
    if method == "index":
        return compaction.index(content), compaction.end_offset
    if method == "clean":
        (keeps,) = arguments
        cleaned = compaction.clean(content, keeps_legacy_tombstones=keeps)
    else:
        cleaned = compaction.end_segment()
    return memory.write(cleaned.content), cleaned.aborted


if __name__ == "__main__":
    with (
        suppress(EOFError, BrokenPipeError, pickle.UnpicklingError),
        open(REQUESTS, "rb") as from_broker,
        open(REPLIES, "wb") as to_broker,
    ):
        serve(from_broker, to_broker, SharedMemory(int(sys.argv[1])))
