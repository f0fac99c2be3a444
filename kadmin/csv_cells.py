"""Cells of CSV that a spreadsheet would evaluate, and how they are kept from it.

Texts of a cluster and its logs are written by others, and `=HYPERLINK(…)` is a name that a client,
a group or a line may have.  An apostrophe in front makes a spreadsheet take the rest for text.
"""

import re
from collections.abc import Sequence
from typing import Final

EVALUATED: Final = (
    "^(?:[\\t\\r\\n]|"
    # What spreadsheets pass over, and the signs of formulas, also as wide as Chinese ones.
    "[\\x00-\\x20\\x7f\u00a0\u200b\u2060\u3000\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20](?s:.))"
)
"""What begins as a formula does.  For Python's `re` as for RE2."""
NUMBER: Final = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
"""A number, which is none in spite of its sign."""
MARK: Final = "'"

QUOTED: Final = r'[",\r\n]'
"""What is only in cells with quotes."""

_QUOTED: Final = re.compile(QUOTED)
_EVALUATED: Final = re.compile(EVALUATED)
_NUMBER: Final = re.compile(NUMBER)


def csv_line(cells: Sequence[object]) -> str:
    """Return *cells* as a line of RFC 4180, but ended by a newline alone.

    Python's writer leaves a carriage return without quotes then, behind which a spreadsheet begins
    another row.
    """
    texts = ["" if cell is None else str(cell) for cell in cells]
    if texts == [""]:
        return '""\n'
    line = ",".join(map(quoted, texts)) + "\n"
    # Half of a surrogate pair, which JSON can hold, is no UTF-8.
    return line if line.isascii() else line.encode(errors="backslashreplace").decode()


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def unevaluated(text: str) -> str:
    """Return *text* as a cell that no spreadsheet evaluates."""
    is_formula = _EVALUATED.match(text) is not None and _NUMBER.fullmatch(text) is None
    return MARK + text if is_formula else text
