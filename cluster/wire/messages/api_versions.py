"""ApiVersions: the versions and features that a broker supports."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, boolean, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.API_VERSIONS, "0-4", "3+")
class ApiVersionsRequest(NamedTuple):
    client_software_name: str = string("3+")
    client_software_version: str = string("3+")


@struct
class ApiVersion(NamedTuple):
    api_key: int = int16()
    min_version: int = int16()
    max_version: int = int16()


@struct
class SupportedFeatureKey(NamedTuple):
    name: str = string()
    min_version: int = int16()
    max_version: int = int16()


@struct
class FinalizedFeatureKey(NamedTuple):
    name: str = string()
    max_version_level: int = int16()
    min_version_level: int = int16()


@response(ApiKey.API_VERSIONS, "0-4", "3+")
class ApiVersionsResponse(NamedTuple):
    error_code: int = int16()
    api_keys: Sequence[ApiVersion] = array(ApiVersion)
    throttle_time_ms: int = int32("1+")
    supported_features: Sequence[SupportedFeatureKey] = array(SupportedFeatureKey, "3+", tag=0)
    finalized_features_epoch: int = int64("3+", default=-1, tag=1)
    finalized_features: Sequence[FinalizedFeatureKey] = array(FinalizedFeatureKey, "3+", tag=2)
    zk_migration_ready: bool = boolean("3+", tag=3)
