"""Segments of `__consumer_offsets` and `__transaction_state`, with records of every version."""

from collections.abc import Sequence
from typing import Any, Final

from cluster.wire.codec import encode_payload
from cluster.wire.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
)
from cluster.wire.messages.coordinator_records import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
    TransactionPartitions,
)
from tests.cluster.storage.batches import batch_around, varint

KeyAndValue = tuple[bytes | None, bytes | None]

AT_MS: Final = 1_700_000_000_123
OWNED: Final = [TopicPartition("orders", [0, 2]), TopicPartition("paid", [])]


def segment(records: Sequence[KeyAndValue]) -> bytes:
    """One batch of *records*, from offset 0 on."""
    body = b"".join(keyed(number, *record) for number, record in enumerate(records))
    return bytes(batch_around(body, len(records)))


def keyed(offset_delta: int, key: bytes | None, value: bytes | None) -> bytes:
    content = b"\0" + varint(0) + varint(offset_delta) + sized(key) + sized(value) + varint(0)
    return varint(len(content)) + content


def sized(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


def offset_key(group: str = "billing", *, version: int = 1) -> bytes:
    return encode_payload(version, OffsetCommitKey(group, "orders", 3))


def group_key(group: str = "billing") -> bytes:
    return encode_payload(2, GroupMetadataKey(group))


def transaction_key(name: str = "payments-1") -> bytes:
    return encode_payload(0, TransactionLogKey(name))


def member(version: int) -> MemberMetadata:
    """A consumer that speaks *version* of the protocol of consumers."""
    subscription = ConsumerProtocolSubscription(["orders", "paid"], b"\0\xff", OWNED, 7, "r1")
    return MemberMetadata(
        f"c-{version}",
        "static" if version % 2 else None,
        "c",
        "/127.0.0.1",
        *(300_000, 10_000),
        encode_payload(version, subscription),
        encode_payload(version, ConsumerProtocolAssignment(OWNED, None if version else b"")),
    )


def group(
    members: Sequence[MemberMetadata], *, version: int = 3, protocol_type: str = "consumer"
) -> bytes:
    value = GroupMetadataValue(protocol_type, 7, "range", "c-0", AT_MS, members)
    return encode_payload(version, value)


def transaction(status: int, partitions: dict[str, list[int]] | None, *, version: int = 0) -> bytes:
    named = None if partitions is None else list(map(TransactionPartitions, *split(partitions)))
    value = TransactionLogValue(4000, 2, 60_000, status, named, AT_MS, AT_MS - 5)
    return encode_payload(version, value)


def split(partitions: dict[str, list[int]]) -> tuple[Any, Any]:
    return partitions.keys(), partitions.values()


def offset_records() -> list[KeyAndValue]:
    """What Kafka's tool decodes as well, one of each kind and version."""
    strange = 'say "no" \\u001f\t\x1f\x7f täglich / 9'
    commits = [
        OffsetCommitValue(2**40, 5, strange if version == 2 else "", AT_MS, AT_MS + 1)
        for version in range(5)
    ]
    unread = MemberMetadata("other", None, "c", "/h", 1, 2, b"", b"\0\1\xff")
    return [
        *(
            (offset_key(version=version % 2), encode_payload(version, commit))
            for version, commit in enumerate(commits)
        ),
        (offset_key("gone"), None),
        *((group_key(), group([member(version)], version=version)) for version in range(4)),
        (group_key(), group([member(0), member(3)], version=4)),
        (group_key("empty"), encode_payload(3, GroupMetadataValue("", 8, None, None, AT_MS))),
        (group_key("connect"), group([member(1)], protocol_type="connect")),
        (group_key("unread"), group([unread])),
        (group_key("gone"), None),
        (b"\0\x20xyz", b"abc"),
    ]


def transaction_records() -> list[KeyAndValue]:
    """What Kafka's tool decodes as well: every state, and sets of every size up to some dozens."""
    many = {"orders": list(range(11)), "a.b_c-d": [0, 7, 100_000], "paid": list(range(90))}
    return [
        *(
            (transaction_key(f"t{status}"), transaction(status, {"orders": [2, 0, 1]}))
            for status in range(8)
        ),
        *(
            (transaction_key(f"n{count}"), transaction(1, {"orders": list(range(count)), "b": [0]}))
            for count in (0, 9, 10, 11, 12, 23, 24, 47, 48, 200)
        ),
        *(
            (transaction_key(f"m{count}"), transaction(1, {f"topic{n}": [n] for n in range(count)}))
            for count in (5, 11, 12, 13, 30, 100)
        ),
        (transaction_key("many"), transaction(4, many, version=1)),
        (transaction_key("none"), transaction(0, None)),
        (transaction_key("gone"), None),
        (b"\0\x07?", b"?"),
    ]
