"""The memory of requests that are being received, and its limit, `queued.max.request.bytes`.

A large request takes its size when it begins, so one that has begun can always be received to its
end; while too much is allocated, no other one begins.  Small ones do not count: the connections
share readers for these.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from cluster.wire.framing import CHUNK_SIZE, FrameReader

UNLIMITED: Final = -1
SPARE_READERS_MAX: Final = 8


class MemoryPool:
    """The memory that all connections of a broker share."""

    def __init__(self, request_size_max: int, queued_size_max: int) -> None:
        """Sizes in bytes; a *queued_size_max* of -1 is no limit."""
        self._request_size_max = request_size_max
        self._queued_size_max = queued_size_max
        self._spare: list[FrameReader] = []
        self._waiting: deque[Callable[[], None]] = deque()
        self.allocated_bytes = 0

    @property
    def is_full(self) -> bool:
        return self._queued_size_max != UNLIMITED and self.allocated_bytes >= self._queued_size_max

    def borrow_reader(self) -> FrameReader:
        """A reader with nothing in it; the one that was in use last, whose memory is warm."""
        return self._spare.pop() if self._spare else FrameReader(self._request_size_max)

    def give_back(self, reader: FrameReader) -> None:
        """Take back a reader whose bytes are all used up."""
        reader.release()
        if len(self._spare) < SPARE_READERS_MAX:
            self._spare.append(reader)

    def trim(self) -> None:
        """Let go of what large requests have left behind."""
        for reader in self._spare:
            reader.trim()

    def allocate(self, size: int, resume: Callable[[], None]) -> int | None:
        """Let a request begin of which *size* bytes are missing, and return what is counted for it.

        None where it has to wait: then *resume* is called when it may try again.
        """
        if size <= CHUNK_SIZE:
            return 0
        if self.is_full:
            self._waiting.append(resume)
            return None
        self.allocated_bytes += size
        return size

    def release(self, size: int) -> None:
        """Give back what `allocate` returned, and let those go on that wait."""
        self.allocated_bytes -= size
        while self._waiting and not self.is_full:
            self._waiting.popleft()()
