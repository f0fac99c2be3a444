"""Znodes of the controller: codecs of the controller, its epoch and a migration to KRaft."""

from typing import Final

from cluster.model.controller import Controller, ControllerEpochNode, MigrationState
from cluster.model.ids import BrokerId, ControllerEpoch
from cluster.zk.fields import (
    INT64_MAX,
    JsonObject,
    decimal,
    extra_fields,
    integer,
    json_bytes,
    json_object,
    number,
    optional_integer,
    plain_text,
)
from cluster.zk.znode import Znode

CONTROLLER_FIELDS: Final = frozenset({"version", "brokerid", "timestamp", "kraftControllerEpoch"})
MIGRATION_FIELDS: Final = frozenset(
    {
        "version",
        "kraft_controller_id",
        "kraft_controller_epoch",
        "kraft_metadata_offset",
        "kraft_metadata_epoch",
    }
)
BARE_ID: Final = 0
"""Our version number for a `/controller` of early 0.8, which is only a broker id."""


def decode_controller(node: Znode) -> Controller:
    """Decode versions 1 and 2 and the bare broker id of early 0.8, which becomes version 0."""
    if node.data is not None and node.data.strip().isdigit():
        return Controller(
            broker_id=BrokerId(decimal(node, node.data.strip().decode(), "the broker id")),
            version=BARE_ID,
            zk_version=node.zk_version,
        )
    document = json_object(node)
    return Controller(
        broker_id=BrokerId(number(node, document, "brokerid", 0)),
        timestamp_ms=optional_integer(node, document, "timestamp", 0, INT64_MAX),
        version=integer(node, document, "version", 1, default=1),
        kraft_controller_epoch=integer(node, document, "kraftControllerEpoch", -1, default=-1),
        zk_version=node.zk_version,
        extra=extra_fields(document, CONTROLLER_FIELDS),
    )


def encode_controller(controller: Controller) -> bytes:
    if controller.version == BARE_ID:
        return str(controller.broker_id).encode()
    document: JsonObject = {"version": controller.version, "brokerid": controller.broker_id}
    if controller.timestamp_ms is not None:
        document["timestamp"] = str(controller.timestamp_ms)
    if controller.version >= 2 or controller.kraft_controller_epoch != -1:
        document["kraftControllerEpoch"] = controller.kraft_controller_epoch
    return json_bytes({**document, **controller.extra})


def decode_controller_epoch(node: Znode) -> ControllerEpochNode:
    epoch = decimal(node, plain_text(node).strip(), "the controller epoch")
    return ControllerEpochNode(ControllerEpoch(epoch), node.zk_version)


def encode_controller_epoch(epoch: ControllerEpoch) -> bytes:
    return str(epoch).encode()


def decode_migration(node: Znode) -> MigrationState:
    """Decode version 0, the only one that there is; controllers refuse another."""
    document = json_object(node)
    return MigrationState(
        kraft_controller_id=BrokerId(number(node, document, "kraft_controller_id", -1)),
        kraft_controller_epoch=number(node, document, "kraft_controller_epoch", -1),
        kraft_metadata_offset=number(node, document, "kraft_metadata_offset", -1, INT64_MAX),
        kraft_metadata_epoch=number(node, document, "kraft_metadata_epoch", -1),
        version=number(node, document, "version", 0, 0),
        zk_version=node.zk_version,
        extra=extra_fields(document, MIGRATION_FIELDS),
    )


def encode_migration(migration: MigrationState) -> bytes:
    document: JsonObject = {
        "version": migration.version,
        "kraft_controller_id": migration.kraft_controller_id,
        "kraft_controller_epoch": migration.kraft_controller_epoch,
        "kraft_metadata_offset": migration.kraft_metadata_offset,
        "kraft_metadata_epoch": migration.kraft_metadata_epoch,
    }
    return json_bytes({**document, **migration.extra})
