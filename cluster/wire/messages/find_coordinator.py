"""FindCoordinator: the coordinator of a group."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import STRING, array, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.FIND_COORDINATOR, "0-6", "3+")
class FindCoordinatorRequest(NamedTuple):
    key: str = string("0-3")
    key_type: int = int8("1+")
    coordinator_keys: Sequence[str] = array(STRING, "4+")


@struct
class Coordinator(NamedTuple):
    key: str = string()
    node_id: int = int32()
    host: str = string()
    port: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()


@response(ApiKey.FIND_COORDINATOR, "0-6", "3+")
class FindCoordinatorResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16("0-3")
    error_message: str | None = explanation("1-3")
    node_id: int = int32("0-3")
    host: str = string("0-3")
    port: int = int32("0-3")
    coordinators: Sequence[Coordinator] = array(Coordinator, "4+")
