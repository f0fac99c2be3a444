"""The tables: what the annotations say, what the descriptions say, and what Kafka 3.9 serves."""

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import BOOL, BYTES, FLOAT64, RECORDS, STRING, UUID, Field, Kind, Records
from cluster.wire.schema import Schema, fields_of, request_schema, response_schema
from tests.cluster.wire.messages import all_schemas

# The highest versions that a broker of Kafka 3.9 over ZooKeeper serves; all begin at 0.
SERVED_BY_3_9 = {
    0: 11, 1: 17, 2: 9, 3: 12, 4: 7, 5: 4, 6: 8, 7: 3, 8: 9, 9: 9, 10: 6, 11: 9, 12: 4, 13: 5,
    14: 5, 15: 5, 16: 5, 17: 1, 18: 4, 19: 7, 20: 6, 21: 2, 22: 5, 23: 4, 29: 3, 30: 3, 31: 3,
    32: 4, 33: 2, 34: 2, 35: 4, 36: 2, 37: 3, 42: 2, 43: 2, 44: 1, 45: 0, 46: 0, 47: 0, 48: 1,
    49: 1, 50: 0, 51: 0, 56: 3, 57: 1, 60: 1, 61: 0, 67: 0,
}  # fmt: skip


def structs_of(cls: type[tuple[Any, ...]]) -> list[type[tuple[Any, ...]]]:
    found = [cls]
    for field in fields_of(cls).values():
        if not isinstance(field.of, Kind):
            found += structs_of(field.of)
    return found


def annotation_of(field: Field) -> Any:
    """What a field's type must be for a type checker."""
    plain: Any = int
    if not isinstance(field.of, Kind):
        plain = field.of
    elif field.of is RECORDS:
        return Records | None
    else:
        kinds = {BOOL: bool, STRING: str, BYTES: bytes, UUID: bytes, FLOAT64: float}
        plain = kinds.get(field.of, int)
    if field.is_array:
        plain = Sequence[plain]
    return plain | None if field.nullable.lowest <= field.nullable.highest else plain


def bytes_at_least(cls: type[tuple[Any, ...]], version: int, flexible: bool) -> int:
    present = [field for field in fields_of(cls).values() if version in field.versions]
    return len(present) + flexible


def every_struct() -> Iterator[tuple[Schema, type[tuple[Any, ...]]]]:
    return ((schema, struct) for schema in all_schemas() for struct in structs_of(schema.message))


def test_annotations_say_what_the_descriptions_say() -> None:
    for _, struct in every_struct():
        hints = get_type_hints(struct)
        for name, field in fields_of(struct).items():
            assert hints[name] == annotation_of(field), (struct, name)


def test_defaults_have_the_type_of_their_field() -> None:
    for _, struct in every_struct():
        hints = get_type_hints(struct)
        for name, value in struct()._asdict().items():  # type: ignore[attr-defined]
            allowed = get_args(hints[name]) if NoneType in get_args(hints[name]) else [hints[name]]

            is_one = any(isinstance(value, get_origin(type_) or type_) for type_ in allowed)
            assert is_one, (struct, name)


def test_every_element_of_an_array_takes_a_byte_at_least() -> None:
    """Else a hostile count would keep a decoder busy without any bytes behind it."""
    for schema, struct in every_struct():
        for field in fields_of(struct).values():
            if field.is_array and not isinstance(field.of, Kind):
                for version in schema.versions:
                    if version in field.versions:
                        flexible = version in schema.flexible

                        assert bytes_at_least(field.of, version, flexible) > 0, (struct, version)


def test_tags_are_numbered_from_zero_and_only_in_flexible_versions() -> None:
    for schema, struct in every_struct():
        tagged = [field for field in fields_of(struct).values() if field.tag is not None]

        # Kafka's schemas do not always have them in this order.
        assert {field.tag for field in tagged} == set(range(len(tagged))), struct
        for field in tagged:
            assert field.versions.lowest in schema.flexible, struct


def test_versions_are_those_of_kafka_3_9_in_both_directions() -> None:
    for key in ApiKey:
        for schema in (request_schema(key), response_schema(key)):
            assert (schema.versions.lowest, schema.versions.highest) == (0, SERVED_BY_3_9[key])
            assert schema.api_key == key
        assert request_schema(key).flexible == response_schema(key).flexible
    assert SERVED_BY_3_9.keys() == set(ApiKey)


def test_a_message_is_a_tuple_with_names_and_defaults() -> None:
    message = request_schema(ApiKey.METADATA).message()

    assert message == ((), True, False, False)
    assert message._asdict()["allow_auto_topic_creation"] is True  # type: ignore[attr-defined]
