"""How does a .gz become something that can be read from the middle?

It is unpacked once, and each part is put away in a fast compression of its own, so that the copy
takes about the room of the original.  Knows nothing of lines.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

from kadmin.errors import KadminError
from kadmin.jobs.merge.files import Reader

READ_BYTES: Final = 1 << 18
FEED_BYTES: Final = 1 << 12
GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
CODEC: Final = "lz4_raw"


class GzipStream:
    """The unpacked bytes of a .gz file, up to where it is damaged.

    `damage` says after the last read what was wrong, or None.
    """

    def __init__(self, reader: Reader) -> None:
        self.damage: str | None = None
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
                    yield content
                    data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            offset += count
        if not unpacker.eof:
            self.damage = "cut off before its end"


class CannotUnpack(KadminError):
    """The disk does not take what a .gz unpacks to."""

    def __init__(self, directory: Path, error: OSError) -> None:
        super().__init__(
            f"cannot unpack into {directory}: {(error.strerror or str(error)).lower()}",
            hint="name a directory with more room by TMPDIR; every worker must see it",
        )


@contextmanager
def block_store(path: Path) -> Iterator[Callable[[memoryview], tuple[int, int]]]:
    """A function that adds a compressed block to the new file *path* and says where and how long.

    Raises:
        CannotUnpack: the disk refuses it, now or later.
    """
    try:
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise CannotUnpack(path.parent, error) from error

    def store(block: memoryview) -> tuple[int, int]:
        buffer = pa.compress(block, codec=CODEC)
        # A view of a buffer that was made smaller shows all that was allocated.
        packed = memoryview(buffer)[: buffer.size]
        at, done = file.tell(), 0
        try:
            while done < len(packed):
                done += file.write(packed[done:])
        except OSError as error:
            raise CannotUnpack(path.parent, error) from error
        return at, done

    with file:
        yield store


def load_block(packed: memoryview, size: int) -> pa.Buffer:
    """The *size* bytes that were stored as *packed*."""
    return pa.decompress(packed, decompressed_size=size, codec=CODEC)
