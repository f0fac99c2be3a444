"""Packing: texts that are too long for a znode as they are, by gzip."""

import gzip
import zlib
from typing import Final

MAGIC: Final = b"\x1f\x8b"
"""No text of JSON begins like this."""
GZIP: Final = 16
"""That is how zlib is asked for gzip's header."""


class BadPacking(Exception):
    """A packed text that cannot be unpacked; the message is the reason."""


def packed(text: bytes) -> bytes:
    return gzip.compress(text, mtime=0)


def unpacked(data: bytes, size_max: int) -> bytes:
    """Return what *data* holds, which may be far more than it should.

    Raises:
        BadPacking: it is damaged, cut off, or holds more than *size_max* bytes.
    """
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | GZIP)
    try:
        text = stream.decompress(data, size_max)
    except zlib.error as error:
        raise BadPacking(f"is damaged: {error}") from error
    if not stream.eof:
        raise BadPacking(f"is cut off, or has more than {size_max:,} bytes")
    return text
