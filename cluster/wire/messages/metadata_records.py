"""The records of the metadata log of KRaft, `__cluster_metadata`.

Those of Kafka 3.9 and 4: topics, brokers, configs and rights of a cluster, in the order in which
they changed.

Source: the schemas in kafka-metadata 3.9.1, 4.1.0, 4.2.0 and 4.3.0.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.fields import (
    INT32,
    STRING,
    UUID,
    array,
    boolean,
    data,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint16,
    uuid,
)
from cluster.wire.schema import payload, struct


@struct
class Endpoint(NamedTuple):
    name: str = string()
    host: str = string()
    port: int = uint16()
    security_protocol: int = int16()


@struct
class SupportedFeature(NamedTuple):
    name: str = string()
    min_supported_version: int = int16()
    max_supported_version: int = int16()


@payload("0-4", "0+")
class RegisterBrokerRecord(NamedTuple):
    broker_id: int = int32()
    is_migrating_zk_broker: bool = boolean("2+")
    incarnation_id: bytes = uuid()
    broker_epoch: int = int64()
    end_points: Sequence[Endpoint] = array(Endpoint)
    features: Sequence[SupportedFeature] = array(SupportedFeature)
    rack: str | None = string(null="0+")
    fenced: bool = boolean(default=True)
    in_controlled_shutdown: bool = boolean("1+")
    log_dirs: Sequence[bytes] = array(UUID, "3+", tag=0)
    cordoned_log_dirs: Sequence[bytes] | None = array(UUID, "4+", null="4+", default=None, tag=1)


@payload("0", "0+")
class UnregisterBrokerRecord(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64()


@payload("0", "0+")
class TopicRecord(NamedTuple):
    name: str = string()
    topic_id: bytes = uuid()


@payload("0-2", "0+")
class PartitionRecord(NamedTuple):
    partition_id: int = int32(default=-1)
    topic_id: bytes = uuid()
    replicas: Sequence[int] = array(INT32)
    isr: Sequence[int] = array(INT32)
    removing_replicas: Sequence[int] = array(INT32)
    adding_replicas: Sequence[int] = array(INT32)
    leader: int = int32(default=-1)
    leader_recovery_state: int = int8(tag=0)
    leader_epoch: int = int32(default=-1)
    partition_epoch: int = int32(default=-1)
    directories: Sequence[bytes] = array(UUID, "1+")
    eligible_leader_replicas: Sequence[int] | None = array(
        INT32, "2+", null="2+", default=None, tag=1
    )
    last_known_elr: Sequence[int] | None = array(INT32, "2+", null="2+", default=None, tag=2)


@payload("0", "0+")
class ConfigRecord(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    name: str = string()
    value: str | None = string(null="0+")


@payload("0-2", "0+")
class PartitionChangeRecord(NamedTuple):
    partition_id: int = int32(default=-1)
    topic_id: bytes = uuid()
    isr: Sequence[int] | None = array(INT32, null="0+", default=None, tag=0)
    leader: int = int32(default=-2, tag=1)
    replicas: Sequence[int] | None = array(INT32, null="0+", default=None, tag=2)
    removing_replicas: Sequence[int] | None = array(INT32, null="0+", default=None, tag=3)
    adding_replicas: Sequence[int] | None = array(INT32, null="0+", default=None, tag=4)
    leader_recovery_state: int = int8(default=-1, tag=5)
    directories: Sequence[bytes] | None = array(UUID, "1+", null="1+", default=None, tag=8)
    eligible_leader_replicas: Sequence[int] | None = array(
        INT32, "2+", null="2+", default=None, tag=6
    )
    last_known_elr: Sequence[int] | None = array(INT32, "2+", null="2+", default=None, tag=7)


@payload("0", "0+")
class FenceBrokerRecord(NamedTuple):
    id: int = int32()
    epoch: int = int64()


@payload("0", "0+")
class UnfenceBrokerRecord(NamedTuple):
    id: int = int32()
    epoch: int = int64()


@payload("0", "0+")
class RemoveTopicRecord(NamedTuple):
    topic_id: bytes = uuid()


@payload("0", "0+")
class DelegationTokenRecord(NamedTuple):
    owner: str = string()
    requester: str = string()
    renewers: Sequence[str] = array(STRING)
    issue_timestamp: int = int64()
    max_timestamp: int = int64()
    expiration_timestamp: int = int64()
    token_id: str = string()


@payload("0", "0+")
class UserScramCredentialRecord(NamedTuple):
    name: str = string()
    mechanism: int = int8()
    salt: bytes = data()
    stored_key: bytes = data()
    server_key: bytes = data()
    iterations: int = int32()


@payload("0", "0+")
class FeatureLevelRecord(NamedTuple):
    name: str = string()
    feature_level: int = int16()


@struct
class EntityData(NamedTuple):
    entity_type: str = string()
    entity_name: str | None = string(null="0+")


@payload("0", "0+")
class ClientQuotaRecord(NamedTuple):
    entity: Sequence[EntityData] = array(EntityData)
    key: str = string()
    value: float = float64()
    remove: bool = boolean()


@payload("0", "0+")
class ProducerIdsRecord(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64(default=-1)
    next_producer_id: int = int64()


@payload("0-3", "0+")
class BrokerRegistrationChangeRecord(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64()
    fenced: int = int8(tag=0)
    in_controlled_shutdown: int = int8("1+", tag=1)
    log_dirs: Sequence[bytes] = array(UUID, "2+", tag=2)
    cordoned_log_dirs: Sequence[bytes] | None = array(UUID, "3+", null="3+", default=None, tag=3)


@payload("0", "0+")
class AccessControlEntryRecord(NamedTuple):
    id: bytes = uuid()
    resource_type: int = int8()
    resource_name: str = string()
    pattern_type: int = int8()
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@payload("0", "0+")
class RemoveAccessControlEntryRecord(NamedTuple):
    id: bytes = uuid()


@payload("0", "0+")
class NoOpRecord(NamedTuple):
    """A record without fields."""


@payload("0", "0+")
class ZkMigrationStateRecord(NamedTuple):
    zk_migration_state: int = int8()


@payload("0", "0+")
class RemoveUserScramCredentialRecord(NamedTuple):
    name: str = string()
    mechanism: int = int8()


@payload("0", "0+")
class BeginTransactionRecord(NamedTuple):
    name: str | None = string(null="0+", default=None, tag=0)


@payload("0", "0+")
class EndTransactionRecord(NamedTuple):
    """A record without fields."""


@payload("0", "0+")
class AbortTransactionRecord(NamedTuple):
    reason: str | None = string(null="0+", default=None, tag=0)


@payload("0", "0+")
class RemoveDelegationTokenRecord(NamedTuple):
    token_id: str = string()


@payload("0", "0+")
class RegisterControllerRecord(NamedTuple):
    controller_id: int = int32()
    incarnation_id: bytes = uuid()
    zk_migration_ready: bool = boolean()
    end_points: Sequence[Endpoint] = array(Endpoint)
    features: Sequence[SupportedFeature] = array(SupportedFeature)


@payload("0", "0+")
class ClearElrRecord(NamedTuple):
    topic_name: str = string()
