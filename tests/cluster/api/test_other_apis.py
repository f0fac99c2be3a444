"""Which APIs are there, which ids do producers get, and what lies in the log directories?"""

import pytest

from cluster.api.api_versions import answer_unsupported
from cluster.api.dispatch import SERVED
from cluster.broker.line_limit import LINES_MAX, PERIOD_MS
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response
from cluster.wire.errors import UnsupportedVersionError
from cluster.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.messages.log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from cluster.wire.messages.producers import (
    AllocateProducerIdsRequest,
    DescribeProducersRequest,
    InitProducerIdRequest,
    TopicRequest,
)
from tests.cluster.api.world import World, versions
from tests.cluster.storage.batches import START_MS, batch

# ApiVersions.


@pytest.mark.parametrize("version", versions(ApiKey.API_VERSIONS))
def test_exactly_what_is_served_is_advertised(world: World, version: int):
    body = world.ask_now(ApiKey.API_VERSIONS, ApiVersionsRequest("a-client", "1.0"), version)

    assert {(key.value, of.lowest, of.highest) for key, of in SERVED.items()} == {
        tuple(one) for one in body.api_keys
    }
    assert ErrorCode.NONE == body.error_code


def test_no_client_is_led_to_transactions():
    assert set() == {24, 25, 26, 28} & {key.value for key in SERVED}


@pytest.mark.parametrize("software", [("", "1"), ("a client", "1"), ("a", "-1"), ("a", "")])
def test_a_client_whose_name_cannot_be_logged_is_refused(world: World, software):
    body = world.ask_now(ApiKey.API_VERSIONS, ApiVersionsRequest(*software))

    assert ErrorCode.INVALID_REQUEST == body.error_code


def test_a_client_of_tomorrow_is_told_what_it_can_ask():
    buffers = answer_unsupported(SERVED, UnsupportedVersionError(ApiKey.API_VERSIONS, 9, 7))

    assert buffers is not None
    frame = memoryview(b"".join(map(bytes, buffers)))[4:]  # type: ignore[arg-type]
    answer = decode_response(ApiVersionsResponse, 0, frame)
    assert (7, ErrorCode.UNSUPPORTED_VERSION) == (answer.correlation_id, answer.body.error_code)
    assert [(18, 0, 4)] == [tuple(one) for one in answer.body.api_keys]


def test_other_apis_of_tomorrow_are_not_answered():
    assert answer_unsupported(SERVED, UnsupportedVersionError(ApiKey.FETCH, 99, 7)) is None


# InitProducerId.


def ask_for_id(world: World, version: int = 5):
    return world.ask(ApiKey.INIT_PRODUCER_ID, InitProducerIdRequest(), version)


@pytest.mark.parametrize("version", versions(ApiKey.INIT_PRODUCER_ID))
def test_every_producer_gets_an_id_of_its_own(world: World, version: int):
    answers = [ask_for_id(world, version) for _ in range(5)]
    world.settle()
    answers += [ask_for_id(world, version) for _ in range(2)]
    world.settle()

    assert [0, 1, 2, 3, 4, 5, 6] == [answer.body.producer_id for answer in answers]
    assert {(ErrorCode.NONE, 0)} == {
        (answer.body.error_code, answer.body.producer_epoch) for answer in answers
    }


def test_without_a_block_producers_are_to_ask_again(world: World):
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    answers = [ask_for_id(world) for _ in range(2)]
    assert answers[0].is_waiting
    world.settle()
    world.store.failure = None
    again = ask_for_id(world)
    world.settle()

    assert [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 2 == [one.body.error_code for one in answers]
    assert (ErrorCode.NONE, 0) == (again.body.error_code, again.body.producer_id)


def test_a_transactional_producer_is_refused_for_good(world: World):
    request = InitProducerIdRequest("payments")

    body = world.ask_now(ApiKey.INIT_PRODUCER_ID, request)

    error = ErrorCode(body.error_code)
    assert (ErrorCode.UNSUPPORTED_VERSION, False) == (error, error.is_retriable)
    assert "'payments'" in world.journal.warnings[0]


def test_no_client_fills_the_log_with_what_it_is_refused(world: World):
    long_name = "payments\n" + "x" * 30_000

    for _ in range(LINES_MAX + 5):
        world.ask_now(ApiKey.INIT_PRODUCER_ID, InitProducerIdRequest(long_name))
        ask_for_block(world)

    assert LINES_MAX == len(world.journal.warnings)
    assert max(map(len, world.journal.warnings)) < 300
    assert not any("\n" in line for line in world.journal.warnings)
    world.clock.advance(PERIOD_MS)
    assert f"and {LINES_MAX + 10} more in 60 s" in world.journal.warnings[-1]
    ask_for_block(world)
    assert "NOT_CONTROLLER" in world.journal.warnings[-1]


# AllocateProducerIds.


def ask_for_block(world: World, version: int = 0) -> tuple[ErrorCode, int, int]:
    """The answer to broker 2 with epoch 77: the error, the first id, and how many there are."""
    request = AllocateProducerIdsRequest(2, 77)
    body = world.ask_now(ApiKey.ALLOCATE_PRODUCER_IDS, request, version)
    return ErrorCode(body.error_code), body.producer_id_start, body.producer_id_len


@pytest.mark.parametrize("version", versions(ApiKey.ALLOCATE_PRODUCER_IDS))
def test_the_controller_gives_blocks_to_brokers_of_which_it_keeps_none_for_itself(
    world: World, version: int
):
    world.controller.refusal = ErrorCode.NONE
    own = ask_for_id(world)
    world.settle()

    blocks = [ask_for_block(world, version) for _ in range(2)]

    assert own.body.producer_id == 0
    assert [(ErrorCode.NONE, 3, 3), (ErrorCode.NONE, 6, 3)] == blocks
    assert [(2, 77)] * 2 == world.controller.heard_of


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.BROKER_ID_NOT_REGISTERED,
        ErrorCode.STALE_BROKER_EPOCH,
    ],
)
def test_a_broker_to_which_the_controller_does_not_listen_gets_no_block(
    world: World, error: ErrorCode
):
    world.controller.refusal = error

    assert (error, 0, 0) == ask_for_block(world)
    assert world.store.next_producer_id == 0
    assert error.name in world.journal.warnings[0]


def test_a_broker_is_told_when_no_block_can_be_taken(world: World):
    world.controller.refusal = ErrorCode.NONE
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")

    assert (ErrorCode.BROKER_NOT_AVAILABLE, 0, 0) == ask_for_block(world)
    assert "for broker 2: no session" in world.journal.warnings[0]


# DescribeLogDirs.


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_LOG_DIRS))
def test_directories_are_described_with_their_logs(version: int):
    world = World(directories=["/a", "/b"])
    world.lead(partitions=2)
    world.produced(batch(1), index=0)

    results = world.ask_now(ApiKey.DESCRIBE_LOG_DIRS, DescribeLogDirsRequest(None), version).results

    sizes = {
        (result.log_dir, topic.name, one.partition_index): (one.partition_size, one.offset_lag)
        for result in results
        for topic in result.topics
        for one in topic.partitions
    }
    assert {("/a", "orders", 0): (len(batch(1)), 0), ("/b", "orders", 1): (0, 0)} == sizes
    if version >= 4:
        assert {(1000, 400)} == {(one.total_bytes, one.usable_bytes) for one in results}


def test_only_the_partitions_that_are_asked_for_are_described(world: World):
    world.lead(partitions=3)
    request = DescribeLogDirsRequest([DescribableLogDirTopic("orders", [1, 9])])

    (result,) = world.ask_now(ApiKey.DESCRIBE_LOG_DIRS, request).results

    (topic,) = result.topics
    assert [1] == [one.partition_index for one in topic.partitions]


def test_a_failed_directory_is_described_as_such():
    world = World(directories=["/a", "/b"])
    world.logs.directories[1].health.fail(OSError("input/output error"))

    results = world.ask_now(ApiKey.DESCRIBE_LOG_DIRS, DescribeLogDirsRequest(None)).results

    assert {"/a": ErrorCode.NONE, "/b": ErrorCode.KAFKA_STORAGE_ERROR} == {
        one.log_dir: one.error_code for one in results
    }


# DescribeProducers.


def describe_producers(world: World, *partitions: int, topic: str = "orders", version: int = 0):
    body = DescribeProducersRequest([TopicRequest(topic, partitions)])
    (answer,) = world.ask_now(ApiKey.DESCRIBE_PRODUCERS, body, version).topics
    assert answer.name == topic
    return {
        one.partition_index: (one.error_code, [tuple(each) for each in one.active_producers])
        for one in answer.partitions
    }


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_PRODUCERS))
def test_producers_are_described_with_what_they_sent_last(world: World, version: int):
    world.lead(partitions=2)
    world.produced(batch(3, producer_id=7, producer_epoch=0, sequence=0))
    world.produced(
        batch(2, producer_id=7, producer_epoch=0, sequence=3, times=[START_MS + 8, START_MS + 9])
    )
    world.produced(batch(1, producer_id=8, producer_epoch=2, sequence=0))
    world.produced(batch(1))

    described = describe_producers(world, 0, 1, version=version)

    assert {
        0: (ErrorCode.NONE, [(7, 0, 4, START_MS + 9, -1, -1), (8, 2, 0, START_MS, -1, -1)]),
        1: (ErrorCode.NONE, []),
    } == described


def test_a_follower_describes_the_producers_that_it_knows(world: World):
    world.lead(replicas=(1, 2))
    world.produced(batch(1, producer_id=7, producer_epoch=0, sequence=0), acks=1)
    world.order("orders", leader=2, leader_epoch=1, replicas=(1, 2))

    (producer,) = describe_producers(world, 0)[0][1]

    assert 7 == producer[0]


def test_where_there_is_no_replica_the_reason_is_said(world: World):
    world.lead()
    world.tell_all({"elsewhere": {0: [2]}})
    errors = {
        topic: describe_producers(world, index, topic=topic)[index]
        for topic, index in (("orders", 9), ("elsewhere", 0), ("nowhere", 0))
    }
    world.logs.directories[0].health.fail(OSError("input/output error"))
    errors["failed"] = describe_producers(world, 0)[0]

    assert {
        "orders": (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []),
        "elsewhere": (ErrorCode.NOT_LEADER_OR_FOLLOWER, []),
        "nowhere": (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []),
        "failed": (ErrorCode.KAFKA_STORAGE_ERROR, []),
    } == errors
