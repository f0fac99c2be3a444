"""The buffers and file slices that one connection still has to send.

Bytes are gathered and given to the transport together; file slices are left to it.  Knows no
protocol and no loop: the connection calls `send_some` again when the transport accepts more.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from cluster.model.file_slice import FileSlice
from cluster.runtime.network.transport import Buffer, Transport
from cluster.wire.fields import Records

GATHERED_MAX: Final = 64
"""How many buffers are given to the transport at once; a kernel takes up to 1024."""
FILE_STEP_SIZE: Final = 1024 * 1024
"""How much of a file is sent in one call: the loop must serve other connections in between."""


class FileTooShort(OSError):
    """A file range that ends too early; the peer waits for bytes that do not exist."""


class FileGone(OSError):
    """A file range that was released: its records were deleted while the peer received them."""


class SendQueue:
    """What one transport still has to send."""

    __slots__ = ("_queue", "_sent", "_transport", "queued_bytes")

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._queue: deque[Records] = deque()
        self._sent = 0
        self.queued_bytes = 0
        """How much is still to be sent."""

    def add(self, buffers: Iterable[Records]) -> None:
        for buffer in buffers:
            self._queue.append(buffer)
            self.queued_bytes += len(buffer)

    def send_alone(self, buffer: Buffer) -> bool:
        """Send *buffer*, while nothing is queued; returns whether all is sent, else the rest is
        queued.

        Raises:
            OSError: the connection is lost.
        """
        send = self._transport.send
        try:
            count = send(buffer)
        except (BlockingIOError, InterruptedError):
            count = 0
        if count == len(buffer):
            return True
        self._queue.append(buffer)
        self._sent = count
        self.queued_bytes = len(buffer) - count
        return False

    def clear(self) -> None:
        """Drop what is not sent yet."""
        self._queue.clear()
        self._sent = 0
        self.queued_bytes = 0

    def send_some(self) -> bool:
        """Send what the transport accepts now, at most one step; returns whether all is sent.

        Raises:
            OSError: the connection is lost, or a file cannot be read.
        """
        queue = self._queue
        left = FILE_STEP_SIZE
        while queue and left > 0:
            first = queue[0]
            try:
                if isinstance(first, FileSlice):
                    count = self._send_file(first)
                elif len(queue) == 1 and self._sent == 0:
                    # Most answers are one small buffer.
                    count = self._transport.send(first)
                else:
                    count = self._send_gathered()
            except (BlockingIOError, InterruptedError):
                return False
            if count == self.queued_bytes:
                # Nearly always: this is `clear` without the call.
                queue.clear()
                self._sent = self.queued_bytes = 0
                return True
            left -= count
            self._drop(count)
        return not queue

    def _send_file(self, part: FileSlice) -> int:
        position = part.position + self._sent
        wanted = min(part.size - self._sent, FILE_STEP_SIZE)
        # The descriptor is read anew each time: after the file is closed its number may belong to
        # another file.
        descriptor = part.file.fileno()
        if descriptor < 0:
            raise FileGone("the records that it reads were deleted meanwhile")
        count = self._transport.send_file(descriptor, position, wanted)
        if count == 0 and wanted > 0:
            raise FileTooShort(f"a file ends at {position}, {part.size - self._sent} bytes early")
        return count

    def _send_gathered(self) -> int:
        gathered: list[Buffer] = []
        has_more = False
        for buffer in self._queue:
            if isinstance(buffer, FileSlice):
                has_more = True
                break
            if len(gathered) == GATHERED_MAX:
                break
            gathered.append(buffer)
        if self._sent > 0:
            gathered[0] = memoryview(gathered[0])[self._sent :]
        return self._transport.send_gathered(gathered, has_more=has_more)

    def _drop(self, count: int) -> None:
        """Drop the buffers that *count* more bytes have finished; some are left."""
        queue = self._queue
        self.queued_bytes -= count
        count += self._sent
        while count >= len(queue[0]):
            count -= len(queue.popleft())
        self._sent = count
