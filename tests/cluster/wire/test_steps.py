"""Decoding and encoding in steps: as in one go, and no more elements than may be."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import (
    ELEMENTS_MAX,
    decode_request,
    encode_in_steps,
    encode_request,
    encode_response,
)
from cluster.wire.decoders import NUMBERS_PER_ELEMENT, TAGS_MAX, decode, stepping_decoder_of
from cluster.wire.encoders import encode_message, stepping_encoder_of
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from cluster.wire.messages.producers import DescribeProducersRequest, TopicRequest
from cluster.wire.schema import Schema, request_schema
from cluster.wire.varint import encode
from tests.cluster.wire.messages import Dice, all_schemas, title
from tests.support.seeds import seeds

ANY_NUMBER = 2**40
COMMIT = request_schema(ApiKey.OFFSET_COMMIT)
EVERY_MESSAGE = pytest.mark.parametrize("schema", list(all_schemas()), ids=title)


def taken(steps: Generator[None, None, Any]) -> tuple[int, Any]:
    """How many steps there were, and what they came to."""
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return count, end.value
        count += 1


def request_of(count: int) -> memoryview:
    body = MetadataRequest([MetadataRequestTopic(name="a")] * count)
    return memoryview(b"".join(encode_request(ApiKey.METADATA, 9, 7, "test", body)))[4:]  # type: ignore[arg-type]


@pytest.mark.slow
@EVERY_MESSAGE
def test_steps_read_and_write_what_is_read_and_written_in_one_go(schema: Schema) -> None:
    for version in schema.versions:
        for seed in seeds(5):
            message = Dice(seed).message(schema.message, version)
            whole = encode_message(schema, version, message)
            data = memoryview(b"".join(whole))  # type: ignore[arg-type]

            assert whole == taken(stepping_encoder_of(schema, version)(message))[1]
            steps = stepping_decoder_of(schema, version)(data, 0, ELEMENTS_MAX)
            assert decode(schema, version, data, 0) == taken(steps)[1]


COMMITS = st.lists(
    st.tuples(st.integers(0, 2**63 - 1), st.sampled_from([None, "", "", "metadata"])), max_size=6
)


@given(
    COMMITS, st.sampled_from(list(COMMIT.versions)), st.none() | st.binary(min_size=1, max_size=2)
)
def test_structs_that_are_alike_are_read_as_any_others(
    commits: list[tuple[int, str | None]], version: int, damage: bytes | None
) -> None:
    """Many without texts are read at once, but never in steps."""
    partitions = [
        OffsetCommitRequestPartition(index, offset, committed_metadata=text)
        for index, (offset, text) in enumerate(commits)
    ]
    body = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions)])
    (encoded,) = encode_message(COMMIT, version, body)
    assert isinstance(encoded, bytes)
    for at in range(len(encoded)) if damage is not None else (len(encoded),):
        data = memoryview(encoded[:at] + (damage or b"") + encoded[at + len(damage or b"") :])

        def in_one_go(data: memoryview = data) -> Any:
            return decode(COMMIT, version, data, 0)

        def in_steps(data: memoryview = data) -> Any:
            return taken(stepping_decoder_of(COMMIT, version)(data, 0, ANY_NUMBER))[1]

        assert outcome(in_one_go) == outcome(in_steps)


def outcome(read: Callable[[], Any]) -> Any:
    """What is read, or why it is not."""
    try:
        return read()
    except MalformedFrameError as error:
        return str(error)


def refusal(read: Callable[[], object]) -> str | None:
    try:
        read()
    except MalformedFrameError as error:
        return str(error)
    return None


@pytest.mark.slow
def test_steps_refuse_what_is_refused_in_one_go() -> None:
    for schema in all_schemas():
        version = schema.versions.highest
        data = b"".join(encode_message(schema, version, Dice(1).message(schema.message, version)))  # type: ignore[arg-type]
        for size in range(len(data)):
            cut = memoryview(data[:size])

            in_one_go = refusal(partial(decode, schema, version, cut, 0))
            steps = stepping_decoder_of(schema, version)(cut, 0, ELEMENTS_MAX)

            assert in_one_go is not None, (schema.name, size)
            assert in_one_go == refusal(partial(taken, steps)), (schema.name, size)


def test_each_element_is_a_step() -> None:
    request = decode_request(request_of(10), elements_max={})

    count, body = taken(request.body)  # type: ignore[arg-type]

    assert (10, 10) == (count, len(body.topics))


def test_a_response_in_steps_is_the_same_frame() -> None:
    body = MetadataResponse(cluster_id="c")

    _, buffers = taken(encode_in_steps(ApiKey.METADATA, 9, 7, body))

    assert encode_response(ApiKey.METADATA, 9, 7, body) == buffers


def test_a_request_has_as_many_elements_as_it_may() -> None:
    allowed = {ApiKey.METADATA: 10}

    assert 10 == taken(decode_request(request_of(10), elements_max=allowed).body)[0]  # type: ignore[arg-type]
    with pytest.raises(MalformedFrameError, match="more elements than a request may have"):
        next(decode_request(request_of(11), elements_max=allowed).body)  # type: ignore[call-overload]


def test_an_api_without_a_number_of_its_own_has_the_general_one() -> None:
    head = bytes(request_of(0))[:-5]
    announced = head + encode(ELEMENTS_MAX + 2) + bytes(100)

    with pytest.raises(MalformedFrameError, match="more elements"):
        next(decode_request(memoryview(announced), elements_max={}).body)  # type: ignore[call-overload]


def test_numbers_count_as_a_part_of_an_element() -> None:
    schema = request_schema(ApiKey.DESCRIBE_PRODUCERS)

    def read(count: int) -> None:
        body = DescribeProducersRequest([TopicRequest("a", range(count))])
        data = memoryview(b"".join(encode_message(schema, 0, body)))  # type: ignore[arg-type]
        taken(stepping_decoder_of(schema, 0)(data, 0, 101))

    read(100 * NUMBERS_PER_ELEMENT)
    with pytest.raises(MalformedFrameError, match="more elements"):
        read(101 * NUMBERS_PER_ELEMENT)


@pytest.mark.parametrize("in_steps", [False, True])
def test_a_struct_has_no_more_tags_than_may_be(in_steps: bool) -> None:
    plain = bytes(request_of(0))

    def read(count: int) -> None:
        # An unknown field for each tag, without a byte in it.
        frame = memoryview(plain[:-1] + encode(count) + b"\x63\0" * count)
        request = decode_request(frame, elements_max={} if in_steps else None)
        if in_steps:
            taken(request.body)  # type: ignore[arg-type]

    read(TAGS_MAX)
    with pytest.raises(MalformedFrameError, match="too many tagged fields"):
        read(TAGS_MAX + 1)
