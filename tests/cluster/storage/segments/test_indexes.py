"""Index entries: found before they are written, and written by the flush."""

from struct import pack
from typing import Final

import pytest

from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import OFFSET_LAYOUT
from cluster.storage.segments.indexes import GATHERED_SIZE_MAX, OffsetIndex
from tests.cluster.storage.logs import DIRECTORY, append, fresh_log, sim_disk

GATHERED_MAX: Final = GATHERED_SIZE_MAX // OFFSET_LAYOUT.size


def index_of(count: int) -> OffsetIndex:
    """An index whose entry *n* is (10 *n*, 100 *n*)."""
    index = OffsetIndex(sim_disk(), DIRECTORY, "0.index", 0, 8 * 1000)
    index.create()
    for number in range(count):
        index.append(10 * number, 100 * number)
    return index


def written(index: OffsetIndex) -> list[tuple[int, ...]]:
    """What stands in the file before the zeros; of the first entry, which is zeros, nothing."""
    return [entry for entry in OFFSET_LAYOUT.iter_unpack(index.file.read(0, 8000)) if any(entry)]


def test_an_entry_is_found_whether_it_is_written_or_not() -> None:
    count = GATHERED_MAX + 5
    index = index_of(count)

    assert len(written(index)) == GATHERED_MAX - 1
    for number in range(count):
        assert index.entry(number) == (10 * number, 100 * number)
        assert index.last_at_most(0, 10 * number + 9) == (10 * number, 100 * number)


def test_entries_are_written_together() -> None:
    index = index_of(3)
    assert written(index) == []

    index.write_out()
    index.append(30, 300)

    assert written(index) == [(10, 100), (20, 200)]
    index.trim()
    assert written(index) == [(10, 100), (20, 200), (30, 300)]
    assert index.file.size() == 4 * OFFSET_LAYOUT.size


def test_entries_that_are_dropped_are_not_written_later() -> None:
    index = index_of(5)

    index.keep(2)
    index.append(70, 700)
    index.write_out()

    assert written(index) == [(10, 100), (70, 700)]
    assert index.entry(2) == (70, 700)


def test_a_flush_leaves_no_entry_behind() -> None:
    log = fresh_log()
    for _ in range(200):
        append(log, 10)
    entries = log.active.offset_index
    assert len(written(entries)) < entries.count - 1

    log.begin_flush()

    assert len(written(entries)) == entries.count


LOG_SIZE = 500


@pytest.mark.parametrize(
    ("offset", "position", "is_sound"),
    [
        (0, 1, True),
        (7, LOG_SIZE - 1, True),
        (-1, 100, False),
        (7, 0, False),
        (7, -1, False),
        (7, LOG_SIZE, False),
    ],
)
def test_the_last_entry_is_that_of_a_batch_in_the_log(
    offset: int, position: int, is_sound: bool
) -> None:
    disk = sim_disk()
    file = disk.open(f"{DIRECTORY}/0.index", create=True)
    file.write(0, pack(">ii", offset, position))
    index = OffsetIndex(disk, DIRECTORY, "0.index", 40, 8 * 1000)

    if is_sound:
        index.load(file.size(), LOG_SIZE)

        assert (offset, position) == index.last_at_most(index.OFFSET, offset)
    else:
        with pytest.raises(CorruptFileError, match=f"of {LOG_SIZE} bytes"):
            index.load(file.size(), LOG_SIZE)
