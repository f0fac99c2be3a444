"""The error codes in the body of an answer of any API: of the whole, of topics, of partitions.

Source: `errorCounts` of Kafka's responses.
"""

from collections.abc import Generator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.schema import fields_of, response_schema

ERROR_CODE: Final = "error_code"


class Shape(NamedTuple):
    """Where a struct of an answer has error codes: its own, and those of structs within it."""

    code_at: int | None
    inner: tuple[tuple[int, bool, "Shape"], ...]
    """The place of a field, whether it is an array, and the shape of its structs."""


def shape_of(cls: type[tuple[Any, ...]], version: int) -> Shape | None:
    """Return where *cls* has error codes in *version*; None if there are none."""
    code_at = None
    inner = []
    for place, (name, field) in enumerate(fields_of(cls).items()):
        if version not in field.versions:
            continue
        if name == ERROR_CODE:
            code_at = place
        elif isinstance(field.of, type):
            shape = shape_of(field.of, version)
            if shape is not None:
                inner.append((place, field.is_array, shape))
    return None if code_at is None and not inner else Shape(code_at, tuple(inner))


@cache
def shape_of_answer(api_key: ApiKey, version: int) -> Shape | None:
    return shape_of(response_schema(api_key).message, version)


def error_codes_of(api_key: ApiKey, version: int, body: tuple[Any, ...]) -> Sequence[int]:
    """Return all error codes of an answer, those of success as well."""
    codes: list[int] = []
    shape = shape_of_answer(api_key, version)
    if shape is not None:
        _collect(body, shape, codes)
    return codes


def error_codes_in_steps(
    api_key: ApiKey, version: int, body: tuple[Any, ...]
) -> Generator[None, None, Sequence[int]]:
    """Return as `error_codes_of` does, in steps of one element."""
    codes: list[int] = []
    code_at, inner = shape_of_answer(api_key, version) or Shape(None, ())
    _collect(body, Shape(code_at, ()), codes)
    for place, is_array, of_each in inner:
        for each in (body[place] or ()) if is_array else (body[place],):
            _collect(each, of_each, codes)
            yield
    return codes


def _collect(struct: tuple[Any, ...], shape: Shape, codes: list[int]) -> None:
    code_at, inner = shape
    if code_at is not None:
        codes.append(struct[code_at])
    for place, is_array, of_each in inner:
        value = struct[place]
        if not is_array:
            _collect(value, of_each, codes)
        elif value:
            at = of_each.code_at
            if at is not None and not of_each.inner:
                # Partitions: there may be thousands of them.
                codes += map(itemgetter(at), value)
            else:
                for each in value:
                    _collect(each, of_each, codes)
