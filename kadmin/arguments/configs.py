"""The arguments of `--add-config`, `--add-config-file` and `--delete-config`, parsed.

Takes texts apart as kafka-configs does.  Knows neither which keys there are nor their values.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kadmin.errors import UsageError

ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
SEPARATOR: Final = re.compile(r"(?:\\.|[^\\=:\s])*")
BLANKS: Final = " \t\f"


class NotAnAssignment(UsageError):
    """A part of the text is not `key=value`; never repeats it, since it may be of a password."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "Invalid entity config: all configs to be added must be in the format"
            f' "key=val": {reason}',
            hint="brackets keep a value with commas together: 'cleanup.policy=[compact,delete]'",
        )


def parse_assignments(text: str) -> dict[str, str]:
    """Split `k=v,k2=[a,b]` into keys and values.

    A value in brackets goes to the bracket that ends the text or stands before a comma; the
    brackets are dropped, those within a value are not.  An empty value is legal.

    Raises:
        NotAnAssignment: a part without key or `=`, or a bracket that is never closed.
    """
    assignments: dict[str, str] = {}
    rest = text.strip()
    while rest:
        name, equals, rest = rest.partition("=")
        name = name.strip()
        if not name or not equals or "," in name:
            raise NotAnAssignment(f"number {len(assignments) + 1} is not")
        value, rest = split_value(name, rest.lstrip())
        assignments[name] = value
    return assignments


def split_value(name: str, text: str) -> tuple[str, str]:
    """Return the value that *text* begins with, and what follows the comma behind it."""
    if not text.startswith("["):
        value, _, rest = text.partition(",")
        return value.strip(), rest
    match = re.match(r"\[(.*?)\]\s*(?:,|$)", text, re.DOTALL)
    if match is None:
        raise NotAnAssignment(f"the bracket of '{name}' is not closed")
    return match[1].strip(), text[match.end() :]


def parse_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of `--delete-config k,k2`, each once."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if "" in names:
        raise UsageError(
            "--delete-config was given an empty key",
            hint="a comma stands between two keys: --delete-config retention.ms,segment.ms",
        )
    return tuple(dict.fromkeys(names))


def parse_properties(text: str) -> dict[str, str]:
    """Read the text of a Java properties file; brackets around a value are dropped as above."""
    properties: dict[str, str] = {}
    for line in logical_lines(text):
        name = SEPARATOR.match(line)
        assert name is not None  # It matches no text, too.
        value = line[name.end() :].lstrip(BLANKS)
        if value[:1] in ("=", ":") and value:
            value = value[1:].lstrip(BLANKS)
        value = unescaped(value)
        if value.startswith("[") and value.endswith("]"):
            value = value[1:-1]
        properties[unescaped(name[0])] = value
    return properties


def logical_lines(text: str) -> Iterator[str]:
    """Return the lines that mean something, joined where one ends in an odd number of
    backslashes."""
    joined = ""
    for line in text.splitlines():
        line = line.lstrip(BLANKS)
        if not joined and (not line or line[0] in "#!"):
            continue
        joined += line
        backslashes = len(joined) - len(joined.rstrip("\\"))
        if backslashes % 2 == 1:
            joined = joined[:-1]
            continue
        yield joined
        joined = ""
    if joined:
        yield joined


def unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return ESCAPES.get(code, code)

    return ESCAPE.sub(character, text)
