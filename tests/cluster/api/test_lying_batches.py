"""Batches that are not inside what they say outside, and those that take long to look into."""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.cluster.api.world import NEVER, World, only_part, only_topic
from tests.cluster.storage.batches import CODECS, batch, batch_around, record
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


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_inside_as_it_says_is_refused(world: World, codec: str, lie: str):
    body, count = LIES[lie]

    answer = world.produced(batch_around(body, count, codec))

    assert ErrorCode.INVALID_RECORD == answer.error_code
    assert world.produced(batch(1)).base_offset == 0


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
    parts = [PartitionProduceData(index, bytes(batch(25_000))) for index in range(3)]
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
