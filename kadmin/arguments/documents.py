"""JSON documents that options name: is one what it should be?"""

import json
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, TypeGuard

from cluster.model.topic_name import topic_name_problem
from kadmin.errors import UsageError
from kadmin.named_file import VALUES_MAX, has_too_many_values
from kadmin.plan.reassignment.targets import (
    repeated,
)
from kadmin.wording import listed


class BadFile(UsageError):
    """A file that cannot be meant; *problems* are all that is wrong with it."""

    def __init__(self, source: str, problems: Sequence[str], hint: str) -> None:
        super().__init__(f"cannot use {source}: " + listed(problems, "; "), hint=hint)
        self.source = source
        self.problems = tuple(problems)


VERSION: Final = 1
INT32_MAX: Final = 2**31 - 1

QUOTED_MAX: Final = 100
"""So much of an object is quoted: an entry whole, but not a whole file."""

JsonObject: TypeAlias = dict[str, object]


def parse_document(text: str, source: str, hint: str) -> JsonObject:
    """Return the object that *text* is.

    Raises:
        BadFile: it is none, or a key has two values.
    """
    if has_too_many_values(text):
        raise BadFile(source, [f"it has more than {VALUES_MAX:,} values"], hint)
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
        problem = f"it is not JSON{where}" if text.strip() else "it is empty"
        raise BadFile(source, [problem], hint) from error
    except RecursionError as error:
        raise BadFile(source, ["it is nested too deeply"], hint) from error
    if not isinstance(document, dict):
        raise BadFile(source, ["it is no JSON object"], hint)
    if ambiguous:
        raise BadFile(source, ambiguous, hint)
    return document


def twice_text(pairs: list[tuple[str, object]]) -> str:
    """Return what is wrong with the object of *pairs*, some of whose keys stand in it more than
    once."""
    keys = " and ".join(f"'{key}'" for key in repeated(key for key, _ in pairs))
    compact = json.JSONEncoder(separators=(",", ":")).encode
    written = ",".join(f"{compact(key)}:{compact(value)}" for key, value in pairs)
    more = "…" if len(written) > QUOTED_MAX else ""
    return f"{keys} more than once in {{{written[:QUOTED_MAX]}{more}}}"


def version_problems(document: JsonObject) -> Iterator[str]:
    version = document.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        yield f"not supported version field value {json.dumps(version)}"


def is_topic(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and topic_name_problem(value) is None


def is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= INT32_MAX
