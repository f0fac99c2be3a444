"""Files that options name: how are they read?  Knows no option."""

import sys

from kadmin.errors import UsageError
from kadmin.named_file import SIZE_MAX, check_size, read_named

STDIN = "-"
MARK = "\ufeff"
"""What some editors put before a text, and is none of it."""


def read_text(name: str, hint: str) -> str:
    """Return the text of the file *name*, or of standard input where that is `-`, without a byte
    order mark.

    Raises:
        UsageError: it cannot be read, or is no text; *hint* describes what it should contain.
    """
    try:
        text = standard_input() if name == STDIN else read_named(name).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot read {name_of(name)}: {reason}", hint=hint) from error
    # As text files are read: plans and lists of Windows have a carriage return in each line's end.
    return text.replace("\r\n", "\n")


def standard_input() -> str:
    text = sys.stdin.read(SIZE_MAX + 1)
    check_size(len(text), name_of(STDIN))
    return text.removeprefix(MARK)


def name_of(name: str) -> str:
    """Return what an operator calls the file *name*."""
    return "standard input" if name == STDIN else name
