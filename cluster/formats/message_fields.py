"""The fields of a decoded message by name, as far as its version has them.

Source: the JSON converters that Kafka generates.
"""

from typing import Any, NamedTuple

from cluster.model.topic_id import topic_id_text
from cluster.wire.fields import UUID, Field
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
    return {
        name: plain(value, field, version, is_flexible=is_flexible)
        for (name, field), value in zip(fields_of(type(struct)).items(), struct, strict=True)
        if version in field.versions
        and not (is_flexible and field.tag is not None and value == field.default)
    }


def plain(value: Any, field: Field, version: int, *, is_flexible: bool) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return fields_of_struct(value, version, is_flexible=is_flexible)
    if isinstance(value, tuple | list):
        return [plain(one, field, version, is_flexible=is_flexible) for one in value]
    return topic_id_text(value) if field.of is UUID else value
