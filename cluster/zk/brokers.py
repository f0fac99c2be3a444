"""How does a broker's registration stand in ZooKeeper?  Versions 1 (0.8) to 5 (2.7 and later)."""

import re
from typing import Final

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.zk.znode import (
    INT32_MAX,
    INT64_MAX,
    JsonObject,
    Znode,
    extra_fields,
    integer,
    json_bytes,
    json_object,
)

BROKER_FIELDS: Final = frozenset(
    {
        "version",
        "host",
        "port",
        "jmx_port",
        "timestamp",
        "endpoints",
        "rack",
        "listener_security_protocol_map",
        "features",
    }
)
ENDPOINT: Final = re.compile(r"([A-Za-z0-9_.-]+)://\[?([0-9A-Za-z\-%._:]*)\]?:(-?[0-9]+)")


def decode_broker(node: Znode) -> BrokerRegistration:
    if not (node.name.isascii() and node.name.isdigit()) or int(node.name) > INT32_MAX:
        raise node.corrupt(f"'{node.name}' is not a broker id")
    document = json_object(node)
    version = integer(node, document, "version")
    host = text_or_none(node, document, "host")
    port = integer(node, document, "port", default=-1)
    if version == 1 or "endpoints" not in document:
        if host is None:
            raise node.corrupt("has neither 'host' nor 'endpoints'")
        endpoints: tuple[Endpoint, ...] = (
            Endpoint(listener="PLAINTEXT", security_protocol="PLAINTEXT", host=host, port=port),
        )
    else:
        endpoints = decode_endpoints(node, document)
    features = document.get("features")
    return BrokerRegistration(
        broker_id=BrokerId(int(node.name)),
        endpoints=endpoints,
        version=version,
        host=host,
        port=port,
        rack=text_or_none(node, document, "rack"),
        jmx_port=integer(node, document, "jmx_port", default=-1),
        timestamp_ms=(
            integer(node, document, "timestamp", 0, INT64_MAX)
            if document.get("timestamp") is not None
            else None
        ),
        features=features if type(features) is dict else {},
        broker_epoch=BrokerEpoch(node.czxid),
        zk_version=node.zk_version,
        extra=extra_fields(document, BROKER_FIELDS),
    )


def text_or_none(node: Znode, document: JsonObject, key: str) -> str | None:
    value = document.get(key)
    if value is not None and type(value) is not str:
        raise node.corrupt(f"'{key}' is not text: {value!r}")
    return value


def decode_endpoints(node: Znode, document: JsonObject) -> tuple[Endpoint, ...]:
    texts = document["endpoints"]
    protocols = document.get("listener_security_protocol_map") or {}
    if type(texts) is not list or type(protocols) is not dict:
        raise node.corrupt("'endpoints' or 'listener_security_protocol_map' is malformed")
    endpoints = []
    for text in texts:
        match = ENDPOINT.fullmatch(text) if type(text) is str else None
        if match is None:
            raise node.corrupt(f"{text!r} is not an endpoint")
        listener = match[1].upper()
        protocol = protocols.get(listener, listener)
        if type(protocol) is not str:
            raise node.corrupt(f"the protocol of listener {listener} is not text: {protocol!r}")
        endpoints.append(
            Endpoint(
                listener=listener, security_protocol=protocol, host=match[2], port=int(match[3])
            )
        )
    return tuple(endpoints)


def encode_broker(broker: BrokerRegistration) -> bytes:
    """Encode in *broker*'s own version, with the key order of Kafka 2.8 for versions 2 to 5."""
    document: JsonObject = {}
    if broker.version >= 5:
        document["features"] = dict(broker.features)
    if broker.version >= 4:
        document["listener_security_protocol_map"] = {
            endpoint.listener: endpoint.security_protocol for endpoint in broker.endpoints
        }
    if broker.version >= 2:
        document["endpoints"] = [str(endpoint) for endpoint in broker.endpoints]
    if broker.version >= 3 and broker.rack is not None:
        document["rack"] = broker.rack
    document["jmx_port"] = broker.jmx_port
    document["port"] = broker.port
    document["host"] = broker.host
    document["version"] = broker.version
    if broker.timestamp_ms is not None:
        document["timestamp"] = str(broker.timestamp_ms)
    return json_bytes({**document, **broker.extra})
