"""Bytes that others wrote, on a terminal: records, and lines of logs.

Knows nothing of what they are about; what goes elsewhere than to a terminal is never changed.
"""

import codecs
import io
from typing import BinaryIO

from kadmin.render.visible import visible_lines


class VisibleStream(io.BufferedIOBase):
    """What is written here does nothing to *terminal*: control characters are shown as escapes.

    Ends of lines and tabs stay.  Bytes that are no UTF-8 are shown as `\\xff` and the like; a
    character may come in two pieces, unless there is a flush between them.
    """

    def __init__(self, terminal: BinaryIO) -> None:
        self.terminal = terminal
        self.decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.terminal.fileno()

    def write(self, data: "bytes | bytearray | memoryview[int]", /) -> int:  # type: ignore[override]
        self.show(self.decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        self.show(self.decoder.decode(b"", final=True))
        self.terminal.flush()

    def show(self, text: str) -> None:
        self.terminal.write(visible_lines(text).encode())
