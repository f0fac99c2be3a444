"""Producers and consumers of Kafka 0.8 to 0.10: messages of magic 0 and 1."""

from typing import Any

import pytest

from cluster.broker.replica_manager import down_conversion
from cluster.formats.message_building import build_message_set
from cluster.formats.record_batch import checksum_matches, whole_batches
from cluster.formats.records import Record, records_of
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.world import World, only_part
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import HEADER, START_MS, batch, marker, sealed, xerial

MAGIC = {0: 0, 1: 0, 2: 1, 3: 1}
"""Of the messages that consumers get, by the version of their fetches."""
OLD_VERSIONS = sorted(MAGIC)
CODECS = ["none", "gzip", "xerial", "lz4"]


@pytest.fixture
def leading(world: World) -> World:
    world.lead()
    return world


def produced(world: World, content: bytes | bytearray, version: int = 2, **said: Any) -> Any:
    answer = world.produce(content, version=version, **said)
    world.settle()
    return only_part(answer)


def fetched(world: World, offset: int = 0, version: int = 3, **said: Any) -> Any:
    answer = fetch(world, part(offset, **said), version=version)
    world.settle()
    return only_part(answer)


def read(data: Any) -> list[Record]:
    """The records of a fetch's answer; a message that its end cuts off is left out."""
    content = bytes(data.records)
    records: list[Record] = []
    for position, header in whole_batches(content):
        assert checksum_matches(content, header, position)
        records += records_of(content[position : position + header.size], header)
    return records


def appended(world: World, *contents: bytes | bytearray) -> None:
    """Let the log hold *contents*, as one that was a follower, or another broker's, may."""
    log = world.logs.log(TopicPartition("orders", 0))
    hosted = world.broker.partitions.find_index("orders", 0)
    assert log is not None
    assert hosted is not None
    for content in contents:
        log.append_as_follower(content, 0)
    hosted.replica.advance_high_watermark(log.log_end_offset, 0, 0)


# Produce.


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", CODECS)
def test_messages_are_appended_as_a_batch_of_the_same_codec(
    leading: World, version: int, magic: int, codec: str
):
    produced(leading, batch(5), version=version)
    sent = (
        message(b"a", key=b"0", magic=magic)
        + message(b"b", key=b"1", magic=magic, timestamp=START_MS + 1)
        if codec == "none"
        else wrapper(
            [b"a", b"b"], magic=magic, codec=codec, has_old_checksum=(codec, magic) == ("lz4", 0)
        )
    )

    answer = produced(leading, sent, version=version)

    times = [START_MS, START_MS + 1] if magic == 1 else [-1, -1]
    assert (ErrorCode.NONE, 5, -1) == (
        answer.error_code,
        answer.base_offset,
        answer.log_append_time_ms,
    )
    data = only_part(fetch(leading, part(5)))
    assert [
        (5 + number, time, key, value)
        for number, (time, key, value) in enumerate(
            zip(times, (b"0", b"1"), (b"a", b"b"), strict=True)
        )
    ] == [record[:4] for record in read(data)]
    ((_, header),) = whole_batches(bytes(data.records))
    assert (2, CODECS.index(codec)) == (header.magic, header.codec)


@pytest.mark.parametrize("key", [b"d", b"l", b"t", b"\x04"])
@pytest.mark.parametrize("magic", [0, 1])
def test_no_key_is_taken_for_a_codec(leading: World, key: bytes, magic: int):
    # In magic 1 a timestamp stands where batches have their codec.
    sent = message(b"value", key=key, magic=magic, timestamp=START_MS & ~0xFF << 24 | 4 << 24)

    assert ErrorCode.NONE == produced(leading, sent).error_code
    assert [key] == [record.key for record in read(only_part(fetch(leading, part(0))))]


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_a_snappy_frame_that_is_cut_off_is_refused(leading: World, magic: int):
    frame = xerial(b"some") + bytes(2)
    if magic == 2:
        sent = sealed(batch(1, codec="xerial")[: HEADER.size] + bytearray(frame))
        sent[8:12] = (len(sent) - 12).to_bytes(4)
    else:
        sent = bytearray(message(frame, magic=magic, attributes=2))

    answer = produced(leading, sent, version=3 if magic == 2 else 2)

    assert ErrorCode.NONE != answer.error_code
    assert b"" == fetched(leading).records


def test_what_is_refused_leaves_the_log_as_it_is(world: World):
    world.store.configs["orders"] = {"message.timestamp.after.max.ms": "1000"}
    world.lead()
    damaged = bytearray(message(b"value"))
    damaged[-1] ^= 1

    refused = produced(world, damaged)
    too_new = produced(world, message(b"value", timestamp=START_MS + 1001))

    assert (ErrorCode.CORRUPT_MESSAGE, -1) == (refused.error_code, refused.base_offset)
    assert ErrorCode.INVALID_TIMESTAMP == too_new.error_code
    assert 0 == produced(world, message(b"value")).base_offset


def test_a_batch_may_not_get_too_large_by_its_conversion(world: World):
    world.store.configs["orders"] = {"max.message.bytes": "1000"}
    world.lead()
    several = message(bytes(400)) * 3

    assert ErrorCode.MESSAGE_TOO_LARGE == produced(world, several).error_code
    assert ErrorCode.NONE == produced(world, several[: len(several) // 3]).error_code


def test_the_brokers_time_is_that_of_old_messages_as_well(world: World):
    world.store.configs["orders"] = {"message.timestamp.type": "LogAppendTime"}
    world.lead()
    world.clock.advance(1234)

    answer = produced(world, message(b"value", timestamp=5))

    assert START_MS + 1234 == answer.log_append_time_ms
    assert [START_MS + 1234] == [one.timestamp for one in read(fetched(world))]


def test_without_acks_messages_are_converted_all_the_same(leading: World):
    answer = leading.produce(message(b"value"), acks=0, version=0)
    leading.settle()

    assert answer.body is None
    assert [b"value"] == [record.value for record in read(fetched(leading))]


# Fetch.


@pytest.mark.parametrize("version", OLD_VERSIONS)
@pytest.mark.parametrize("codec", CODECS)
def test_consumers_get_messages_that_they_know(leading: World, version: int, codec: str):
    leading.produced(batch([b"a", b"b"], codec=codec))
    leading.produced(batch([b"c"], codec=codec))

    first, second = (fetched(leading, offset, version) for offset in (0, 2))

    assert (ErrorCode.NONE, 3) == (first.error_code, first.high_watermark)
    times = [START_MS, START_MS + 1, START_MS] if MAGIC[version] == 1 else [-1] * 3
    # Of what is larger than it was, the first batch alone may come whole.
    records = [*read(first)[:2], *read(second)]
    assert list(zip(range(3), times, [b"a", b"b", b"c"], strict=True)) == [
        (one.offset, one.timestamp, one.value) for one in records
    ]
    headers = [header for _, header in whole_batches(bytes(first.records))]
    assert {(MAGIC[version], CODECS.index(codec))} == {(one.magic, one.codec) for one in headers}


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_reading_begins_at_the_offset(leading: World, version: int):
    leading.produced(batch(3))
    leading.produced(batch(3))

    assert [2, 3, 4, 5] == [one.offset for one in read(fetched(leading, 2, version))]


def test_what_gets_larger_is_cut_but_for_the_first_batch(leading: World):
    for _ in range(2):
        leading.produced(batch([b""] * 50))
    first = len(build_message_set([Record(0, 0, None, b"")] * 50, 1))

    data = fetched(leading)

    assert len(data.records) == first
    assert [*range(50)] == [one.offset for one in read(data)]
    cut = fetched(leading, size_max=10)
    assert [*range(50)] == [one.offset for one in read(cut)]


def test_a_large_partition_is_converted_in_pieces(leading: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(down_conversion, "PIECE_SIZE", 500)
    for _ in range(20):
        leading.produced(batch(5))

    answer = fetch(leading, part(0), version=3)

    assert len(leading.disks.waiting) == 2, "a piece of work, and what follows it"
    assert leading.memory.held_bytes > 0
    leading.settle()
    assert [*range(100)][: len(read(only_part(answer)))] == [
        one.offset for one in read(only_part(answer))
    ]
    assert 0 == leading.memory.held_bytes


def test_an_answer_is_bounded(leading: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("cluster.api.fetch.CONVERTED_SIZE_MAX", 1000)
    for _ in range(20):
        leading.produced(batch([bytes(100)]))

    assert 0 < len(fetched(leading, version=0).records) <= 1000


def test_nothing_is_converted_any_more_for_who_has_gone(leading: World):
    leading.produced(batch(5))
    answer = fetch(leading, part(0), version=3)
    assert answer.cancel is not None

    answer.cancel()
    leading.settle()

    assert answer.is_waiting


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_a_fetch_that_waits_is_converted_as_well(leading: World, version: int):
    answer = fetch(leading, part(0), version=version, max_wait_ms=500)
    assert answer.is_waiting

    leading.produced(batch([b"new"]))
    leading.settle()

    assert [b"new"] == [one.value for one in read(only_part(answer))]


@pytest.mark.parametrize(("version", "error"), [(3, ErrorCode.UNSUPPORTED_VERSION), (4, 0)])
def test_a_topic_may_refuse_to_be_converted(world: World, version: int, error: int):
    world.store.configs["orders"] = {"message.downconversion.enable": "false"}
    world.lead()
    world.produced(batch(1))

    for offset in (0, 1):
        assert error == fetched(world, offset, version).error_code


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_errors_are_told_as_they_are(leading: World, version: int):
    leading.produced(batch(1))

    beyond = fetched(leading, 9, version)
    unknown = only_part(fetch(leading, part(0), topic="nowhere", version=version))

    assert (ErrorCode.OFFSET_OUT_OF_RANGE, -1) == (beyond.error_code, beyond.high_watermark)
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == unknown.error_code


def test_zstd_is_an_error_where_the_answer_would_begin_with_it(leading: World):
    leading.produced(batch([b"a"]))
    leading.produced(batch([b"b"], codec="zstd"))

    assert [b"a"] == [one.value for one in read(fetched(leading))]
    refused = fetched(leading, 1)
    assert (ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, b"") == (
        refused.error_code,
        bytes(refused.records),
    )


def test_no_consumer_is_given_a_damaged_batch_with_a_right_checksum(leading: World):
    leading.produced(batch([b"a"]))
    log = leading.logs.log(TopicPartition("orders", 0))
    assert log is not None
    log.active.file.write(log.active.size - 1, b"\x01")

    assert ErrorCode.CORRUPT_MESSAGE == fetched(leading).error_code


def test_a_failed_disk_is_told_in_words_that_old_consumers_know(leading: World):
    leading.logs.directories[0].health.fail(OSError("input/output error"))

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == fetched(leading, version=5).error_code
    assert ErrorCode.KAFKA_STORAGE_ERROR == fetched(leading, version=6).error_code


# What other brokers have written.


def test_markers_of_transactions_are_passed_over(leading: World):
    markers = [marker(7, offset, is_abort=False) for offset in range(3)]
    appended(leading, *markers, batch([b"a"], base_offset=3, leader_epoch=0))

    # Whole batches that have room: the markers alone, as many as there may be.
    data = fetched(leading, size_max=len(markers[0]))

    assert [(3, b"a")] == [(one.offset, one.value) for one in read(data)]


def test_behind_the_last_marker_a_consumer_waits_as_if_nothing_were_there(leading: World):
    appended(leading, marker(7, 0, is_abort=False))

    answer = fetch(leading, part(0), version=3, max_wait_ms=500)
    leading.settle()
    assert answer.is_waiting
    leading.clock.advance(500)

    data = only_part(answer)
    assert (ErrorCode.NONE, 1, b"") == (data.error_code, data.high_watermark, bytes(data.records))


OLD_LOG = [
    message(b"a", offset=0, magic=0),
    wrapper([b"b", b"c"], base_offset=1, magic=0),
    message(b"d", offset=3),
    wrapper([b"e", b"f"], base_offset=4),
]


@pytest.mark.parametrize(("version", "magics"), [(17, (0, 1)), (3, (0, 1)), (1, (0, 0))])
def test_a_log_of_an_old_broker_is_served_as_it_is_where_it_is_understood(
    leading: World, version: int, magics: tuple[int, int]
):
    appended(leading, *OLD_LOG)

    data = fetched(leading, version=version)

    assert [*enumerate([b"a", b"b", b"c", b"d", b"e", b"f"])] == [
        (one.offset, one.value) for one in read(data)
    ]
    headers = [header for _, header in whole_batches(bytes(data.records))]
    assert [magics[0]] * 2 + [magics[1]] * 2 == [header.magic for header in headers]
    if magics == (0, 1):
        assert b"".join(OLD_LOG) == bytes(data.records)
