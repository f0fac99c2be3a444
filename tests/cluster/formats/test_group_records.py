"""Are a coordinator's records written as Kafka 3.9 writes them, and read in all versions?"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cluster.formats.batch_building import record_of
from cluster.formats.coordinator_records import MisreadError
from cluster.formats.group_records import decode, encode, encode_all
from cluster.formats.record_batch import checksum_matches, parse_header
from cluster.formats.records import records_of
from cluster.model.group_records import (
    NO_TIMESTAMP,
    CommitRecords,
    GroupMember,
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    OffsetCommitKey,
    OffsetCommitValue,
    PlainOffsets,
)
from cluster.model.ids import TopicPartition
from cluster.wire.codec import encode_payload
from cluster.wire.errors import UnencodableMessageError
from cluster.wire.messages import coordinator_records as wire
from tests.cluster.storage.batches import of_pairs

PLAIN = (OffsetCommitKey("g", "orders", 0), OffsetCommitValue(7))
KEY = OffsetCommitKey("g", "orders", 3)
MEMBER = GroupMember("m-1", "one", "client", "/127.0.0.1", 300_000, 10_000, b"\1", b"\2")
GROUP = GroupMetadataValue("consumer", 7, "range", "m-1", 1234, (MEMBER,))

TEXT = st.text(max_size=20)
NUMBER = st.integers(0, 2**31 - 1)
OFFSETS = st.builds(OffsetCommitValue, NUMBER, NUMBER, TEXT, NUMBER, st.just(NO_TIMESTAMP))
MEMBERS = st.builds(
    GroupMember, TEXT, st.none() | TEXT, TEXT, TEXT, NUMBER, NUMBER, st.binary(), st.binary()
)
GROUPS = st.builds(
    GroupMetadataValue,
    TEXT,
    NUMBER,
    st.none() | TEXT,
    st.none() | TEXT,
    NUMBER,
    st.lists(MEMBERS, max_size=3).map(tuple),
)


@given(
    st.tuples(st.builds(OffsetCommitKey, TEXT, TEXT, NUMBER), st.none() | OFFSETS)
    | st.tuples(st.builds(GroupMetadataKey, TEXT), st.none() | GROUPS)
)
def test_what_is_written_is_read_back(record: GroupRecord) -> None:
    key, value = encode(record)

    assert record == decode(key, value)


@given(st.builds(OffsetCommitKey, TEXT, TEXT, NUMBER), OFFSETS)
def test_offsets_are_written_as_their_messages_are(
    key: OffsetCommitKey, value: OffsetCommitValue
) -> None:
    found = encode((key, value))

    assert found.key == encode_payload(1, wire.OffsetCommitKey(*key))
    assert found.value == encode_payload(3, wire.OffsetCommitValue(*value))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (KEY._replace(group="g" * 2**15), OffsetCommitValue(5)),
        (KEY._replace(partition=2**31), OffsetCommitValue(5)),
        (KEY, OffsetCommitValue(2**63)),
        (KEY, OffsetCommitValue(5, 2, "x" * 2**15)),
        (KEY, OffsetCommitValue(5, 2, "\ud800")),
    ],
)
def test_what_has_no_form_is_not_written(key: OffsetCommitKey, value: OffsetCommitValue) -> None:
    with pytest.raises(UnencodableMessageError):
        encode((key, value))


@pytest.mark.parametrize(
    ("record", "key", "value"),
    [
        (
            (KEY, OffsetCommitValue(5, 2, "x", 1000)),
            "0001 0001 67 0006 6f7264657273 00000003",
            "0003 0000000000000005 00000002 0001 78 00000000000003e8",
        ),
        (
            (KEY, OffsetCommitValue(5, -1, "", 1000, 2000)),
            "0001 0001 67 0006 6f7264657273 00000003",
            "0001 0000000000000005 0000 00000000000003e8 00000000000007d0",
        ),
        (
            (GroupMetadataKey("g"), GROUP),
            "0002 0001 67",
            "0003 0008 636f6e73756d6572 00000007 0005 72616e6765 0003 6d2d31 00000000000004d2"
            " 00000001 0003 6d2d31 0003 6f6e65 0006 636c69656e74 000a 2f3132372e302e302e31"
            " 000493e0 00002710 00000001 01 00000001 02",
        ),
    ],
    ids=["offset", "offset that expires", "group"],
)
def test_records_are_written_in_the_versions_of_kafka_3_9(
    record: GroupRecord, key: str, value: str
) -> None:
    assert (bytes.fromhex(key), bytes.fromhex(value)) == encode(record)


@pytest.mark.parametrize("version", range(5))
def test_offsets_of_all_versions_are_read(version: int) -> None:
    key, _ = encode((KEY, None))
    value = encode_payload(version, wire.OffsetCommitValue(5, 2, "x", 1000, 2000))

    leader_epoch = 2 if version >= 3 else -1
    expected = OffsetCommitValue(5, leader_epoch, "x", 1000, 2000 if version == 1 else -1)
    assert (KEY, expected) == decode(key, value)


@pytest.mark.parametrize("version", range(5))
def test_groups_of_all_versions_are_read(version: int) -> None:
    member = MEMBER
    if version < 3:
        member = member._replace(group_instance_id=None)
    if version < 1:
        member = member._replace(rebalance_timeout=-1)
    group = GROUP._replace(members=(member,))
    if version < 2:
        group = group._replace(current_state_timestamp=-1)
    key, _ = encode((GroupMetadataKey("g"), None))
    written = wire.GroupMetadataValue(*GROUP[:-1], [wire.MemberMetadata(*MEMBER)])

    assert (GroupMetadataKey("g"), group) == decode(key, encode_payload(version, written))


def test_records_of_other_kinds_are_passed_over() -> None:
    assert decode(b"\0\3abc", b"whatever") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"", b""), (b"\0\1", b""), (encode((KEY, None)).key, b"\0\5"), (b"\0\2\0\1g", b"\0\3\0")],
    ids=["no version", "cut key", "unknown version", "cut value"],
)
def test_damaged_records_are_misread(key: bytes, value: bytes) -> None:
    with pytest.raises(MisreadError):
        decode(key, value)


PARTITIONS = st.builds(
    TopicPartition,
    st.sampled_from(["t", "u" * 120, "u" * 120 + "\u2603"]),
    st.integers(0, 2**31 - 1),
)
VALUES = st.builds(
    OffsetCommitValue,
    st.integers(0, 2**63 - 1),
    st.integers(-1, 2**31 - 1),
    st.sampled_from(["", "", "metadata"]),
    st.integers(0, 2**63 - 1),
    st.sampled_from([-1, -1, 7]),
)


@given(
    st.sampled_from(["g", "h" * 99, "h" * 99 + "\u2603"]),
    st.dictionaries(PARTITIONS, VALUES, max_size=8),
    st.sampled_from([0, 60]),
)
def test_records_of_a_commit_are_written_as_each_alone(
    group: str, offsets: dict[TopicPartition, OffsetCommitValue], before: int
) -> None:
    """Numbers in the batch take one to three bytes."""
    earlier = {TopicPartition("t", -1 - n): PLAIN[1] for n in range(before)}
    records = CommitRecords(group, {**earlier, **offsets})

    assert alone(records) == encode_all(records)
    assert len(records) == len(list(records))


@given(
    st.sampled_from(["g", "h" * 99, "h" * 99 + "\u2603"]),
    st.lists(st.sampled_from([1, 3, 63, 64, 65, 130]), max_size=4),
    st.integers(0, 2**31 - 1000),
)
@example("g", [8192], 0)
@example("g", [1, 8192], 0)
def test_plain_offsets_are_written_as_each_alone(group: str, counts: list[int], first: int) -> None:
    """Of several topics, with numbers in the batch of one to three bytes."""
    numbers = range(first, first + sum(counts))
    topics = tuple((f"{n}" * (n + 1), tuple(range(count))) for n, count in enumerate(counts))
    plain = PlainOffsets(topics, tuple(numbers), tuple(one % 7 - 1 for one in numbers), 1234)
    records = CommitRecords(group, plain)

    assert b"".join(alone(records)) == b"".join(encode_all(records))
    assert len(records) == len(list(records))


def alone(records: CommitRecords) -> list[bytes]:
    return [record_of(number, 0, *encode(one)) for number, one in enumerate(records)]


@pytest.mark.parametrize("name", ["n" * 2**15, "\ud800"], ids=["too long", "no text"])
def test_names_that_have_no_place_are_refused(name: str) -> None:
    for group, topic in ((name, "t"), ("g", name)):
        with pytest.raises(UnencodableMessageError):
            encode_all(CommitRecords(group, PlainOffsets(((topic, (0,)),), (7,), (-1,), 0)))


@given(st.lists(st.tuples(st.none() | st.binary(), st.none() | st.binary()), min_size=1))
def test_a_built_batch_has_its_records(records: list[tuple[bytes | None, bytes | None]]) -> None:
    batch = of_pairs(records, 1234)
    header = parse_header(batch)

    assert len(batch) == header.size
    assert checksum_matches(batch, header, 0)
    assert not header.is_transactional
    found = list(records_of(bytes(batch), header))
    assert records == [(one.key, one.value) for one in found]
    assert {1234} == {one.timestamp for one in found}
    assert list(range(len(records))) == [one.offset for one in found]


def test_a_batch_of_a_producer_is_transactional() -> None:
    header = parse_header(of_pairs([(b"k", b"v")], 0, 5, 1))

    assert header.is_transactional
    assert (5, 1, -1) == (header.producer_id, header.producer_epoch, header.base_sequence)
