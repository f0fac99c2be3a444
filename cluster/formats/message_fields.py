"""The fields of a decoded message by name, as far as its version has them.

Source: the JSON converters that Kafka generates.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from cluster.model.topic_id import topic_id_text
from cluster.wire.fields import UUID, Field, Kind
from cluster.wire.schema import fields_of, schema_of

Fields = dict[str, Any]
"""The fields of a version, by name; structs are fields again, data stays bytes, ids are texts."""


class Part(NamedTuple):
    """The key or the value of a record."""

    version: int
    fields: Fields


class UndecodableRecord(NamedTuple):
    """A record that is none of its topic's, or is damaged."""

    reason: str


def fields(message: tuple[Any, ...], version: int) -> Fields:
    """Return the fields of *message* in *version*; those with tags only if they are no defaults."""
    return fields_of_struct(
        message, version, is_flexible=version in schema_of(type(message)).flexible
    )


def fields_of_struct(struct: tuple[Any, ...], version: int, *, is_flexible: bool) -> Fields:
    found: Fields = {}
    for at, name, field, is_scalar in fields_in(type(struct), version):
        value = struct[at]
        if is_flexible and field.tag is not None and value == field.default:
            continue
        found[name] = value if is_scalar else plain(value, field, version, is_flexible=is_flexible)
    return found


class Place(NamedTuple):
    """A field, and its index in the struct; *is_scalar* where its value is shown as it is."""

    at: int
    name: str
    field: Field
    is_scalar: bool


@lru_cache(None)
def fields_in(struct: type[tuple[Any, ...]], version: int) -> tuple[Place, ...]:
    """Return the fields that *version* has; a log has millions of records of few types."""
    return tuple(
        Place(
            index,
            name,
            field,
            isinstance(field.of, Kind) and not field.is_array and field.of is not UUID,
        )
        for index, (name, field) in enumerate(fields_of(struct).items())
        if version in field.versions
    )


def plain(value: Any, field: Field, version: int, *, is_flexible: bool) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return fields_of_struct(value, version, is_flexible=is_flexible)
    if isinstance(value, tuple | list):
        if isinstance(field.of, Kind) and field.of is not UUID:
            return list(value)
        return [plain(one, field, version, is_flexible=is_flexible) for one in value]
    return topic_id_text(value) if field.of is UUID else value
