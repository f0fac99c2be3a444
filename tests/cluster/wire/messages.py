"""All messages in all versions, and random ones of each, for tests of the codec."""

from collections.abc import Iterator
from random import Random
from typing import Any

from cluster.formats.metadata_records import CONTROL_TYPES, RECORD_TYPES
from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import (
    BOOL,
    BYTES,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    RECORDS,
    STRING,
    UINT16,
    UUID,
    Field,
    Kind,
)
from cluster.wire.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from cluster.wire.messages.coordinator_records import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
)
from cluster.wire.schema import Schema, fields_of, request_schema, response_schema, schema_of

PAYLOADS = (ConsumerProtocolAssignment, ConsumerProtocolSubscription)
RECORDS_OF_COORDINATORS = (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
)


def all_schemas() -> Iterator[Schema]:
    yield from spoken_schemas()
    for record in RECORDS_OF_COORDINATORS:
        yield schema_of(record)
    for message in RECORD_TYPES.values():
        yield schema_of(message)
    for control_type in CONTROL_TYPES:
        if control_type.message is not None:
            yield schema_of(control_type.message)


def spoken_schemas() -> Iterator[Schema]:
    """Those of what is sent, which other clients have as well."""
    for key in ApiKey:
        yield request_schema(key)
        yield response_schema(key)
    for payload in PAYLOADS:
        yield schema_of(payload)


def all_versions() -> list[tuple[Schema, int]]:
    return [(schema, version) for schema in all_schemas() for version in schema.versions]


def title(value: object) -> str:
    if isinstance(value, Schema):
        return value.name
    return f"v{value}" if isinstance(value, int) else type(value).__name__


class Dice:
    """Random messages: a seed gives the same ones again.

    *narrow* keeps to values that every implementation accepts: codes of errors that exist, times
    and durations that are not negative.  *length_max* bounds texts and arrays.
    """

    def __init__(self, seed: int, *, narrow: bool = False, length_max: int = 3) -> None:
        self._random = Random(seed)
        self._narrow = narrow
        self._length_max = length_max

    def message(self, cls: type[tuple[Any, ...]], version: int) -> tuple[Any, ...]:
        """Fields that the version lacks keep their defaults, as decoding gives them."""
        values = {
            name: self._value(name, field, version)
            for name, field in fields_of(cls).items()
            if version in field.versions
        }
        return cls(**values)

    def _value(self, name: str, field: Field, version: int) -> Any:
        if field.tag is not None and self._random.random() < 0.5:
            return field.default
        if version in field.nullable and self._random.random() < 0.3:
            return None
        if not field.is_array:
            return self._one(name, field.of, version)
        count = self._random.randint(0, self._length_max)
        if self._random.random() < 0.02 and field.of in (INT32, INT64):
            count = self._random.choice((15, 16, 127, 128))
        return tuple(self._one(name, field.of, version) for _ in range(count))

    def _one(self, name: str, of: Kind[Any] | type[tuple[Any, ...]], version: int) -> Any:
        if not isinstance(of, Kind):
            return self.message(of, version)
        if self._narrow and of in (INT16, INT32, INT64):
            return self._narrow_number(name)
        return self._any_value(of)

    def _narrow_number(self, name: str) -> int:
        if "error_code" in name:
            return self._random.randint(0, 100)
        return self._random.choice((0, 1, 7, 300, 30_000))

    def _any_value(self, of: Kind[Any]) -> Any:
        random = self._random
        bits = {INT8: 7, INT16: 15, INT32: 31, INT64: 63}.get(of)
        if bits is not None:
            return random.choice((0, 1, -1, 2**bits - 1, -(2**bits), random.randrange(2**bits)))
        if of is UINT16:
            return random.choice((0, 1, 2**16 - 1, random.randrange(2**16)))
        if of is BOOL:
            return random.random() < 0.5
        if of is FLOAT64:
            return random.choice((0.0, -1.5, random.random()))
        if of is UUID:
            return random.randbytes(16)
        length = random.randint(0, self._length_max)
        if random.random() < 0.02:
            length = random.choice((127, 128, 300))
        if of is STRING:
            return "".join(random.choices("ab-._0é", k=length))
        assert of in (BYTES, RECORDS)
        return random.randbytes(length)
