"""How do the controller and its epoch stand in ZooKeeper?"""

from typing import Final

from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.ids import BrokerId, ControllerEpoch
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

CONTROLLER_FIELDS: Final = frozenset({"version", "brokerid", "timestamp", "kraftControllerEpoch"})


def decode_controller(node: Znode) -> Controller:
    """Decode versions 1 and 2 and the bare broker id of early 0.8."""
    if node.data is not None and node.data.strip().isdigit():
        return Controller(broker_id=BrokerId(int(node.data)), version=0, zk_version=node.zk_version)
    document = json_object(node)
    timestamp_ms = integer(node, document, "timestamp", 0, INT64_MAX, default=0)
    return Controller(
        broker_id=BrokerId(integer(node, document, "brokerid", -1)),
        timestamp_ms=timestamp_ms if document.get("timestamp") is not None else None,
        version=integer(node, document, "version", default=1),
        kraft_controller_epoch=integer(node, document, "kraftControllerEpoch", default=-1),
        zk_version=node.zk_version,
        extra=extra_fields(document, CONTROLLER_FIELDS),
    )


def encode_controller(controller: Controller) -> bytes:
    document: JsonObject = {"version": controller.version, "brokerid": controller.broker_id}
    if controller.timestamp_ms is not None:
        document["timestamp"] = str(controller.timestamp_ms)
    if controller.version >= 2:
        document["kraftControllerEpoch"] = controller.kraft_controller_epoch
    return json_bytes({**document, **controller.extra})


def decode_controller_epoch(node: Znode) -> ControllerEpochNode:
    text = (node.data or b"").strip()
    if not text.isdigit() or int(text) > INT32_MAX:
        raise node.corrupt(f"is not an epoch: {text!r}")
    return ControllerEpochNode(ControllerEpoch(int(text)), node.zk_version)


def encode_controller_epoch(epoch: ControllerEpoch) -> bytes:
    return str(epoch).encode()
