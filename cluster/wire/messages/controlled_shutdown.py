"""ControlledShutdown: a broker's request to the controller before it stops."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.CONTROLLED_SHUTDOWN, "0-3", "3+")
class ControlledShutdownRequest(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64("2+", default=-1)


@struct
class RemainingPartition(NamedTuple):
    topic_name: str = string()
    partition_index: int = int32()


@response(ApiKey.CONTROLLED_SHUTDOWN, "0-3", "3+")
class ControlledShutdownResponse(NamedTuple):
    error_code: int = int16()
    remaining_partitions: Sequence[RemainingPartition] = array(RemainingPartition)
