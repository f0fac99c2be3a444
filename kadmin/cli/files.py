"""Files that options name: how are they read?  Knows no option."""

import sys
from pathlib import Path

from kadmin.errors import UsageError

STDIN = "-"
MARK = "\ufeff"
"""What some editors put before a text, and is none of it."""


def read_text(name: str, hint: str) -> str:
    """The text of the file *name*, or of standard input where that is `-`, without a byte order
    mark.

    Raises:
        UsageError: it cannot be read, or is no text; *hint* says what it is to hold.
    """
    try:
        text = sys.stdin.read() if name == STDIN else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot read {name_of(name)}: {reason}", hint=hint) from error
    return text.removeprefix(MARK)


def name_of(name: str) -> str:
    """What an operator calls the file *name*."""
    return "standard input" if name == STDIN else name
