"""The log of one partition, on a disk that works."""

from contextlib import suppress

import pytest

from cluster.formats.record_batch import CorruptBatchError, checksum_matches, whole_batches
from cluster.formats.segment_names import file_name
from cluster.model.ids import LeaderEpoch
from cluster.storage.errors import (
    InvalidRecord,
    InvalidTimestamp,
    LegacyMessages,
    MessageTooLarge,
    OffsetOutOfRange,
    RecordListTooLarge,
    UnexpectedAppendOffset,
    UnsupportedTransaction,
)
from cluster.storage.log.growing_log import AppendOutcome
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch, sealed
from tests.cluster.storage.logs import (
    DIRECTORY,
    EPOCH,
    append,
    check_indexes,
    content_of,
    fresh_log,
    headers_of,
    opened,
    sim_disk,
    slices,
    stored_bytes,
)

SMALL = LogConfig(segment_size_max=2000, index_interval_size=200, index_size_max=4096)


def filled(config: LogConfig, batches: int, count: int = 3) -> PartitionLog:
    log = fresh_log(config)
    for _ in range(batches):
        append(log, count)
    return log


def test_offsets_and_epochs_are_stamped_into_the_batches():
    log = fresh_log()

    first = log.append(batch(3), LeaderEpoch(4), START_MS, START_MS)
    second = log.append(batch(2), LeaderEpoch(5), START_MS, START_MS)

    assert first == AppendOutcome(0, 2, -1, 0, is_duplicate=False, needs_flush=False)
    assert second == AppendOutcome(3, 4, -1, 0, is_duplicate=False, needs_flush=False)
    headers = headers_of(stored_bytes(log))
    assert [(header.base_offset, header.leader_epoch) for header in headers] == [(0, 4), (3, 5)]
    assert log.epochs.starts == ((4, 0), (5, 3))


@pytest.mark.parametrize("attributes", [0, 8])
def test_log_append_time_replaces_the_producers_times(attributes: int):
    log = fresh_log(LogConfig(uses_log_append_time=True))

    _, _, time_ms, *_ = log.append(
        batch(2, attributes=attributes), EPOCH, START_MS + 77, START_MS + 77
    )

    assert time_ms == START_MS + 77
    (header,) = headers_of(stored_bytes(log))
    assert header.max_timestamp == START_MS + 77
    assert header.is_log_append_time
    assert checksum_matches(stored_bytes(log), header)


REFUSALS = {
    "damaged": (lambda: flipped(batch(2)), CorruptBatchError),
    "cut off": (lambda: batch(2)[:-1], InvalidRecord),
    "two batches": (lambda: batch(1) + batch(1), InvalidRecord),
    "nothing": (lambda: bytearray(), CorruptBatchError),
    "an offset": (lambda: batch(1, base_offset=5), InvalidRecord),
    "a transaction": (lambda: batch(1, attributes=0x10), UnsupportedTransaction),
    "a marker": (lambda: batch(1, attributes=0x20), InvalidRecord),
    "a transaction's marker": (lambda: batch(1, attributes=0x30), InvalidRecord),
    "no sequence": (lambda: batch(1, producer_id=7, producer_epoch=0), InvalidRecord),
    "a wrong count": (lambda: recounted(batch(2)), InvalidRecord),
    "records that are not there": (lambda: claiming(batch([b""] * 3), 4), InvalidRecord),
    "an unknown compression": (lambda: batch(1, attributes=5), InvalidRecord),
    "no such right to a broker's time": (lambda: batch(1, attributes=8), InvalidTimestamp),
    "an old format": (lambda: legacy(), LegacyMessages),
    "too much": (lambda: batch([bytes(3000)]), MessageTooLarge),
    "too much for a segment": (lambda: batch([bytes(1500)]), RecordListTooLarge),
    "the past": (lambda: batch(1, times=[START_MS - 5001]), InvalidTimestamp),
    "the future": (lambda: batch(1, times=[START_MS + 7001]), InvalidTimestamp),
}


def flipped(content: bytearray) -> bytearray:
    content[-1] ^= 1
    return content


def recounted(content: bytearray) -> bytearray:
    content[60] += 1
    return sealed(content)


def claiming(content: bytearray, count: int) -> bytearray:
    content[23:27] = (count - 1).to_bytes(4)
    content[57:61] = count.to_bytes(4)
    return sealed(content)


def legacy() -> bytearray:
    content = batch([bytes(40)])
    content[16] = 1
    return content


def test_the_smallest_records_fit_into_their_batch():
    log = fresh_log()

    _, last_offset, *_ = log.append(
        batch([b""] * 3, times=[START_MS] * 3), EPOCH, START_MS, START_MS
    )

    assert last_offset == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSALS)
def test_a_producer_may_not_send(name: str):
    build, error = REFUSALS[name]
    config = LogConfig(
        message_size_max=2000,
        segment_size_max=1000,
        timestamp_before_max_ms=5000,
        timestamp_after_max_ms=7000,
    )
    log = fresh_log(config)
    append(log)
    before = stored_bytes(log)

    with pytest.raises(error):
        log.append(build(), EPOCH, START_MS, START_MS)

    assert stored_bytes(log) == before
    assert append(log).base_offset == 1


def test_times_within_their_bounds_pass():
    log = fresh_log(LogConfig(timestamp_before_max_ms=5000, timestamp_after_max_ms=7000))

    log.append(batch(2, times=[START_MS - 5000, START_MS + 7000]), EPOCH, START_MS, START_MS)
    log.append(batch(1, times=[-1]), EPOCH, START_MS, START_MS)

    assert log.log_end_offset == 3


def test_a_segment_ends_when_it_is_full():
    log = filled(SMALL, 60)

    assert len(log.segments) > 3
    assert all(segment.size <= 2000 for segment in log.segments)
    assert [segment.base_offset for segment in log.segments][:2] == [0, 42]
    assert stored_bytes(log) == b"".join(segment.file.read(0, 9999) for segment in log.segments)


def test_a_segment_ends_when_its_records_are_too_far_apart_in_time():
    log = fresh_log(LogConfig(segment_ms=1000))

    log.append(batch(1, times=[START_MS]), EPOCH, START_MS, START_MS)
    log.append(batch(1, times=[START_MS + 1000]), EPOCH, START_MS, START_MS)
    log.append(batch(1, times=[START_MS + 1001]), EPOCH, START_MS, START_MS)

    assert [segment.base_offset for segment in log.segments] == [0, 2]


def test_a_segment_without_times_ends_by_its_own_age_whatever_clocks_say():
    log, _ = opened(sim_disk(), config=LogConfig(segment_ms=1000), now_ms=0)

    for now_ms, wall_ms in ((0, START_MS), (1000, 2 * START_MS), (1001, 0)):
        log.append(batch(1, times=[-1]), EPOCH, now_ms, wall_ms)

    assert [segment.base_offset for segment in log.segments] == [0, 2]


def test_a_segment_ends_when_an_index_is_full():
    config = LogConfig(index_size_max=5 * 12, index_interval_size=0)
    log = filled(config, 20, count=1)

    assert len(log.segments) > 2
    assert all(segment.offset_index.count <= 7 for segment in log.segments)
    assert all(segment.time_index.count <= 5 for segment in log.segments)
    check_indexes(log)


def test_a_segment_ends_before_offsets_no_longer_fit_its_index():
    log = fresh_log()
    log.append_as_follower(batch(1, base_offset=10), START_MS)

    log.append_as_follower(batch(1, base_offset=2**31 - 1), START_MS)
    log.append_as_follower(batch(1, base_offset=2**31), START_MS)

    assert [segment.base_offset for segment in log.segments] == [0, 2**31]
    assert log.log_end_offset == 2**31 + 1


FAR = [0, 2**31 + 5, 2**31 + 8, 2**40, 2**62]


@pytest.mark.parametrize("offsets", [FAR, FAR[1:], FAR[-1:]])
@pytest.mark.parametrize("is_whole", [True, False], ids=["together", "one by one"])
def test_a_follower_takes_batches_that_compaction_has_left_far_apart(
    offsets: list[int], is_whole: bool
):
    content = [batch(3, base_offset=offset, leader_epoch=1) for offset in offsets]
    disk = sim_disk()
    log, _ = opened(disk, config=SMALL)

    for piece in [b"".join(content)] if is_whole else content:
        log.append_as_follower(piece, START_MS)
    for number in range(12):
        end = log.log_end_offset
        log.append_as_follower(batch(3, base_offset=end, leader_epoch=1), START_MS + number)
    log.roll(START_MS)

    assert stored_bytes(log).startswith(b"".join(content))
    check_indexes(log)
    for offset in offsets:
        found = log.read(offset, 100, log.log_end_offset, whole_first=True)
        assert offset == next(iter(headers_of(content_of(found)))).base_offset
    before, end = stored_bytes(log), log.log_end_offset
    log.close(START_MS)
    for was_closed in (True, False):
        again, _ = opened(disk, config=SMALL, was_closed=was_closed, recovery_point=end)
        assert (before, end) == (stored_bytes(again), again.log_end_offset)
        check_indexes(again)
        again.close(START_MS)


def test_a_log_that_is_asked_in_pieces_gives_every_byte_once():
    log = filled(SMALL, 100)

    for size_max in (1, 150, 151, 700, 5000):
        assert b"".join(slices(log, size_max)) == stored_bytes(log), size_max


def test_a_read_gives_whole_batches_from_the_one_with_the_offset_on():
    log = filled(LogConfig(index_interval_size=300), 50)
    (size,) = {header.size for header in headers_of(stored_bytes(log))}

    found = log.read(31, 3 * size + 1, log.log_end_offset, whole_first=True)

    assert [header.base_offset for header in headers_of(content_of(found))] == [30, 33, 36]
    assert found.size == 3 * size


@pytest.mark.parametrize(("whole_first", "count"), [(True, 1), (False, 0)])
def test_a_batch_larger_than_the_limit_is_given_when_it_is_the_first(whole_first, count):
    log = filled(SMALL, 10)

    found = log.read(4, 20, log.log_end_offset, whole_first=whole_first)

    assert len(headers_of(content_of(found))) == count


@pytest.mark.parametrize(("end_offset", "offsets"), [(6, [0, 3]), (7, [0, 3]), (9, [0, 3, 6])])
def test_nothing_beyond_the_high_watermark_is_read(end_offset: int, offsets: list[int]):
    log = filled(SMALL, 10)

    found = log.read(0, 10_000, end_offset, whole_first=True)

    assert [header.base_offset for header in headers_of(content_of(found))] == offsets
    assert log.read(end_offset, 10_000, end_offset, whole_first=True).size == 0


def test_a_read_between_high_watermark_and_end_is_empty_and_beyond_it_is_refused():
    log = filled(SMALL, 4)

    assert log.read(11, 100, 5, whole_first=True).size == 0
    assert log.read(12, 100, 12, whole_first=True).size == 0
    with pytest.raises(OffsetOutOfRange):
        log.read(13, 100, 12, whole_first=True)


def test_a_follower_takes_the_leaders_batches_as_they_are():
    leader = filled(LogConfig(), 50)
    follower = fresh_log(SMALL)

    content = stored_bytes(leader)
    assert follower.append_as_follower(content + content[:70], START_MS) == 150

    assert stored_bytes(follower) == content
    assert follower.epochs.starts == leader.epochs.starts
    assert len(follower.segments) > 3


def test_a_follower_refuses_batches_that_do_not_follow_its_end():
    leader = filled(LogConfig(), 3)
    follower = fresh_log()
    follower.append_as_follower(stored_bytes(leader), START_MS)

    with pytest.raises(UnexpectedAppendOffset, match=r"at offset \d+ cannot follow log end \d+"):
        follower.append_as_follower(stored_bytes(leader), START_MS)

    assert follower.log_end_offset == 9


@pytest.mark.slow
@pytest.mark.parametrize("was_closed", [False, True])
@pytest.mark.parametrize("start", [2, 50, 99])
def test_an_empty_log_takes_a_batch_that_straddles_its_start(start: int, was_closed: bool):
    content = batch(99, base_offset=1, leader_epoch=3) + batch(1, base_offset=100, leader_epoch=4)
    disk = sim_disk()
    log, _ = opened(disk, log_start_offset=start, recovery_point=start)

    assert 101 == log.append_as_follower(content, START_MS)

    assert stored_bytes(log) == content
    assert (start, 1) == (log.log_start_offset, log.segments[0].base_offset)
    assert ((3, start), (4, 100)) == log.epochs.starts
    assert log.read(start, 10_000, 101, whole_first=True).size == len(content)
    log.close(START_MS)
    again, report = opened(
        disk, log_start_offset=start, recovery_point=start, was_closed=was_closed
    )
    assert (start, 101) == (again.log_start_offset, again.log_end_offset)
    assert stored_bytes(again) == content
    assert not report.findings


def test_deleted_segments_go_where_a_batch_straddles_the_start_behind_them():
    log = filled(SMALL, 20)
    log.delete_records_before(60, 60)

    log.append_as_follower(batch(9, base_offset=55, leader_epoch=3), START_MS)

    assert [55] == [segment.base_offset for segment in log.segments]
    assert (60, 64) == (log.log_start_offset, log.log_end_offset)


STRADDLING = batch(99, base_offset=1, leader_epoch=3)


@pytest.mark.parametrize(
    ("start", "content"),
    [
        (100, STRADDLING),
        (101, STRADDLING),
        (50, STRADDLING[:-1]),
        (50, STRADDLING[:-1] + b"x"),
        (50, STRADDLING + STRADDLING),
    ],
    ids=["before its start", "long before", "cut off", "damaged", "twice"],
)
def test_an_empty_log_stays_as_it_is_where_what_straddles_its_start_is_of_no_use(
    start: int, content: bytearray
):
    log, _ = opened(sim_disk(), log_start_offset=start)

    with suppress(CorruptBatchError, UnexpectedAppendOffset):
        log.append_as_follower(content, START_MS)

    assert (start, start) == (log.log_start_offset, log.log_end_offset)
    assert [start] == [segment.base_offset for segment in log.segments]


def test_a_log_with_records_refuses_a_batch_that_begins_before_its_end():
    log, _ = opened(sim_disk(), log_start_offset=50)
    log.append_as_follower(batch(1, base_offset=50), START_MS)

    with pytest.raises(UnexpectedAppendOffset):
        log.append_as_follower(batch(99, base_offset=1), START_MS)


def test_a_follower_refuses_offsets_that_cannot_be():
    follower = fresh_log()
    follower.append_as_follower(batch(2), START_MS)

    with pytest.raises(CorruptBatchError, match=f"no offset is as high as {2**63}"):
        follower.append_as_follower(batch(3, base_offset=2**63 - 3), START_MS)

    assert follower.log_end_offset == 2


def test_a_follower_refuses_all_when_one_batch_is_damaged():
    content = bytearray(stored_bytes(filled(LogConfig(), 3)))
    content[-1] ^= 1
    follower = fresh_log()

    with pytest.raises(CorruptBatchError):
        follower.append_as_follower(content, START_MS)

    assert follower.log_end_offset == 0


def test_a_gap_between_segments_is_passed_over():
    log = fresh_log()
    log.append_as_follower(batch(2, base_offset=0), START_MS)
    log.roll(START_MS)
    log.append_as_follower(batch(2, base_offset=10), START_MS)

    found = log.read(5, 1000, log.log_end_offset, whole_first=True)

    assert [header.base_offset for header in headers_of(content_of(found))] == [10]


@pytest.mark.parametrize("offset", [0, 1, 38, 39, 40, 100, 178, 179, 180])
def test_a_truncated_log_is_as_if_the_rest_had_never_been_written(offset: int):
    log = filled(SMALL, 60)
    whole = [header for header in headers_of(stored_bytes(log)) if header.next_offset <= offset]

    log.truncate_to(offset, START_MS)

    end = whole[-1].next_offset if whole else 0
    assert log.log_end_offset == end
    assert headers_of(stored_bytes(log)) == whole
    like_new = filled(SMALL, len(whole))
    for _ in range(40):
        append(log, 3)
        append(like_new, 3)
    assert stored_bytes(log) == stored_bytes(like_new)
    check_indexes(log)


def test_leader_epochs_end_where_a_log_is_truncated():
    log = fresh_log()
    for epoch in (0, 2, 5):
        log.append(batch(3), LeaderEpoch(epoch), START_MS, START_MS)
    log.assign_epoch(LeaderEpoch(6))

    log.truncate_to(7, START_MS)
    truncated = log.epochs.starts
    log.append(batch(1), LeaderEpoch(7), START_MS, START_MS)

    assert truncated == ((0, 0), (2, 3))
    assert log.epochs.starts == ((0, 0), (2, 3), (7, 6))


def test_a_log_that_begins_anew_keeps_nothing():
    log = filled(SMALL, 60)

    log.restart_at(1000, START_MS)

    assert (log.log_start_offset, log.log_end_offset, log.size) == (1000, 1000, 0)
    assert append(log).base_offset == 1000
    assert len(log.take_deleted()) == 5


def test_deleted_records_cannot_be_read_and_their_segments_go():
    log = filled(SMALL, 60)

    assert log.delete_records_before(85, high_watermark=180) == 85
    assert log.delete_records_before(40, high_watermark=180) == 85
    assert log.delete_old_segments(START_MS, START_MS, high_watermark=180) == 2

    with pytest.raises(OffsetOutOfRange):
        log.read(84, 100, 180, whole_first=True)
    assert headers_of(content_of(log.read(85, 1, 180, whole_first=True)))[0].base_offset == 84
    assert log.segments[0].base_offset == 84
    assert log.epochs.starts == ((0, 85),)
    with pytest.raises(OffsetOutOfRange):
        log.delete_records_before(181, high_watermark=180)


def test_dropped_segments_are_renamed_at_once_and_removed_later():
    disk = sim_disk()
    log, _ = opened(disk, config=SMALL)
    for _ in range(60):
        append(log, 3)
    log.delete_records_before(42, high_watermark=180)
    log.delete_old_segments(START_MS, START_MS, high_watermark=180)
    reading = log.read(42, 100, 180, whole_first=True)

    names = {entry.name for entry in disk.list(DIRECTORY)}
    (deleted,) = log.take_deleted()

    assert deleted.due_ms == START_MS + 60_000
    assert file_name(0, ".log.deleted") in names
    assert file_name(0, ".log") not in names
    deleted.remove(disk)
    assert not any("deleted" in entry.name for entry in disk.list(DIRECTORY))
    assert headers_of(content_of(reading))[0].base_offset == 42


def test_whole_batches_are_what_a_slice_holds():
    log = filled(SMALL, 30)

    for content in slices(log, 333):
        assert sum(placed.header.size for placed in whole_batches(content)) == len(content)
