"""Every message in every version: round trips, cut bytes, hostile lengths, noise."""

import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.wire.decoders import decode
from cluster.wire.encoders import encode_message
from cluster.wire.errors import MalformedFrameError
from cluster.wire.schema import Schema
from tests.cluster.wire.messages import Dice, all_schemas, all_versions, title
from tests.support.seeds import seeds

EVERY_MESSAGE = pytest.mark.parametrize("schema", list(all_schemas()), ids=title)

HOSTILE = (
    b"\x7f\xff\xff\xff",  # the highest length of old versions
    b"\xff\xff\xff\xff\x0f",  # the highest varint
    b"\xff\xff\xff\xff\x7f",  # a varint of more bits than a length has
    b"\xff\xff\xff\xff\xff\xff",  # a varint without an end; null, where it is a length
)


def unlike_versions(schema: Schema) -> set[int]:
    """The first and the last version with lengths of each form."""
    ends = {schema.versions.lowest, schema.flexible.lowest - 1, schema.flexible.lowest}
    return {version for version in ends | {schema.versions.highest} if version in schema.versions}


def with_hostile_lengths(data: bytes) -> Iterator[bytes]:
    for position in range(len(data)):
        for hostile in HOSTILE:
            yield data[:position] + hostile + data[position + len(hostile) :]


def encoded(schema: Schema, version: int, message: tuple[Any, ...]) -> bytes:
    return b"".join(encode_message(schema, version, message))  # type: ignore[arg-type]


def decoded(schema: Schema, version: int, data: bytes) -> tuple[Any, ...]:
    return decode(schema, version, memoryview(data), 0)


@pytest.mark.slow
@EVERY_MESSAGE
def test_what_was_written_is_read_again(schema: Schema) -> None:
    for version in schema.versions:
        for seed in seeds(15):
            message = Dice(seed).message(schema.message, version)
            data = encoded(schema, version, message)

            assert decoded(schema, version, data) == message, (version, seed)


@pytest.mark.slow
def test_a_message_of_defaults_is_read_again() -> None:
    for schema, version in all_versions():
        message = schema.message()

        again = decoded(schema, version, encoded(schema, version, message))

        assert again == message, (schema.name, version)


@pytest.mark.slow
@EVERY_MESSAGE
def test_every_byte_that_is_missing_is_noticed_and_bytes_behind_are_passed_over(
    schema: Schema,
) -> None:
    for version in schema.versions:
        message = Dice(1).message(schema.message, version)
        data = encoded(schema, version, message)

        for kept in range(len(data)):
            with pytest.raises(MalformedFrameError):
                decoded(schema, version, data[:kept])
        assert decoded(schema, version, data + b"\0\0\0") == message


@pytest.mark.slow
@EVERY_MESSAGE
def test_no_length_makes_memory_grow(schema: Schema) -> None:
    for version in unlike_versions(schema):
        data = encoded(schema, version, Dice(2, length_max=2).message(schema.message, version))
        decoded(schema, version, data)
        tracemalloc.start()
        try:
            for damaged in with_hostile_lengths(data):
                with suppress(MalformedFrameError):
                    decoded(schema, version, damaged)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert peak < 200_000, version


@given(st.sampled_from(all_versions()), st.integers(0, 2**32), st.data())
def test_of_a_damaged_message_only_malformed_frames_come(
    which: tuple[Schema, int], seed: int, data: st.DataObject
) -> None:
    schema, version = which
    damaged = bytearray(encoded(schema, version, Dice(seed).message(schema.message, version)))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(damaged)))
        damaged[position : position + data.draw(st.integers(0, 3))] = data.draw(
            st.binary(max_size=6)
        )

    try:
        message = decoded(schema, version, bytes(damaged))
    except MalformedFrameError:
        return
    again = encoded(schema, version, message)
    # Bytes are compared, since numbers that are no numbers differ from themselves.
    assert encoded(schema, version, decoded(schema, version, again)) == again


@given(st.sampled_from(all_versions()), st.binary(max_size=100))
def test_of_noise_only_malformed_frames_come(which: tuple[Schema, int], noise: bytes) -> None:
    schema, version = which

    try:
        message = decoded(schema, version, noise)
    except MalformedFrameError:
        return
    assert type(message) is schema.message
