"""Znodes of brokers: codecs of registrations, in versions 1 (0.8) to 5 (2.7 and later), and of the
count of a broker's starts.
"""

import re
from typing import Final

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import (
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    TopicPartition,
    ZkVersion,
)
from cluster.zk.fields import (
    INT64_MAX,
    JsonObject,
    decimal,
    extra_fields,
    integer,
    json_bytes,
    json_list,
    json_map,
    json_object,
    optional_integer,
    optional_text,
    plain_text,
    shown,
)
from cluster.zk.znode import Znode

INTACT_SINCE: Final = "intact_since"
FLUSHED_SINCE: Final = "flushed_since"
CLEANUP_POLICIES: Final = "cleanup_policies"
REFUSED: Final = "refused_partitions"
"""Fields of our own: Kafka ignores unknown fields."""
FIELDS_OF_VERSION_1: Final = frozenset(
    {
        "version",
        "host",
        "port",
        "jmx_port",
        "timestamp",
        INTACT_SINCE,
        FLUSHED_SINCE,
        CLEANUP_POLICIES,
        REFUSED,
    }
)
FIELDS: Final = FIELDS_OF_VERSION_1 | {
    "endpoints",
    "rack",
    "listener_security_protocol_map",
    "features",
}
PORT_MAX: Final = 2**16 - 1
ENDPOINT: Final = re.compile(r"([A-Za-z0-9_.-]+)://\[?([0-9A-Za-z\-%._:]*)\]?:(-?[0-9]+)")

# Kafka writes the keys in the order of its Scala's hash map: 2.10 and 2.11 up to 0.10.1, the
# mutable map of 2.11 from 0.10.2 on, that of 2.13 with the features.
KEY_ORDER: Final = {
    1: ("jmx_port", "timestamp", "host", "version", "port"),
    2: ("jmx_port", "timestamp", "endpoints", "host", "version", "port"),
    3: ("jmx_port", "timestamp", "endpoints", "host", "version", "port", "rack"),
    4: (
        "listener_security_protocol_map",
        "endpoints",
        "rack",
        "jmx_port",
        "host",
        "timestamp",
        "port",
        "version",
    ),
    5: (
        "features",
        "listener_security_protocol_map",
        "endpoints",
        "rack",
        "jmx_port",
        "port",
        "host",
        "version",
        "timestamp",
    ),
}
NEWEST_VERSION: Final = max(KEY_ORDER)


def decode_broker(node: Znode) -> BrokerRegistration:
    """Decode a registration; a version above 5 is read as 5, as Kafka does.

    Version 1 has no endpoints: *host* and *port* are the only one, and fields of newer brokers for
    newer clients stay in `extra`.
    """
    broker_id = BrokerId(decimal(node, node.name, "the broker id"))
    document = json_object(node)
    version = integer(node, document, "version", 1)
    host = optional_text(node, document, "host")
    port = integer(node, document, "port", -1, PORT_MAX, default=-1)
    timestamp_ms = optional_integer(node, document, "timestamp", 0, INT64_MAX)
    jmx_port = integer(node, document, "jmx_port", -1, PORT_MAX, default=-1)
    intact_since = optional_epoch(node, document, INTACT_SINCE)
    flushed_since = optional_epoch(node, document, FLUSHED_SINCE)
    if version == 1:
        if host is None:
            raise node.corrupt("has no 'host'")
        return BrokerRegistration(
            broker_id=broker_id,
            endpoints=(
                Endpoint(listener="PLAINTEXT", security_protocol="PLAINTEXT", host=host, port=port),
            ),
            version=version,
            host=host,
            port=port,
            jmx_port=jmx_port,
            timestamp_ms=timestamp_ms,
            broker_epoch=BrokerEpoch(node.czxid),
            zk_version=node.zk_version,
            intact_since=intact_since,
            flushed_since=flushed_since,
            cleanup_policies=decode_policies(node, document),
            refused=decode_refused(node, document),
            extra=extra_fields(document, FIELDS_OF_VERSION_1),
        )
    return BrokerRegistration(
        broker_id=broker_id,
        endpoints=decode_endpoints(node, document),
        version=version,
        host=host,
        port=port,
        rack=optional_text(node, document, "rack"),
        jmx_port=jmx_port,
        timestamp_ms=timestamp_ms,
        features=optional_map(node, document, "features"),
        broker_epoch=BrokerEpoch(node.czxid),
        zk_version=node.zk_version,
        intact_since=intact_since,
        flushed_since=flushed_since,
        cleanup_policies=decode_policies(node, document),
        refused=decode_refused(node, document),
        extra=extra_fields(document, FIELDS),
    )


def optional_epoch(node: Znode, document: JsonObject, key: str) -> BrokerEpoch | None:
    epoch = optional_integer(node, document, key, UNKNOWN_BROKER_EPOCH, INT64_MAX)
    return None if epoch is None else BrokerEpoch(epoch)


def decode_policies(node: Znode, document: JsonObject) -> tuple[str, ...]:
    policies = json_list(node, document, CLEANUP_POLICIES) if CLEANUP_POLICIES in document else []
    if not all(type(policy) is str for policy in policies):
        raise node.corrupt(f"its {CLEANUP_POLICIES} are no texts: {shown(policies)}")
    return tuple(policies)


def decode_refused(node: Znode, document: JsonObject) -> dict[TopicPartition, str]:
    refused: dict[TopicPartition, str] = {}
    for name, reason in optional_map(node, document, REFUSED).items():
        topic, _, number = name.rpartition("-")
        if not topic or type(reason) is not str:
            raise node.corrupt(f"{shown(name)} of its {REFUSED} is no partition with a reason")
        refused[TopicPartition(topic, decimal(node, number, f"the partition {name}"))] = reason
    return refused


def decode_endpoints(node: Znode, document: JsonObject) -> tuple[Endpoint, ...]:
    """A listener that the protocol map leaves out, or without a map, has its protocol as its
    name.
    """
    protocols = optional_map(node, document, "listener_security_protocol_map")
    for listener, protocol in protocols.items():
        if type(protocol) is not str:
            raise node.corrupt(f"the protocol of {shown(listener)} is not text: {shown(protocol)}")
    return tuple(
        decode_endpoint(node, endpoint, protocols)
        for endpoint in json_list(node, document, "endpoints")
    )


def decode_endpoint(node: Znode, endpoint: object, protocols: JsonObject) -> Endpoint:
    match = ENDPOINT.fullmatch(endpoint) if type(endpoint) is str else None
    if match is None:
        raise node.corrupt(f"{shown(endpoint)} is not an endpoint")
    listener = match[1].upper()
    return Endpoint(
        listener=listener,
        security_protocol=protocols.get(listener, listener),
        host=match[2],
        port=decimal(node, match[3], f"the port of {listener}", -1, PORT_MAX),
    )


def optional_map(node: Znode, document: JsonObject, key: str) -> JsonObject:
    return {} if document.get(key) is None else json_map(node, document, key)


def encode_broker(broker: BrokerRegistration) -> bytes:
    """Encode in *broker*'s own version, with the key order of a Kafka of that age.

    A rack, features and names of listeners are written even where the version has none.
    """
    fields: JsonObject = {
        "version": broker.version,
        "host": broker.host,
        "port": broker.port,
        "jmx_port": broker.jmx_port,
    }
    if broker.timestamp_ms is not None:
        fields["timestamp"] = str(broker.timestamp_ms)
    if broker.version >= 2:
        fields["endpoints"] = [str(endpoint) for endpoint in broker.endpoints]
    if broker.rack is not None:
        fields["rack"] = broker.rack
    protocols = {endpoint.listener: endpoint.security_protocol for endpoint in broker.endpoints}
    if broker.version >= 4 or any(name != protocol for name, protocol in protocols.items()):
        fields["listener_security_protocol_map"] = protocols
    if broker.version >= 5 or broker.features:
        fields["features"] = dict(broker.features)
    if broker.intact_since is not None:
        fields[INTACT_SINCE] = broker.intact_since
    if broker.flushed_since is not None:
        fields[FLUSHED_SINCE] = broker.flushed_since
    if broker.cleanup_policies:
        fields[CLEANUP_POLICIES] = list(broker.cleanup_policies)
    if broker.refused:
        fields[REFUSED] = {str(partition): why for partition, why in broker.refused.items()}
    order = KEY_ORDER[min(broker.version, NEWEST_VERSION)]
    document = {key: fields.pop(key) for key in order if key in fields}
    return json_bytes({**document, **fields, **broker.extra})


def decode_incarnation(node: Znode) -> int:
    """The number of the broker's last start."""
    return decimal(node, plain_text(node).strip(), "the number of the broker's last start")


def encode_incarnation(number: int) -> bytes:
    return str(number).encode()


def generated_broker_id(seqid_zk_version: ZkVersion, reserved_id_max: int = 1000) -> BrokerId:
    """The id of a broker without a configured one, after its write of `/brokers/seqid` got this
    version.

    *reserved_id_max* is `reserved.broker.max.id`: ids up to it are for brokers with a configured
    id.
    """
    return BrokerId(seqid_zk_version + reserved_id_max)
