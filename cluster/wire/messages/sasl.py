"""SaslHandshake and SaslAuthenticate: authentication of a client."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import STRING, array, data, explanation, int16, int64, string
from cluster.wire.schema import request, response


@request(ApiKey.SASL_HANDSHAKE, "0-1")
class SaslHandshakeRequest(NamedTuple):
    mechanism: str = string()


@response(ApiKey.SASL_HANDSHAKE, "0-1")
class SaslHandshakeResponse(NamedTuple):
    error_code: int = int16()
    mechanisms: Sequence[str] = array(STRING)


@request(ApiKey.SASL_AUTHENTICATE, "0-2", "2+")
class SaslAuthenticateRequest(NamedTuple):
    auth_bytes: bytes = data()


@response(ApiKey.SASL_AUTHENTICATE, "0-2", "2+")
class SaslAuthenticateResponse(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    auth_bytes: bytes = data()
    session_lifetime_ms: int = int64("1+")
