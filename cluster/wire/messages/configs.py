"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs: configs of topics and brokers."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import STRING, array, boolean, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class DescribeConfigsResource(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    configuration_keys: Sequence[str] | None = array(STRING, null="0+")


@request(ApiKey.DESCRIBE_CONFIGS, "0-4", "4+")
class DescribeConfigsRequest(NamedTuple):
    resources: Sequence[DescribeConfigsResource] = array(DescribeConfigsResource)
    include_synonyms: bool = boolean("1+")
    include_documentation: bool = boolean("3+")


@struct
class DescribeConfigsSynonym(NamedTuple):
    name: str = string()
    value: str | None = string(null="0+", default=None)
    source: int = int8()


@struct
class DescribeConfigsResourceResult(NamedTuple):
    name: str = string()
    value: str | None = string(null="0+", default=None)
    read_only: bool = boolean()
    is_default: bool = boolean("0")
    config_source: int = int8("1+", default=-1)
    is_sensitive: bool = boolean()
    synonyms: Sequence[DescribeConfigsSynonym] = array(DescribeConfigsSynonym, "1+")
    config_type: int = int8("3+")
    documentation: str | None = string("3+", null="3+", default=None)


@struct
class DescribeConfigsResult(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    resource_type: int = int8()
    resource_name: str = string()
    configs: Sequence[DescribeConfigsResourceResult] = array(DescribeConfigsResourceResult)


@response(ApiKey.DESCRIBE_CONFIGS, "0-4", "4+")
class DescribeConfigsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[DescribeConfigsResult] = array(DescribeConfigsResult)


@struct
class AlterableConfig(NamedTuple):
    name: str = string()
    value: str | None = string(null="0+", default=None)


@struct
class AlterConfigsResource(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    configs: Sequence[AlterableConfig] = array(AlterableConfig)


@request(ApiKey.ALTER_CONFIGS, "0-2", "2+")
class AlterConfigsRequest(NamedTuple):
    resources: Sequence[AlterConfigsResource] = array(AlterConfigsResource)
    validate_only: bool = boolean()


@struct
class AlterConfigsResourceResponse(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    resource_type: int = int8()
    resource_name: str = string()


@response(ApiKey.ALTER_CONFIGS, "0-2", "2+")
class AlterConfigsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    responses: Sequence[AlterConfigsResourceResponse] = array(AlterConfigsResourceResponse)


@struct
class IncrementalAlterableConfig(NamedTuple):
    name: str = string()
    config_operation: int = int8()
    value: str | None = string(null="0+", default=None)


@struct
class IncrementalAlterConfigsResource(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    configs: Sequence[IncrementalAlterableConfig] = array(IncrementalAlterableConfig)


@request(ApiKey.INCREMENTAL_ALTER_CONFIGS, "0-1", "1+")
class IncrementalAlterConfigsRequest(NamedTuple):
    resources: Sequence[IncrementalAlterConfigsResource] = array(IncrementalAlterConfigsResource)
    validate_only: bool = boolean()


@response(ApiKey.INCREMENTAL_ALTER_CONFIGS, "0-1", "1+")
class IncrementalAlterConfigsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    responses: Sequence[AlterConfigsResourceResponse] = array(AlterConfigsResourceResponse)
