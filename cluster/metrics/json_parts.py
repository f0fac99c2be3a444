"""JSON of long answers, in parts between which others may go on."""

import json
from collections.abc import Iterator
from typing import Any, Final

DEPTH: Final = 4
"""Containers that are divided: requests, their answers, domains, beans.  What is in a bean is
short."""
PART: Final = 200
"""Values that a part has about: it takes less than a millisecond."""


def json_parts(value: Any, size: int = PART) -> Iterator[bytes]:
    """Return the JSON of *value* in parts with about *size* texts each."""
    texts: list[str] = []
    for text in json_texts(value, DEPTH):
        texts.append(text)
        if len(texts) >= size:
            yield "".join(texts).encode()
            texts.clear()
    yield "".join(texts).encode()


def json_texts(value: Any, depth: int) -> Iterator[str]:
    if depth == 0 or not value or not isinstance(value, dict | list):
        yield json.dumps(value)
    elif isinstance(value, dict):
        before = "{"
        for key, inner in value.items():
            yield f"{before}{json.dumps(key)}: "
            yield from json_texts(inner, depth - 1)
            before = ", "
        yield "}"
    else:
        before = "["
        for inner in value:
            yield before
            yield from json_texts(inner, depth - 1)
            before = ", "
        yield "]"
