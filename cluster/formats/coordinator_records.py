"""Records of coordinators of groups and of transactions, decoded from their topics.

A record of another kind is returned as such; it is never an error.

Source: Kafka's DumpLogSegments, CoordinatorRecordSerde and TransactionLog.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from cluster.formats.message_fields import Fields, Part, UndecodableRecord, fields
from cluster.formats.records import Record
from cluster.wire.codec import decode_payload, payload_version
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from cluster.wire.messages.coordinator_records import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
)

Message = type[tuple[Any, ...]]

OFFSET_COMMIT: Final = "offset_commit"
GROUP_METADATA: Final = "group_metadata"
TRANSACTION: Final = "transaction"

CONSUMER: Final = "consumer"
"""The protocol type of consumers, whose subscriptions can be decoded."""

TRANSACTION_STATES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
"""By their ids."""


class RecordType(NamedTuple):
    """The kind of a record, by the version of its key."""

    name: str
    key: Message
    value: Message


OFFSETS: Final[Mapping[int, RecordType]] = {
    0: RecordType(OFFSET_COMMIT, OffsetCommitKey, OffsetCommitValue),
    1: RecordType(OFFSET_COMMIT, OffsetCommitKey, OffsetCommitValue),
    2: RecordType(GROUP_METADATA, GroupMetadataKey, GroupMetadataValue),
}
"""The records of `__consumer_offsets`; those of KIP-848 need a cluster without ZooKeeper."""

TRANSACTIONS: Final[Mapping[int, RecordType]] = {
    0: RecordType(TRANSACTION, TransactionLogKey, TransactionLogValue),
}
"""The records of `__transaction_state`."""


class CoordinatorRecord(NamedTuple):
    """A record of a coordinator."""

    type_name: str
    key: Part
    value: Part | None
    """None where the key is deleted."""


class UnknownRecord(NamedTuple):
    """A record whose key has an unknown version."""

    key_version: int
    is_transaction: bool
    """Whether the topic is that of transactions."""


Decoded = CoordinatorRecord | UnknownRecord | UndecodableRecord


class MisreadError(Exception):
    """Bytes that are no part of a coordinator's record."""


def decoded(record: Record, types: Mapping[int, RecordType]) -> Decoded:
    """Decode *record* of the topic whose *types* these are, OFFSETS or TRANSACTIONS."""
    if record.key is None:
        return UndecodableRecord("The record has no key.")
    try:
        key_version = version_of(record.key, "key")
        record_type = types.get(key_version)
        if record_type is None:
            return UnknownRecord(key_version, is_transaction=types is TRANSACTIONS)
        key = part(record_type.key, record.key, "key")
        value = None
        if record.value is not None:
            value = with_meaning(record_type, part(record_type.value, record.value, "value"))
    except MisreadError as error:
        return UndecodableRecord(str(error))
    return CoordinatorRecord(record_type.name, key, value)


def version_of(content: bytes, place: str) -> int:
    """Return the version with which *content* begins, the key or the value according to *place*.

    Raises:
        MisreadError: there is none.
    """
    try:
        return payload_version(content)
    except MalformedFrameError:
        raise MisreadError(f"Could not read version from {place}'s buffer.") from None


def part(message: Message, content: bytes, place: str) -> Part:
    """Decode *content*, a key or a value.

    Raises:
        MisreadError: it is none, or one of a version that is not known.
    """
    version = version_of(content, place)
    try:
        return Part(version, fields(decode_payload(message, content), version))
    except MalformedFrameError as error:
        raise MisreadError(
            f"Could not read record with version {version} from {place}'s buffer due to: {error}."
        ) from None


def with_meaning(record_type: RecordType, value: Part) -> Part:
    """Return *value* with the decoded data of a group's members, where these are consumers.

    Raises:
        MisreadError: a transaction is in no state that there is.
    """
    found = value.fields
    if record_type.name == TRANSACTION:
        status = found["transaction_status"]
        if not 0 <= status < len(TRANSACTION_STATES):
            raise MisreadError(f"Unknown transaction status id {status}.")
    if record_type.name == GROUP_METADATA and found["protocol_type"] == CONSUMER:
        members = [with_protocol(member) for member in found["members"]]
        return Part(value.version, {**found, "members": members})
    return value


def with_protocol(member: Fields) -> Fields:
    return {
        **member,
        "subscription": fields_or_bytes(ConsumerProtocolSubscription, member["subscription"]),
        "assignment": fields_or_bytes(ConsumerProtocolAssignment, member["assignment"]),
    }


def fields_or_bytes(message: Message, content: bytes) -> Fields | bytes:
    """Return the fields of *content*; or *content*, if unreadable, as another protocol's is."""
    try:
        return fields(decode_payload(message, content), payload_version(content))
    except MalformedFrameError:
        return content
