"""Frames of requests and responses: headers of all versions, what is not served, what cannot be."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.file_slice import FileSlice
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import (
    correlation_id_of,
    decode_payload,
    decode_request,
    decode_response,
    encode_payload,
    encode_request,
    encode_response,
)
from cluster.wire.encoders import Buffers
from cluster.wire.errors import (
    MalformedFrameError,
    ProtocolError,
    UnencodableMessageError,
    UnsupportedVersionError,
)
from cluster.wire.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.messages.configs import AlterConfigsResourceResponse, AlterConfigsResponse
from cluster.wire.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
)
from cluster.wire.messages.controlled_shutdown import ControlledShutdownRequest
from cluster.wire.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from cluster.wire.messages.group_members import HeartbeatRequest, HeartbeatResponse
from cluster.wire.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.wire.schema import request_schema, response_schema
from cluster.wire.varint import encode
from cluster.wire.versions import Versions
from tests.cluster.wire.messages import Dice

PRODUCE = ProduceRequest(
    None, -1, 1000, (TopicProduceData("t", (PartitionProduceData(0, b"batch"),)),)
)


def frame_of(buffers: Buffers) -> memoryview:
    """The frame as a reader hands it on: behind its size, which must be right."""
    data = bytearray().join(part for part in buffers if not isinstance(part, FileSlice))
    assert int.from_bytes(data[:4]) == len(data) - 4
    return memoryview(data)[4:]


def heartbeat(version: int, client_id: str | None) -> bytes:
    return bytes(
        frame_of(
            encode_request(ApiKey.HEARTBEAT, version, 7, client_id, HeartbeatRequest("g", 1, "m"))
        )
    )


def test_headers_are_those_of_the_versions() -> None:
    body = b"\x00\x01g\x00\x00\x00\x01\x00\x01m"
    old = b"\x00\x0c\x00\x00\x00\x00\x00\x07\x00\x02me" + body
    flexible = b"\x00\x0c\x00\x04\x00\x00\x00\x07\x00\x02me\x00\x02g\x00\x00\x00\x01\x02m\x00\x00"

    assert heartbeat(0, "me") == old
    assert heartbeat(4, "me") == flexible
    assert heartbeat(0, None)[8:10] == b"\xff\xff"
    assert heartbeat(0, "")[8:10] == b"\0\0"


def test_the_first_controlled_shutdown_has_no_client_id() -> None:
    buffers = encode_request(ApiKey.CONTROLLED_SHUTDOWN, 0, 7, "me", ControlledShutdownRequest(3))
    frame = frame_of(buffers)

    assert bytes(frame) == b"\x00\x07\x00\x00\x00\x00\x00\x07\x00\x00\x00\x03"
    assert decode_request(frame).client_id is None
    assert decode_request(frame).body == ControlledShutdownRequest(3)


def test_responses_of_flexible_versions_have_tags_but_those_of_api_versions() -> None:
    heartbeats = [encode_response(ApiKey.HEARTBEAT, v, 7, HeartbeatResponse()) for v in (3, 4)]
    versions = encode_response(ApiKey.API_VERSIONS, 3, 7, ApiVersionsResponse())

    assert bytes(frame_of(heartbeats[0])) == b"\0\0\0\x07" + bytes(6)
    assert bytes(frame_of(heartbeats[1])) == b"\0\0\0\x07" + b"\0" + bytes(6) + b"\0"
    assert bytes(frame_of(versions)) == b"\0\0\0\x07" + b"\0\0" + b"\x01" + bytes(4) + b"\0"


@pytest.mark.slow
@pytest.mark.parametrize("key", ApiKey)
def test_every_request_and_response_comes_through_its_frame(key: ApiKey) -> None:
    schema, answer = request_schema(key), response_schema(key)
    for version in schema.versions:
        body = Dice(version).message(schema.message, version)
        frame = frame_of(encode_request(key, version, 2**31 - 1, "clié nt", body))
        request = decode_request(frame)

        assert request[:3] == (key, version, 2**31 - 1)
        assert request.client_id in ("clié nt", None)
        assert request.body == body

        body = Dice(version).message(answer.message, version)
        frame = frame_of(encode_response(key, version, -5, body))

        assert correlation_id_of(frame) == -5
        assert decode_response(answer.message, version, frame) == (-5, body)


def test_unknown_tags_in_headers_and_bodies_are_stepped_over() -> None:
    tags = b"\x02" + b"\x05\x03abc" + b"\xff\x01\x00"
    frame = heartbeat(4, "me")
    request = frame[:12] + tags + frame[13:-1] + tags
    response = bytes(frame_of(encode_response(ApiKey.HEARTBEAT, 4, 7, HeartbeatResponse(5, 6))))
    many = b"\x80\x01" + b"\x09\x00" * 128

    assert decode_request(memoryview(request)).body == HeartbeatRequest("g", 1, "m")
    for some in (tags, many):
        answer = decode_response(
            HeartbeatResponse, 4, memoryview(response[:4] + some + response[5:-1] + some)
        )
        assert answer.body == HeartbeatResponse(5, 6)


def test_a_known_tag_of_another_size_is_malformed() -> None:
    schema = response_schema(ApiKey.API_VERSIONS)
    message = ApiVersionsResponse(finalized_features_epoch=5)
    frame = bytes(frame_of(encode_response(ApiKey.API_VERSIONS, 3, 7, message)))
    assert frame[-10:-8] == b"\x01\x08"

    for size in (b"\x07", b"\x09"):
        with pytest.raises(MalformedFrameError, match="tagged field of another size"):
            decode_response(schema.message, 3, memoryview(frame[:-9] + size + frame[-8:] + b"\0"))


def test_a_version_that_is_not_known_names_what_the_answer_needs() -> None:
    frame = b"\x00\x12\x00\x63\x00\x00\x00\x2a whatever follows"

    with pytest.raises(UnsupportedVersionError) as caught:
        decode_request(memoryview(frame))

    error = caught.value
    assert (error.api_key, error.api_version, error.correlation_id) == (18, 99, 42)
    assert str(error) == "api key 18 in version 99 is not served"
    answer = ApiVersionsResponse(35, (ApiVersion(18, 0, 4),))
    encoded = frame_of(encode_response(ApiKey.API_VERSIONS, 0, error.correlation_id, answer))
    assert bytes(encoded) == b"\0\0\0\x2a" + b"\0\x23" + b"\0\0\0\x01" + b"\0\x12\0\0\0\x04"


@pytest.mark.parametrize("head", [b"\x00\x63\x00\x00", b"\xff\xff\x00\x00", b"\x00\x03\xff\xff"])
def test_unknown_apis_and_negative_versions_are_not_served(head: bytes) -> None:
    with pytest.raises(UnsupportedVersionError):
        decode_request(memoryview(head + bytes(20)))


def test_what_is_known_but_not_served_is_refused() -> None:
    served = {ApiKey.HEARTBEAT: Versions(0, 3)}
    metadata = frame_of(encode_request(ApiKey.METADATA, 0, 7, "me", MetadataRequest()))

    assert decode_request(memoryview(heartbeat(3, "me")), served).api_version == 3
    with pytest.raises(UnsupportedVersionError):
        decode_request(memoryview(heartbeat(4, "me")), served)
    with pytest.raises(UnsupportedVersionError):
        decode_request(metadata, served)


@pytest.mark.parametrize("version", [0, 4])
def test_headers_that_are_cut_off_are_malformed(version: int) -> None:
    frame = heartbeat(version, "me")

    for kept in range(len(frame)):
        with pytest.raises(MalformedFrameError):
            decode_request(memoryview(frame[:kept]))
    for kept in range(4 + (version == 4)):
        with pytest.raises(MalformedFrameError):
            decode_response(HeartbeatResponse, version, memoryview(bytes(kept)))


def test_text_that_is_not_utf_8_is_malformed() -> None:
    frame = heartbeat(0, "me")

    with pytest.raises(MalformedFrameError, match="a client id that is not UTF-8"):
        decode_request(memoryview(frame.replace(b"me", b"\xff\xff")))
    with pytest.raises(MalformedFrameError, match="HeartbeatRequest v0: text that is not UTF-8"):
        decode_request(memoryview(frame.replace(b"\x01g", b"\x01\xff")))


def test_null_where_a_value_must_be_is_malformed() -> None:
    frame = heartbeat(0, "me").replace(b"\x00\x01g", b"\xff\xff")

    with pytest.raises(MalformedFrameError, match="null where a value must be"):
        decode_request(memoryview(frame))


@given(st.sampled_from(ApiKey), st.integers(0, 17), st.binary(max_size=60))
def test_of_any_frame_only_protocol_errors_come(key: ApiKey, version: int, rest: bytes) -> None:
    frame = int(key).to_bytes(2) + version.to_bytes(2) + rest
    try:
        request = decode_request(memoryview(frame))
    except ProtocolError:
        return
    assert type(request.body) is request_schema(key).message


def test_received_records_are_views_into_the_frame_that_can_be_written_to() -> None:
    frame = frame_of(encode_request(ApiKey.PRODUCE, 9, 1, None, PRODUCE))
    request = decode_request(frame).body
    assert isinstance(request, ProduceRequest)
    records = request.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)

    records[0] = ord("B")

    assert b"Batch" in bytes(frame)


def test_sent_records_go_through_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"0123456789")
    with (tmp_path / "log").open("rb") as log:
        slice_of_file = FileSlice(log, 2, 7)
        view = memoryview(b"in memory")
        partitions = tuple(
            PartitionData(index, records=records)
            for index, records in enumerate([slice_of_file, view, None, b""])
        )
        response = FetchResponse(responses=(FetchableTopicResponse("t", bytes(16), partitions),))
        buffers = encode_response(ApiKey.FETCH, 12, 7, response)

        assert buffers[1] is slice_of_file
        assert buffers[3] is view
        assert len(buffers) == 5
        assert isinstance(buffers[0], bytes)
        assert int.from_bytes(buffers[0][:4]) == sum(len(part) for part in buffers) - 4
        log.seek(2)
        sent = [log.read(7) if isinstance(part, FileSlice) else bytes(part) for part in buffers]
        received = decode_response(FetchResponse, 12, frame_of(list(sent))).body
        got = [partition.records for partition in received.responses[0].partitions]
        assert got == [b"2345678", b"in memory", None, b""]


@pytest.mark.parametrize(
    "message",
    [
        MetadataResponse(topics=(MetadataResponseTopic(name=None),)),
        MetadataResponse(topics=(MetadataResponseTopic(name="x" * 32768),)),
        MetadataResponse(topics=(MetadataResponseTopic(name="\ud800"),)),
        MetadataResponse(controller_id=2**31),
        MetadataResponse(controller_id=None),  # type: ignore[arg-type]
        MetadataResponse(topics=None),  # type: ignore[arg-type]
        MetadataResponse(topics=(("a", "b"),)),  # type: ignore[arg-type]
    ],
)
def test_a_value_without_a_form_is_our_mistake_and_names_the_message(message: Any) -> None:
    with pytest.raises(UnencodableMessageError, match=r"MetadataResponse v1: .") as caught:
        encode_response(ApiKey.METADATA, 1, 7, message)

    assert (caught.value.message, caught.value.version) == ("MetadataResponse", 1)


@pytest.mark.parametrize("version", [0, 2])
def test_an_explanation_that_quotes_too_much_ends_where_it_has_to(version: int) -> None:
    """A client is told what was wrong, and not cut off by the length of its own words."""
    result = AlterConfigsResourceResponse(42, "é" * 20_000, 2, "x" * 32_767)
    sent = encode_response(ApiKey.ALTER_CONFIGS, version, 7, AlterConfigsResponse(0, (result,)))

    (got,) = decode_response(AlterConfigsResponse, version, frame_of(sent)).body.responses

    assert got == result._replace(error_message="é" * 16_383)


@pytest.mark.parametrize("client_id", ["x" * 32768, "\ud800"])
def test_a_client_id_without_a_form_is_our_mistake(client_id: str) -> None:
    with pytest.raises(UnencodableMessageError, match=r"MetadataRequest v1: .*client id"):
        encode_request(ApiKey.METADATA, 1, 7, client_id, MetadataRequest())


def test_lists_are_as_good_as_tuples_to_send() -> None:
    listed = MetadataRequest(topics=[])

    assert encode_request(ApiKey.METADATA, 9, 1, None, listed) == encode_request(
        ApiKey.METADATA, 9, 1, None, MetadataRequest()
    )


def test_a_text_of_many_bytes_has_a_length_of_several() -> None:
    message = ApiVersionsRequest("x" * 300, "y" * 20_000)

    frame = frame_of(encode_request(ApiKey.API_VERSIONS, 3, 1, None, message))

    assert decode_request(frame).body == message


@pytest.mark.parametrize("version", [0, 4])
def test_no_text_is_longer_than_kafka_reads_in_whatever_version(version: int) -> None:
    """What is taken in a flexible version may have to be said in one that is not."""
    longest, longer = (HeartbeatRequest("g", 1, "m" * size) for size in (32_767, 32_768))

    frame = frame_of(encode_request(ApiKey.HEARTBEAT, version, 1, None, longest))
    assert longest == decode_request(frame).body
    with pytest.raises(UnencodableMessageError):
        encode_request(ApiKey.HEARTBEAT, version, 1, None, longer)


def test_a_text_that_is_too_long_is_malformed_in_flexible_versions_too() -> None:
    frame = bytes(
        frame_of(encode_request(ApiKey.HEARTBEAT, 4, 1, None, HeartbeatRequest("g", 1, "m")))
    )
    assert frame.count(b"\x02g") == 1
    long = frame.replace(b"\x02g", encode(32_769) + b"g" * 32_768)

    with pytest.raises(MalformedFrameError, match="HeartbeatRequest v4: a text of too many bytes"):
        decode_request(memoryview(long))


def test_a_subscription_is_what_consumers_write() -> None:
    """The bytes are those that kafka-python's range assignor sends for two topics."""
    subscription = ConsumerProtocolSubscription(topics=("a", "bc"), user_data=b"")
    data = b"\0\0" + b"\0\0\0\x02" + b"\0\x01a" + b"\0\x02bc" + b"\0\0\0\0"

    assert encode_payload(0, subscription) == data
    assert decode_payload(ConsumerProtocolSubscription, data) == subscription


def test_an_assignment_is_read_in_every_version() -> None:
    assignment = ConsumerProtocolAssignment((TopicPartition("t", (0, 1)),), None)

    for version in range(4):
        data = encode_payload(version, assignment)
        assert decode_payload(ConsumerProtocolAssignment, data) == assignment


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff", b"\0\0", b"\0\x04" + bytes(8)])
def test_a_payload_that_is_none_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedFrameError):
        decode_payload(ConsumerProtocolAssignment, data)


def test_records_behind_very_many_elements_come_whole_and_in_order() -> None:
    """What is joined on the way stays before what comes behind it."""
    data = [PartitionProduceData(index, b"batch %d" % index) for index in range(3)]
    names = [PartitionProduceData(index, None) for index in range(3, 9_000)]
    topics = [TopicProduceData("one", names), TopicProduceData("two", data)]
    sent = PRODUCE._replace(topic_data=[*topics, TopicProduceData("three", names)])

    request = decode_request(frame_of(encode_request(ApiKey.PRODUCE, 9, 1, None, sent))).body

    assert isinstance(request, ProduceRequest)
    found = [
        (topic.name, [(part.partition_index, part.records) for part in topic.partition_data])
        for topic in request.topic_data
    ]
    assert found == [
        (topic.name, [(part.partition_index, part.records) for part in topic.partition_data])
        for topic in sent.topic_data
    ]
