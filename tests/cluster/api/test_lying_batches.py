"""Batches that are not inside what they say outside, and those that take long to look into."""

import struct

import pytest

from cluster.formats.record_batch import whole_batches
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.cluster.api.world import NEVER, World, only_part, only_topic
from tests.cluster.storage.batches import (
    CODECS,
    LAST_OFFSET_DELTA_AT,
    START_MS,
    batch,
    batch_around,
    record,
    sealed,
    with_max_timestamp,
)
from tests.cluster.storage.logs import stored_bytes

COMPRESSED = [codec for codec in CODECS if codec != "none"]
MIB = 1024**2


@pytest.fixture
def world() -> World:
    world = World()
    world.lead()
    return world


def records(count: int, *, value: bytes = b"value") -> bytes:
    return b"".join(record(number, number, value) for number in range(count))


LIES = {
    "fewer": (records(3), 4),
    "more": (records(3), 2),
    "offsets": (record(0, 0, b"a") + record(2, 0, b"b"), 2),
    "offsets far away": (record(2**31 - 1, 0, b"a"), 1),
    "garbage behind": (records(2) + b"\0" * 9, 2),
    "nothing": (b"", 1),
    "a length within": (records(1)[:5] + b"\x7e" + records(1)[6:], 1),
    "garbage": (b"\xff" * 40, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_inside_as_it_says_is_refused(world: World, codec: str, lie: str):
    body, count = LIES[lie]

    answer = world.produced(batch_around(body, count, codec))

    assert ErrorCode.INVALID_RECORD == answer.error_code
    assert world.produced(batch(1)).base_offset == 0


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("delta", [0, 1, 3, 100, 2**31 - 1])
def test_a_last_offset_that_is_not_that_of_the_last_record_is_refused(
    world: World, codec: str, delta: int
):
    """By it alone a log goes on: the next batch would begin at an offset that was never written."""
    lying = batch_around(records(3), 3, codec)
    struct.pack_into(">i", lying, LAST_OFFSET_DELTA_AT, delta)

    answer = world.produced(sealed(lying))

    assert ErrorCode.INVALID_RECORD == answer.error_code
    assert world.produced(batch(3, codec=codec)).base_offset == 0
    assert world.produced(batch(1)).base_offset == 3


@pytest.mark.parametrize("codec", COMPRESSED)
@pytest.mark.parametrize("garbage", [b"garbage " * 9, b"", b"\xff" * 3])
def test_what_cannot_be_unpacked_is_refused(world: World, codec: str, garbage: bytes):
    answer = world.produced(batch_around(garbage, 1, codec, packed=True))

    # An empty stream is one of some codecs, with nothing in it.
    assert answer.error_code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD)
    assert world.produced(batch(1)).base_offset == 0


@pytest.mark.parametrize("codec", COMPRESSED)
def test_a_stream_that_was_cut_off_is_refused(world: World, codec: str):
    _, pack = CODECS[codec]
    packed = pack(records(50))

    answer = world.produced(batch_around(packed[: len(packed) // 2], 50, codec, packed=True))

    assert answer.error_code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD)


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_bomb_is_looked_into_on_a_thread_and_refused(world: World, codec: str):
    bomb = batch_around(record(0, 0, bytes(120 * MIB)), 1, codec)
    assert len(bomb) < MIB

    asked = world.produce(bomb)

    assert asked.body is NEVER
    assert world.produced(batch(1)).base_offset == 0
    world.settle()
    answer = only_part(asked)
    assert ErrorCode.MESSAGE_TOO_LARGE == answer.error_code
    assert "above max.message.bytes" in answer.error_message


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
def test_a_large_batch_is_checked_while_others_are_served(world: World, codec: str):
    large = batch([b"%d" % number for number in range(30_000)], codec=codec)

    asked = world.produce(large)

    assert asked.body is NEVER
    assert world.produced(batch(2)).base_offset == 0
    world.settle()
    answer = only_part(asked)
    assert (ErrorCode.NONE, 2) == (answer.error_code, answer.base_offset)
    ((_, log),) = world.logs.directories[0].logs.items()
    assert log.log_end_offset == 30_002
    assert stored_bytes(log)[-len(large) + 61 :] == bytes(large[61:])


@pytest.mark.slow
def test_large_batches_are_checked_one_after_the_other(world: World):
    large = [batch(25_000), batch(26_000), batch_around(records(25_000), 25_001)]

    asked = [world.produce(one) for one in large]

    assert len(world.disks.waiting) == 2, "a piece of work, and what follows it"
    world.settle()
    answers = [only_part(one) for one in asked]
    assert [(0, 0), (0, 25_000), (ErrorCode.INVALID_RECORD, -1)] == [
        (one.error_code, one.base_offset) for one in answers
    ]


def test_a_request_of_many_large_batches_does_not_hold_up_one_of_another_client(world: World):
    world.lead("many", partitions=3)
    given: list[str] = []
    large = bytes(batch(25_000))
    parts = [PartitionProduceData(index, large) for index in range(3)]
    body = ProduceRequest(None, -1, 1000, [TopicProduceData("many", parts)])

    first = world.ask(ApiKey.PRODUCE, body, on_given=lambda: given.append("many"))
    body = body._replace(topic_data=[TopicProduceData("orders", parts[:1])])
    second = world.ask(ApiKey.PRODUCE, body, on_given=lambda: given.append("one"))
    world.settle()

    assert given == ["one", "many"]
    assert ErrorCode.NONE == only_part(second).error_code
    assert [0, 0, 0] == [part.error_code for part in only_topic(first).partition_responses]


def test_what_waits_for_the_thread_counts_as_memory_of_requests(world: World):
    sound, wrong = batch(25_000), batch_around(records(25_000), 25_001)

    world.produce(sound)
    world.produce(wrong)
    assert world.memory.held_bytes == len(sound) + len(wrong)
    for _ in range(2):
        world.disks.waiting.popleft()()
    assert world.memory.held_bytes == len(wrong)
    world.settle()
    assert world.memory.held_bytes == 0


def test_a_leader_that_was_deposed_while_a_batch_was_checked_does_not_write_it(world: World):
    asked = world.produce(batch(25_000))
    world.order("orders", leader=2, leader_epoch=1, replicas=[1, 2], isr=[2])

    world.settle()

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == only_part(asked).error_code


TIMES = {
    "one": [START_MS],
    "later": [START_MS + 3 * number for number in range(200)],
    "one millisecond": [START_MS] * 200,
    "earlier": [START_MS - number for number in range(200)],
    "of a day": [START_MS + 400_000 * (number % 216) for number in range(400)],
    "heavy": [START_MS + number for number in range(25_000)],
    "none": [-1, -1],
}
CLAIMS = (START_MS - 1, START_MS + 1, START_MS + 1000, 0, -1, -(2**63), 2**63 - 1)


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("times", TIMES)
def test_the_greatest_timestamp_is_that_of_the_records_whatever_a_producer_says(
    world: World, codec: str, times: str
):
    """Kafka computes it anew, and so is the checksum; no other byte changes."""
    at = TIMES[times]
    honest = batch([b"v"] * len(at), times=at, codec=codec)

    claims = CLAIMS[:2] if times == "heavy" else CLAIMS
    for claim in claims:
        world.produce(with_max_timestamp(bytearray(honest), claim))
        world.settle()

    ((_, log),) = world.logs.directories[0].logs.items()
    stored = stored_bytes(log)
    assert len(claims) * len(honest) == len(stored)
    for position, header in whole_batches(stored):
        assert max(at) == header.max_timestamp
        assert honest[17:] == stored[position + 17 : position + len(honest)]


def bounded_world() -> World:
    """One whose topic takes no records from more than a second ahead."""
    world = World()
    world.store.configs["orders"] = {"message.timestamp.after.max.ms": "1000"}
    world.lead()
    return world


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 25_000])
def test_a_record_of_the_far_future_is_refused_whatever_is_claimed(count: int):
    world = bounded_world()
    times = [START_MS, START_MS + 1001, *[START_MS] * (count - 2)]
    future = with_max_timestamp(batch([b"v"] * count, times=times), START_MS)
    present = with_max_timestamp(batch([b"v"] * count, times=[START_MS] * count), 2**62)

    asked = [world.produce(future), world.produce(present)]
    world.settle()

    assert [ErrorCode.INVALID_TIMESTAMP, ErrorCode.NONE] == [
        only_part(one).error_code for one in asked
    ]


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_bomb_of_the_far_future_is_looked_into_on_a_thread(codec: str):
    """To name the records of wrong times would unpack it while others wait."""
    world = bounded_world()
    body = record(0, 2**40, bytes(9 * MIB))
    bomb = with_max_timestamp(batch_around(body, 1, codec), START_MS + 2**40)

    asked = world.produce(bomb)

    assert asked.body is NEVER
    world.settle()
    assert ErrorCode.INVALID_TIMESTAMP == only_part(asked).error_code
