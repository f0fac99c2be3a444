"""What does a producer hear?"""

import struct
from typing import Any

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.ports import ApiSettings
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import INTERNAL_TOPICS, TopicPartition
from cluster.storage.errors import KafkaStorageError
from cluster.storage.records.validation import READS_AT_ONCE_MAX
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.world import ME, World, only_part, versions
from tests.cluster.formats.messages import message
from tests.cluster.storage.batches import (
    BASE_TIMESTAMP_AT,
    START_MS,
    batch,
    batch_around,
    record,
    sealed,
)
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch

ALL = -1


@pytest.mark.slow
@pytest.mark.parametrize("version", versions(ApiKey.PRODUCE))
@pytest.mark.parametrize("acks", [1, ALL])
def test_a_batch_gets_the_next_offset_in_every_version(world: World, version: int, acks: int):
    world.lead()
    world.produced(batch(3), acks=acks, version=version)

    answer = world.produced(batch(2), acks=acks, version=version)

    assert (ErrorCode.NONE, 3, -1) == (
        answer.error_code,
        answer.base_offset,
        answer.log_append_time_ms,
    )


def test_without_acks_nothing_is_answered(world: World):
    world.lead()

    answer = world.produce(acks=0)

    assert (None, None) == (answer.body, answer.closed)
    assert 1 == world.produced().base_offset


def test_without_acks_an_error_ends_the_connection(world: World):
    answer = world.produce(acks=0, topic="nowhere")

    assert "UNKNOWN_TOPIC_OR_PARTITION" in (answer.closed or "")


def test_an_unknown_topic_and_one_that_another_broker_leads_are_told_apart(world: World):
    world.tell_all({"elsewhere": {0: [2]}})

    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == world.produced(topic="nowhere").error_code
    elsewhere = world.produced(topic="elsewhere")
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == elsewhere.error_code


@pytest.mark.parametrize("topic", sorted(INTERNAL_TOPICS))
@pytest.mark.parametrize("acks", [1, ALL])
def test_clients_do_not_write_what_coordinators_read(world: World, topic: str, acks: int):
    world.lead(topic)

    answer = world.produced(topic=topic, acks=acks)

    assert ErrorCode.INVALID_TOPIC_EXCEPTION == answer.error_code
    log = world.logs.log(TopicPartition(topic, 0))
    assert log is not None
    assert 0 == log.log_end_offset


def test_newer_producers_are_told_who_leads_instead(world: World):
    world.tell_all({"elsewhere": {0: [2]}})

    body = world.produce(topic="elsewhere", version=10).body

    hint = body.responses[0].partition_responses[0].current_leader
    assert (2, 0) == hint
    assert [(2, "host2", 9092)] == [endpoint[:3] for endpoint in body.node_endpoints]


def test_a_follower_takes_nothing(world: World):
    world.tell_all({"orders": {0: [2, 1]}})
    world.order("orders", leader=2, replicas=[2, 1])

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == world.produced().error_code


@pytest.mark.parametrize("acks", [-2, 2, 3])
def test_other_acks_than_none_one_and_all_are_refused(world: World, acks: int):
    world.lead()

    assert ErrorCode.INVALID_REQUIRED_ACKS == world.produced(acks=acks).error_code


def damaged() -> bytearray:
    content = batch(1)
    content[-1] ^= 1
    return content


@pytest.mark.parametrize(
    ("records", "version", "error"),
    [
        (damaged(), 11, ErrorCode.CORRUPT_MESSAGE),
        (b"", 11, ErrorCode.CORRUPT_MESSAGE),
        (batch(1)[:40], 11, ErrorCode.CORRUPT_MESSAGE),
        (batch(1) + batch(1), 11, ErrorCode.INVALID_RECORD),
        (batch([b"x" * 1_100_000]), 11, ErrorCode.MESSAGE_TOO_LARGE),
        (batch(1, codec="zstd"), 6, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (batch(1, attributes=5), 11, ErrorCode.INVALID_RECORD),
        (batch(1, attributes=7), 6, ErrorCode.INVALID_RECORD),
        (batch(1, attributes=1 << 4), 11, ErrorCode.UNSUPPORTED_VERSION),
    ],
    ids=["damaged", "empty", "cut", "two", "too large", "zstd of old", "5", "7", "transactional"],
)
def test_what_is_no_good_batch_is_refused_and_the_log_stays(
    world: World, records: bytes, version: int, error: ErrorCode
):
    world.lead()

    answer = world.produced(records, version=version)

    assert (error, -1) == (answer.error_code, answer.base_offset)
    assert 0 == world.produced().base_offset


def test_no_records_at_all_are_refused(world: World):
    world.lead()
    data = [TopicProduceData("orders", [PartitionProduceData(0, None)])]

    answer = world.ask(ApiKey.PRODUCE, ProduceRequest(None, 1, 0, data))

    assert ErrorCode.INVALID_RECORD == only_part(answer).error_code
    assert only_part(answer).error_message == "there are no records"


@pytest.mark.parametrize("version", [3, 5, 11])
def test_old_message_formats_in_new_requests_get_an_error_that_says_so(world: World, version: int):
    world.lead()

    answer = world.produced(message(b"value"), version=version)

    assert ErrorCode.INVALID_RECORD == answer.error_code
    assert version < 8 or "only have batches of magic 2" in answer.error_message


def test_one_bad_partition_does_not_harm_the_others(world: World):
    world.lead(partitions=2)
    good, bad = bytes(batch(1)), bytes(damaged())
    data = [
        TopicProduceData("orders", [PartitionProduceData(0, bad), PartitionProduceData(1, good)]),
        TopicProduceData("nowhere", [PartitionProduceData(0, good)]),
    ]

    answer = world.ask(ApiKey.PRODUCE, ProduceRequest(None, ALL, 100, data)).body

    assert [
        [ErrorCode.CORRUPT_MESSAGE, ErrorCode.NONE],
        [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ] == [[part.error_code for part in topic.partition_responses] for topic in answer.responses]


def test_a_retry_of_an_idempotent_producer_gets_its_first_offset(world: World):
    world.lead()
    first = batch(2, producer_id=7, producer_epoch=0, sequence=0)
    world.produced()
    sent = world.produced(first)

    retried = world.produced(first)
    gap = world.produced(batch(1, producer_id=7, producer_epoch=0, sequence=5))

    assert (ErrorCode.NONE, 1) == (sent.error_code, sent.base_offset)
    assert (ErrorCode.NONE, 1) == (retried.error_code, retried.base_offset)
    assert ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER == gap.error_code


def test_a_fenced_idempotent_producer_is_told(world: World):
    world.lead()
    world.produced(batch(1, producer_id=7, producer_epoch=4, sequence=0))

    answer = world.produced(batch(1, producer_id=7, producer_epoch=3, sequence=1))

    assert ErrorCode.INVALID_PRODUCER_EPOCH == answer.error_code


def test_the_brokers_time_is_answered_where_the_topic_wants_it(world: World):
    world.store.configs["orders"] = {"message.timestamp.type": "LogAppendTime"}
    world.lead()
    world.clock.advance(1234)

    assert START_MS + 1234 == world.produced().log_append_time_ms


@pytest.mark.parametrize("version", [7, 8, 11])
def test_the_records_that_are_too_old_are_named(world: World, version: int):
    world.store.configs["orders"] = {"message.timestamp.before.max.ms": "1000"}
    world.lead()
    times = [START_MS - 2000, START_MS, START_MS - 1001]

    answer = world.produced(batch(3, times=times), version=version)

    assert ErrorCode.INVALID_TIMESTAMP == answer.error_code
    if version >= 8:
        assert "One or more records have been rejected" == answer.error_message
        assert [0, 2] == [one.batch_index for one in answer.record_errors]
        assert "is out of range" in answer.record_errors[0].batch_index_error_message


def test_a_batch_that_cannot_be_read_is_refused_whatever_times_it_claims(world: World):
    world.store.configs["orders"] = {"message.timestamp.before.max.ms": "1000"}
    world.lead()
    unreadable = batch(2, times=[0, 1], codec="gzip")
    unreadable[61:] = bytes(len(unreadable) - 61)

    answer = world.produced(sealed(unreadable))

    assert (ErrorCode.CORRUPT_MESSAGE, ()) == (answer.error_code, tuple(answer.record_errors))


def test_no_record_may_be_too_old_whatever_is_claimed(world: World):
    """Neither one before the base timestamp, nor is a base timestamp a record's."""
    world.store.configs["orders"] = {"message.timestamp.before.max.ms": "1000"}
    world.lead()
    hidden = batch(2, times=[START_MS, START_MS - 1001])
    shifted = batch(2, times=[START_MS, START_MS])
    struct.pack_into(">q", shifted, BASE_TIMESTAMP_AT, START_MS - 5000)
    ahead = batch_around(record(0, 5000, b"a"), 1)
    struct.pack_into(">q", ahead, BASE_TIMESTAMP_AT, START_MS - 5000)

    assert ErrorCode.INVALID_TIMESTAMP == world.produced(hidden).error_code
    assert ErrorCode.INVALID_TIMESTAMP == world.produced(sealed(shifted)).error_code
    assert ErrorCode.NONE == world.produced(sealed(ahead)).error_code


def test_acks_of_all_are_refused_while_the_isr_is_too_small(world: World):
    world.store.configs["orders"] = {"min.insync.replicas": "2"}
    world.lead(replicas=[1, 2], isr=[1])

    assert ErrorCode.NOT_ENOUGH_REPLICAS == world.produced(acks=ALL).error_code
    assert ErrorCode.NONE == world.produced(acks=1).error_code


def test_a_topic_with_one_replica_needs_no_more_of_them(world: World):
    world.store.configs["orders"] = {"min.insync.replicas": "2"}
    world.lead()

    assert ErrorCode.NONE == world.produced(acks=ALL).error_code


def test_acks_of_all_wait_for_the_rest_of_the_isr_until_time_is_up(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])

    answer = world.produce(acks=ALL, timeout_ms=300)
    world.clock.advance(299)
    assert answer.is_waiting
    world.clock.advance(1)

    assert ErrorCode.REQUEST_TIMED_OUT == only_part(answer).error_code
    assert 0 == world.clock.timers


def test_acks_of_all_come_when_the_isr_has_shrunk_to_the_leader(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    answer = world.produce(acks=ALL)

    world.order("orders", replicas=[1, 2], isr=[1], leader_epoch=1)

    assert (ErrorCode.NONE, 0) == (only_part(answer).error_code, only_part(answer).base_offset)
    assert 0 == world.clock.timers


def test_a_leader_that_has_to_follow_tells_those_who_wait(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    answer = world.produce(acks=ALL)

    world.order("orders", leader=2, replicas=[1, 2], isr=[1, 2], leader_epoch=1)

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == only_part(answer).error_code


def test_a_wait_whose_connection_ends_leaves_nothing_behind(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    answer = world.produce(acks=ALL)
    assert answer.cancel is not None

    answer.cancel()
    world.order("orders", replicas=[1, 2], isr=[1], leader_epoch=1)
    world.clock.advance(10_000)

    assert answer.is_waiting
    assert 0 == world.clock.timers


def test_where_a_topic_wants_it_the_disk_is_waited_for(world: World):
    world.store.configs["orders"] = {"flush.messages": "2"}
    world.lead()
    assert ErrorCode.NONE == world.produced().error_code

    answer = world.produce(acks=1)
    assert answer.is_waiting
    world.finish_flushes()

    assert (ErrorCode.NONE, 1) == (only_part(answer).error_code, only_part(answer).base_offset)


def test_a_disk_that_fails_meanwhile_is_said(world: World):
    world.store.configs["orders"] = {"flush.messages": "1"}
    world.lead()
    answer = world.produce(acks=1)

    world.finish_flushes(KafkaStorageError("/data", "input/output error"))

    assert ErrorCode.KAFKA_STORAGE_ERROR == only_part(answer).error_code


def test_a_partition_on_a_failed_disk_is_offline(world: World):
    world.lead()
    world.logs.directories[0].health.fail(OSError("input/output error"))

    assert ErrorCode.KAFKA_STORAGE_ERROR == world.produced().error_code


def test_waits_end_when_their_disk_fails(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    answer = world.produce(acks=ALL)
    world.logs.directories[0].health.fail(OSError("input/output error"))

    failed = list(world.broker.replica_stops.notice_failed_directories())

    assert ["orders-0"] == list(map(str, failed))
    assert ErrorCode.KAFKA_STORAGE_ERROR == only_part(answer).error_code


@pytest.mark.parametrize("size", ["100", "1048588"])
def test_the_size_that_a_batch_may_have_is_the_topics(size: str):
    settings = ApiSettings(configs=BrokerConfigs({"message.max.bytes": size}))
    world = World(settings)
    world.lead()

    error = world.produced(batch([b"x" * 200])).error_code

    assert (ErrorCode.MESSAGE_TOO_LARGE if size == "100" else ErrorCode.NONE) == error


def test_new_configs_of_a_topic_count_from_the_next_batch_on(world: World):
    world.lead(replicas=[ME, 2], isr=[ME])
    world.broker.role_changer.change_topic_configs(
        "orders", {"max.message.bytes": "80", "min.insync.replicas": "2"}
    )

    assert ErrorCode.MESSAGE_TOO_LARGE == world.produced(acks=1).error_code
    assert ErrorCode.NOT_ENOUGH_REPLICAS == world.produced(acks=ALL).error_code


def test_configs_that_cannot_be_served_change_nothing(world: World):
    world.lead()

    world.broker.role_changer.change_topic_configs("orders", {"cleanup.policy": "archive"})

    assert ErrorCode.NONE == world.produced().error_code
    assert "Invalid value archive for configuration cleanup.policy" in world.journal.errors[0]


def test_each_partition_of_a_request_is_waited_for(world: World):
    world.lead(partitions=2, replicas=[1, 2], isr=[1, 2])
    records = bytes(batch(1))
    data = [TopicProduceData("orders", [PartitionProduceData(index, records) for index in (0, 1)])]
    answer = world.ask(ApiKey.PRODUCE, ProduceRequest(None, ALL, 500, data))

    world.order("orders", 0, replicas=[1, 2], isr=[1], leader_epoch=1)
    was_waiting = answer.is_waiting
    world.clock.advance(500)

    assert was_waiting
    assert [ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT] == [
        part.error_code for part in answer.body.responses[0].partition_responses
    ]


def test_a_request_of_many_partitions_looks_at_each_when_something_happens_to_it(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    count = 50
    world.lead(partitions=count, replicas=[1, 2], isr=[1, 2])
    records = bytes(batch(1))
    data = [PartitionProduceData(index, records) for index in range(count)]
    looks: list[HostedPartition] = []
    error = ProducePartitionStatus.error

    def counted(self: ProducePartitionStatus) -> ErrorCode | None:
        looks.append(self.appended.hosted)
        return error(self)

    monkeypatch.setattr(ProducePartitionStatus, "error", counted)
    body = ProduceRequest(None, ALL, 500, [TopicProduceData("orders", data)])
    answer = world.ask(ApiKey.PRODUCE, body)
    for index in range(count):
        assert answer.is_waiting
        fetch(world, part(1, index), replica_id=2)

    assert not answer.is_waiting
    assert count == len(looks)


def test_a_flush_that_ends_too_late_harms_nobody(world: World):
    world.store.configs["orders"] = {"flush.messages": "1"}
    world.lead()
    answer = world.produce(acks=1, timeout_ms=100)

    world.clock.advance(100)
    world.finish_flushes()

    assert ErrorCode.REQUEST_TIMED_OUT == only_part(answer).error_code


def test_an_isr_that_has_become_too_small_meanwhile_is_said(world: World):
    world.store.configs["orders"] = {"flush.messages": "1"}
    world.lead(replicas=[1, 2], isr=[1])
    answer = world.produce(acks=ALL)

    changed = {"flush.messages": "1", "min.insync.replicas": "2"}
    world.broker.role_changer.change_topic_configs("orders", changed)
    world.finish_flushes()

    assert ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND == only_part(answer).error_code


def test_a_leader_that_is_dead_has_no_endpoint_to_tell(world: World):
    world.tell_all({"elsewhere": {0: [2]}}, brokers=[1])

    body = world.produce(topic="elsewhere", version=10).body

    assert [] == list(body.node_endpoints)


def test_configs_of_topics_that_are_not_here_are_passed_over(world: World):
    world.broker.role_changer.change_topic_configs("nowhere", {"retention.ms": "1"})

    assert [] == world.journal.infos


def test_what_is_committed_is_said_of_each_partition(world: World):
    world.lead()
    world.produced(batch(3))
    (hosted,) = world.broker.partitions.high_watermarks()

    assert (3, 0) == (
        world.broker.partitions.high_watermark(hosted),
        world.broker.partitions.high_watermark(TopicPartition("nowhere", 0)),
    )


def test_followers_of_a_failed_disk_are_named_as_well(world: World):
    world.tell_all({"orders": {0: [2, 1]}})
    world.order("orders", leader=2, replicas=[2, 1])
    world.logs.directories[0].health.fail(OSError("input/output error"))

    assert ["orders-0"] == list(map(str, world.broker.replica_stops.notice_failed_directories()))


@pytest.mark.parametrize("acks", [0, 1, ALL])
@pytest.mark.parametrize("replicas", [[ME], [ME, 2]])
def test_what_has_to_be_flushed_is_not_read_before(world: World, acks: int, replicas: list[int]):
    """A machine that loses its power would forget what somebody has read."""
    world.store.configs["orders"] = {"flush.messages": "2"}
    world.lead(replicas=replicas, isr=[ME])
    hosted = world.broker.partitions.led("orders", 0)
    assert isinstance(hosted, HostedPartition)
    world.produce(acks=acks)
    assert hosted.replica.high_watermark == 1

    world.produce(acks=acks)
    assert hosted.replica.high_watermark == 1
    world.produce(acks=acks)
    assert hosted.replica.high_watermark == 1
    world.finish_flushes()

    assert hosted.replica.high_watermark == 3
    assert hosted.log.recovery_point == 3
    world.produce(acks=acks)
    assert hosted.replica.high_watermark == 4


def test_a_new_leader_flushes_what_it_fetched_before_that_is_committed(world: World):
    world.store.configs["orders"] = {"flush.messages": "1"}
    world.lead(replicas=[ME, 2], isr=[ME])
    world.produce(acks=1)
    world.disks.flushes.clear()
    world.order("orders", leader=2, leader_epoch=1, replicas=[ME, 2])

    world.lead(replicas=[ME, 2], isr=[ME], leader_epoch=2)

    hosted = world.broker.partitions.led("orders", 0)
    assert isinstance(hosted, HostedPartition)
    assert hosted.replica.high_watermark == 0
    world.finish_flushes()
    assert hosted.replica.high_watermark == 1


def keyed(*keys: bytes | None) -> bytes:
    return bytes(keyed_batch([Keyed(key, b"v") for key in keys], 0))


@pytest.mark.parametrize("is_heavy", [False, True])
def test_a_compacted_topic_takes_no_record_without_a_key(world: World, is_heavy: bool):
    world.store.configs["orders"] = {"cleanup.policy": "compact"}
    world.lead()
    more = [b"k"] * (READS_AT_ONCE_MAX if is_heavy else 1)

    def answer_to(records: bytes) -> Any:
        answer = world.produce(records)
        world.settle()
        return only_part(answer)

    refused = answer_to(keyed(None, b"k", None, *more))
    empty = answer_to(keyed(b"", *more))

    message = "Compacted topic cannot accept message without key in topic partition orders-0."
    assert ErrorCode.INVALID_RECORD == refused.error_code
    assert [(0, message), (2, message)] == [
        (one.batch_index, one.batch_index_error_message) for one in refused.record_errors
    ]
    # As Kafka says it.
    assert refused.error_message == (
        "One or more records have been rejected due to 2 record errors in total, and only showing"
        f" the first three errors at most: [RecordError(batchIndex=0, message='{message}'),"
        f" RecordError(batchIndex=2, message='{message}')]"
    )
    assert (ErrorCode.NONE, 0) == (empty.error_code, empty.base_offset)
