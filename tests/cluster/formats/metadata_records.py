"""Records of the metadata log of KRaft: every type in every version, and control records."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, cast

from cluster.formats.metadata_records import FRAME_VERSION, RECORD_TYPES
from cluster.wire.encoders import encode_message
from cluster.wire.fields import BOOL, BYTES, FLOAT64, STRING, UUID, Field, Kind
from cluster.wire.schema import fields_of, schema_of
from cluster.wire.varint import encode

TYPE_IDS: Final = {message: type_id for type_id, message in RECORD_TYPES.items()}
TEXTS: Final = ("orders", "é \u2028 \x01", 'a "b"\\')
DOUBLES: Final = (1.5, 12345678.9, 1e-5, 1e22)

DAMAGED: Final = (
    *(None, b"", b"\0", b"\2\1\0", b"\1", b"\1\2", b"\1\x63\0", b"\1\6\0"),
    *(b"\1\2\x09", b"\1\2\0\5"),
)
"""No record, frames of other versions and without an end, unknown types and versions."""


def value_of(message: tuple[Any, ...], version: int) -> bytes:
    """Return the value of a record."""
    schema = schema_of(type(message))
    (body,) = encode_message(schema, version, message)
    head = (FRAME_VERSION, TYPE_IDS[schema.message], version)
    return b"".join(map(encode, head)) + bytes(cast(bytes, body))


def metadata_records() -> list[tuple[None, bytes | None]]:
    """Return records of all types and versions of Kafka 4.1, full and empty, and damaged ones."""
    return [(None, value) for value in (*every_value(), *DAMAGED)]


def every_value() -> Iterator[bytes]:
    numbers = count(1)
    for message in RECORD_TYPES.values():
        cordoned = fields_of(message).get("cordoned_log_dirs")
        for version in schema_of(message).versions:
            # These came with Kafka 4.3.
            if cordoned is None or version not in cordoned.versions:
                yield value_of(message(), version)
                yield value_of(filled(message, version, numbers), version)


def filled(struct: type[tuple[Any, ...]], version: int, numbers: Iterator[int]) -> Any:
    """Return a struct none of whose fields has its default."""
    values: list[Any] = [
        content(field, version, numbers) if version in field.versions else field.default
        for field in fields_of(struct).values()
    ]
    return struct(*values)


def content(field: Field, version: int, numbers: Iterator[int]) -> Any:
    if field.is_array:
        return [one(field, version, numbers) for _ in range(2)]
    return one(field, version, numbers)


def one(field: Field, version: int, numbers: Iterator[int]) -> Any:
    if not isinstance(field.of, Kind):
        return filled(field.of, version, numbers)
    number = next(numbers)
    if field.of is BOOL:
        return not field.default
    if field.of is FLOAT64:
        return DOUBLES[number % len(DOUBLES)]
    if field.of is STRING:
        return TEXTS[number % len(TEXTS)]
    if field.of is UUID:
        return bytes((number % 256,)) * 16
    return bytes((number % 256, 0, 255)) if field.of is BYTES else number % 100 + 1
