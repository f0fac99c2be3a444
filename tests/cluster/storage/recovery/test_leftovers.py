"""Replacements of segments that Kafka's cleaner began, and that a start of ours has to finish."""

import re
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from cluster.formats.errors import CorruptFileError
from cluster.formats.segment_names import file_name
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import Kind, RecoveryReport
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import (
    DIRECTORY,
    EPOCH,
    check_indexes,
    opened,
    sim_disk,
    stored_bytes,
)
from tests.sim.disk import Crashed, SimDisk
from tests.support.seeds import seeds

CONFIG: Final = LogConfig(segment_size_max=900, index_interval_size=100, index_size_max=4096)
BATCH_SIZE: Final = 142
END: Final = 90
CLEANED: Final = (0, 2, 5, 11)
"""Which of the first twelve batches, those of the segments 0 and 18, a compaction has left."""


def closed(seed: int = 0) -> tuple[SimDisk, list[bytes]]:
    """A log of thirty batches of three records in the segments 0, 18, 36, 54 and 72."""
    disk = sim_disk(seed)
    log, _ = opened(disk, config=CONFIG)
    for number in range(30):
        times = [START_MS + 3 * number + more for more in range(3)]
        log.append(batch(3, times=times), EPOCH, START_MS, START_MS)
    content = stored_bytes(log)
    assert [0, 18, 36, 54, 72] == [segment.base_offset for segment in log.segments]
    log.close(START_MS)
    disk.sync_directory(DIRECTORY)
    return disk, [content[at : at + BATCH_SIZE] for at in range(0, len(content), BATCH_SIZE)]


def reopened(disk: SimDisk) -> tuple[PartitionLog, RecoveryReport]:
    return opened(disk, config=CONFIG, was_closed=True, recovery_point=END)


def put(disk: SimDisk, base_offset: int, suffix: str, content: bytes = b"") -> None:
    """A file that is there durably."""
    file = disk.open(f"{DIRECTORY}/{file_name(base_offset, suffix)}", create=True)
    file.truncate(0)
    file.write(0, content)
    file.sync()
    disk.sync_directory(DIRECTORY)


def rename(disk: SimDisk, base_offset: int, suffix: str, new: str) -> None:
    source, target = (f"{DIRECTORY}/{file_name(base_offset, one)}" for one in (suffix, new))
    disk.rename(source, target)
    disk.sync_directory(DIRECTORY)


def compacted(disk: SimDisk, batches: list[bytes], suffix: str = ".swap") -> None:
    """Put the copy beside the segments 0 and 18, with indexes as a cleaner writes them."""
    copy, _ = opened(made := sim_disk(), config=CONFIG)
    content = [batches[number] for number in CLEANED]
    copy.append_as_follower(memoryview(b"".join(content)), START_MS)
    copy.close(START_MS)
    for kind in (".log", ".index", ".timeindex"):
        file = made.open(f"{DIRECTORY}/{file_name(0, kind)}")
        put(disk, 0, kind + suffix, file.read(0, file.size()))


def whole(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)


def some_renamed_to_deleted(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)
    rename(disk, 18, ".log", ".log.deleted")
    rename(disk, 18, ".index", ".index.deleted")


def log_renamed_back(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)
    for base_offset in (0, 18):
        for kind in (".log", ".index", ".timeindex"):
            disk.remove(f"{DIRECTORY}/{file_name(base_offset, kind)}")
    rename(disk, 0, ".log.swap", ".log")


def index_renamed_back(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)
    rename(disk, 0, ".index.swap", ".index")


def without_indexes(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)
    for kind in (".index", ".timeindex"):
        disk.remove(f"{DIRECTORY}/{file_name(0, kind)}.swap")


def with_wrong_indexes(disk: SimDisk, batches: list[bytes]) -> None:
    compacted(disk, batches)
    put(disk, 0, ".index.swap", b"\x7f" * 64)


def beside_a_copy_that_is_not_whole(disk: SimDisk, batches: list[bytes]) -> None:
    """Of the next segments: nothing of it counts."""
    compacted(disk, batches)
    put(disk, 36, ".log.cleaned", batches[12][:100])
    put(disk, 36, ".index.cleaned")


def split_in_two(disk: SimDisk, batches: list[bytes]) -> None:
    """As segments are whose offsets are too far apart."""
    put(disk, 0, ".log.swap", b"".join(batches[:3]))
    put(disk, 9, ".log.swap", b"".join(batches[3:6]))


def split_in_two_of_which_one_is_renamed(disk: SimDisk, batches: list[bytes]) -> None:
    split_in_two(disk, batches)
    rename(disk, 0, ".log", ".log.deleted")
    rename(disk, 9, ".log.swap", ".log")


def split_that_is_not_whole(disk: SimDisk, batches: list[bytes]) -> None:
    """The later half got its suffix first, as Kafka renames them."""
    put(disk, 0, ".log.cleaned", b"".join(batches[:3]))
    put(disk, 9, ".log.swap", b"".join(batches[3:6]))


def nothing_left(disk: SimDisk, batches: list[bytes]) -> None:
    """All records of segment 18 were superseded by later ones."""
    put(disk, 18, ".log.swap")


def of_the_last_segment(disk: SimDisk, batches: list[bytes]) -> None:
    put(disk, 72, ".log.swap", b"".join(batches[24:]))


REST: Final = tuple(range(12, 30))
ALL: Final = tuple(range(30))
STATES: Final[Mapping[Callable[[SimDisk, list[bytes]], None], tuple[tuple[int, ...], ...]]] = {
    whole: ((*CLEANED, *REST), (0, 36, 54, 72)),
    some_renamed_to_deleted: ((*CLEANED, *REST), (0, 36, 54, 72)),
    log_renamed_back: ((*CLEANED, *REST), (0, 36, 54, 72)),
    index_renamed_back: ((*CLEANED, *REST), (0, 36, 54, 72)),
    without_indexes: ((*CLEANED, *REST), (0, 36, 54, 72)),
    with_wrong_indexes: ((*CLEANED, *REST), (0, 36, 54, 72)),
    beside_a_copy_that_is_not_whole: ((*CLEANED, *REST), (0, 36, 54, 72)),
    split_in_two: (ALL, (0, 9, 18, 36, 54, 72)),
    split_in_two_of_which_one_is_renamed: (ALL, (0, 9, 18, 36, 54, 72)),
    split_that_is_not_whole: (ALL, (0, 18, 36, 54, 72)),
    nothing_left: ((*range(6), *REST), (0, 18, 36, 54, 72)),
    of_the_last_segment: (ALL, (0, 18, 36, 54, 72)),
}
"""What a broker may leave behind, and the batches and segments that are there after a start."""
by_state: Final = pytest.mark.parametrize("leave", STATES, ids=[state.__name__ for state in STATES])


def check(disk: SimDisk, log: PartitionLog, leave: object, batches: list[bytes]) -> None:
    numbers, bases = STATES[leave]  # type: ignore[index]
    content = b"".join(segment.file.read(0, segment.size) for segment in log.segments)
    assert b"".join(batches[number] for number in numbers) == content
    assert bases == tuple(segment.base_offset for segment in log.segments)
    assert END == log.log_end_offset
    check_indexes(log)
    names = [entry.name for entry in disk.list(DIRECTORY)]
    assert [] == [name for name in names if re.search(r"\.(swap|cleaned|deleted)$", name)]


@by_state
def test_a_start_finishes_what_counts_already_and_removes_the_rest(leave) -> None:
    disk, batches = closed()
    leave(disk, batches)

    log, report = reopened(disk)

    check(disk, log, leave, batches)
    has_finished = any(one.kind is Kind.FINISHED for one in report.findings)
    # Where only indexes were left to be renamed, there is nothing that an operator should know.
    assert has_finished == (leave not in (log_renamed_back, split_that_is_not_whole))
    log.close(START_MS)
    again, report = reopened(disk)
    check(disk, again, leave, batches)
    assert Kind.FINISHED not in [one.kind for one in report.findings]


@pytest.mark.slow
@by_state
@pytest.mark.parametrize("seed", seeds(5))
def test_a_start_that_a_crash_interrupts_is_finished_by_the_next(leave, seed: int) -> None:
    """In each operation of the disk; what was not synced is lost or kept, by the seed."""
    operation = 0
    has_crashed = True
    while has_crashed:
        disk, batches = closed(seed + operation)
        leave(disk, batches)
        disk.crash_at = len(disk.operations) + operation
        try:
            reopened(disk)
            has_crashed = False
        except Crashed:
            disk.crash()
            log, _ = reopened(disk)
            check(disk, log, leave, batches)
        operation += 1
    assert operation > 1


@pytest.mark.parametrize(
    "damage", [lambda content: content[:-1], lambda content: content[:-1] + b"\xff", bytes.upper]
)
def test_segments_are_not_given_up_for_a_copy_that_is_damaged(damage) -> None:
    disk, batches = closed()
    damaged = damage(b"".join(batches[number] for number in CLEANED))
    put(disk, 0, ".log.swap", damaged)

    with pytest.raises(CorruptFileError, match="a compaction was interrupted, and this is not"):
        reopened(disk)

    disk.remove(f"{DIRECTORY}/{file_name(0, '.log.swap')}")
    log, _ = reopened(disk)
    assert b"".join(batches) == stored_bytes(log)


def test_a_file_that_only_ends_like_one_is_left_alone() -> None:
    disk, batches = closed()
    disk.open(f"{DIRECTORY}/notes.swap", create=True)

    log, _ = reopened(disk)

    assert b"".join(batches) == stored_bytes(log)
    assert "notes.swap" in [entry.name for entry in disk.list(DIRECTORY)]
