"""A text file that an operator names, read whole up to a bound.

Leaves to its callers what the text is to hold, and in which words they refuse it.
"""

import codecs
import errno
from pathlib import Path
from typing import Final

SIZE_MAX: Final = 256 * 1024**2
"""Beyond any such file: a plan for a million partitions has about 100 MiB.  Devices and pipes may
have no end."""

VALUES_MAX: Final = 20_000_000
"""A plan for a million partitions has fewer values.  Each takes many times the memory of its text,
which may be two characters."""


def read_named(path: str | Path) -> bytes:
    """Read the file at *path*, which may be a pipe, without the byte order mark that some editors
    put before a text.

    Raises:
        OSError: it cannot be read, or has more than SIZE_MAX bytes.
    """
    with open(path, "rb") as file:
        content = file.read(SIZE_MAX + 1)
    check_size(len(content), path)
    return content.removeprefix(codecs.BOM_UTF8)


def check_size(size: int, path: str | Path) -> None:
    if size > SIZE_MAX:
        reason = f"it has more than {SIZE_MAX:,} bytes, or no end"
        raise OSError(errno.EFBIG, reason, str(path))


def has_too_many_values(text: str) -> bool:
    """Return whether *text*, if it is JSON, has more than VALUES_MAX values, by what separates
    them."""
    return sum(map(text.count, ",[{")) > VALUES_MAX
