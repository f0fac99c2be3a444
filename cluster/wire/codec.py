"""How does a frame become a request or a response, and the other way round?

A frame is what stands behind its four bytes of size when it is read, and all of it when it is
written.  Knows the headers of all versions; knows no connection.
"""

import struct
from collections.abc import Mapping
from struct import Struct
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from cluster.wire.api_keys import ApiKey
from cluster.wire.decoders import decode, skip_tags
from cluster.wire.encoders import Buffers, encode_message
from cluster.wire.errors import (
    MalformedFrameError,
    UnencodableMessageError,
    UnsupportedVersionError,
)
from cluster.wire.schema import Schema, request_schema, response_schema, schema_of
from cluster.wire.versions import Versions

M = TypeVar("M", bound=tuple[Any, ...])

_REQUEST_HEAD: Final = Struct(">hhi")
_LENGTH: Final = Struct(">h")
_CORRELATION_ID: Final = Struct(">i")
_SIZE: Final = Struct(">i")
_NO_TAGS: Final = b"\0"
_API_KEYS: Final = {int(key): key for key in ApiKey}


class RequestFrame(NamedTuple):
    """A request as it came; *body* is an instance of the request class of its API."""

    api_key: ApiKey
    api_version: int
    correlation_id: int
    client_id: str | None
    body: tuple[Any, ...]


class ResponseFrame(NamedTuple, Generic[M]):
    correlation_id: int
    body: M


def decode_request(
    frame: memoryview, served: Mapping[ApiKey, Versions] | None = None
) -> RequestFrame:
    """Read a request; records in its body are views into *frame*.

    An API or version that is not *served* (by default: that is not known) is an
    UnsupportedVersionError, anything else that is wrong with the bytes a MalformedFrameError.
    """
    try:
        key, version, correlation_id = _REQUEST_HEAD.unpack_from(frame)
    except struct.error:
        raise MalformedFrameError("a request without a header") from None
    try:
        api_key = _API_KEYS[key]
        schema = request_schema(api_key)
        versions = schema.versions if served is None else served[api_key]
    except KeyError:
        raise UnsupportedVersionError(key, version, correlation_id) from None
    if version not in versions:
        raise UnsupportedVersionError(key, version, correlation_id)
    client_id, position = _read_client_id(frame, schema, version)
    body = decode(schema, version, frame, position)
    return RequestFrame(api_key, version, correlation_id, client_id, body)


def encode_request(
    api_key: ApiKey,
    version: int,
    correlation_id: int,
    client_id: str | None,
    body: tuple[Any, ...],
) -> Buffers:
    """Write a request: the buffers of a frame, the first of which begins with its size."""
    schema = request_schema(api_key)
    head = _REQUEST_HEAD.pack(api_key, version, correlation_id)
    if _has_client_id(schema, version):
        head += _client_id_bytes(client_id, schema, version)
    if version in schema.flexible:
        head += _NO_TAGS
    return _framed(head, encode_message(schema, version, body))


def decode_response(response: type[M], version: int, frame: memoryview) -> ResponseFrame[M]:
    """Read a response of the class and version that belong to what was asked.

    `correlation_id_of` says beforehand what the response is about.
    """
    schema = schema_of(response)
    correlation_id = correlation_id_of(frame)
    position = _CORRELATION_ID.size
    if _has_response_tags(schema, version):
        position = _skip_header_tags(frame, position)
    return ResponseFrame(correlation_id, cast(M, decode(schema, version, frame, position)))


def encode_response(
    api_key: ApiKey, version: int, correlation_id: int, body: tuple[Any, ...]
) -> Buffers:
    """Write a response: the buffers of a frame, the first of which begins with its size."""
    schema = response_schema(api_key)
    head = _CORRELATION_ID.pack(correlation_id)
    if _has_response_tags(schema, version):
        head += _NO_TAGS
    return _framed(head, encode_message(schema, version, body))


def correlation_id_of(frame: memoryview) -> int:
    """Which request this response answers."""
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(frame)
    except struct.error:
        raise MalformedFrameError("a response without a header") from None
    return cast(int, correlation_id)


def decode_payload(payload: type[M], data: bytes | memoryview) -> M:
    """Read what members of a group send through others: two bytes of version, then its fields."""
    schema = schema_of(payload)
    try:
        (version,) = _LENGTH.unpack_from(data)
    except struct.error:
        raise MalformedFrameError(f"{schema.name}: no version") from None
    if version not in schema.versions:
        raise MalformedFrameError(f"{schema.name}: unknown version {version}")
    return cast(M, decode(schema, version, memoryview(data), _LENGTH.size))


def encode_payload(version: int, payload: tuple[Any, ...]) -> bytes:
    (fields,) = encode_message(schema_of(type(payload)), version, payload)
    assert isinstance(fields, bytes)
    return _LENGTH.pack(version) + fields


def _framed(head: bytes, buffers: Buffers) -> Buffers:
    first = buffers[0]
    assert isinstance(first, bytes)
    size = len(head) + sum(len(buffer) for buffer in buffers)
    buffers[0] = b"".join((_SIZE.pack(size), head, first))
    return buffers


def _client_id_bytes(client_id: str | None, schema: Schema, version: int) -> bytes:
    if client_id is None:
        return _LENGTH.pack(-1)
    try:
        text = client_id.encode()
        return _LENGTH.pack(len(text)) + text
    except (UnicodeEncodeError, struct.error) as error:
        reason = f"the client id: {error}"
        raise UnencodableMessageError(schema.name, version, reason) from error


def _read_client_id(frame: memoryview, schema: Schema, version: int) -> tuple[str | None, int]:
    """The client's name, which has no compact form in any version, and where the body begins."""
    position = _REQUEST_HEAD.size
    client_id = None
    if _has_client_id(schema, version):
        try:
            (length,) = _LENGTH.unpack_from(frame, position)
        except struct.error:
            raise MalformedFrameError("a request without a client id") from None
        position += _LENGTH.size
        if length >= 0:
            client_id = _read_text(frame[position : position + length])
            position += length
    if version in schema.flexible:
        position = _skip_header_tags(frame, position)
    return client_id, position


def _read_text(data: memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise MalformedFrameError("a client id that is not UTF-8") from None


def _skip_header_tags(frame: memoryview, position: int) -> int:
    try:
        count = frame[position]
        # Nobody sends any so far.
        return position + 1 if count == 0 else skip_tags(frame, position + 1, count)
    except IndexError:
        raise MalformedFrameError("a header that ends too early") from None


def _has_client_id(schema: Schema, version: int) -> bool:
    """Only the first request of all that brokers sent one another came without."""
    return not (schema.api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0)


def _has_response_tags(schema: Schema, version: int) -> bool:
    """ApiVersions is answered before the client knows whether it can read flexible headers."""
    return version in schema.flexible and schema.api_key != ApiKey.API_VERSIONS
