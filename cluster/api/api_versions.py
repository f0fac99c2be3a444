"""ApiVersions: which APIs are served here, and in which versions?

The ranges are those of Kafka 3.9, as far as the APIs are served, with the lower ends of Kafka 4
where older versions would need records to be converted.
"""

import re
from collections.abc import Mapping
from typing import Final, cast

from cluster.broker.context import Context
from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, encode_response
from cluster.wire.encoders import Buffers
from cluster.wire.errors import UnsupportedVersionError
from cluster.wire.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.versions import Versions

SERVED: Final[Mapping[ApiKey, Versions]] = {
    # Clients look for versions 0 to 2 when they find out what a broker can do; the message formats
    # that belong to these are refused, batch by batch.
    ApiKey.PRODUCE: Versions(0, 11),
    ApiKey.FETCH: Versions(4, 17),
    ApiKey.LIST_OFFSETS: Versions(1, 9),
    ApiKey.METADATA: Versions(0, 12),
    ApiKey.LEADER_AND_ISR: Versions(0, 7),
    ApiKey.STOP_REPLICA: Versions(0, 4),
    ApiKey.UPDATE_METADATA: Versions(0, 8),
    ApiKey.CONTROLLED_SHUTDOWN: Versions(0, 3),
    ApiKey.API_VERSIONS: Versions(0, 4),
    ApiKey.CREATE_TOPICS: Versions(0, 7),
    ApiKey.DELETE_TOPICS: Versions(0, 6),
    ApiKey.DELETE_RECORDS: Versions(0, 2),
    ApiKey.INIT_PRODUCER_ID: Versions(0, 5),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Versions(0, 4),
    ApiKey.DESCRIBE_CONFIGS: Versions(0, 4),
    ApiKey.ALTER_CONFIGS: Versions(0, 2),
    ApiKey.DESCRIBE_LOG_DIRS: Versions(0, 4),
    ApiKey.CREATE_PARTITIONS: Versions(0, 3),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Versions(0, 1),
    ApiKey.DESCRIBE_CLUSTER: Versions(0, 1),
    ApiKey.ALLOCATE_PRODUCER_IDS: Versions(0, 0),
}

CLIENT_SOFTWARE: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
NAMED_SOFTWARE_VERSION: Final = 3
ALL: Final = tuple(ApiVersion(key, of.lowest, of.highest) for key, of in SERVED.items())


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(ApiVersionsRequest, request.body)
    if request.api_version >= NAMED_SOFTWARE_VERSION and not (
        CLIENT_SOFTWARE.fullmatch(body.client_software_name)
        and CLIENT_SOFTWARE.fullmatch(body.client_software_version)
    ):
        reply(ApiVersionsResponse(ErrorCode.INVALID_REQUEST))
        return
    reply(ApiVersionsResponse(api_keys=ALL))


def answer_unsupported(error: UnsupportedVersionError) -> Buffers | None:
    """The frame that tells a client of a newer kind which versions of ApiVersions are served.

    None for other APIs: their connection is to be closed.
    """
    if error.api_key != ApiKey.API_VERSIONS:
        return None
    served = tuple(one for one in ALL if one.api_key == ApiKey.API_VERSIONS)
    body = ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, served)
    return encode_response(ApiKey.API_VERSIONS, 0, error.correlation_id, body)
