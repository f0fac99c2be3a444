"""The buffers and file slices that one connection has still to send.

Bytes are gathered and given to the kernel together; file slices are sent by the kernel itself.
Knows no protocol and no loop: whoever has one calls `send_some` again when the socket takes more.
"""

import os
import socket
from collections import deque
from collections.abc import Iterable
from typing import Final

from cluster.model.file_slice import FileSlice
from cluster.wire.fields import Records

GATHERED_MAX: Final = 64
"""How many buffers are given to the kernel at once, which takes up to 1024."""
FILE_STEP_SIZE: Final = 1024 * 1024
"""How much of a file is sent in one call: the loop must see its other sockets in between."""


class FileTooShort(OSError):
    """A range of a file that ends before it should; the peer waits for bytes that are not there."""


class FileGone(OSError):
    """A range of a file that was let go of: its records were deleted while the peer took them."""


class SendQueue:
    """What one socket has still to send."""

    __slots__ = ("_queue", "_sent", "_socket", "queued_bytes")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._queue: deque[Records] = deque()
        self._sent = 0
        self.queued_bytes = 0
        """How much is still to be sent."""

    def add(self, buffers: Iterable[Records]) -> None:
        for buffer in buffers:
            self._queue.append(buffer)
            self.queued_bytes += len(buffer)

    def clear(self) -> None:
        """Forget what is not sent yet."""
        self._queue.clear()
        self._sent = 0
        self.queued_bytes = 0

    def send_some(self) -> bool:
        """Send what the socket takes now, but no more than a step; whether all is sent.

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
                    count = self._socket.send(first)
                else:
                    count = self._send_gathered()
            except (BlockingIOError, InterruptedError):
                return False
            if count == self.queued_bytes:
                self.clear()
                return True
            left -= count
            self._drop(count)
        return not queue

    def _send_file(self, part: FileSlice) -> int:
        # The descriptor is asked for anew each time: once the file is closed its number may be
        # another file's.
        position = part.position + self._sent
        wanted = min(part.size - self._sent, FILE_STEP_SIZE)
        descriptor = part.file.fileno()
        if descriptor < 0:
            raise FileGone("the records that it reads were deleted meanwhile")
        count = os.sendfile(self._socket.fileno(), descriptor, position, wanted)
        if count == 0 and wanted > 0:
            raise FileTooShort(f"a file ends at {position}, {part.size - self._sent} bytes early")
        return count

    def _send_gathered(self) -> int:
        gathered: list[bytes | bytearray | memoryview] = []
        flags = 0
        for buffer in self._queue:
            if isinstance(buffer, FileSlice):
                # The range follows at once: the kernel may put both into one packet.
                flags = socket.MSG_MORE
                break
            if len(gathered) == GATHERED_MAX:
                break
            gathered.append(buffer)
        if self._sent > 0:
            gathered[0] = memoryview(gathered[0])[self._sent :]
        if len(gathered) == 1:
            return self._socket.send(gathered[0], flags)
        return self._socket.sendmsg(gathered, (), flags)

    def _drop(self, count: int) -> None:
        """Forget the buffers that *count* more bytes have finished; some are left."""
        queue = self._queue
        self.queued_bytes -= count
        count += self._sent
        while count >= len(queue[0]):
            count -= len(queue.popleft())
        self._sent = count
