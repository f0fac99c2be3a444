"""Files that options name: how are they read?  Knows no option."""

import sys
from codecs import BOM_UTF8

from kadmin.errors import UsageError
from kadmin.named_file import SIZE_MAX, check_size, read_named

STDIN = "-"


def read_text(name: str, hint: str) -> str:
    """Return the text of the file *name*, or of standard input where that is `-`, without a byte
    order mark.

    Ends of lines are as they are written: a carriage return may belong to a name.

    Raises:
        UsageError: it cannot be read, or is no text; *hint* describes what it should contain.
    """
    try:
        data = standard_input() if name == STDIN else read_named(name)
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot read {name_of(name)}: {reason}", hint=hint) from error


def standard_input() -> bytes:
    data = sys.stdin.buffer.read(SIZE_MAX + 1)
    check_size(len(data), name_of(STDIN))
    return data.removeprefix(BOM_UTF8)


def name_of(name: str) -> str:
    """Return what an operator calls the file *name*."""
    return "standard input" if name == STDIN else name
