"""JSON documents that options name: is one what it should be?"""

import json
from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from cluster.model.topic_name import topic_name_problem
from kadmin.errors import UsageError
from kadmin.json_object import BadJsonObject, JsonObject, parse_json_object
from kadmin.wording import listed


class BadFile(UsageError):
    """A file that cannot be meant; *problems* are all that is wrong with it."""

    def __init__(self, source: str, problems: Sequence[str], hint: str) -> None:
        super().__init__(f"cannot use {source}: " + listed(problems, "; "), hint=hint)
        self.source = source
        self.problems = tuple(problems)


VERSION: Final = 1
INT32_MAX: Final = 2**31 - 1


def parse_document(text: str, source: str, hint: str) -> JsonObject:
    """Return the object that *text* is.

    Raises:
        BadFile: it is none, or a key has two values.
    """
    try:
        return parse_json_object(text)
    except BadJsonObject as error:
        raise BadFile(source, error.problems, hint) from error


def version_problems(document: JsonObject) -> Iterator[str]:
    version = document.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        yield f"not supported version field value {json.dumps(version)}"


def is_topic(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and topic_name_problem(value) is None


def is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= INT32_MAX
