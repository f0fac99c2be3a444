"""The records of `__consumer_offsets` as a group coordinator writes and reads them.

Written in the versions of Kafka 3.9 with ZooKeeper, so that its brokers can take a group over; read
in all versions.  Records of other kinds, such as those of KIP-848, are ignored.

Source: Kafka's GroupMetadataManager and CoordinatorRecordSerde.
"""

import struct
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from cluster.formats.batch_building import record_of
from cluster.formats.coordinator_records import OFFSETS, MisreadError, version_of
from cluster.model.group_records import (
    NO_TIMESTAMP,
    CommitRecords,
    GroupMember,
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    GroupRecords,
    OffsetCommitKey,
    OffsetCommitValue,
    PlainOffsets,
)
from cluster.wire import varint
from cluster.wire.codec import decode_payload, encode_payload
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages import coordinator_records as wire

OFFSET_KEY: Final = 1
OFFSET_KEY_BEGINNING: Final = b"\0\1"
GROUP_KEY: Final = 2
OFFSET_VALUE: Final = 3
EXPIRING_OFFSET_VALUE: Final = 1
"""The only version with an expire timestamp, which has no leader epoch instead."""
GROUP_VALUE: Final = 3

OFFSET_VALUE_BEGINNING: Final = varint.encode(2 * 24) + b"\0\3"
"""The size of an offset's value without metadata, and its version."""
ONE_BYTE_END: Final = 64
TWO_BYTES_END: Final = 8192
"""The first number of a record that takes more than one byte, and more than two."""
PACKED_MAX: Final = ONE_BYTE_END
"""How many records are packed at once."""
FIELDS: Final = 4
"""Of a packed record."""
OFFSET_END: Final = ">qi2xqx"
"""From the offset on: no metadata, and no headers, are zeros."""
LAYOUTS_MAX: Final = 512
"""How many are cached, each up to 10 KB."""
BEGINNINGS_MAX: Final = 1024
"""Of how many commits, each up to 10 KB with usual names."""
NUMBERS: Final = tuple(
    2 * number if number < ONE_BYTE_END else (number << 9 & 0x7F00) | 0x8000 | number >> 6
    for number in range(TWO_BYTES_END)
)
"""Those of the records in a batch, as they are written."""

NAMES_MAX: Final = 1024
"""How many groups' topics are cached: records of a group mostly follow each other."""

_OFFSET_HEAD: Final = Struct(">hqih")
"""Version, offset, leader epoch and the length of the metadata."""
_INT16: Final = Struct(">h")
_INT32: Final = Struct(">i")
_INT64: Final = Struct(">q")

# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


class EncodedRecord(NamedTuple):
    """A record's bytes; a *value* of None is a tombstone."""

    key: bytes
    value: bytes | None


def encode_all(records: GroupRecords) -> list[bytes]:
    """Write *records*, those of one batch, each as `encode` does; an item has one or more of them.

    Raises:
        UnencodableMessageError: a text or a number is larger than its field.
    """
    if isinstance(records, CommitRecords) and isinstance(records.offsets, PlainOffsets):
        plain = records.offsets
        if len(plain) <= TWO_BYTES_END:
            with suppress(struct.error, UnicodeEncodeError):  # `encode` says what is wrong.
                return encode_plain(records.group, plain)
    return [record_of(number, 0, *encode(record)) for number, record in enumerate(records)]


def encode_plain(group: str, plain: PlainOffsets) -> list[bytes]:
    """Write offsets, many of a topic at once."""
    encoded = []
    begin = 0
    for topic, indexes in plain.topics:
        topic_begin, topic_end = begin, begin + len(indexes)
        while begin < topic_end:
            end = min(topic_end, ONE_BYTE_END if begin < ONE_BYTE_END else begin + PACKED_MAX)
            some = indexes[begin - topic_begin : end - topic_begin]
            beginnings = offset_beginnings(group, topic, begin, some)
            fields: list[object] = [None, 0, 0, plain.timestamp] * len(some)
            fields[::FIELDS] = beginnings
            fields[1::FIELDS] = plain.offsets[begin:end]
            fields[2::FIELDS] = plain.leader_epochs[begin:end]
            encoded.append(offset_layout(len(beginnings[0]), len(some))(*fields))
            begin = end
    return encoded


def encode(record: GroupRecord) -> EncodedRecord:
    """Write *record* in the versions of Kafka 3.9.

    Raises:
        UnencodableMessageError: a text or a number is larger than its field.
    """
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
    names = None if value is None else names_of(key[:-4])
    if names is not None:
        assert value is not None
        offset = offset_of(value)
        if offset is not None:
            group, topic = names
            (partition,) = _INT32.unpack_from(key, len(key) - 4)
            return _new(OffsetCommitKey, (group, topic, partition)), offset
    record_type = OFFSETS.get(version_of(key, "key"))
    if record_type is None:
        return None
    try:
        decoded_key = decode_payload(record_type.key, key)
        decoded = None if value is None else decode_payload(record_type.value, value)
    except MalformedFrameError as error:
        raise MisreadError(f"a record of {record_type.name}: {error}") from None
    if isinstance(decoded_key, wire.OffsetCommitKey):
        committed = None if decoded is None else OffsetCommitValue(*decoded)
        return OffsetCommitKey(*decoded_key), committed
    return GroupMetadataKey(*decoded_key), None if decoded is None else group_of(decoded)


# Nearly all records are offsets of these versions, and a partition may have a million: these, too,
# take no way round.


@lru_cache(maxsize=NAMES_MAX)
def offset_names(group: str, topic: str) -> bytes:
    """Return the size of an offset's key, and the key without the partition."""
    texts = [name.encode() for name in (group, topic)]
    key = OFFSET_KEY_BEGINNING + b"".join(_INT16.pack(len(text)) + text for text in texts)
    return varint.encode(2 * (len(key) + _INT32.size)) + key


@lru_cache(maxsize=BEGINNINGS_MAX)
def offset_beginnings(
    group: str, topic: str, first: int, indexes: tuple[int, ...]
) -> tuple[bytes, ...]:
    """Return the records of the partitions up to the offset, from the *first* in the batch on.

    A group commits offsets of the same partitions again and again.  The numbers of all are of one
    size.
    """
    names = offset_names(group, topic)
    body = Struct(f">2x{'B' if first < ONE_BYTE_END else 'H'}{len(names)}si3s")
    size = varint.encode(2 * (body.size + struct.calcsize(OFFSET_END)))
    numbers = NUMBERS[first : first + len(indexes)]
    return tuple(
        [
            size + body.pack(number, names, index, OFFSET_VALUE_BEGINNING)
            for number, index in zip(numbers, indexes, strict=True)
        ]
    )


@lru_cache(maxsize=LAYOUTS_MAX)
def offset_layout(beginning_size: int, count: int) -> Callable[..., bytes]:
    """Return a function that packs *count* records, of each the FIELDS: its beginning, the offset,
    its leader epoch and the time of the commit.
    """
    return Struct(">" + f"{beginning_size}s{OFFSET_END[1:]}" * count).pack


@lru_cache(maxsize=NAMES_MAX)
def names_of(key: bytes) -> tuple[str, str] | None:
    """Group and topic of an offset's key without its partition; None for any other key.

    All partitions of a topic have the same, and share the texts.
    """
    try:
        group_end = 4 + (key[2] << 8 | key[3])
        topic_at = group_end + 2
        topic_end = topic_at + (key[group_end] << 8 | key[group_end + 1])
        if key[:2] != OFFSET_KEY_BEGINNING or len(key) != topic_end:
            return None
        return key[4:group_end].decode(), key[topic_at:].decode()
    except (IndexError, UnicodeDecodeError):
        return None


def offset_of(value: bytes) -> OffsetCommitValue | None:
    """Return the value of an offset in the version that is written; None for any other one."""
    try:
        version, offset, leader_epoch, size = _OFFSET_HEAD.unpack_from(value)
        metadata_end = _OFFSET_HEAD.size + size
        if version != OFFSET_VALUE or size < 0 or len(value) != metadata_end + _INT64.size:
            return None
        (timestamp,) = _INT64.unpack_from(value, metadata_end)
        metadata = value[_OFFSET_HEAD.size : metadata_end].decode() if size > 0 else ""
    except (struct.error, UnicodeDecodeError):
        return None
    return _new(OffsetCommitValue, (offset, leader_epoch, metadata, timestamp, NO_TIMESTAMP))


def group_of(value: tuple[object, ...]) -> GroupMetadataValue:
    assert isinstance(value, wire.GroupMetadataValue)
    members = tuple(GroupMember(*member) for member in value.members)
    return GroupMetadataValue(*value[:-1], members)
