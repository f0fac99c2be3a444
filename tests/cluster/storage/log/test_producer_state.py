"""Idempotent producers: retries, gaps, epochs, and what is left of them after a restart."""

import pytest

from cluster.formats import producer_snapshot
from cluster.formats.errors import CorruptFileError
from cluster.formats.producer_snapshot import Producer, SentBatch
from cluster.formats.record_batch import SEQUENCE_MAX
from cluster.storage.errors import InvalidProducerEpoch, OutOfOrderSequence
from cluster.storage.log.growing_log import AppendOutcome
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import DIRECTORY, EPOCH, fresh_log, opened, sim_disk

DAY_MS = 24 * 3600 * 1000


def send(
    log: PartitionLog, sequence: int, count: int = 2, *, epoch: int = 0, producer_id: int = 7
) -> AppendOutcome:
    sent = batch(count, producer_id=producer_id, producer_epoch=epoch, sequence=sequence)
    return AppendOutcome(*log.append(sent, EPOCH, START_MS, START_MS))


def test_a_retry_is_answered_with_the_offset_that_it_got_the_first_time():
    log = fresh_log()
    for number in range(6):
        send(log, 2 * number)
        send(log, 0, producer_id=100 + number)

    for number in range(1, 6):
        outcome = send(log, 2 * number)
        assert (outcome.base_offset, outcome.last_offset) == (4 * number, 4 * number + 1)
        assert outcome.is_duplicate

    assert log.log_end_offset == 24


def test_a_retry_with_the_brokers_time_gets_the_time_of_then():
    log = fresh_log(LogConfig(uses_log_append_time=True))
    sent = batch(1, producer_id=7, producer_epoch=0, sequence=0)
    log.append(sent[:], EPOCH, START_MS + 5, START_MS + 5)

    outcome = AppendOutcome(*log.append(sent[:], EPOCH, START_MS + 500, START_MS + 500))

    assert (outcome.is_duplicate, outcome.log_append_time_ms) == (True, START_MS + 5)


@pytest.mark.parametrize("sequence", [0, 1, 11, 13, 14, SEQUENCE_MAX])
def test_what_neither_follows_nor_repeats_one_of_five_batches_is_refused(sequence: int):
    log = fresh_log()
    for number in range(6):
        send(log, 2 * number)

    with pytest.raises(OutOfOrderSequence) as caught:
        send(log, sequence)

    assert (caught.value.sequence, caught.value.last_sequence) == (sequence, 11)
    assert send(log, 12).base_offset == 12


def test_a_batch_with_a_known_start_and_another_length_is_no_retry():
    log = fresh_log()
    send(log, 0, count=2)

    with pytest.raises(OutOfOrderSequence):
        send(log, 0, count=3)


def test_sequences_begin_again_at_zero_behind_the_highest():
    log = fresh_log()
    send(log, SEQUENCE_MAX - 2, count=2)

    assert send(log, SEQUENCE_MAX, count=3).last_offset == 4
    assert send(log, 2).base_offset == 5
    assert send(log, SEQUENCE_MAX, count=3).is_duplicate


def test_a_producer_that_is_not_known_may_begin_anywhere():
    assert send(fresh_log(), 41).base_offset == 0


def test_a_new_epoch_begins_at_zero_and_shuts_the_old_one_out():
    log = fresh_log()
    send(log, 0, epoch=3)

    with pytest.raises(OutOfOrderSequence):
        send(log, 2, epoch=4)
    send(log, 0, epoch=4)
    with pytest.raises(InvalidProducerEpoch):
        send(log, 2, epoch=3)
    with pytest.raises(InvalidProducerEpoch):
        send(log, 0, epoch=3)

    assert send(log, 2, epoch=4).base_offset == 4


def test_silent_producers_are_forgotten():
    log = fresh_log()
    send(log, 0)
    log.expire_producers(START_MS + DAY_MS)
    assert log.producers.producers == ()

    assert send(log, 40).base_offset == 2
    log.expire_producers(START_MS + DAY_MS - 1)
    assert len(log.producers.producers) == 1


@pytest.mark.parametrize("ahead_ms", [-400 * DAY_MS, 400 * DAY_MS])
def test_a_producer_is_as_silent_as_its_batches_are_old_here_whatever_their_times_are(
    ahead_ms: int,
):
    """In Kafka it is forgotten when its clock, or the broker's, is set by more than a day."""
    log = fresh_log()
    sent = batch(1, times=[START_MS + ahead_ms], producer_id=7, producer_epoch=0, sequence=0)
    log.append(sent, EPOCH, START_MS, START_MS + ahead_ms)

    for age_ms, count in ((DAY_MS - 1, 1), (DAY_MS, 0)):
        log.expire_producers(START_MS + age_ms)
        assert len(log.producers.producers) == count


@pytest.mark.parametrize("was_closed", [False, True])
def test_producers_are_known_again_after_a_start(was_closed: bool):
    disk = sim_disk()
    log, _ = opened(disk, config=LogConfig(segment_size_max=600))
    for number in range(10):
        send(log, 2 * number)
    if was_closed:
        log.close(START_MS)

    again, _ = opened(disk, recovery_point=20 if was_closed else 0, was_closed=was_closed)

    assert send(again, 18).is_duplicate
    with pytest.raises(OutOfOrderSequence):
        send(again, 21)
    assert send(again, 20).base_offset == 20


def test_a_start_counts_the_silence_of_producers_anew():
    disk = sim_disk()
    log, _ = opened(disk)
    send(log, 0)
    log.close(START_MS)

    started_ms = START_MS + 2 * DAY_MS
    again, _ = opened(disk, recovery_point=2, was_closed=True, now_ms=started_ms)

    for age_ms, count in ((0, 1), (DAY_MS - 1, 1), (DAY_MS, 0)):
        again.expire_producers(started_ms + age_ms)
        assert len(again.producers.producers) == count


def test_a_damaged_snapshot_is_passed_over():
    disk = sim_disk()
    log, _ = opened(disk, config=LogConfig(segment_size_max=600))
    for number in range(10):
        send(log, 2 * number)
    log.close(START_MS)
    newest = disk.open(f"{DIRECTORY}/{20:020d}.snapshot")
    newest.write(20, b"\xff")

    again, _ = opened(disk, recovery_point=20, was_closed=True)

    assert again.producers.producers[0].last_sequence == 19


SNAPSHOT = producer_snapshot.encode(
    [
        Producer(1, 2, (SentBatch(9, 19, 3, 77),), 77),
        Producer(2, 0, (), 88, coordinator_epoch=4),
        Producer(3, 0, (SentBatch(0, 20, 0, 99),), 99, 1, 20),
    ]
)


def test_a_snapshot_is_read_as_it_was_written():
    producers = producer_snapshot.decode(SNAPSHOT, "x")

    assert producer_snapshot.encode(producers) == SNAPSHOT
    assert producers[0] == Producer(1, 2, (SentBatch(9, 19, 3, 77),), 77)
    assert producers[1].batches == ()
    assert producers[1].last_sequence == -1
    assert producers[2].transaction_offset == 20


def is_refused(content: bytes) -> bool:
    try:
        producer_snapshot.decode(content, "x")
    except CorruptFileError:
        return True
    return False


def test_a_snapshot_that_was_cut_off_is_refused():
    assert [] == [size for size in range(len(SNAPSHOT)) if not is_refused(SNAPSHOT[:size])]


def test_a_snapshot_with_a_flipped_bit_is_refused():
    for position in range(len(SNAPSHOT)):
        content = bytearray(SNAPSHOT)
        content[position] ^= 0x10

        assert is_refused(bytes(content)), position
