"""UpdateFeatures: changes of the cluster's finalized features."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, boolean, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class FeatureUpdateKey(NamedTuple):
    feature: str = string()
    max_version_level: int = int16()
    allow_downgrade: bool = boolean("0")
    upgrade_type: int = int8("1+", default=1)


@request(ApiKey.UPDATE_FEATURES, "0-1", "0+")
class UpdateFeaturesRequest(NamedTuple):
    timeout_ms: int = int32(default=60000)
    feature_updates: Sequence[FeatureUpdateKey] = array(FeatureUpdateKey)
    validate_only: bool = boolean("1+")


@struct
class UpdatableFeatureResult(NamedTuple):
    feature: str = string()
    error_code: int = int16()
    error_message: str | None = explanation()


@response(ApiKey.UPDATE_FEATURES, "0-1", "0+")
class UpdateFeaturesResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    results: Sequence[UpdatableFeatureResult] = array(UpdatableFeatureResult)
