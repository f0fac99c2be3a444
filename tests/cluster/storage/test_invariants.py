"""What a bug of ours would break ends in an assertion, before it is on the disk."""

from collections.abc import Callable

import pytest

from cluster.storage.log.leader_epochs import LeaderEpochs
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.segments.indexes import OffsetIndex, TimeIndex
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.logs import DIRECTORY, append, fresh_log, sim_disk


def test_epochs_and_their_starts_rise() -> None:
    epochs = LeaderEpochs(sim_disk(), DIRECTORY)
    epochs.assign(3, 10)
    (first,) = epochs.starts

    for fallen in (first._replace(leader_epoch=2), first._replace(start_offset=9)):
        other = first._replace(leader_epoch=4, start_offset=20)
        with pytest.raises(AssertionError):
            epochs._replace_starts((other, fallen))
    assert (first,) == epochs.starts


def test_entries_of_indexes_rise() -> None:
    disk = sim_disk()
    offsets = OffsetIndex(disk, DIRECTORY, "0.index", 0, 8 * 100)
    times = TimeIndex(disk, DIRECTORY, "0.timeindex", 0, 12 * 100)
    offsets.create()
    times.create()
    offsets.append(10, 100)
    times.append_if_later(START_MS, 10)

    with pytest.raises(AssertionError, match="offsets rise"):
        offsets.append(10, 200)
    with pytest.raises(AssertionError, match="positions rise"):
        offsets.append(11, 100)
    with pytest.raises(AssertionError, match="later records"):
        times.append_if_later(START_MS + 1, 9)


def test_a_cut_leaves_no_entry_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    index = OffsetIndex(sim_disk(), DIRECTORY, "0.index", 0, 8 * 100)
    index.create()
    index.append(10, 100)
    monkeypatch.setattr(OffsetIndex, "number_at_most", lambda self, field, target: 0)

    with pytest.raises(AssertionError):
        index.truncate_to(10)


def test_a_segment_is_not_opened_with_an_index_that_points_behind_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = fresh_log()
    append(log)
    segment = log.active
    segment.offset_index.append(0, segment.size)
    segment.offset_index.trim()
    segment.time_index.trim()
    monkeypatch.setattr(OffsetIndex, "is_of_log", lambda self, entry, log_size: True)

    with pytest.raises(AssertionError, match="an entry in the file"):
        segment.load(segment.size, START_MS, 8, 0)
    with pytest.raises(AssertionError, match="an entry in the file"):
        segment.reopen()


def lose_segments(log: PartitionLog) -> None:
    log._segments[:] = log._segments[1:]


def swap_segments(log: PartitionLog) -> None:
    log._segments.reverse()


def begin_epoch_behind_the_end(log: PartitionLog) -> None:
    log.epochs.assign(7, log.log_end_offset + 1)


def forget_producers(log: PartitionLog) -> None:
    log.producers.end_offset -= 1


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lose_segments, "a log starts in a segment"),
        (swap_segments, "segments follow each other"),
        (begin_epoch_behind_the_end, "an epoch begins in the log"),
        (forget_producers, "producers are known"),
    ],
)
def test_a_log_that_contradicts_itself_is_not_closed(
    break_it: Callable[[PartitionLog], None], reason: str
) -> None:
    log = fresh_log()
    append(log)
    log.roll(START_MS)
    append(log)
    log.flush(START_MS)
    break_it(log)

    with pytest.raises(AssertionError, match=reason):
        log.close(START_MS)


def test_a_segment_whose_index_points_behind_its_end_is_not_finished() -> None:
    log = fresh_log()
    append(log)
    log.active.offset_index.append(0, log.active.size)

    with pytest.raises(AssertionError, match="an entry in the file"):
        log.roll(START_MS)
