"""The unpacked bytes of a .gz, from its beginning up to where it is damaged.  Knows no lines."""

import zlib
from collections.abc import Iterator
from typing import Final

from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.files.reader import Reader, opened, read_bytes
from kadmin.jobs.unpack_bounds import UNPACKED_MIN

READ_BYTES: Final = 1 << 18
FEED_BYTES: Final = 1 << 12
GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS


class GzipStream:
    """The unpacked bytes of a .gz file, up to where it is damaged.

    It ends where more than *bytes_max* would be unpacked.  `damage` is what was wrong after the
    last read, or None.
    """

    def __init__(self, reader: Reader, bytes_max: int = UNPACKED_MIN) -> None:
        self.damage: str | None = None
        self.bytes_left = bytes_max
        self.pieces = self.unpacked(reader)
        self.left = memoryview(b"")

    def read(self, into: memoryview) -> int:
        """Fill *into* with what comes next; fewer bytes only at the end."""
        done = 0
        while done < len(into):
            if len(self.left) == 0:
                piece = next(self.pieces, None)
                if piece is None:
                    break
                self.left = memoryview(piece)
            count = min(len(self.left), len(into) - done)
            into[done : done + count] = self.left[:count]
            self.left = self.left[count:]
            done += count
        return done

    def unpacked(self, reader: Reader) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(GZIP_WINDOW)
        packed = bytearray(READ_BYTES)
        offset = 0
        # Where a member ended behind which nothing of another one was unpacked yet.
        whole_until: int | None = None
        while count := reader.read_at(offset, memoryview(packed)):
            # What a call has unpacked is lost when it meets damage: so it is given little.
            for begin in range(0, count, FEED_BYTES):
                data = bytes(packed[begin : min(begin + FEED_BYTES, count)])
                while data:
                    if unpacker.eof:
                        # Another member may follow, and zeros as padding behind the last one.
                        data = data.lstrip(b"\0")
                        if not data:
                            break
                        whole_until = offset + min(begin + FEED_BYTES, count) - len(data)
                        unpacker = zlib.decompressobj(GZIP_WINDOW)
                    try:
                        content = unpacker.decompress(data, READ_BYTES)
                    except zlib.error as error:
                        self.damage = (
                            f"damaged near byte {offset + begin}: {error}"
                            if whole_until is None
                            else f"damaged behind byte {whole_until}: {error}"
                        )
                        return
                    if content:
                        whole_until = None
                    self.bytes_left -= len(content)
                    if self.bytes_left < 0:
                        yield content[: self.bytes_left]
                        self.damage = "unpacks to more than --max-unpacked allows"
                        return
                    yield content
                    data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            offset += count
        if not unpacker.eof:
            self.damage = "cut off before its end"


def first_bytes(file: LogFile, size: int) -> bytes:
    """Return the first *size* bytes of what *file* holds, unpacked; fewer where it is shorter."""
    if not file.is_gzip:
        return read_bytes(file.path, 0, size)
    buffer = bytearray(size)
    with opened(file.path) as reader:
        return bytes(buffer[: GzipStream(reader).read(memoryview(buffer))])
