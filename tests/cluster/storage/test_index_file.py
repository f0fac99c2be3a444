"""Index entries: found before they are written, and written by the flush."""

from struct import Struct
from typing import Final

from cluster.storage.index_file import GATHERED_SIZE_MAX, IndexFile
from tests.cluster.storage.logs import DIRECTORY, append, fresh_log, sim_disk

LAYOUT: Final = Struct(">ii")
GATHERED_MAX: Final = GATHERED_SIZE_MAX // LAYOUT.size


def index_of(count: int) -> IndexFile:
    """An index whose entry *n* is (10 *n*, 100 *n*)."""
    index = IndexFile(sim_disk(), DIRECTORY, "0.index", LAYOUT, 8 * 1000)
    index.create()
    for number in range(count):
        index.append((10 * number, 100 * number))
    return index


def written(index: IndexFile) -> list[tuple[int, ...]]:
    """What stands in the file before the zeros; of the first entry, which is zeros, nothing."""
    return [entry for entry in LAYOUT.iter_unpack(index.file.read(0, 8000)) if any(entry)]


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
    index.append((30, 300))

    assert written(index) == [(10, 100), (20, 200)]
    index.trim()
    assert written(index) == [(10, 100), (20, 200), (30, 300)]
    assert index.file.size() == 4 * LAYOUT.size


def test_entries_that_are_dropped_are_not_written_later() -> None:
    index = index_of(5)

    index.keep(2)
    index.append((70, 700))
    index.write_out()

    assert written(index) == [(10, 100), (70, 700)]
    assert index.entry(2) == (70, 700)


def test_a_flush_leaves_no_entry_behind() -> None:
    log = fresh_log()
    for _ in range(200):
        append(log, 10)
    entries = log.active.offset_index.entries
    assert len(written(entries)) < entries.count - 1

    log.begin_flush()

    assert len(written(entries)) == entries.count
