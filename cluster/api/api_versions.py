"""ApiVersions: returns the served APIs and their versions."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, encode_response
from cluster.wire.encoders import Buffers
from cluster.wire.errors import UnsupportedVersionError
from cluster.wire.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.versions import Versions

CLIENT_SOFTWARE: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
NAMED_SOFTWARE_VERSION: Final = 3


def handle(versions: Sequence[ApiVersion], request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """Answer with *versions*, which is `advertised` of the served APIs."""
    body = cast(ApiVersionsRequest, request.body)
    if request.api_version >= NAMED_SOFTWARE_VERSION and not (
        CLIENT_SOFTWARE.fullmatch(body.client_software_name)
        and CLIENT_SOFTWARE.fullmatch(body.client_software_version)
    ):
        reply(ApiVersionsResponse(ErrorCode.INVALID_REQUEST))
        return
    reply(ApiVersionsResponse(api_keys=versions))


def advertised(served: Mapping[ApiKey, Versions]) -> tuple[ApiVersion, ...]:
    """Return the served APIs in the form of the response."""
    return tuple(ApiVersion(key, of.lowest, of.highest) for key, of in served.items())


def answer_unsupported(
    served: Mapping[ApiKey, Versions], error: UnsupportedVersionError
) -> Buffers | None:
    """Return the frame that returns the served versions of ApiVersions to a client with a newer
    one.

    None for other APIs: their connection is to be closed.
    """
    if error.api_key != ApiKey.API_VERSIONS:
        return None
    versions = advertised({ApiKey.API_VERSIONS: served[ApiKey.API_VERSIONS]})
    body = ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, versions)
    return encode_response(ApiKey.API_VERSIONS, 0, error.correlation_id, body)
