"""The records of `__consumer_offsets` as a group coordinator writes and reads them.

Written in the versions of Kafka 3.9 with ZooKeeper, so that its brokers can take a group over; read
in all versions.  Records of other kinds, such as those of KIP-848, are passed over.

Source: Kafka's GroupMetadataManager and CoordinatorRecordSerde.
"""

from typing import Final, NamedTuple

from cluster.formats.coordinator_records import OFFSETS, MisreadError, version_of
from cluster.model.group_records import (
    NO_TIMESTAMP,
    GroupMember,
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    OffsetCommitKey,
    OffsetCommitValue,
)
from cluster.wire.codec import decode_payload, encode_payload
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages import coordinator_records as wire

OFFSET_KEY: Final = 1
GROUP_KEY: Final = 2
OFFSET_VALUE: Final = 3
EXPIRING_OFFSET_VALUE: Final = 1
"""The only version with an expire timestamp, which has no leader epoch instead."""
GROUP_VALUE: Final = 3


class EncodedRecord(NamedTuple):
    """A record's bytes; a *value* of None is a tombstone."""

    key: bytes
    value: bytes | None


def encode(record: GroupRecord) -> EncodedRecord:
    """Write *record* in the versions of Kafka 3.9."""
    key, value = record
    if isinstance(key, OffsetCommitKey):
        content = encode_payload(OFFSET_KEY, wire.OffsetCommitKey(*key))
    else:
        content = encode_payload(GROUP_KEY, wire.GroupMetadataKey(*key))
    match value:
        case None:
            return EncodedRecord(content, None)
        case OffsetCommitValue():
            expires = value.expire_timestamp != NO_TIMESTAMP
            version = EXPIRING_OFFSET_VALUE if expires else OFFSET_VALUE
            return EncodedRecord(content, encode_payload(version, wire.OffsetCommitValue(*value)))
        case GroupMetadataValue():
            members = [wire.MemberMetadata(*member) for member in value.members]
            group = wire.GroupMetadataValue(*value[:-1], members)
            return EncodedRecord(content, encode_payload(GROUP_VALUE, group))


def decode(key: bytes, value: bytes | None) -> GroupRecord | None:
    """Read a record; None for one of a kind that no coordinator of classic groups has.

    Raises:
        MisreadError: it is damaged, or its value has an unknown version.
    """
    record_type = OFFSETS.get(version_of(key, "key"))
    if record_type is None:
        return None
    try:
        decoded_key = decode_payload(record_type.key, key)
        decoded = None if value is None else decode_payload(record_type.value, value)
    except MalformedFrameError as error:
        raise MisreadError(f"a record of {record_type.name}: {error}") from None
    if isinstance(decoded_key, wire.OffsetCommitKey):
        offset = None if decoded is None else OffsetCommitValue(*decoded)
        return OffsetCommitKey(*decoded_key), offset
    return GroupMetadataKey(*decoded_key), None if decoded is None else group_of(decoded)


def group_of(value: tuple[object, ...]) -> GroupMetadataValue:
    assert isinstance(value, wire.GroupMetadataValue)
    members = tuple(GroupMember(*member) for member in value.members)
    return GroupMetadataValue(*value[:-1], members)
