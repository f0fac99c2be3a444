"""The JSON object that a file of an operator holds, with each key once.

Leaves to its callers which keys there are to be, and in which words they refuse the rest.
"""

import json
from collections.abc import Sequence
from typing import Final, TypeAlias

from kadmin.named_file import VALUES_MAX, has_too_many_values
from kadmin.repetition import repeated

JsonObject: TypeAlias = dict[str, object]

QUOTED_MAX: Final = 100
"""So much of an object is quoted: an entry whole, but not a whole file."""


class BadJsonObject(Exception):
    """A text that is no such object; *problems* are all that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems


def parse_json_object(text: str) -> JsonObject:
    """Return the object that *text* is.

    Raises:
        BadJsonObject: it is none, has too many values, or has a key with two values.
    """
    if has_too_many_values(text):
        raise BadJsonObject(f"it has more than {VALUES_MAX:,} values")
    ambiguous: list[str] = []

    def object_of(pairs: list[tuple[str, object]]) -> JsonObject:
        found = dict(pairs)
        if len(found) < len(pairs):
            ambiguous.append(twice_text(pairs))
        return found

    try:
        document = json.loads(text, object_pairs_hook=object_of)
    except ValueError as error:
        where = ""
        if isinstance(error, json.JSONDecodeError):
            where = f" (line {error.lineno}, column {error.colno}: {error.msg})"
        raise BadJsonObject(f"it is not JSON{where}" if text.strip() else "it is empty") from error
    except RecursionError as error:
        raise BadJsonObject("it is nested too deeply") from error
    if not isinstance(document, dict):
        raise BadJsonObject("it is no JSON object")
    if ambiguous:
        raise BadJsonObject(*ambiguous)
    return document


def twice_text(pairs: Sequence[tuple[str, object]]) -> str:
    """Return what is wrong with the object of *pairs*, some of whose keys stand in it more than
    once."""
    keys = " and ".join(f"'{key}'" for key in repeated(key for key, _ in pairs))
    compact = json.JSONEncoder(separators=(",", ":")).encode
    written = ",".join(f"{compact(key)}:{compact(value)}" for key, value in pairs)
    more = "…" if len(written) > QUOTED_MAX else ""
    return f"{keys} more than once in {{{written[:QUOTED_MAX]}{more}}}"
