"""The log of the client: what may it show, and in which words?

Turns kazoo's records into short lines: what was asked for which path, and never what was in it,
since requests carry passwords and znodes carry credentials.  Knows no connection.
"""

import logging
from collections.abc import Sequence
from typing import Any, Final, TextIO

HIDDEN: Final = "***"
ITEMS_MAX: Final = 3


def debug_handler(stream: TextIO, secrets: Sequence[str]) -> logging.Handler:
    """Return a handler that writes kazoo's records to *stream*, without contents and *secrets*."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ClientFormatter(secrets))
    return handler


class ClientFormatter(logging.Formatter):
    """One line per record; what a request or an answer holds is shown by its type and path."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("debug: %(relativeCreated)d ms %(name)s: %(message)s")
        self.hidden = sorted({form for secret in secrets for form in forms(secret)}, key=len)

    def format(self, record: logging.LogRecord) -> str:
        shown = logging.makeLogRecord(record.__dict__)
        if isinstance(record.args, tuple):
            shown.args = tuple(describe(argument) for argument in record.args)
        line = super().format(shown)
        # The longest first: one form of a secret may be a part of another.
        for form in reversed(self.hidden):
            line = line.replace(form, HIDDEN)
        return line


def forms(secret: str) -> set[str]:
    """Return how *secret* may look in a text: as it is, or as Python quotes it."""
    return {secret, repr(secret)[1:-1], repr(secret.encode())[2:-1]} - {""}


def describe(value: Any) -> Any:
    """Return *value* in a few words; numbers, names and errors stay as they are."""
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    if hasattr(value, "path"):
        return f"{type(value).__name__} {value.path}"
    if hasattr(value, "full_paths"):
        return f"{type(value).__name__} {describe(value.full_paths)}"
    if hasattr(value, "operations"):
        return f"{type(value).__name__} {describe(value.operations)}"
    if isinstance(value, list | tuple) and hasattr(value, "_fields"):
        return type(value).__name__
    if isinstance(value, list | tuple | set):
        items = [str(describe(item)) for item in list(value)[:ITEMS_MAX]]
        more = f", … {len(value)} in all" if len(value) > ITEMS_MAX else ""
        return "[" + ", ".join(items) + more + "]"
    return value
