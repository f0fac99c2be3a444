"""Where does a partition begin and end, and what may be taken from its beginning?"""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from cluster.wire.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from cluster.wire.messages.topics import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.cluster.api.fetching import BY_NAME, fetch, part
from tests.cluster.api.orders import failing
from tests.cluster.api.world import World, only_part, versions
from tests.cluster.storage.batches import START_MS, batch

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED = -1, -2, -3, -4, -5


def find(
    world: World,
    timestamp: int,
    *,
    replica_id: int = -1,
    leader_epoch: int = -1,
    count: int = 1,
    version: int = 9,
    topic: str = "orders",
    isolation: int = 0,
):
    asked = ListOffsetsPartition(0, leader_epoch, timestamp, count)
    body = ListOffsetsRequest(replica_id, isolation, [ListOffsetsTopic(topic, [asked])])
    answer = world.ask_now(ApiKey.LIST_OFFSETS, body, version)
    return answer.topics[0].partitions[0]


@pytest.mark.parametrize("version", versions(ApiKey.LIST_OFFSETS)[1:])
def test_beginning_end_and_times_are_found_in_every_version(world: World, version: int):
    world.lead(leader_epoch=3)
    world.produced(batch(3))
    world.produced(batch(2, times=[START_MS + 50, START_MS + 60]))

    found = [
        find(world, timestamp, version=version)
        for timestamp in (LATEST, EARLIEST, START_MS + 1, START_MS + 51, START_MS + 61)
    ]

    assert [5, 0, 1, 4, -1] == [one.offset for one in found]
    assert [-1, -1, START_MS + 1, START_MS + 60, -1] == [one.timestamp for one in found]
    if version >= 4:
        assert [3, 3, 3, 3, -1] == [one.leader_epoch for one in found]


@pytest.mark.parametrize(
    ("timestamp", "count", "offsets"),
    [
        (LATEST, 9, [3, 2, 1, 0]),
        (LATEST, 1, [3]),
        (LATEST, 0, []),
        (LATEST, -1, []),
        (EARLIEST, 9, [0]),
        (START_MS + 1500, 9, [1, 0]),
        (START_MS, 9, [0]),
        (START_MS - 1, 9, []),
    ],
)
def test_the_oldest_clients_are_told_where_segments_begin(
    world: World, timestamp: int, count: int, offsets: list[int]
):
    world.store.configs["orders"] = {"segment.bytes": "100"}
    world.lead()
    for _ in range(3):
        world.produced(batch(1))
        world.clock.advance(1000)

    found = find(world, timestamp, count=count, version=0)

    assert (ErrorCode.NONE, offsets) == (found.error_code, list(found.old_style_offsets))


def test_the_oldest_clients_are_told_of_nothing_that_is_not_committed(world: World):
    world.store.configs["orders"] = {"segment.bytes": "100"}
    world.lead(replicas=[1, 2], isr=[1, 2])
    for _ in range(3):
        world.produced(batch(1), acks=1)
    fetch(world, part(1), replica_id=2, version=14)

    assert [1, 1, 0] == list(find(world, LATEST, count=9, version=0).old_style_offsets)
    assert [3, 2, 1, 0] == list(
        find(world, LATEST, count=9, version=0, replica_id=2).old_style_offsets
    )
    unknown = find(world, LATEST, version=0, topic="nobody's")
    assert (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ()) == (
        unknown.error_code,
        tuple(unknown.old_style_offsets),
    )


@pytest.mark.parametrize(
    ("timestamp", "first_version", "offset"),
    [(MAX_TIMESTAMP, 7, 1), (EARLIEST_LOCAL, 8, 0), (LATEST_TIERED, 9, -1)],
)
def test_younger_special_times_are_found_where_their_version_has_them(
    world: World, timestamp: int, first_version: int, offset: int
):
    world.lead()
    world.produced(batch(2, times=[START_MS, START_MS + 99]))
    world.produced(batch(2))

    known = find(world, timestamp, version=first_version)
    unknown = find(world, timestamp, version=first_version - 1)

    assert (ErrorCode.NONE, offset) == (known.error_code, known.offset)
    assert ErrorCode.UNSUPPORTED_VERSION == unknown.error_code


def test_times_that_mean_nothing_are_refused(world: World):
    world.lead()

    assert ErrorCode.UNSUPPORTED_VERSION == find(world, -99).error_code


def test_the_end_is_what_is_committed_for_consumers_and_all_for_others(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    world.produced(batch(2), acks=1)

    assert [0, 2, 2] == [
        find(world, LATEST, replica_id=replica_id).offset for replica_id in (-1, 2, -2)
    ]
    assert -1 == find(world, START_MS).offset


def test_a_debugger_is_told_how_far_a_follower_has_got_and_nobody_else_is(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    world.produced(batch(3), acks=1)
    world.order("orders", leader=2, leader_epoch=1, replicas=[1, 2], isr=[1, 2])

    told = find(world, LATEST, replica_id=-2)

    assert (ErrorCode.NONE, 3) == (told.error_code, told.offset)
    assert 0 == find(world, EARLIEST, replica_id=-2).offset
    for replica_id in (-1, 2):
        refused = find(world, LATEST, replica_id=replica_id)
        assert ErrorCode.NOT_LEADER_OR_FOLLOWER == refused.error_code
    unknown = find(world, LATEST, replica_id=-2, topic="nobody's")
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == unknown.error_code


@pytest.mark.parametrize(("version", "error"), [(4, 5), (5, 78), (9, 78)])
def test_a_new_leader_that_does_not_know_what_is_committed_tells_no_end(
    world: World, version: int, error: int
):
    world.lead(replicas=[1, 2], isr=[1])
    world.produced(batch(1))
    world.produced(batch(1))
    world.order("orders", replicas=[1, 2], isr=[1, 2], leader_epoch=1)
    (hosted,) = world.broker.partitions
    hosted.replica.high_watermark = 1

    assert error == find(world, LATEST, version=version).error_code
    assert error == find(world, 2**50, version=version).error_code
    assert 0 == find(world, EARLIEST, version=version).offset
    assert 0 == find(world, START_MS, version=version).offset
    assert 2 == find(world, LATEST, version=version, replica_id=2).offset
    fetch(world, part(2), replica_id=2, version=BY_NAME)
    assert 2 == find(world, LATEST, version=version).offset


def test_an_empty_log_has_no_greatest_time(world: World):
    world.lead()

    found = find(world, MAX_TIMESTAMP)
    assert (ErrorCode.NONE, -1) == (found.error_code, found.offset)


def test_who_asks_at_the_wrong_place_or_time_is_told(world: World):
    world.lead(leader_epoch=5)
    world.tell_all({"elsewhere": {0: [2]}})

    assert [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
    ] == [
        find(world, LATEST, topic="nowhere").error_code,
        find(world, LATEST, topic="elsewhere").error_code,
        find(world, LATEST, leader_epoch=4).error_code,
        find(world, LATEST, leader_epoch=6).error_code,
    ]


def test_a_batch_that_cannot_be_unpacked_is_an_error_of_its_own(world: World):
    world.lead()
    good = batch(5, codec="gzip")
    world.produced(good)
    log = world.logs.directories[0].logs
    ((_, one),) = log.items()
    one.active.file.write(61, bytes(20))

    found = [find(world, START_MS).error_code for _ in range(3)]

    assert [ErrorCode.CORRUPT_MESSAGE] * 3 == found
    (told,) = world.journal.errors
    assert "no time can be looked up" in told
    assert "00000000000000000000.log, byte 0: its checksum is wrong" in told


def test_consumers_of_committed_records_are_told_the_last_stable_offset(world: World):
    world.lead()
    world.produced(batch(2))
    ((_, log),) = world.logs.directories[0].logs.items()
    sent = batch(3, base_offset=2, attributes=0x10, producer_id=5, producer_epoch=0, sequence=0)
    log.append_as_follower(sent, START_MS)
    world.produced(batch(1))

    assert (2, 6, 6) == (
        find(world, LATEST, isolation=1).offset,
        find(world, LATEST).offset,
        find(world, LATEST, isolation=1, replica_id=2).offset,
    )
    assert (-1, 4) == (
        find(world, START_MS + 2, isolation=1).offset,
        find(world, START_MS + 2).offset,
    )


# OffsetForLeaderEpoch.


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_FOR_LEADER_EPOCH))
def test_an_epoch_ends_where_the_next_one_began(world: World, version: int):
    world.lead(leader_epoch=2)
    world.produced(batch(3))
    world.order("orders", leader_epoch=5)
    world.produced(batch(1))

    def end_of(epoch: int, current: int = -1):
        asked = OffsetForLeaderPartition(0, current if version >= 2 else -1, epoch)
        body = OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic("orders", [asked])])
        return world.ask_now(ApiKey.OFFSET_FOR_LEADER_EPOCH, body, version).topics[0].partitions[0]

    assert [3, 3, 4, -1] == [end_of(epoch).end_offset for epoch in (2, 4, 5, 6)]
    if version >= 2:
        assert ErrorCode.FENCED_LEADER_EPOCH == end_of(2, current=4).error_code


# DeleteRecords.


def delete(world: World, offset: int, *, topic: str = "orders", version: int = 2):
    body = DeleteRecordsRequest(
        [DeleteRecordsTopic(topic, [DeleteRecordsPartition(0, offset)])], 1000
    )
    return world.ask_now(ApiKey.DELETE_RECORDS, body, version).topics[0].partitions[0]


@pytest.mark.parametrize("version", versions(ApiKey.DELETE_RECORDS))
def test_records_before_an_offset_are_gone(world: World, version: int):
    world.lead()
    for _ in range(3):
        world.produced(batch(2))

    deleted = delete(world, 3, version=version)

    assert (ErrorCode.NONE, 3) == (deleted.error_code, deleted.low_watermark)
    assert 3 == find(world, EARLIEST).offset
    assert ErrorCode.OFFSET_OUT_OF_RANGE == only_part(fetch(world, part(2))).error_code
    assert 3 == only_part(fetch(world, part(3))).log_start_offset


def test_all_that_is_committed_can_go_and_the_log_begins_at_its_end(world: World):
    world.lead()
    world.produced(batch(4))

    assert 4 == delete(world, -1).low_watermark
    assert 4 == world.produced().base_offset


def follow(world: World, offset: int, log_start_offset: int, follower: int = 2) -> None:
    one = part(offset)._replace(log_start_offset=log_start_offset)
    fetch(world, one, replica_id=follower, version=BY_NAME)


def test_a_deletion_is_over_when_all_live_replicas_begin_later(world: World):
    world.lead(replicas=[1, 2, 9], isr=[1])
    world.produced(batch(4))
    body = DeleteRecordsRequest([DeleteRecordsTopic("orders", [DeleteRecordsPartition(0, 3)])], 500)
    answer = world.ask(ApiKey.DELETE_RECORDS, body)
    world.settle()

    follow(world, 4, 0)
    assert answer.is_waiting
    follow(world, 4, 3)

    deleted = answer.body.topics[0].partitions[0]
    assert (ErrorCode.NONE, 3) == (deleted.error_code, deleted.low_watermark)
    assert 0 == world.watcher_count


@pytest.mark.parametrize("ends", ["time", "leadership", "connection"])
def test_a_deletion_that_replicas_do_not_confirm_says_so(world: World, ends: str):
    world.lead(replicas=[1, 2], isr=[1])
    world.produced(batch(4))
    body = DeleteRecordsRequest([DeleteRecordsTopic("orders", [DeleteRecordsPartition(0, 3)])], 500)
    answer = world.ask(ApiKey.DELETE_RECORDS, body)
    world.settle()
    follow(world, 4, 1)

    if ends == "time":
        world.clock.advance(500)
    elif ends == "leadership":
        world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)
    else:
        world.end_connections()

    assert 0 == world.watcher_count
    if ends == "connection":
        assert answer.is_waiting
        return
    expected = {
        "time": (ErrorCode.REQUEST_TIMED_OUT, 1),
        "leadership": (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1),
    }
    deleted = answer.body.topics[0].partitions[0]
    assert expected[ends] == (deleted.error_code, deleted.low_watermark)


def test_deletions_are_answered_when_one_write_has_made_all_of_them_durable(world: World):
    world.lead(partitions=3)
    for index in range(3):
        world.produced(batch(4), index=index)
    partitions = [DeleteRecordsPartition(index, 3) for index in range(3)]
    body = DeleteRecordsRequest([DeleteRecordsTopic("orders", partitions)], 0)

    first = world.ask(ApiKey.DELETE_RECORDS, body)
    others = [world.ask(ApiKey.DELETE_RECORDS, body) for _ in range(2)]

    assert 2 == len(world.disks.waiting), "a write, and what follows it"
    assert all(answer.is_waiting for answer in (first, *others))
    write, written = world.disks.waiting
    world.disks.waiting.clear()
    write()
    written()
    assert not first.is_waiting
    assert all(answer.is_waiting for answer in others), "they share the next write"
    assert 2 == len(world.disks.waiting)
    world.settle()
    for answer in (first, *others):
        assert [(ErrorCode.NONE, 3)] * 3 == [
            (one.error_code, one.low_watermark) for one in answer.body.topics[0].partitions
        ]


def test_a_deletion_that_the_disk_does_not_keep_is_none(world: World):
    world.lead()
    world.produced(batch(4))
    body = DeleteRecordsRequest([DeleteRecordsTopic("orders", [DeleteRecordsPartition(0, 3)])], 500)
    answer = world.ask(ApiKey.DELETE_RECORDS, body)
    world.files.fault = failing("write", "log-start-offset-checkpoint")

    world.settle()

    deleted = answer.body.topics[0].partitions[0]
    assert (ErrorCode.KAFKA_STORAGE_ERROR, -1) == (deleted.error_code, deleted.low_watermark)
    assert 0 == world.watcher_count


def test_who_has_gone_while_the_disk_is_slow_is_not_waited_for(world: World):
    world.lead(replicas=[1, 2], isr=[1])
    world.produced(batch(4))
    body = DeleteRecordsRequest([DeleteRecordsTopic("orders", [DeleteRecordsPartition(0, 3)])], 500)
    answer = world.ask(ApiKey.DELETE_RECORDS, body)
    world.end_connections()

    world.settle()

    assert answer.is_waiting
    assert 0 == world.watcher_count


@pytest.mark.parametrize(
    ("topic", "policy", "expected"),
    [
        ("orders", "compact", ErrorCode.POLICY_VIOLATION),
        ("orders", "compact,delete", ErrorCode.NONE),
        ("__consumer_offsets", "compact", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("__transaction_state", "delete", ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_records_that_are_kept_by_their_keys_are_not_deleted(
    world: World, topic: str, policy: str, expected: ErrorCode
):
    world.store.configs[topic] = {"cleanup.policy": policy}
    world.lead(topic)
    log = world.logs.log(TopicPartition(topic, 0))
    assert log is not None
    log.append_as_follower(batch(2), 0)
    hosted = world.broker.partitions.find_index(topic, 0)
    assert hosted is not None
    hosted.replica.advance_high_watermark(log.log_end_offset, 0, 0)

    assert expected == delete(world, 1, topic=topic).error_code
    assert (1 if expected is ErrorCode.NONE else 0) == log.log_start_offset


def test_what_is_not_committed_and_what_is_elsewhere_is_not_deleted(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    world.produced(batch(4), acks=1)

    assert ErrorCode.OFFSET_OUT_OF_RANGE == delete(world, 1).error_code
    assert ErrorCode.OFFSET_OUT_OF_RANGE == delete(world, -7).error_code
    unknown = delete(world, 1, topic="nowhere")
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == unknown.error_code
