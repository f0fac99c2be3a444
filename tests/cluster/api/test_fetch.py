"""What does a consumer read, and when?"""

import pytest

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import ApiSettings
from cluster.broker.replica_manager.fetch_sessions import FetchSessions
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from tests.cluster.api.fetching import BY_NAME, base_offsets, fetch, indexes, part
from tests.cluster.api.world import TOPIC_ID, World, only_part, only_topic, versions
from tests.cluster.storage.batches import START_MS, batch, marker

OTHER_ID = bytes(15) + b"\x09"


@pytest.mark.parametrize("version", versions(ApiKey.FETCH))
def test_batches_come_as_they_were_sent_in_every_version(world: World, version: int):
    world.lead()
    world.produced(batch([b"a", b"b"]))
    world.produced(batch([b"c"]))

    answer = fetch(world, part(0), version=version)
    world.settle()
    data = only_part(answer)

    # Before version 4 each record is a message of its own.
    assert ([0, 2] if version >= 4 else [0, 1, 2]) == base_offsets(data)
    assert (ErrorCode.NONE, 3) == (data.error_code, data.high_watermark)


def test_reading_begins_with_the_batch_that_holds_the_offset(world: World):
    world.lead()
    for size in (2, 2, 2):
        world.produced(batch(size))

    assert [2, 4] == base_offsets(only_part(fetch(world, part(3))))


@pytest.mark.parametrize("offset", [2, 0])
def test_at_the_end_there_is_nothing_and_no_error(world: World, offset: int):
    world.lead()
    if offset:
        world.produced(batch(2))

    data = only_part(fetch(world, part(offset)))

    assert (ErrorCode.NONE, b"") == (data.error_code, bytes(data.records))


@pytest.mark.parametrize("offset", [3, -1, 2**62])
def test_offsets_that_the_log_has_not_are_out_of_range(world: World, offset: int):
    world.lead()
    world.produced(batch(2))

    data = only_part(fetch(world, part(offset)))

    assert (ErrorCode.OFFSET_OUT_OF_RANGE, -1) == (data.error_code, data.high_watermark)


def test_what_is_not_committed_is_not_read_by_consumers(world: World):
    world.lead(replicas=[1, 2], isr=[1])
    world.produced(batch(1))
    world.order("orders", replicas=[1, 2], isr=[1, 2], leader_epoch=1)
    world.produced(batch(1), acks=1)

    assert [0] == base_offsets(only_part(fetch(world, part(0))))
    beyond = only_part(fetch(world, part(2)))
    assert (ErrorCode.NONE, b"", 1) == (
        beyond.error_code,
        bytes(beyond.records),
        beyond.high_watermark,
    )
    assert [0, 1] == base_offsets(only_part(fetch(world, part(0), replica_id=2)))


def test_damage_in_a_log_is_an_error_and_told_once(world: World):
    world.lead()
    for _ in range(3):
        world.produced(batch(1))
    ((_, log),) = world.logs.directories[0].logs.items()
    log.close(world.clock.now_ms())
    again = world.restarted()
    again.lead(leader_epoch=1)
    ((_, log),) = again.logs.directories[0].logs.items()
    size = log.size // 3
    log.active.file.write(size + 16, b"\x09")

    told = [error_of(again, part(offset)) for offset in (0, 1, 2, 1, 2)]

    assert [ErrorCode.NONE, *[ErrorCode.CORRUPT_MESSAGE] * 4] == told
    path = log.active.path(".log")
    assert [f"{path}, byte {size}: unknown magic 9; nobody can read on from there"] == (
        again.journal.errors
    )


def test_a_follower_that_nobody_has_assigned_gets_nothing(world: World):
    world.lead()

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == error_of(world, part(0), replica_id=5)
    fenced = error_of(world, part(0, leader_epoch=0), replica_id=5)
    assert ErrorCode.UNKNOWN_LEADER_EPOCH == fenced


def error_of(world: World, *parts, **said) -> ErrorCode:
    return ErrorCode(only_part(fetch(world, *parts, **said)).error_code)


def test_stale_and_future_leader_epochs_are_fenced(world: World):
    world.lead(leader_epoch=5)

    assert ErrorCode.FENCED_LEADER_EPOCH == error_of(world, part(0, leader_epoch=4))
    assert ErrorCode.UNKNOWN_LEADER_EPOCH == error_of(world, part(0, leader_epoch=6))
    assert ErrorCode.NONE == error_of(world, part(0, leader_epoch=5))


def test_unknown_names_and_ids_get_the_errors_of_their_kind(world: World):
    world.lead()

    by_name = error_of(world, part(0), topic="nowhere", version=BY_NAME)
    by_id = error_of(world, part(0), topic_id=OTHER_ID)

    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == by_name
    assert ErrorCode.UNKNOWN_TOPIC_ID == by_id


def test_a_topic_that_was_made_anew_is_not_taken_for_the_old_one(world: World):
    world.lead()
    world.tell_all({"orders": {0: [1]}}, ids={"orders": OTHER_ID})

    assert ErrorCode.INCONSISTENT_TOPIC_ID == error_of(world, part(0), topic_id=OTHER_ID)


def test_newer_consumers_are_told_who_leads_instead(world: World):
    world.tell_all({"orders": {0: [2]}})

    body = fetch(world, part(0)).body

    assert (2, 0) == body.responses[0].partitions[0].current_leader
    assert [(2, "host2", 9092)] == [endpoint[:3] for endpoint in body.node_endpoints]


def test_a_partition_on_a_failed_disk_is_offline(world: World):
    world.lead()
    world.logs.directories[0].health.fail(OSError("input/output error"))

    assert ErrorCode.KAFKA_STORAGE_ERROR == error_of(world, part(0))


def test_a_log_that_parts_from_the_leaders_is_told_where(world: World):
    world.lead(leader_epoch=1)
    world.produced(batch(3))
    world.order("orders", leader_epoch=4)
    world.produced(batch(3))

    diverging = only_part(fetch(world, part(5, last_epoch=2), replica_id=1))
    beyond = only_part(fetch(world, part(5, last_epoch=9), replica_id=1))
    agreeing = only_part(fetch(world, part(3, last_epoch=1), replica_id=1))

    assert (1, 3) == diverging.diverging_epoch
    assert b"" == bytes(diverging.records)
    assert ErrorCode.OFFSET_OUT_OF_RANGE == beyond.error_code
    assert (-1, -1) == agreeing.diverging_epoch
    assert [3] == base_offsets(agreeing)


# Limits.


def test_the_first_batch_comes_also_where_it_is_above_all_limits(world: World):
    world.lead(partitions=2)
    for index in (0, 1):
        world.produced(batch(5), index=index)
        world.produced(batch(5), index=index)

    body = fetch(world, part(0, 0, size_max=1), part(0, 1, size_max=1), max_bytes=1).body

    assert [[0], []] == [base_offsets(data) for data in body.responses[0].partitions]


def test_no_partition_gets_more_than_its_limit(world: World):
    world.lead()
    size = len(batch(1))
    for _ in range(5):
        world.produced(batch(1))

    data = only_part(fetch(world, part(0, size_max=2 * size + 10)))

    assert [0, 1] == base_offsets(data)


def test_the_brokers_own_limit_counts_as_well():
    world = World(ApiSettings(fetch_size_max=len(batch(1))))
    world.lead()
    for _ in range(3):
        world.produced(batch(1))

    assert [0] == base_offsets(only_part(fetch(world, part(0))))


def test_readers_of_committed_transactions_hear_that_none_was_aborted(world: World):
    world.lead()
    world.produced()

    committed = only_part(fetch(world, part(0), isolation=1))
    others = only_part(fetch(world, part(0)))

    assert ((), 1) == (tuple(committed.aborted_transactions), committed.last_stable_offset)
    assert others.aborted_transactions is None


# Waiting.


def test_a_fetch_waits_for_the_next_batch(world: World):
    world.lead()
    answer = fetch(world, part(0), max_wait_ms=500)
    assert answer.is_waiting

    world.produced(batch(2))

    assert [0] == base_offsets(only_part(answer))
    assert 0 == world.clock.timers


def test_a_fetch_ends_empty_when_its_time_is_up(world: World):
    world.lead()
    answer = fetch(world, part(0), max_wait_ms=500)
    world.clock.advance(499)
    assert answer.is_waiting

    world.clock.advance(1)

    assert (ErrorCode.NONE, b"") == (only_part(answer).error_code, bytes(only_part(answer).records))


def test_a_fetch_waits_until_there_is_as_much_as_it_wants(world: World):
    world.lead(partitions=2)
    size = len(batch(1))
    answer = fetch(world, part(0, 0), part(0, 1), max_wait_ms=500, min_bytes=3 * size)

    for index in (0, 1):
        world.produced(index=index)
    assert answer.is_waiting
    world.produced(index=0)

    assert [[0, 1], [0]] == [base_offsets(data) for data in only_topic(answer).partitions]


def test_what_a_partition_has_beyond_its_limit_is_not_counted(world: World):
    world.lead(partitions=2)
    size = len(batch(1))
    answer = fetch(
        world, part(0, 0, size_max=size), part(0, 1), max_wait_ms=500, min_bytes=2 * size
    )

    for _ in range(5):
        world.produced(index=0)
    assert answer.is_waiting
    world.produced(index=1)

    assert [[0], [0]] == [base_offsets(data) for data in only_topic(answer).partitions]


def test_batches_that_are_not_committed_wake_nobody_but_followers(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    consumer = fetch(world, part(0), max_wait_ms=500)
    follower = fetch(world, part(0), max_wait_ms=500, replica_id=2)

    world.produced(acks=1)

    assert consumer.is_waiting
    assert [0] == base_offsets(only_part(follower))


def test_a_fetch_ends_when_its_leader_changes(world: World):
    world.lead(replicas=[1, 2])
    old_consumer = fetch(world, part(0), version=10, max_wait_ms=500)
    follower = fetch(world, part(0), replica_id=2, max_wait_ms=500)
    consumer = fetch(world, part(0, leader_epoch=0), max_wait_ms=500)

    world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == only_part(old_consumer).error_code
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == only_part(follower).error_code
    assert ErrorCode.FENCED_LEADER_EPOCH == only_part(consumer).error_code


@pytest.mark.slow
@pytest.mark.parametrize("version", versions(ApiKey.FETCH))
def test_followers_are_read_by_consumers_that_know_of_it(world: World, version: int):
    world.lead(replicas=[1, 2], isr=[1])
    world.produced(batch([b"a", b"b"]))
    world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)

    data = only_part(fetch(world, part(0), version=version))
    stale = error_of(world, part(0, leader_epoch=0), version=max(version, 9))
    as_follower = error_of(world, part(0), version=version, replica_id=2)

    assert ErrorCode.FENCED_LEADER_EPOCH == stale
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == as_follower
    if version < 11:
        assert ErrorCode.NOT_LEADER_OR_FOLLOWER == data.error_code
    else:
        assert [0] == base_offsets(data)
        assert (ErrorCode.NONE, 2) == (data.error_code, data.high_watermark)


def test_followers_give_only_what_they_know_to_be_committed(world: World):
    world.lead(replicas=[1, 2], isr=[1, 2])
    world.produced(batch([b"a", b"b"]), acks=1)
    world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)

    data = only_part(fetch(world, part(0)))

    assert [] == base_offsets(data)
    assert (ErrorCode.NONE, 0) == (data.error_code, data.high_watermark)


def test_a_fetch_with_an_error_does_not_wait(world: World):
    world.lead()

    answer = fetch(world, part(0), part(7), max_wait_ms=500)

    assert [ErrorCode.NONE, ErrorCode.OFFSET_OUT_OF_RANGE] == [
        data.error_code for data in answer.body.responses[0].partitions
    ]


def test_a_fetch_of_nothing_does_not_wait(world: World):
    assert [] == indexes(fetch(world, max_wait_ms=500).body)


def test_a_wait_whose_connection_ends_leaves_nothing_behind(world: World):
    world.lead()
    answer = fetch(world, part(0), max_wait_ms=500)
    assert answer.cancel is not None

    answer.cancel()
    world.produced()
    world.clock.advance(1000)

    assert answer.is_waiting
    assert 0 == world.clock.timers


# Sessions.


def test_a_session_tells_only_what_is_new(world: World):
    world.lead(partitions=3)
    first = fetch(world, *(part(0, index) for index in range(3)), session=(0, 0)).body
    world.produced(index=1)

    second = fetch(world, session=(first.session_id, 1)).body
    third = fetch(world, part(1, 1), session=(first.session_id, 2)).body

    assert first.session_id > 0
    assert [0, 1, 2] == indexes(first)
    assert (first.session_id, [1]) == (second.session_id, indexes(second))
    assert [] == indexes(third)


@pytest.mark.parametrize("version", [BY_NAME, 17])
def test_a_session_takes_and_forgets_partitions(world: World, version: int):
    world.lead(partitions=3)
    opened = fetch(world, part(0, 0), part(0, 1), session=(0, 0), version=version).body
    for index in range(3):
        world.produced(index=index)

    body = fetch(
        world, part(0, 2), session=(opened.session_id, 1), forgotten=(0,), version=version
    ).body

    assert [1, 2] == sorted(indexes(body))
    assert ({"orders"} if version == BY_NAME else {TOPIC_ID}) == {
        topic.topic if version == BY_NAME else topic.topic_id for topic in body.responses
    }


def test_partitions_with_records_go_to_the_end_of_the_line(world: World):
    world.lead(partitions=2)
    for index in (0, 1):
        for _ in range(3):
            world.produced(index=index)
    opened = fetch(world, part(0, 0), part(0, 1), session=(0, 0), max_bytes=1).body

    body = fetch(world, part(1, 0), session=(opened.session_id, 1), max_bytes=1).body

    with_records = [
        data.partition_index
        for topic in body.responses
        for data in topic.partitions
        if data.records
    ]
    assert [1] == with_records


def test_an_error_is_told_each_time_and_its_end_once(world: World):
    world.lead()
    opened = fetch(world, part(0, leader_epoch=1), session=(0, 0)).body
    again = fetch(world, session=(opened.session_id, 1)).body

    world.order("orders", leader_epoch=1)
    healed = fetch(world, session=(opened.session_id, 2)).body
    quiet = fetch(world, session=(opened.session_id, 3)).body

    assert ErrorCode.UNKNOWN_LEADER_EPOCH == again.responses[0].partitions[0].error_code
    assert ErrorCode.NONE == healed.responses[0].partitions[0].error_code
    assert [] == indexes(quiet)


def test_a_session_waits_as_well(world: World):
    world.lead(partitions=2)
    opened = fetch(world, part(0, 0), part(0, 1), session=(0, 0)).body
    answer = fetch(world, session=(opened.session_id, 1), max_wait_ms=500)
    assert answer.is_waiting

    world.produced(index=1)

    assert [1] == indexes(answer.body)


def test_an_unknown_session_and_a_wrong_epoch_make_the_client_begin_anew(world: World):
    world.lead()
    opened = fetch(world, part(0), session=(0, 0)).body

    unknown = fetch(world, session=(opened.session_id + 1, 1)).body
    repeated = fetch(world, session=(opened.session_id, 2)).body

    assert ErrorCode.FETCH_SESSION_ID_NOT_FOUND == unknown.error_code
    assert ErrorCode.INVALID_FETCH_SESSION_EPOCH == repeated.error_code
    assert [] == indexes(repeated)


def test_a_session_cannot_go_from_names_to_ids(world: World):
    world.lead()
    opened = fetch(world, part(0), session=(0, 0), version=BY_NAME).body

    body = fetch(world, session=(opened.session_id, 1), version=13).body

    assert ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR == body.error_code


def test_a_session_can_be_ended(world: World):
    world.lead()
    opened = fetch(world, part(0), session=(0, 0)).body

    ending = fetch(world, part(0), session=(opened.session_id, -1)).body
    after = fetch(world, session=(opened.session_id, 1)).body

    assert (ErrorCode.NONE, 0) == (ending.error_code, ending.session_id)
    assert ErrorCode.FETCH_SESSION_ID_NOT_FOUND == after.error_code


def test_without_room_for_a_session_all_is_answered_each_time():
    world = World(ApiSettings(fetch_sessions_max=1))
    world.lead()
    first = fetch(world, part(0), session=(0, 0)).body

    refused = fetch(world, part(0), session=(0, 0)).body
    world.clock.advance(120_000)
    evicting = fetch(world, part(0), session=(0, 0)).body

    assert (0, [0]) == (refused.session_id, indexes(refused))
    assert evicting.session_id not in (0, first.session_id)


def test_a_session_without_partitions_is_over(world: World):
    world.lead()
    opened = fetch(world, part(0), session=(0, 0)).body

    emptied = fetch(world, session=(opened.session_id, 1), forgotten=(0,)).body
    after = fetch(world, session=(opened.session_id, 2)).body

    assert (ErrorCode.NONE, []) == (emptied.error_code, indexes(emptied))
    assert ErrorCode.FETCH_SESSION_ID_NOT_FOUND == after.error_code


def test_a_partition_that_is_wanted_twice_is_answered_once_it_has_news(world: World):
    world.lead()
    answer = fetch(world, part(0), part(0), max_wait_ms=500)

    world.produced()

    assert [[0], [0]] == [base_offsets(data) for data in only_topic(answer).partitions]


def test_an_epoch_counts_on_from_the_highest_to_one():
    sessions = FetchSessions(slots_max=1, first_id=2**31 - 1)
    session = sessions.begin(
        [("orders", part(0))],
        Partitions(MetadataCache()),
        0,
        uses_ids=False,
        replica_id=-1,
        replica_epoch=-1,
        isolation_level=0,
    )
    assert session is not None
    session.epoch = 2**31 - 1

    for epoch in (2**31 - 1, 1, 2):
        assert session is sessions.resume(session.session_id, epoch, False, now_ms=0)


def test_consumers_of_committed_records_end_before_an_open_transaction(world: World):
    world.lead()
    world.produced(batch(2))
    ((_, log),) = world.logs.directories[0].logs.items()
    for producer_id in (5, 6):
        sent = batch(
            1,
            base_offset=log.log_end_offset,
            attributes=0x10,
            producer_id=producer_id,
            producer_epoch=0,
            sequence=0,
        )
        log.append_as_follower(sent, START_MS)
    log.append_as_follower(marker(5, 4, is_abort=True), START_MS)
    world.produced(batch(1))

    committed = only_part(fetch(world, part(0), isolation=1))
    all_of_it = only_part(fetch(world, part(0)))

    assert (6, 3) == (committed.high_watermark, committed.last_stable_offset)
    assert [0, 2] == base_offsets(committed)
    assert [(5, 2)] == [tuple(one) for one in committed.aborted_transactions or ()]
    assert [0, 2, 3, 4, 5] == base_offsets(all_of_it)
    assert (3, None) == (all_of_it.last_stable_offset, all_of_it.aborted_transactions)
    beyond = only_part(fetch(world, part(4), isolation=1))
    assert (ErrorCode.NONE, b"", ()) == (
        beyond.error_code,
        bytes(beyond.records),
        tuple(beyond.aborted_transactions or ()),
    )
