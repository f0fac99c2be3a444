"""Which broker wrote a log, by its own lines?

Reads only the start of the file; knows nothing of paths and sources.
"""

from typing import Final

from kadmin.jobs.merge.files import LogFile, opened, read_bytes
from kadmin.jobs.merge.unpack import GzipStream
from kadmin.statechange.parse import parse_line

LOOK_BYTES: Final = 1 << 17
LINES_MAX: Final = 200
"""Brokers that share a log show within so many lines."""


def writer(file: LogFile) -> int | None:
    """The id of the one broker that wrote the first lines of *file*; None if none or several did.

    Raises:
        CannotRead: the file is gone, or may not be read.
    """
    lines = start_of(file).split(b"\n")[:LINES_MAX]
    brokers = {parse_line(line.decode(errors="replace")).broker for line in lines} - {None}
    return brokers.pop() if len(brokers) == 1 else None


def start_of(file: LogFile) -> bytes:
    if not file.is_gzip:
        return read_bytes(file.path, 0, LOOK_BYTES)
    buffer = bytearray(LOOK_BYTES)
    with opened(file.path) as reader:
        return bytes(buffer[: GzipStream(reader).read(memoryview(buffer))])
