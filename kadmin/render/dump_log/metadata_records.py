"""Records of the metadata log of KRaft in words: as Kafka's own tool writes them, or as JSON."""

from typing import Final

from cluster.formats.metadata_records import ControlRecord, MetadataRecord, UndecodableMetadata
from kadmin.render.dump_log.coordinator_records import json_fields
from kadmin.render.dump_log.kafka_json import kafka_json

CONTROL_NAMES: Final = {
    # Since Kafka 4.
    "LEADER_CHANGE": "LeaderChange:",
    "SNAPSHOT_HEADER": "SnapshotHeader",
    "SNAPSHOT_FOOTER": "SnapshotFooter",
    "KRAFT_VERSION": "KRaftVersion",
    "KRAFT_VOTERS": "KRaftVoters",
}
"""The control records whose fields Kafka's tool prints."""


def metadata_text(record: MetadataRecord | UndecodableMetadata, offset: int) -> str:
    if isinstance(record, UndecodableMetadata):
        return f"Error at {offset}, skipping. {record.reason}"
    return kafka_json({"type": record.type_name, "version": record.version, "data": record.fields})


def control_text(record: ControlRecord) -> str:
    name = CONTROL_NAMES.get(record.type_name)
    if name is None or record.value is None:
        return f"controlType: {record.type_name}({record.type_id})"
    return f"{name} {kafka_json({'version': record.value.version, **record.value.fields})}"


def json_metadata_record(record: MetadataRecord) -> dict[str, object]:
    """Return a record as an object of JSON; it has no key."""
    value = {"type": record.type_name, "version": record.version, **json_fields(record.fields)}
    return {"key": None, "value": value}


def json_control(record: ControlRecord) -> dict[str, object]:
    fields: dict[str, object] = {"control_type": record.type_name}
    if record.value is not None:
        fields["control"] = {"version": record.value.version, **json_fields(record.value.fields)}
    return fields
