"""Codec of requests and responses: from a frame to a message, and back.

A frame is what follows its four bytes of size when it is decoded, and includes them when it is
encoded.  Knows the headers of all versions; knows no connection.
"""

import struct
from collections.abc import Generator, Mapping
from struct import Struct
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from cluster.wire.api_keys import ApiKey
from cluster.wire.decoders import Decoder, decode, decoder_of, skip_tags, stepping_decoder_of
from cluster.wire.encoders import (
    Buffers,
    Encoder,
    encode_message,
    encoder_of,
    stepping_encoder_of,
)
from cluster.wire.errors import (
    MalformedFrameError,
    PeerError,
    UnencodableMessageError,
    UnsupportedVersionError,
)
from cluster.wire.schema import Schema, request_schema, response_schema, schema_of
from cluster.wire.versions import NEVER, Versions

M = TypeVar("M", bound=tuple[Any, ...])

ELEMENTS_MAX: Final = 300_000
"""How many elements the arrays of one request may have, all together.

In memory an element takes up to a KiB, with its answer.  The largest useful number is that of a
controller's order for the 200,000 partitions that a cluster with ZooKeeper may have.
"""

_REQUEST_HEAD: Final = Struct(">hhi")
_REQUEST_HEAD_AND_LENGTH: Final = Struct(">hhih")
"""With the length of the client id, which follows in all requests but one."""
_RESPONSE_HEAD: Final = Struct(">ii")
_RESPONSE_HEAD_AND_TAGS: Final = Struct(">iix")
"""Size, correlation id and, in flexible versions, a zero: no tags."""
_LENGTH: Final = Struct(">h")
_CORRELATION_ID: Final = Struct(">i")
_SIZE: Final = Struct(">i")
_NO_TAGS: Final = b"\0"
_API_KEYS: Final = {int(key): key for key in ApiKey}

_new: Final = tuple.__new__
"""Makes a NamedTuple of all its fields in half the time."""


class _RequestForm(NamedTuple):
    """How requests of one API and version are decoded."""

    api_key: ApiKey
    has_client_id: bool
    is_flexible: bool
    decoder: Decoder


_request_forms: dict[tuple[int, int], _RequestForm] = {}
_response_forms: dict[tuple[int, int], tuple[Struct, Encoder]] = {}


class RequestFrame(NamedTuple):
    """A decoded request; *body* is an instance of the request class of its API."""

    api_key: ApiKey
    api_version: int
    correlation_id: int
    client_id: str | None
    body: tuple[Any, ...]
    size: int
    """The size of the frame, in bytes."""


class ResponseFrame(NamedTuple, Generic[M]):
    correlation_id: int
    body: M


def decode_request(
    frame: memoryview,
    served: Mapping[ApiKey, Versions] | None = None,
    elements_max: Mapping[ApiKey, int] | None = None,
) -> RequestFrame:
    """Decode a request; records in its body are views into *frame*.

    An API or version that is not *served* (by default: that is unknown) is an
    UnsupportedVersionError, any other error in the bytes a MalformedFrameError.

    With *elements_max* only the header is decoded: the body is a generator that makes a step for
    each element and returns the body.  *elements_max* has the highest number of elements of a
    request, where that is not ELEMENTS_MAX; one with more is malformed, which is detected before
    they are decoded.
    """
    try:
        key, version, correlation_id, length = _REQUEST_HEAD_AND_LENGTH.unpack_from(frame)
    except struct.error:
        raise _too_short(frame) from None
    form = _request_forms.get((key, version)) or _request_form(key, version, correlation_id)
    if served is not None:
        versions = served.get(form.api_key, NEVER)
        if not versions.lowest <= version <= versions.highest:
            raise UnsupportedVersionError(key, version, correlation_id)
    client_id = None
    position = _REQUEST_HEAD.size
    if form.has_client_id:
        position = _REQUEST_HEAD_AND_LENGTH.size
        if length >= 0:
            end = position + length
            client_id = _read_text(frame[position:end])
            position = end
    if form.is_flexible:
        position = _skip_header_tags(frame, position)
    body: Any
    if elements_max is None:
        body = form.decoder(frame, position)
    else:
        decoder = stepping_decoder_of(request_schema(form.api_key), version)
        body = decoder(frame, position, elements_max.get(form.api_key, ELEMENTS_MAX))
    return _new(RequestFrame, (form.api_key, version, correlation_id, client_id, body, len(frame)))


def _too_short(frame: memoryview) -> PeerError:
    """The error for a frame that ends before the length of its client id."""
    if len(frame) < _REQUEST_HEAD.size:
        return MalformedFrameError("a request without a header")
    try:
        _request_form(*_REQUEST_HEAD.unpack_from(frame))
    except UnsupportedVersionError as error:
        return error
    return MalformedFrameError("a request without a client id")


def _request_form(key: int, version: int, correlation_id: int) -> _RequestForm:
    api_key = _API_KEYS.get(key)
    schema = None if api_key is None else request_schema(api_key)
    if api_key is None or schema is None or version not in schema.versions:
        raise UnsupportedVersionError(key, version, correlation_id)
    form = _request_forms[key, version] = _RequestForm(
        api_key,
        _has_client_id(schema, version),
        version in schema.flexible,
        decoder_of(schema, version),
    )
    return form


def encode_request(
    api_key: ApiKey,
    version: int,
    correlation_id: int,
    client_id: str | None,
    body: tuple[Any, ...],
) -> Buffers:
    """Encode a request: the buffers of a frame, the first of which begins with its size."""
    schema = request_schema(api_key)
    head = _REQUEST_HEAD.pack(api_key, version, correlation_id)
    if _has_client_id(schema, version):
        head += _client_id_bytes(client_id, schema, version)
    if version in schema.flexible:
        head += _NO_TAGS
    buffers = encode_message(schema, version, body)
    first = buffers[0]
    assert isinstance(first, bytes)
    size = len(head) + sum(map(len, buffers))
    buffers[0] = b"".join((_SIZE.pack(size), head, first))
    return buffers


def decode_response(response: type[M], version: int, frame: memoryview) -> ResponseFrame[M]:
    """Decode a response of the class and version that belong to the request.

    `correlation_id_of` identifies the request first.
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
    """Encode a response: the buffers of a frame, the first of which begins with its size."""
    form = _response_forms.get((api_key, version)) or _response_form(api_key, version)
    head, encoder = form
    buffers = encoder(body)
    first = buffers[0]
    assert isinstance(first, bytes)
    size = len(first) if len(buffers) == 1 else sum(map(len, buffers))
    buffers[0] = head.pack(size + head.size - _SIZE.size, correlation_id) + first
    return buffers


def encode_in_steps(
    api_key: ApiKey, version: int, correlation_id: int, body: tuple[Any, ...]
) -> Generator[None, None, Buffers]:
    """Encode as `encode_response` does, in steps of one element."""
    schema = response_schema(api_key)
    head, _ = _response_form(api_key, version)
    buffers = yield from stepping_encoder_of(schema, version)(body)
    first = buffers[0]
    assert isinstance(first, bytes)
    size = sum(map(len, buffers))
    buffers[0] = head.pack(size + head.size - _SIZE.size, correlation_id) + first
    return buffers


def _response_form(api_key: ApiKey, version: int) -> tuple[Struct, Encoder]:
    schema = response_schema(api_key)
    head = _RESPONSE_HEAD_AND_TAGS if _has_response_tags(schema, version) else _RESPONSE_HEAD
    form = _response_forms[api_key, version] = head, encoder_of(schema, version)
    return form


def correlation_id_of(frame: memoryview) -> int:
    """The correlation id of the request that this response answers."""
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(frame)
    except struct.error:
        raise MalformedFrameError("a response without a header") from None
    return cast(int, correlation_id)


def decode_payload(payload: type[M], data: bytes | memoryview) -> M:
    """Decode a payload that members of a group exchange, or that a coordinator's record has.

    It has two bytes of version, then its fields.
    """
    schema = schema_of(payload)
    version = payload_version(data)
    if version not in schema.versions:
        raise MalformedFrameError(f"{schema.name}: unknown version {version}")
    return cast(M, decode(schema, version, memoryview(data), _LENGTH.size))


def payload_version(data: bytes | memoryview) -> int:
    """The version with which a payload begins."""
    try:
        (version,) = _LENGTH.unpack_from(data)
    except struct.error:
        raise MalformedFrameError("no version") from None
    return cast(int, version)


def encode_payload(version: int, payload: tuple[Any, ...]) -> bytes:
    (fields,) = encode_message(schema_of(type(payload)), version, payload)
    assert isinstance(fields, bytes)
    return _LENGTH.pack(version) + fields


def _client_id_bytes(client_id: str | None, schema: Schema, version: int) -> bytes:
    if client_id is None:
        return _LENGTH.pack(-1)
    try:
        text = client_id.encode()
        return _LENGTH.pack(len(text)) + text
    except (UnicodeEncodeError, struct.error) as error:
        reason = f"the client id: {error}"
        raise UnencodableMessageError(schema.name, version, reason) from error


def _read_text(data: memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise MalformedFrameError("a client id that is not UTF-8") from None


def _skip_header_tags(frame: memoryview, position: int) -> int:
    try:
        count = frame[position]
        # No client or broker sends any so far.
        return position + 1 if count == 0 else skip_tags(frame, position + 1, count)
    except IndexError:
        raise MalformedFrameError("a header that ends too early") from None


def _has_client_id(schema: Schema, version: int) -> bool:
    """Every request has one except ControlledShutdown in version 0."""
    return not (schema.api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0)


def _has_response_tags(schema: Schema, version: int) -> bool:
    """The answer to ApiVersions has none, since the client may not know flexible headers."""
    return version in schema.flexible and schema.api_key != ApiKey.API_VERSIONS
