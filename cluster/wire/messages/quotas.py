"""DescribeClientQuotas and AlterClientQuotas: quotas of clients."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, boolean, explanation, float64, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class ComponentData(NamedTuple):
    entity_type: str = string()
    match_type: int = int8()
    match: str | None = string(null="0+", default=None)


@request(ApiKey.DESCRIBE_CLIENT_QUOTAS, "0-1", "1+")
class DescribeClientQuotasRequest(NamedTuple):
    components: Sequence[ComponentData] = array(ComponentData)
    strict: bool = boolean()


@struct
class EntityData(NamedTuple):
    entity_type: str = string()
    entity_name: str | None = string(null="0+", default=None)


@struct
class ValueData(NamedTuple):
    key: str = string()
    value: float = float64()


@struct
class EntryData(NamedTuple):
    entity: Sequence[EntityData] = array(EntityData)
    values: Sequence[ValueData] = array(ValueData)


@response(ApiKey.DESCRIBE_CLIENT_QUOTAS, "0-1", "1+")
class DescribeClientQuotasResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    entries: Sequence[EntryData] | None = array(EntryData, null="0+")


@struct
class OpData(NamedTuple):
    key: str = string()
    value: float = float64()
    remove: bool = boolean()


@struct
class RequestEntryData(NamedTuple):
    entity: Sequence[EntityData] = array(EntityData)
    ops: Sequence[OpData] = array(OpData)


@request(ApiKey.ALTER_CLIENT_QUOTAS, "0-1", "1+")
class AlterClientQuotasRequest(NamedTuple):
    entries: Sequence[RequestEntryData] = array(RequestEntryData)
    validate_only: bool = boolean()


@struct
class ResponseEntryData(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    entity: Sequence[EntityData] = array(EntityData)


@response(ApiKey.ALTER_CLIENT_QUOTAS, "0-1", "1+")
class AlterClientQuotasResponse(NamedTuple):
    throttle_time_ms: int = int32()
    entries: Sequence[ResponseEntryData] = array(ResponseEntryData)
