"""The records of group and transaction coordinators in their internal topics.

Those of `__consumer_offsets` and `__transaction_state`.  The version of a key also determines the
kind of record.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.fields import INT32, array, data, int8, int16, int32, int64, string
from cluster.wire.schema import payload, struct


@payload("0-1")
class OffsetCommitKey(NamedTuple):
    group: str = string()
    topic: str = string()
    partition: int = int32()


@payload("0-4", "4+")
class OffsetCommitValue(NamedTuple):
    offset: int = int64()
    leader_epoch: int = int32("3+", default=-1)
    metadata: str = string()
    commit_timestamp: int = int64()
    expire_timestamp: int = int64("1", default=-1)


@payload("2")
class GroupMetadataKey(NamedTuple):
    group: str = string("2")


@struct
class MemberMetadata(NamedTuple):
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="3+", default=None)
    client_id: str = string()
    client_host: str = string()
    rebalance_timeout: int = int32("1+", default=-1)
    session_timeout: int = int32()
    subscription: bytes = data()
    assignment: bytes = data()


@payload("0-4", "4+")
class GroupMetadataValue(NamedTuple):
    protocol_type: str = string()
    generation: int = int32()
    protocol: str | None = string(null="0+")
    leader: str | None = string(null="0+")
    current_state_timestamp: int = int64("2+", default=-1)
    members: Sequence[MemberMetadata] = array(MemberMetadata)


@payload("0")
class TransactionLogKey(NamedTuple):
    transactional_id: str = string()


@struct
class TransactionPartitions(NamedTuple):
    topic: str = string()
    partition_ids: Sequence[int] = array(INT32)


@payload("0-1", "1+")
class TransactionLogValue(NamedTuple):
    producer_id: int = int64()
    producer_epoch: int = int16()
    transaction_timeout_ms: int = int32()
    transaction_status: int = int8()
    transaction_partitions: Sequence[TransactionPartitions] | None = array(
        TransactionPartitions, null="0+"
    )
    transaction_last_update_timestamp_ms: int = int64()
    transaction_start_timestamp_ms: int = int64()
