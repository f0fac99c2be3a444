"""Text that others wrote: how is it shown so that it does nothing to a terminal?

A znode's name, a config, a host, a rack, the text of an error: any of them can hold control
characters.  They are shown as escapes; knows nothing of what the text is about.
"""

import re
from typing import Final

NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

_BEYOND_ASCII: Final = (
    # In UTF-8, too, some terminals take these for the beginning of a sequence.
    "\x7f-\x9f"
    # Invisible characters, line separators, and those that reverse the direction of text.
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
    "\ud800-\udfff"
)
_ACTIVE: Final = re.compile(f"[\x00-\x1f{_BEYOND_ASCII}]")
_ACTIVE_IN_LINES: Final = re.compile(f"[\x00-\x08\x0b-\x1f{_BEYOND_ASCII}]")
_ACTIVE_IN_JSON: Final = re.compile(f"[{_BEYOND_ASCII}]")


def visible(text: str) -> str:
    """Return *text* as one line, with `\\x1b` for an escape character and the like.

    Backslashes of its own stay as they are: it is to be read, not to be read back.
    """
    # Of nearly every text this is known at once; cells of a list are very many.
    if text.isascii() and text.isprintable():
        return text
    return _ACTIVE.sub(escape, text)


def visible_lines(text: str) -> str:
    """Return the same of whole lines, whose ends and tabs are ours."""
    return _ACTIVE_IN_LINES.sub(escape, text)


def visible_json(text: str) -> str:
    """Return JSON of the same values that does nothing to a terminal either."""
    # Known at once of nearly every text, which may have 40 MB.
    if text.isascii() and "\x7f" not in text:
        return text
    return _ACTIVE_IN_JSON.sub(lambda match: rf"\u{ord(match[0]):04x}", text)


def escape(match: "re.Match[str]") -> str:
    character = match[0]
    number = ord(character)
    return NAMED.get(character) or (rf"\x{number:02x}" if number < 0x100 else rf"\u{number:04x}")
