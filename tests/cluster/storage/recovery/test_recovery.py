"""Opening a log whose files are not as an orderly end leaves them."""

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.segment_names import file_name
from cluster.model.ids import LeaderEpoch
from cluster.storage.errors import DamagedSegment
from cluster.storage.log.offset_lookup import first_at
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import Kind, RecoveryReport
from cluster.storage.segments.segment import Segment
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import (
    DIRECTORY,
    EPOCH,
    append,
    check_indexes,
    content_of,
    headers_of,
    opened,
    sim_disk,
    slices,
    stored_bytes,
)
from tests.sim.disk import Crashed, SimDisk
from tests.support.seeds import seeds

CONFIG = LogConfig(segment_size_max=900, index_interval_size=100, index_size_max=4096)
END = 90
INDEXES = (".index", ".timeindex")


def closed(epochs: Sequence[int] = (0,) * 30) -> tuple[SimDisk, bytes]:
    """A log of thirty batches, with these leader epochs, in five segments after an orderly end, and
    what is in it.
    """
    disk = sim_disk()
    log, _ = opened(disk, config=CONFIG)
    for number, epoch in enumerate(epochs):
        log.append(timed_batch(number), LeaderEpoch(epoch), START_MS, START_MS)
    content = stored_bytes(log)
    log.close(START_MS)
    return disk, content


def timed_batch(number: int) -> bytearray:
    """The batch of that number in `closed`, a ms from record to record."""
    return batch(3, times=[START_MS + 3 * number + more for more in range(3)])


def reopened(
    disk: SimDisk,
    *,
    was_closed: bool = True,
    recovery_point: int = END,
    log_start_offset: int = 0,
    high_watermark: int = 0,
    machine_stopped: bool = False,
) -> tuple[PartitionLog, RecoveryReport]:
    return opened(
        disk,
        config=CONFIG,
        was_closed=was_closed,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        high_watermark=high_watermark,
        machine_stopped=machine_stopped,
    )


def path(base_offset: int, suffix: str) -> str:
    return f"{DIRECTORY}/{file_name(base_offset, suffix)}"


def zeros_behind(disk: SimDisk, where: str) -> None:
    file = disk.open(where)
    file.truncate(file.size() + 24)


def half_an_entry(disk: SimDisk, where: str) -> None:
    file = disk.open(where)
    file.truncate(file.size() - 3)


def falling(disk: SimDisk, where: str) -> None:
    file = disk.open(where)
    file.write(file.size() - 12, bytes(12))


def too_far(disk: SimDisk, where: str) -> None:
    file = disk.open(where)
    file.write(file.size() - 4, b"\x7f\xff\xff\xff")


def negative(disk: SimDisk, where: str) -> None:
    file = disk.open(where)
    file.write(file.size() - 4, b"\xff\xff\xff\xff")


def of_no_record(disk: SimDisk, where: str) -> None:
    """Its last entry has an offset that is not in the segment."""
    file = disk.open(where)
    file.write(file.size() - (8 if where.endswith(".index") else 4), b"\x7f\xff\xff\xff")


def missing(disk: SimDisk, where: str) -> None:
    disk.remove(where)


DAMAGES = (zeros_behind, half_an_entry, falling, negative, of_no_record, missing)


@pytest.mark.slow
@pytest.mark.parametrize("base_offset", [0, 18, 72])
@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_made_anew(
    base_offset: int, suffix: str, damage: Callable[[SimDisk, str], None]
):
    disk, content = closed()
    damage(disk, path(base_offset, suffix))

    log, report = reopened(disk)

    assert [segment.base_offset for segment in log.segments] == [0, 18, 36, 54, 72]
    assert report.reindexed == (base_offset,)
    assert not report.found_damage
    assert stored_bytes(log) == content
    assert all(segment.offset_index.count > 0 for segment in log.segments)
    check_indexes(log)


@pytest.mark.parametrize("byte", range(4))
@pytest.mark.parametrize("bit", [0x80, 0x10, 1])
def test_a_damaged_entry_of_an_index_hides_no_record(byte: int, bit: int):
    disk, content = closed()
    file = disk.open(path(18, ".index"))
    for at in range(byte, file.size() - 16, 8):
        file.write(at, bytes([file.read(at, 1)[0] ^ bit]))

    log, _ = reopened(disk)

    for offset in range(18, 36):
        found = content_of(log.read(offset, 1, END, whole_first=True))
        assert content[offset // 3 * 142 :][:142] == found


@pytest.mark.parametrize("suffix", INDEXES)
@pytest.mark.parametrize("field", [0, -4])
@pytest.mark.parametrize("value", [0, 7, 300, 0x7FFFFFFF, 0xFFFFFFFF])
def test_damage_in_the_middle_of_an_index_shows_nowhere(suffix: str, field: int, value: int):
    """Not in what is read, where a time is found, or what is appended behind a cut which makes the
    damaged entry the last.
    """
    entry_size = 8 if suffix == ".index" else 12
    for number in range(3):
        disk, content = closed()
        at = number * entry_size + field % entry_size
        disk.open(path(72, suffix)).write(at, value.to_bytes(4))
        log, report = reopened(disk)
        assert not report.reindexed

        for offset in range(72, 90):
            found = content_of(log.read(offset, 1, END, whole_first=True))
            assert content[offset // 3 * 142 :][:142] == found
            assert offset // 3 * 3 == log.end_before(offset)
            at_time = first_at(log, START_MS + offset, END)
            assert at_time is not None
            assert offset == at_time.offset
        for end in range(75 + 3 * number, 88):
            log.truncate_to(end, START_MS)
            assert content[: end // 3 * 142] == stored_bytes(log)
            for offset in range(end // 3 * 3, 90, 3):
                times = [START_MS + offset + more for more in range(3)]
                log.append(batch(3, times=times), EPOCH, START_MS, START_MS)
        log.close(START_MS)

        log, report = reopened(disk)
        assert not report.reindexed
        assert content == stored_bytes(log)


@pytest.mark.parametrize("whole", [0, 1, 2, 5])
def test_a_torn_last_segment_is_cut_even_after_an_orderly_end(whole: int):
    """Its index points behind its end: it is made anew twice, for the batches that are there."""
    disk, content = closed()
    disk.open(path(72, ".log")).truncate(whole * 142 + 53)

    log, report = reopened(disk)

    assert report.reindexed == (72,)
    assert stored_bytes(log) == content[: (24 + whole) * 142]
    check_indexes(log)
    append(log)
    log.close(START_MS)
    _, report = reopened(disk)
    assert report.reindexed == ()


def test_a_log_that_is_damaged_before_the_end_of_a_truncation_stays_as_it_is():
    """Its index leads behind the damage; the producers of what stays are read from the segment's
    beginning."""
    disk, _ = closed()
    log, _ = reopened(disk)
    disk.open(path(72, ".log")).write(16, b"\xdd")
    assert log.end_before(82) == 81

    with pytest.raises(CorruptBatchError):
        log.truncate_to(82, START_MS)

    assert log.log_end_offset == END
    assert log.active.size == 6 * 142
    append(log)
    assert log.log_end_offset == END + 1


@pytest.mark.parametrize("base_offset", [18, 72])
def test_the_file_of_another_segment_is_named(base_offset: int):
    disk, _ = closed()
    disk.remove(path(base_offset, ".log"))
    for suffix in INDEXES:
        disk.remove(path(base_offset, suffix))
    disk.rename(path(0, ".log"), path(base_offset, ".log"))

    with pytest.raises(CorruptFileError, match=f"{base_offset}.log: .*offset 0 follows"):
        reopened(disk)


@pytest.mark.parametrize("seed", range(5))
def test_damaged_entries_in_the_middle_of_indexes_change_nothing(seed: int):
    """A start looks at the last entries of an index, and a truncation makes others the last."""
    chance = Random(seed)
    disk, content = closed()
    for base_offset, suffix in product((0, 18, 36, 54, 72), INDEXES):
        damage_middle(disk, path(base_offset, suffix), chance)

    log, report = reopened(disk)

    assert report.reindexed == ()
    check_reads(log, content)
    end = 18 * chance.randrange(5) + chance.randrange(3, 17)
    whole = end // 3 * 3
    assert log.end_before(end) == whole
    log.truncate_to(end, START_MS)
    assert stored_bytes(log) == content[: whole // 3 * 142]
    assert log.segments[-1].max_timestamp == START_MS + whole - 1
    for number in range(whole // 3, END // 3):
        log.append(timed_batch(number), EPOCH, START_MS, START_MS)
    check_reads(log, content)
    log.close(START_MS)
    log, _ = reopened(disk)
    check_reads(log, content)


def damage_middle(disk: SimDisk, where: str, chance: Random) -> None:
    """Overwrite all entries but the last two."""
    file = disk.open(where)
    size = 8 if where.endswith(".index") else 12
    for at in range(0, file.size() - 2 * size, size):
        file.write(
            at, chance.choice((bytes(size), chance.randbytes(size), file.read(at + 1, size)))
        )


def check_reads(log: PartitionLog, content: bytes) -> None:
    """See that every record is found, by offset and by time, in whole batches."""
    assert stored_bytes(log) == content
    for offset, size_max in product(range(END), (1, 300)):
        at = offset // 3 * 142
        found = content_of(log.read(offset, size_max, END, whole_first=True))
        assert found == content[at:][: len(found)]
        assert len(found) >= 142
        assert len(found) % 142 == 0
        below = content_of(log.read(offset, size_max, min(offset + 7, END), whole_first=True))
        assert below == content[at:][: len(below)]
    for offset in range(END):
        by_time = first_at(log, START_MS + offset, END)
        assert by_time is not None
        assert by_time.offset == offset


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("byte", [8, 9, 10])
def test_a_batch_that_seems_to_go_on_behind_its_segment_is_not_passed_over(number: int, byte: int):
    """A reader that went on with the next segment would miss records, and nobody would hear of it.

    The last batches of a segment are looked at when a log is opened, those before are not.
    """
    disk, content = closed()
    position = number * 142
    disk.open(path(18, ".log")).write(position + byte, b"\x40")

    log, _ = reopened(disk)

    for offset in range(18, 18 + 3 * number):
        found = content_of(log.read(offset, 1, END, whole_first=True))
        assert content[offset // 3 * 142 :][:142] == found
    with pytest.raises(DamagedSegment, match=f"byte {position}: it goes on behind"):
        log.read(18 + 3 * number, 1, END, whole_first=True)
    assert content[36 // 3 * 142 :][:142] == content_of(log.read(36, 1, END, whole_first=True))


def test_an_index_that_points_behind_its_log_is_made_anew():
    disk, content = closed()
    too_far(disk, path(18, ".index"))

    log, report = reopened(disk)

    assert report.reindexed == (18,)
    assert stored_bytes(log) == content


@pytest.mark.parametrize("base_offset", [0, 18, 72])
@pytest.mark.parametrize("shift", [-3, -17, 1, 30])
def test_an_index_that_ends_at_no_batch_of_its_own_is_made_anew(base_offset: int, shift: int):
    disk, content = closed()
    file = disk.open(path(base_offset, ".index"))
    position = int.from_bytes(file.read(file.size() - 4, 4)) + shift
    file.write(file.size() - 4, position.to_bytes(4))

    log, report = reopened(disk)

    assert report.reindexed == (base_offset,)
    assert not report.found_damage
    assert content == stored_bytes(log)
    check_indexes(log)


def test_nothing_is_changed_by_a_start_after_an_orderly_end():
    disk, content = closed()

    log, report = reopened(disk)

    assert report == (0, 0, (), (), ())
    assert stored_bytes(log) == content
    assert log.recovery_point == END


@pytest.mark.parametrize("was_closed", [False, True])
def test_the_indexes_of_the_last_segment_alone_have_their_full_size(was_closed: bool):
    disk, _ = closed()

    log, _ = reopened(disk, was_closed=was_closed, recovery_point=0)

    sizes = [disk.open(one.path(suffix)).size() for one in log.segments for suffix in INDEXES]
    assert sizes[-2:] == [4096, 4092]
    assert max(sizes[:-2]) < 100
    log.close(START_MS)
    assert disk.open(log.segments[-1].path(".index")).size() < 100


def test_only_the_segments_beyond_the_recovery_point_are_read_after_a_crash():
    disk, content = closed()
    before = disk.read_size

    log, report = reopened(disk, was_closed=False, recovery_point=54)

    assert report.reindexed == (54, 72)
    assert report.scanned_size == sum(segment.size for segment in log.segments[3:])
    assert disk.read_size - before < 3 * report.scanned_size
    assert stored_bytes(log) == content


@pytest.mark.parametrize("size", range(1, 420, 38))
def test_the_tail_is_cut_at_the_last_whole_batch(size: int):
    disk, content = closed()
    file = disk.open(path(72, ".log"))
    file.truncate(file.size() - size)

    log, report = reopened(disk, was_closed=False, recovery_point=0)

    kept = stored_bytes(log)
    assert content.startswith(kept)
    assert len(content) - len(kept) < size + 142
    assert report.cut_size == size_of_cut(content, kept, size)
    assert append(log).base_offset == log.log_end_offset - 1
    check_indexes(log)


def size_of_cut(content: bytes, kept: bytes, size: int) -> int:
    """The bytes that were left of the batch that was torn."""
    return len(content) - size - len(kept)


def test_no_snapshot_stays_that_has_seen_more_than_the_log_has_now():
    """Its offsets are given to other records: the next recovery would take it for theirs."""
    disk, _ = closed()
    disk.open(path(72, ".log")).write(142 * 2 + 100, b"\xff")
    assert file_name(END, ".snapshot") in [entry.name for entry in disk.list(DIRECTORY)]

    log, _ = reopened(disk, was_closed=False, recovery_point=18)

    assert log.log_end_offset == 78
    assert file_name(END, ".snapshot") not in [entry.name for entry in disk.list(DIRECTORY)]


def test_everything_behind_a_damaged_batch_goes_also_in_later_segments():
    disk, content = closed()
    disk.open(path(36, ".log")).write(142 * 2 + 100, b"\xff")

    log, report = reopened(disk, was_closed=False, recovery_point=18)

    assert log.log_end_offset == 42
    assert stored_bytes(log) == content[: 14 * 142]
    assert report.dropped == (72, 54)
    assert report.found_damage
    left = [entry.name for entry in disk.list(DIRECTORY)]
    assert file_name(54, ".log") not in left
    assert file_name(54, ".snapshot") not in left
    check_indexes(log)


def test_a_tail_of_zeros_is_cut():
    disk, content = closed()
    file = disk.open(path(72, ".log"))
    file.truncate(file.size() + 5000)

    log, report = reopened(disk, was_closed=False)

    assert stored_bytes(log) == content
    assert report.cut_size == 5000


@pytest.mark.parametrize("junk", [b"\x00" * 50, b"junk" * 40, b"\xff" * 7])
def test_junk_behind_the_last_batch_is_cut_even_after_an_orderly_end(junk: bytes):
    disk, content = closed()
    file = disk.open(path(72, ".log"))
    file.write(file.size(), junk)

    log, report = reopened(disk)

    assert stored_bytes(log) == content
    assert report.cut_size == len(junk)
    assert append(log).base_offset == END


CHANCES = pytest.mark.parametrize(
    ("was_closed", "recovery_point"), [(True, END), (False, END), (False, 54), (False, 0)]
)


@pytest.mark.parametrize(("cleaned_offset", "is_told"), [(37, False), (36, True)])
def test_a_gap_is_no_news_where_kafkas_cleaner_has_been(cleaned_offset: int, is_told: bool) -> None:
    disk, _ = closed()
    disk.remove(path(36, ".log"))

    log, report = opened(
        disk,
        config=CONFIG,
        was_closed=True,
        recovery_point=END,
        cleaned_offset=cleaned_offset,
    )

    assert (log.log_end_offset, log.cleaned_offset) == (END, cleaned_offset)
    assert bool(report.findings) == is_told


@CHANCES
@pytest.mark.parametrize("suffixes", [(".log",), (".log", ".index", ".timeindex", ".snapshot")])
def test_what_follows_a_missing_segment_is_kept_and_the_gap_is_told(
    was_closed: bool, recovery_point: int, suffixes: tuple[str, ...]
):
    disk, content = closed()
    for suffix in suffixes:
        disk.remove(path(36, suffix))

    log, report = reopened(disk, was_closed=was_closed, recovery_point=recovery_point)

    assert (log.log_end_offset, report.dropped, report.cut_size) == (END, (), 0)
    assert [headers_of(content)[number] for number in (*range(12), *range(18, 30))] == [
        header for segment in log.segments for header in headers_of(content_of_segment(segment))
    ]
    assert [str(one) for one in report.findings] == [
        "gap: offsets 36 to 53, no segment has them (compacted, or a file is gone);"
        " what follows is kept"
    ]
    found = log.read(40, 10**6, END, whole_first=True)
    assert headers_of(content_of(found))[0].base_offset == 54
    assert append(log).base_offset == END
    check_indexes(log)


@pytest.mark.parametrize(("log_start_offset", "first_missing"), [(0, 0), (7, 7), (18, None)])
def test_a_missing_first_segment_is_told_after_an_orderly_end(
    log_start_offset: int, first_missing: int | None
):
    """By the oldest epoch, where the checkpoint says nothing of the log's start."""
    disk, _ = closed()
    disk.remove(path(0, ".log"))

    log, report = reopened(disk, log_start_offset=log_start_offset)

    assert (log.log_start_offset, log.log_end_offset) == (18, END)
    found = [] if first_missing is None else [(Kind.GAP, first_missing, 18)]
    assert [(one.kind, one.first_offset, one.end_offset) for one in report.findings] == found
    (later, report) = reopened(disk, log_start_offset=18)
    assert (later.log_start_offset, report.findings) == (18, ())


def test_a_first_segment_that_retention_took_before_a_crash_is_not_missed():
    disk, _ = closed()
    disk.remove(path(0, ".log"))

    log, report = reopened(disk, was_closed=False, recovery_point=END)

    assert (log.log_start_offset, report.findings) == (18, ())


def content_of_segment(segment: Segment) -> bytes:
    return segment.file.read(0, segment.size)


def test_a_compacted_log_is_whole_after_a_crash():
    """Segments that end early, are empty, or lack batches in the middle."""
    disk, _ = closed()
    compacted = disk.open(path(18, ".log"))
    content = compacted.read(0, compacted.size())
    compacted.truncate(0)
    compacted.write(0, content[142:284] + content[426:568])
    disk.open(path(36, ".log")).truncate(0)

    log, report = reopened(disk, was_closed=False, recovery_point=0)

    bases = [header.base_offset for header in headers_of(b"".join(slices(log)))]
    assert bases == [0, 3, 6, 9, 12, 15, 21, 27, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87]
    assert [(one.kind, one.first_offset, one.end_offset) for one in report.findings] == [
        (Kind.GAP, 30, 36),
        (Kind.GAP, 36, 54),
    ]
    assert not report.found_damage
    # Each segment begins with what is known of the producers, from where a start may go on.
    snapshots = {file_name(segment.base_offset, ".snapshot") for segment in log.segments[1:]}
    assert snapshots <= contents(disk).keys()


def test_a_segment_that_a_stop_of_the_machine_has_shortened_ends_the_log():
    disk, content = closed()
    disk.open(path(36, ".log")).truncate(2 * 142)

    log, report = reopened(disk, was_closed=False, recovery_point=18, machine_stopped=True)

    assert stored_bytes(log) == content[: 14 * 142]
    assert report.dropped == (72, 54)
    (finding,) = report.findings
    assert (finding.kind, finding.first_offset, finding.end_offset) == (Kind.LOST_TAIL, 42, END)
    assert finding.size == len(content) - 18 * 142
    assert f"{file_name(54, '.log')}.set-aside-1" in finding.set_aside


def test_a_missing_segment_ends_no_log_even_when_the_machine_stopped():
    disk, _ = closed()
    disk.remove(path(36, ".log"))

    log, report = reopened(disk, was_closed=False, recovery_point=0, machine_stopped=True)

    assert log.log_end_offset == END
    assert [one.kind for one in report.findings] == [Kind.GAP]


def contents(disk: SimDisk) -> dict[str, bytes]:
    return {
        entry.name: disk.open(f"{DIRECTORY}/{entry.name}").read(0, entry.size)
        for entry in disk.list(DIRECTORY)
    }


def test_what_a_damaged_batch_takes_along_is_set_aside_whole():
    disk, _ = closed()
    disk.open(path(36, ".log")).write(142 * 2 + 100, b"\xff")
    before = contents(disk)

    _, report = reopened(disk, was_closed=False, recovery_point=18)

    (finding,) = report.findings
    after = contents(disk)
    rest = f"{file_name(36, '.log')}.284.set-aside-1"
    assert after[rest] == before[file_name(36, ".log")][284:]
    for base in (54, 72):
        for suffix in (".log", ".index", ".timeindex"):
            name = file_name(base, suffix)
            assert after[f"{name}.set-aside-1"] == before[name]
            assert f"{name}.set-aside-1" in finding.set_aside
    size = sum(len(before[file_name(base, ".log")]) for base in (36, 54, 72)) - 284
    assert str(finding).startswith(
        f"damage: offsets 42 to 89, {size} bytes, {file_name(36, '.log')}, byte 284:"
        " its checksum is wrong; set aside: "
    )


def test_what_was_set_aside_is_never_replaced_nor_opened():
    disk, content = closed()
    for number in (1, 2):
        file = disk.open(path(72, ".log"))
        file.write(142, b"damage %d" % number)
        log, _ = reopened(disk, was_closed=False, recovery_point=18)
        for _ in range(5):
            append(log, 3)
        log.close(START_MS)

    names = [name for name in contents(disk) if "set-aside" in name]
    assert names == [f"{file_name(72, '.log')}.142.set-aside-{number}" for number in (1, 2)]
    log, report = reopened(disk)
    assert report.findings == ()
    assert stored_bytes(log)[: 25 * 142] == content[: 25 * 142]


def test_a_torn_tail_is_set_aside_and_a_tail_of_zeros_is_not():
    disk, _ = closed()
    file = disk.open(path(72, ".log"))
    file.write(file.size(), bytes(300))
    log, report = reopened(disk, was_closed=False)
    assert [(one.kind, one.set_aside) for one in report.findings] == [(Kind.LOST_TAIL, ())]
    log.close(START_MS)
    file.write(file.size(), bytes(batch(3, base_offset=END))[:100])

    _, report = reopened(disk, was_closed=False)

    (finding,) = report.findings
    assert (finding.kind, finding.first_offset, finding.size) == (Kind.LOST_TAIL, END, 100)
    assert finding.reason.endswith("100 bytes are left of a batch of 142")
    assert len(contents(disk)[finding.set_aside[0]]) == 100


def no_room(kind: str, path: str) -> OSError | None:
    is_new = kind == "write" and ".set-aside-" in path
    return OSError(errno.ENOSPC, "no space left on device", path) if is_new else None


def test_half_a_batch_does_not_keep_a_broker_on_a_full_disk_from_starting():
    disk, content = closed()
    file = disk.open(path(72, ".log"))
    file.write(file.size(), bytes(batch(3, base_offset=END))[:100])
    disk.fault = no_room

    log, report = reopened(disk, was_closed=False)

    assert stored_bytes(log) == content
    assert [(one.size, one.set_aside) for one in report.findings] == [(100, ())]
    assert not [name for name in contents(disk) if "set-aside" in name]


def test_damage_is_not_given_up_for_want_of_room():
    disk, _ = closed()
    disk.open(path(72, ".log")).write(150, b"\xff")
    before = contents(disk)
    disk.fault = no_room

    with pytest.raises(CorruptFileError, match="no room to set"):
        reopened(disk, was_closed=False, recovery_point=72)

    after = contents(disk)
    assert {name: after[name] for name in before if name.endswith(".log")} == {
        name: before[name] for name in before if name.endswith(".log")
    }


def test_a_file_whose_name_is_no_offset_is_no_segment():
    disk, content = closed()
    path = f"{DIRECTORY}/{'9' * 20}.log"
    disk.open(path, create=True).write(0, b"not ours")

    log, report = reopened(disk)

    assert (END, content) == (log.log_end_offset, stored_bytes(log))
    assert () == tuple(report.findings)
    assert disk.open(path).size() == 8


def test_an_end_before_the_recovery_point_is_told():
    disk, _ = closed()
    for suffix in (".log", ".index", ".timeindex"):
        disk.remove(path(72, suffix))

    log, report = reopened(disk)

    assert log.log_end_offset == 72 == log.recovery_point
    assert [(one.kind, one.first_offset, one.end_offset) for one in report.findings] == [
        (Kind.LOST_TAIL, 72, END)
    ]


@pytest.mark.parametrize("damage", [b"\x09", b""])
def test_damage_at_the_end_of_an_old_segment_is_told_after_an_orderly_end(damage: bytes):
    disk, _ = closed()
    file = disk.open(path(18, ".log"))
    if damage:
        file.write(5 * 142 + 16, damage)
    else:
        file.truncate(6 * 142 - 10)

    log, report = reopened(disk)

    assert log.log_end_offset == END
    assert report.cut_size == 0
    (finding,) = report.findings
    assert finding.kind == Kind.DAMAGE
    assert f"{file_name(18, '.log')}, byte 710" in finding.reason


def test_a_last_batch_that_is_damaged_within_is_told_and_kept_after_an_orderly_end():
    disk, content = closed()
    disk.open(path(72, ".log")).write(5 * 142 + 100, b"\x09")

    log, report = reopened(disk)

    assert (END, len(content)) == (log.log_end_offset, len(stored_bytes(log)))
    assert [
        f"damage: offsets 87 to 89, {file_name(72, '.log')}, byte 710: its checksum is wrong;"
        " it was durable and is kept"
    ] == [str(one) for one in report.findings]


@pytest.mark.parametrize("is_empty", [False, True])
def test_what_was_committed_and_is_gone_is_told_after_a_crash(is_empty: bool):
    """Without a word of a recovery point only the high watermark knows of it."""
    disk, _ = closed()
    if is_empty:
        disk.open(path(72, ".log")).truncate(0)
    else:
        disk.remove(path(72, ".log"))

    log, report = reopened(disk, was_closed=False, recovery_point=0, high_watermark=80)

    assert log.log_end_offset == 72
    assert [
        "lost tail: offsets 72 to 79, they were committed once, and nothing is left of them"
    ] == [str(one) for one in report.findings]


def test_what_was_committed_and_is_cut_off_is_told_once():
    disk, _ = closed()
    disk.open(path(72, ".log")).write(142 + 100, b"\x09")

    _, report = reopened(disk, was_closed=False, recovery_point=0, high_watermark=END)

    assert [(Kind.DAMAGE, 75)] == [(one.kind, one.first_offset) for one in report.findings]


def test_two_segments_with_the_same_offsets_are_told():
    disk, _ = closed()
    other = disk.open(path(18, ".log"))
    other.write(other.size(), bytes(batch(3, base_offset=36)))
    disk.remove(path(18, ".index"))

    log, report = reopened(disk)

    assert log.log_end_offset == END
    assert [(one.kind, one.first_offset, one.end_offset) for one in report.findings] == [
        (Kind.DAMAGE, 36, 39)
    ]


def test_durable_data_that_is_damaged_is_not_thrown_away():
    disk, _ = closed()
    disk.open(path(18, ".log")).write(142 + 16, b"\x09")
    disk.remove(path(18, ".index"))

    with pytest.raises(CorruptFileError, match=file_name(18, ".log")):
        reopened(disk)

    assert file_name(36, ".log") in [entry.name for entry in disk.list(DIRECTORY)]


def test_leftovers_are_removed():
    disk, content = closed()
    leftovers = [
        file_name(900, ".index"),
        file_name(900, ".timeindex"),
        file_name(0, ".log.deleted"),
        file_name(0, ".log.cleaned"),
        "leader-epoch-checkpoint.tmp",
    ]
    for name in leftovers:
        disk.open(f"{DIRECTORY}/{name}", create=True)

    log, _ = reopened(disk)

    assert not set(leftovers) & {entry.name for entry in disk.list(DIRECTORY)}
    assert stored_bytes(log) == content


def test_a_log_that_ends_before_its_start_begins_anew_at_its_start():
    disk, _ = closed()

    log, report = reopened(disk, log_start_offset=200)

    assert (log.log_start_offset, log.log_end_offset) == (200, 200)
    assert report.dropped == (72, 54, 36, 18, 0)
    assert append(log).base_offset == 200


def test_an_empty_directory_becomes_an_empty_log_at_its_start():
    log, report = opened(sim_disk(), log_start_offset=50)

    assert (log.log_start_offset, log.log_end_offset) == (50, 50)
    assert not report.found_damage


def test_epochs_beyond_the_end_are_forgotten():
    disk, _ = closed([0] * 27 + [1] * 3)
    file = disk.open(f"{DIRECTORY}/leader-epoch-checkpoint")
    file.truncate(0)
    file.write(0, b"0\n3\n0 0\n1 81\n2 95\n")

    log, _ = reopened(disk, log_start_offset=10)

    assert log.epochs.starts == ((0, 10), (1, 81))


def with_zeros(disk: SimDisk) -> None:
    """Leave of the epochs' checkpoint its size, as a crash can."""
    file = disk.open(f"{DIRECTORY}/leader-epoch-checkpoint", create=True)
    file.truncate(0)
    file.truncate(20)


def test_a_torn_checkpoint_of_the_epochs_is_not_needed_where_all_batches_are_read():
    disk, content = closed()
    with_zeros(disk)

    log, report = opened(disk, config=CONFIG)

    assert (log.epochs.starts, stored_bytes(log)) == (((0, 0),), content)
    # The power may be cut before anything of a log was flushed: that is no damage to be told of.
    assert report.findings == ()


@pytest.mark.parametrize("was_closed", [False, True])
def test_a_torn_checkpoint_of_the_epochs_is_made_anew_where_batches_are_trusted(was_closed: bool):
    disk = sim_disk()
    log, _ = opened(disk, config=CONFIG)
    for epoch in (0, 0, 3, 3, 3, 7, 9):
        for _ in range(4):
            log.append(batch(3), LeaderEpoch(epoch), START_MS, START_MS)
    wanted = log.epochs.starts
    log.close(START_MS)
    with_zeros(disk)

    log, report = opened(disk, config=CONFIG, recovery_point=54, was_closed=was_closed)

    assert log.epochs.starts == wanted == ((0, 0), (3, 24), (7, 60), (9, 72))
    (finding,) = report.findings
    assert finding.kind == Kind.REBUILT
    assert "leader-epoch-checkpoint: version" in str(finding)
    log.close(START_MS)
    log, report = opened(disk, config=CONFIG, recovery_point=84, was_closed=True)
    assert (log.epochs.starts, report.findings) == (wanted, ())


EPOCHS = [0] * 9 + [3] * 12 + [7] * 9
LOST_EPOCHS = {
    "missing": None,
    "empty": b"",
    "no epochs": b"0\n0\n",
    "another epoch": b"0\n3\n0 0\n3 27\n6 63\n",
    "another offset": b"0\n3\n0 0\n3 27\n7 87\n",
    "another in the middle": b"0\n3\n0 0\n3 59\n7 63\n",
    "one is missing": b"0\n2\n0 0\n3 27\n",
    "one too many": b"0\n4\n0 0\n3 27\n7 63\n8 89\n",
}


@pytest.mark.parametrize("was_closed", [False, True])
@pytest.mark.parametrize("checkpoint", LOST_EPOCHS)
def test_epochs_that_contradict_the_batches_are_made_anew(checkpoint: str, was_closed: bool):
    disk, _ = closed(EPOCHS)
    content = LOST_EPOCHS[checkpoint]
    name = f"{DIRECTORY}/leader-epoch-checkpoint"
    disk.remove(name)
    if content is not None:
        disk.open(name, create=True).write(0, content)

    log, report = reopened(disk, was_closed=was_closed, recovery_point=80)

    assert ((0, 0), (3, 27), (7, 63)) == log.epochs.starts
    kinds = {one.kind for one in report.findings}
    # After a crash batches are read, which are believed without a word.
    assert kinds == {Kind.REBUILT} or (not was_closed and kinds == set())
    assert kinds or checkpoint not in ("missing", "empty", "no epochs")
    log.close(START_MS)
    again, report = reopened(disk)
    assert (((0, 0), (3, 27), (7, 63)), ()) == (again.epochs.starts, report.findings)


def test_a_log_of_messages_without_epochs_has_none_without_a_word():
    disk, _ = closed()
    disk.remove(f"{DIRECTORY}/leader-epoch-checkpoint")
    for base_offset in (0, 18, 36, 54, 72):
        file = disk.open(path(base_offset, ".log"))
        for at in range(0, file.size(), 142):
            file.write(at + 12, b"\xff" * 4)

    log, report = reopened(disk)

    assert ((), ()) == (log.epochs.starts, report.findings)


@pytest.mark.parametrize("seed", seeds(6))
def test_the_first_epoch_is_durable_when_its_batches_are(seed: int):
    disk = sim_disk(seed)
    log, _ = opened(disk, config=CONFIG)
    log.assign_epoch(LeaderEpoch(0))
    for _ in range(20):
        append(log, 3)
    log.flush(START_MS)
    disk.crash()

    again, _ = opened(disk, config=CONFIG, recovery_point=log.recovery_point)

    assert len(again.segments) > 1
    assert again.epochs.starts == ((0, 0),)


@pytest.mark.parametrize("size", [1_500_000, 5_000_000])
def test_a_batch_larger_than_what_is_read_at_once_is_found(size: int):
    disk = sim_disk()
    config = LogConfig(message_size_max=10**7)
    log, _ = opened(disk, config=config)
    append(log)
    log.append(batch([bytes(size)]), EPOCH, START_MS, START_MS, has_checked_records=True)
    append(log)

    again, report = opened(disk, config=config)

    assert not report.found_damage
    assert [header.base_offset for header in headers_of(stored_bytes(again))] == [0, 1, 2]


def test_preallocated_zeros_are_not_part_of_the_log():
    disk = sim_disk()
    config = LogConfig(segment_size_max=1000, preallocates=True, index_size_max=4096)
    log, _ = opened(disk, config=config)
    for _ in range(10):
        append(log, 3)
    assert disk.open(path(0, ".log")).size() < 1000
    assert disk.open(log.active.path(".log")).size() == 1000
    content = stored_bytes(log)

    crashed, report = opened(disk, config=config)
    assert (stored_bytes(crashed), report.dropped) == (content, ())
    crashed.close(START_MS)
    again, report = opened(disk, config=config, recovery_point=30, was_closed=True)

    assert (stored_bytes(again), report.found_damage) == (content, False)


def test_a_segment_may_have_more_index_entries_than_segment_index_bytes_allows_now() -> None:
    disk, content = closed()
    fewer = replace(CONFIG, segment_size_max=10_000, index_size_max=24)
    log, _ = opened(disk, config=fewer, was_closed=True, recovery_point=END)
    assert log.active.offset_index.count > log.active.offset_index.entries_max

    append(log)

    assert stored_bytes(log)[: len(content)] == content
    assert [segment.base_offset for segment in log.segments] == [0, 18, 36, 54, 72, END]
    check_indexes(log)


FAR = ([0, 5, 3_000_000_000, 3_000_000_001], [3_000_000_000], [0, 2**31 - 2, 2**31, 2**33, 2**62])


def too_wide(offsets: Sequence[int], *, is_indexed: bool) -> tuple[SimDisk, bytes]:
    """One segment with batches at *offsets*, as Kafka 1.1 left them, durably; the bytes in it."""
    disk = sim_disk()
    pieces = [batch([bytes(600)], base_offset=offset, leader_epoch=1) for offset in offsets]
    content = b"".join(pieces)
    names = (".log", ".index", ".timeindex") if is_indexed else (".log",)
    for suffix in names:
        file = disk.open(path(0, suffix), create=True)
        file.write(0, content if suffix == ".log" else b"")
        file.sync()
    disk.sync_directory(DIRECTORY)
    return disk, content


@pytest.mark.parametrize("offsets", FAR)
@pytest.mark.parametrize("was_closed", [True, False])
@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_segment_whose_offsets_are_too_far_apart_is_split(
    offsets: list[int], was_closed: bool, is_indexed: bool
):
    disk, content = too_wide(offsets, is_indexed=is_indexed)
    end = offsets[-1] + 1

    log, report = reopened(disk, was_closed=was_closed, recovery_point=0)

    assert (content, end) == (stored_bytes(log), log.log_end_offset)
    assert not report.found_damage
    check_indexes(log)
    for offset in offsets:
        found = log.read(offset, 100, end, whole_first=True)
        assert offset == headers_of(content_of(found))[0].base_offset
    log.append(batch(3), LeaderEpoch(2), START_MS, START_MS)
    log.truncate_to(end, START_MS)
    log.close(START_MS)
    for again in ({"was_closed": True}, {"was_closed": False, "machine_stopped": True}):
        log, report = reopened(disk, recovery_point=0, **again)
        assert (content, end) == (stored_bytes(log), log.log_end_offset)
        assert not report.found_damage
        check_indexes(log)
        log.close(START_MS)


@pytest.mark.slow
@pytest.mark.parametrize("offsets", FAR)
def test_a_stop_of_the_machine_while_a_segment_is_split_loses_nothing(offsets: list[int]):
    for number in range(200):
        disk, content = too_wide(offsets, is_indexed=False)
        disk.crash_at = len(disk.operations) + number
        with suppress(Crashed):
            reopened(disk, was_closed=False, recovery_point=0)
            disk.crash_at = None
        is_over = disk.crash_at is None
        disk.crash()

        log, report = reopened(disk, was_closed=False, recovery_point=0, machine_stopped=True)

        assert content == stored_bytes(log)
        assert not report.found_damage
        assert not [name for name in contents(disk) if "cleaned" in name or "aside" in name]
        if is_over:
            break
    assert is_over


@pytest.mark.parametrize("was_closed", [True, False])
def test_a_segment_that_cannot_be_split_is_left_as_it_is(was_closed: bool):
    """There is no room for it, or another segment has its name."""
    disk, content = too_wide(FAR[0], is_indexed=False)
    disk.fault = lambda kind, path: no_room(kind, path.replace(".cleaned", ".set-aside-"))
    with pytest.raises(CorruptFileError, match="there is no room to copy the rest"):
        reopened(disk, was_closed=was_closed, recovery_point=0)
    disk.fault = lambda kind, path: None
    assert content == contents(disk)[file_name(0, ".log")]
    disk.open(path(FAR[0][2], ".log"), create=True).write(0, batch(1, base_offset=FAR[0][2]))

    with pytest.raises(
        CorruptFileError, match="begins at 3000000000 is too far from its base, and in"
    ):
        reopened(disk, was_closed=was_closed, recovery_point=0)
