"""Records of the metadata log of KRaft, and the control records of its quorum.

A value begins with three unsigned varints: the version of this frame, the type of the record and
the version of its fields.  A record of an unknown type is returned as such; it is never an error.

Source: Kafka's AbstractApiMessageSerde, MetadataRecordType and ControlRecordType.
"""

import re
import struct
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from cluster.formats.message_fields import Fields, Part, fields
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import ABORT, MARKER_KEY, MARKER_VALUE, Marker, Record
from cluster.wire.codec import decode_payload, payload_version
from cluster.wire.decoders import decode
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages import metadata_records as wire
from cluster.wire.messages import quorum_records as quorum
from cluster.wire.schema import schema_of
from cluster.wire.varint import read_rest

Message = type[tuple[Any, ...]]

FRAME_VERSION: Final = 1

PREVIEW: Final = (
    "Could not deserialize metadata record with frame version 0. Note that upgrades from the"
    " preview release of KRaft in 2.8 to newer versions are not supported."
)
UNSUPPORTED: Final = "org.apache.kafka.common.errors.UnsupportedVersionException"
"""Kafka's tool prints the name of this exception."""

RECORD_TYPES: Final[Mapping[int, Message]] = {
    0: wire.RegisterBrokerRecord,
    1: wire.UnregisterBrokerRecord,
    2: wire.TopicRecord,
    3: wire.PartitionRecord,
    4: wire.ConfigRecord,
    5: wire.PartitionChangeRecord,
    7: wire.FenceBrokerRecord,
    8: wire.UnfenceBrokerRecord,
    9: wire.RemoveTopicRecord,
    10: wire.DelegationTokenRecord,
    11: wire.UserScramCredentialRecord,
    12: wire.FeatureLevelRecord,
    14: wire.ClientQuotaRecord,
    15: wire.ProducerIdsRecord,
    17: wire.BrokerRegistrationChangeRecord,
    18: wire.AccessControlEntryRecord,
    19: wire.RemoveAccessControlEntryRecord,
    20: wire.NoOpRecord,
    21: wire.ZkMigrationStateRecord,
    22: wire.RemoveUserScramCredentialRecord,
    23: wire.BeginTransactionRecord,
    24: wire.EndTransactionRecord,
    25: wire.AbortTransactionRecord,
    26: wire.RemoveDelegationTokenRecord,
    27: wire.RegisterControllerRecord,
    28: wire.ClearElrRecord,
}
"""By their ids; Kafka 3.9 and 4 write no others."""


class ControlType(NamedTuple):
    """A type of control record: its name, and the record if it is one of a quorum's."""

    name: str
    message: Message | None = None


CONTROL_TYPES: Final = (
    ControlType("ABORT"),
    ControlType("COMMIT"),
    ControlType("LEADER_CHANGE", quorum.LeaderChangeMessage),
    ControlType("SNAPSHOT_HEADER", quorum.SnapshotHeaderRecord),
    ControlType("SNAPSHOT_FOOTER", quorum.SnapshotFooterRecord),
    ControlType("KRAFT_VERSION", quorum.KRaftVersionRecord),
    ControlType("KRAFT_VOTERS", quorum.VotersRecord),
)
"""By their ids."""
UNKNOWN: Final = ControlType("UNKNOWN")


class MetadataRecord(NamedTuple):
    """A record of the metadata log."""

    type_name: str
    version: int
    fields: Fields


class UndecodableMetadata(NamedTuple):
    """A record of another topic or of an unknown type or version, or a damaged one."""

    reason: str


class ControlRecord(NamedTuple):
    """A record of the quorum itself."""

    type_id: int
    type_name: str
    value: Part | None
    """None where the type is unknown."""


def type_name(message: Message) -> str:
    """Return the name that Kafka has for the type, such as `PARTITION_CHANGE_RECORD`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", message.__name__).upper()


TYPE_NAMES: Final = {message: type_name(message) for message in RECORD_TYPES.values()}


def decoded(record: Record) -> MetadataRecord | UndecodableMetadata:
    """Decode *record* of the metadata log, with its fields by name."""
    try:
        message, version = message_of(record)
    except MalformedFrameError as error:
        return UndecodableMetadata(str(error))
    return MetadataRecord(TYPE_NAMES[type(message)], version, fields(message, version))


def message_of(record: Record) -> tuple[tuple[Any, ...], int]:
    """Return the message in *record*, one of RECORD_TYPES, and the version of its fields.

    Raises:
        MalformedFrameError: there is none, or one of an unknown type or version.
    """
    value = record.value or b""
    frame, position = number(value, 0, "frame version")
    if frame == 0:
        raise MalformedFrameError(PREVIEW)
    if frame != FRAME_VERSION:
        raise MalformedFrameError(
            f"Could not deserialize metadata record due to unknown frame version {frame}"
            f"(only frame version {FRAME_VERSION} is supported)"
        )
    type_id, position = number(value, position, "type")
    version, position = number(value, position, "version")
    message = RECORD_TYPES.get(type_id)
    if message is None:
        raise MalformedFrameError(f"{UNSUPPORTED}: Unknown metadata id {type_id}")
    schema = schema_of(message)
    try:
        if version in schema.versions:
            return decode(schema, version, memoryview(value), position), version
    except MalformedFrameError:
        pass
    raise MalformedFrameError(f"Failed to deserialize record with type {type_id}")


def number(content: bytes, position: int, name: str) -> tuple[int, int]:
    """Return the unsigned varint at *position*, and where it ends."""
    try:
        first = content[position]
        return (first, position + 1) if first < 128 else read_rest(content, position + 1, first)
    except IndexError:
        raise MalformedFrameError(f"Error while reading {name}") from None


def control_of(record: Record) -> Marker | ControlRecord:
    """Return what *record* of a control batch is: the end of a transaction, or the quorum's.

    Raises:
        CorruptBatchError: it is neither.
    """
    value = record.value or b""
    try:
        _, type_id = MARKER_KEY.unpack_from(record.key or b"")
        if type_id in (0, 1):
            _, epoch = MARKER_VALUE.unpack_from(value)
            return Marker(type_id == ABORT, epoch)
        known = CONTROL_TYPES[type_id] if type_id in range(len(CONTROL_TYPES)) else UNKNOWN
        if known.message is None:
            return ControlRecord(type_id, known.name, None)
        version = payload_version(value)
        part = Part(version, fields(decode_payload(known.message, value), version))
    except (struct.error, MalformedFrameError) as error:
        raise CorruptBatchError(0, f"a control record that cannot be read: {error}") from error
    return ControlRecord(type_id, known.name, part)
