"""Which values can stand in a znode?  Hypothesis strategies for each of them, in every version."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from cluster.model.acl import AclChange, AclEntry, PatternType, ResourceAcls, ResourcePattern
from cluster.model.acl import ResourceType as ResourceKind
from cluster.model.admin import LogDirEvent, PartitionList, Reassignment
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.cluster import (
    ClusterId,
    FeatureLevels,
    FeatureStatus,
    FinalizedFeatures,
    ProducerIdBlock,
)
from cluster.model.config_entity import (
    ConfigChange,
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
)
from cluster.model.consumer import ConsumerRegistration, ConsumerThread, SubscriptionPattern
from cluster.model.controller import Controller, ControllerEpochNode, MigrationState
from cluster.model.ids import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.token import DelegationToken
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment

ZK_VERSION = ZkVersion(7)
CZXID = 1 << 40

int16 = st.integers(1, 2**15 - 1)
int32 = st.integers(0, 2**31 - 1)
int64 = st.integers(0, 2**63 - 1)
small = st.integers(0, 9)
text = st.text(max_size=8)
name = st.text(min_size=1, max_size=8)
port = st.integers(-1, 2**16 - 1)
broker_id = int32.map(BrokerId)
brokers = st.lists(broker_id, max_size=5).map(tuple)
topic_name = st.text("abcXYZ019._-", min_size=1, max_size=12)
topic_partition = st.builds(TopicPartition, name, int32)
maybe_time = st.none() | int64

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)


def unknown_fields(prefix: str = "~") -> st.SearchStrategy[dict[str, Any]]:
    """Fields that no release has: their names begin with a character that no known one has."""
    return st.dictionaries(text.map(lambda rest: prefix + rest), json_values, max_size=2)


extra = unknown_fields()
no_extra: st.SearchStrategy[Mapping[str, object]] = st.just({})
zk_version = st.just(ZK_VERSION)


@st.composite
def partition_assignments(draw: st.DrawFn) -> PartitionAssignment:
    replicas = draw(brokers)
    part = st.lists(st.sampled_from(replicas), unique=True).map(tuple) if replicas else st.just(())
    return PartitionAssignment(replicas, draw(part), draw(part))


assignments = st.builds(
    TopicAssignment,
    partitions=st.dictionaries(int32, partition_assignments(), max_size=4).map(
        lambda parts: dict(sorted(parts.items()))
    ),
    version=st.integers(1, 4),
    topic_id=st.none() | text.filter(bool),
    zk_version=zk_version,
    extra=extra,
)

states = st.builds(
    PartitionState,
    leader=st.integers(-1, 2**31 - 1).map(BrokerId),
    isr=brokers,
    leader_epoch=int32.map(LeaderEpoch),
    controller_epoch=int32.map(ControllerEpoch),
    leader_recovery_state=st.integers(0, 1),
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)

entity_configs = st.builds(
    ConfigOverrides,
    values=st.dictionaries(text, text, max_size=4),
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)


@st.composite
def config_entities(draw: st.DrawFn) -> ConfigEntity:
    kind = draw(st.sampled_from(EntityKind))
    if kind is EntityKind.TOPICS:
        return ConfigEntity(Entity(kind, draw(topic_name)))
    if kind is EntityKind.BROKERS:
        return ConfigEntity(Entity(kind, draw(st.none() | int32.map(str))))
    root = Entity(kind, draw(st.none() | name))
    if kind is EntityKind.USERS and draw(st.booleans()):
        return ConfigEntity(root, Entity(EntityKind.CLIENTS, draw(st.none() | name)))
    return ConfigEntity(root)


path_names = name.filter(lambda text: "/" not in text)
config_changes = st.one_of(
    st.builds(
        ConfigChange,
        entity_path=path_names.map("topics/{}".format),
        version=st.just(0),
        zk_version=zk_version,
    ),
    st.builds(
        ConfigChange,
        entity_path=st.tuples(st.sampled_from(["topics", "clients"]), path_names).map("/".join),
        version=st.just(1),
        zk_version=zk_version,
        extra=extra,
    ),
    st.builds(
        ConfigChange,
        entity_path=st.tuples(path_names, path_names).map("/".join)
        | path_names.map("users/{}/clients/<default>".format),
        version=st.just(2),
        zk_version=zk_version,
        extra=extra,
    ),
)

controllers = st.one_of(
    st.builds(Controller, broker_id=broker_id, version=st.just(0), zk_version=zk_version),
    st.builds(
        Controller,
        broker_id=broker_id,
        timestamp_ms=maybe_time,
        version=st.integers(1, 3),
        kraft_controller_epoch=st.integers(-1, 2**31 - 1),
        zk_version=zk_version,
        extra=extra,
    ),
)
controller_epochs = st.builds(ControllerEpochNode, int32.map(ControllerEpoch), zk_version)
migrations = st.builds(
    MigrationState,
    kraft_controller_id=st.integers(-1, 2**31 - 1).map(BrokerId),
    kraft_controller_epoch=st.integers(-1, 2**31 - 1),
    kraft_metadata_offset=st.integers(-1, 2**63 - 1),
    kraft_metadata_epoch=st.integers(-1, 2**31 - 1),
    zk_version=zk_version,
    extra=extra,
)

hosts = st.sampled_from(["", "h1", "kafka-1.example", "::1", "fe80::1%eth0", "10.0.0.1"])
protocols = st.sampled_from(["PLAINTEXT", "SSL", "SASL_SSL", "SASL_PLAINTEXT"])
listeners = st.text("ABZ09_.-", min_size=1, max_size=6)


@st.composite
def registrations(draw: st.DrawFn) -> BrokerRegistration:
    version = draw(st.integers(1, 6))
    host, first_port = draw(st.none() | hosts), draw(port)
    common: dict[str, Any] = {
        "broker_id": draw(broker_id),
        "version": version,
        "port": first_port,
        "jmx_port": draw(port),
        "timestamp_ms": draw(maybe_time),
        "broker_epoch": BrokerEpoch(CZXID),
        "zk_version": ZK_VERSION,
        "extra": draw(extra),
    }
    if version == 1:
        only = Endpoint(
            listener="PLAINTEXT", security_protocol="PLAINTEXT", host=host or "", port=first_port
        )
        return BrokerRegistration(endpoints=(only,), host=host or "", **common)
    by_listener = draw(st.dictionaries(listeners, st.tuples(protocols, hosts, port), max_size=3))
    return BrokerRegistration(
        endpoints=tuple(
            Endpoint(listener=listener, security_protocol=protocol, host=host, port=port)
            for listener, (protocol, host, port) in by_listener.items()
        ),
        host=host,
        rack=draw(st.none() | text),
        features=draw(st.dictionaries(text, json_values, max_size=2)),
        **common,
    )


reassignments = st.builds(
    Reassignment,
    targets=st.dictionaries(topic_partition, brokers, max_size=4),
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)
partition_lists = st.builds(
    PartitionList,
    partitions=st.lists(topic_partition, max_size=4).map(tuple),
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)
log_dir_events = st.builds(
    LogDirEvent,
    broker_id=broker_id,
    event=st.just(1) | int32,
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)

cluster_ids = st.builds(
    ClusterId, cluster_id=name, version=st.just("1") | name, zk_version=zk_version, extra=extra
)
producer_id_blocks = st.builds(
    lambda ids, **fields: ProducerIdBlock(first=min(ids), last=max(ids), **fields),
    st.tuples(int64, int64),
    broker_id=broker_id,
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)
levels_with_minimum = st.tuples(int16, int16).map(lambda two: FeatureLevels(max(two), min(two)))
features = st.one_of(
    *(
        st.builds(
            FinalizedFeatures,
            status=st.sampled_from(FeatureStatus),
            levels=st.dictionaries(text, levels, max_size=3),
            version=st.just(version),
            zk_version=zk_version,
            extra=extra,
        )
        for version, levels in ((1, levels_with_minimum), (2, st.builds(FeatureLevels, int16)))
    )
)

acls = st.builds(
    ResourceAcls,
    entries=st.lists(
        st.builds(
            AclEntry,
            principal=name,
            permission_type=st.sampled_from(["Allow", "Deny"]),
            operation=name,
            host=name,
            extra=extra,
        ),
        max_size=3,
    ).map(tuple),
    zk_version=zk_version,
    extra=extra,
)
resource_types = st.sampled_from(ResourceKind)
literal_acl_changes = st.builds(
    AclChange,
    resource=st.builds(ResourcePattern, resource_types, name),
    spells_type_as_in_path=st.booleans(),
    zk_version=zk_version,
)
extended_acl_changes = st.builds(
    AclChange,
    resource=st.builds(ResourcePattern, resource_types, name, st.just(PatternType.PREFIXED)),
    zk_version=zk_version,
    extra=extra,
)


@st.composite
def delegation_tokens(draw: st.DrawFn) -> DelegationToken:
    version = draw(st.integers(1, 3))
    owner = draw(name)
    return DelegationToken(
        token_id=draw(name),
        owner=owner,
        requester=draw(name) if version >= 3 else owner,
        renewers=tuple(draw(st.lists(text, max_size=3))),
        issue_timestamp_ms=draw(int64),
        expiry_timestamp_ms=draw(int64),
        max_timestamp_ms=draw(int64),
        version=version,
        zk_version=ZK_VERSION,
        extra=draw(extra),
    )


consumers = st.builds(
    ConsumerRegistration,
    streams=st.dictionaries(text, int32, max_size=3),
    pattern=st.sampled_from(SubscriptionPattern),
    timestamp_ms=maybe_time,
    version=st.just(1) | int32,
    zk_version=zk_version,
    extra=extra,
)
consumer_threads = st.builds(ConsumerThread, name, int32)
