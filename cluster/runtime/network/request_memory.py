"""How much memory do the requests hold that are on their way in, and may another one begin?

Kafka's `queued.max.request.bytes`: large requests take their size when they begin, so one that has
begun can always be received to its end; while too much is taken, no other one begins.  Small ones
do not count: connections lend themselves a reader for these from `readers`.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from cluster.wire.framing import CHUNK_SIZE, FrameReader

UNLIMITED: Final = -1
SPARE_READERS_MAX: Final = 8


class RequestMemory:
    """Shared by all connections of a broker."""

    def __init__(self, request_size_max: int, queued_size_max: int) -> None:
        """Sizes in bytes; a *queued_size_max* of -1 is no limit."""
        self._request_size_max = request_size_max
        self._queued_size_max = queued_size_max
        self._spare: list[FrameReader] = []
        self._waiting: deque[Callable[[], None]] = deque()
        self.taken_bytes = 0

    @property
    def is_full(self) -> bool:
        return self._queued_size_max != UNLIMITED and self.taken_bytes >= self._queued_size_max

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

    def take(self, size: int, resume: Callable[[], None]) -> int | None:
        """Let a request begin of which *size* bytes are missing, and return what it takes.

        None where it has to wait: then *resume* is called when it may try again.
        """
        if size <= CHUNK_SIZE:
            return 0
        if self.is_full:
            self._waiting.append(resume)
            return None
        self.taken_bytes += size
        return size

    def free(self, size: int) -> None:
        """Give back what `take` returned, and let those go on that wait."""
        self.taken_bytes -= size
        while self._waiting and not self.is_full:
            self._waiting.popleft()()
