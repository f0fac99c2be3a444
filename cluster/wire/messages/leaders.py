"""The current leader in answers to clients that sent a request to another broker."""

from typing import NamedTuple

from cluster.wire.fields import int32, string
from cluster.wire.schema import struct


@struct
class LeaderIdAndEpoch(NamedTuple):
    leader_id: int = int32(default=-1)
    leader_epoch: int = int32(default=-1)


@struct
class NodeEndpoint(NamedTuple):
    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)
