"""Segments of a log that is in use, replaced by one as a cleaner will do it."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import pytest

from cluster.formats.record_batch import PlacedBatch, whole_batches
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.segments.segment import Segment
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import (
    DIRECTORY,
    EPOCH,
    append,
    check_indexes,
    content_of,
    opened,
    sim_disk,
    stored_bytes,
)
from tests.sim.disk import Crashed, SimDisk
from tests.support.seeds import seeds

CONFIG: Final = LogConfig(segment_size_max=900, index_interval_size=100, index_size_max=4096)
BATCH_SIZE: Final = 142
BASES: Final = [0, 18, 36, 54, 72]
END: Final = 90
REPLACED: Final = slice(1, 3)
"""Of the segments: those that begin at 18 and 36."""
KEPT: Final[dict[str, Sequence[int]]] = {
    "some of each": (6, 8, 13, 17),
    "none of the later one": (7, 9),
    "none at all": (),
    "all": range(6, 18),
}
"""The batches, counted from the first of the log, that are left of them."""
by_kept: Final = pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)


def filled(seed: int = 0) -> tuple[SimDisk, PartitionLog, list[bytes]]:
    """A durable log of thirty batches of three records, in five segments."""
    disk = sim_disk(seed)
    log, _ = opened(disk, config=CONFIG)
    for number in range(30):
        times = [START_MS + 3 * number + more for more in range(3)]
        log.append(batch(3, times=times), EPOCH, START_MS, START_MS)
    log.flush(START_MS)
    assert BASES == [segment.base_offset for segment in log.segments]
    content = stored_bytes(log)
    return disk, log, [content[at : at + BATCH_SIZE] for at in range(0, len(content), BATCH_SIZE)]


def cleaned(log: PartitionLog, batches: Sequence[bytes]) -> Segment:
    new = log.begin_replacement(log.segments[REPLACED][0].base_offset, START_MS)
    content = b"".join(batches)
    new.append(content, [PlacedBatch(*each) for each in whole_batches(content)], START_MS)
    return new


def replace(log: PartitionLog, batches: Sequence[bytes]) -> None:
    log.replace(log.segments[REPLACED], cleaned(log, batches), START_MS)


def batches_of(segments: Sequence[Segment]) -> bytes:
    return b"".join(segment.file.read(0, segment.size) for segment in segments)


@by_kept
def test_a_segment_takes_the_place_of_others(kept: Sequence[int]) -> None:
    disk, log, batches = filled()
    left = [*range(6), *kept, *range(18, 30)]

    replace(log, [batches[number] for number in kept])

    assert [0, 18, 54, 72] == [segment.base_offset for segment in log.segments]
    assert b"".join(batches[number] for number in left) == batches_of(log.segments)
    for number in left:
        found = log.read(3 * number + 1, BATCH_SIZE, END, whole_first=True)
        assert batches[number] == content_of(found)
    check_indexes(log)
    append(log, 3)
    log.close(START_MS)
    reopened, report = opened(disk, config=CONFIG, was_closed=True, recovery_point=END + 3)
    assert not report.found_damage
    assert report.reindexed == ()
    assert (
        b"".join(batches[number] for number in left) == batches_of(reopened.segments)[:-BATCH_SIZE]
    )


def test_what_was_replaced_is_read_on_until_it_is_removed() -> None:
    disk, log, batches = filled()
    found = log.read(20, BATCH_SIZE, END, whole_first=True)

    replace(log, [batches[8]])

    assert batches[6] == content_of(found)
    deleted = log.take_deleted()
    assert [18, 36] == [one.segment.base_offset for one in deleted]
    for one in deleted:
        one.close()
        one.remove(disk)
    names = {entry.name for entry in disk.list(DIRECTORY)}
    assert not any(name.endswith((".deleted", ".swap", ".cleaned")) for name in names)
    # That of the segment's beginning says what was before it, which is still so.
    assert f"{18:020d}.snapshot" in names
    assert f"{36:020d}.snapshot" not in names


@pytest.mark.slow
@by_kept
@pytest.mark.parametrize("seed", seeds(5))
def test_a_crash_leaves_the_old_segments_or_the_new_one(kept: Sequence[int], seed: int) -> None:
    """In each operation of the disk; what was not synced is lost or kept, by the seed."""
    operation = 0
    has_crashed = True
    outcomes = set()
    while has_crashed:
        disk, log, batches = filled(seed + operation)
        old = b"".join(batches[6:18])
        new = b"".join(batches[number] for number in kept)
        disk.crash_at = len(disk.operations) + operation
        try:
            replace(log, [batches[number] for number in kept])
            has_crashed = False
        except Crashed:
            pass
        disk.crash()
        log, report = opened(disk, config=CONFIG, recovery_point=END, machine_stopped=True)
        between = batches_of([one for one in log.segments if 18 <= one.base_offset < 54])
        # Segment 36 has nothing in common with a new one that ends before it: it may stay.
        assert between in (old, new, new + b"".join(batches[12:18])), operation
        outcomes.add(between)
        assert not report.found_damage
        assert log.log_end_offset == END
        assert b"".join(batches[:6]) == batches_of(log.segments[:1])
        assert b"".join(batches[18:]) == batches_of(log.segments[-2:])
        check_indexes(log)
        names = [entry.name for entry in disk.list(DIRECTORY)]
        assert [] == [name for name in names if re.search(r"\.(swap|cleaned|deleted)$", name)]
        operation += 1
    assert between == new
    assert len(outcomes) > 1 or old == new


def test_each_step_is_durable_before_the_next_one_begins() -> None:
    """Disks may keep later names and lose earlier ones, which the simulated one does not."""
    disk, log, batches = filled()
    new = cleaned(log, batches[6:8])
    before = len(disk.operations)

    log.replace(log.segments[REPLACED], new, START_MS)

    steps = filter(None, map(step_of, disk.operations[before:]))
    assert [step for step, _ in groupby(steps)] == [
        *("sync of files", "sync of names", "rename .cleaned", "sync of names"),
        *("rename", "sync of names", "rename .swap", "sync of names"),
    ]


def step_of(operation: str) -> str | None:
    """What an operation of the disk is a part of; of a rename the suffix that the file had."""
    kind, path = operation.split()
    if kind == "sync":
        return "sync of names" if path == DIRECTORY else "sync of files"
    found = re.search(r"\.(swap|cleaned)$", path)
    return None if kind != "rename" else f"rename {found[0]}" if found else "rename"


def test_a_replacement_that_was_not_finished_is_removed_by_the_next_start() -> None:
    disk, log, batches = filled()
    cleaned(log, [batches[8]])
    log.close(START_MS)

    log, _ = opened(disk, config=CONFIG, was_closed=True, recovery_point=END)

    assert b"".join(batches) == stored_bytes(log)
    assert not any(".cleaned" in entry.name for entry in disk.list(DIRECTORY))


def test_nothing_is_replaced_in_a_directory_that_is_offline() -> None:
    _, log, batches = filled()
    new = cleaned(log, [batches[8]])
    log.health.fail(OSError(5, "it is broken"))

    with pytest.raises(KafkaStorageError):
        log.replace(log.segments[REPLACED], new, START_MS)

    assert BASES == [segment.base_offset for segment in log.segments]
