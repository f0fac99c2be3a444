"""Leftovers of work that a crash interrupted: they are finished, or removed.

Compactions and splits replace segments by new ones, which are durable first as `.cleaned`, then,
once all of them are, as `.swap` (`PartitionLog.replace`).  From then on they count, and the
segments that they replace are removed.  So a start finishes what has reached that point, and
removes what has not.

Source: Kafka's LogLoader.removeTempFilesAndCollectSwapFiles and load.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from cluster.formats.batch_walk import flaw_at, valid_batches
from cluster.formats.errors import CorruptFileError
from cluster.formats.segment_names import (
    CLEANED_SUFFIX,
    DELETED_SUFFIX,
    INDEX_SUFFIXES,
    LOG_SUFFIX,
    SWAP_SUFFIX,
    base_offset_of,
    file_name,
)
from cluster.storage.files import File, FileEntry, Files, remove_if_there

LEFTOVER_SUFFIXES: Final = (DELETED_SUFFIX, CLEANED_SUFFIX, ".tmp")
"""What an interrupted deletion, compaction or checkpoint leaves: none of it is needed."""


class FinishedSwap(NamedTuple):
    """Finished replacements: the offsets of the new segments, and the removed files."""

    first_offset: int
    end_offset: int
    replaced: tuple[str, ...]


def clean_up(
    files: Files, directory: str, entries: dict[str, FileEntry]
) -> tuple[FinishedSwap | None, set[int]]:
    """Finish or remove what interrupted work has left, and remove indexes without a log.

    Return what was finished, and the base offsets of the segments that had only indexes.  *entries*
    is the content of *directory*, and is kept up to date.

    Raises:
        CorruptFileError: a new segment is damaged; nothing was changed.
    """
    finished = finish_swaps(files, directory, entries)
    remove(files, directory, entries, [one for one in entries if one.endswith(LEFTOVER_SUFFIXES)])
    orphaned = {
        name: base_offset
        for name, base_offset in bases_of(entries).items()
        if file_name(base_offset, LOG_SUFFIX) not in entries
    }
    remove(files, directory, entries, orphaned)
    return finished, set(orphaned.values())


def finish_swaps(
    files: Files, directory: str, entries: dict[str, FileEntry]
) -> FinishedSwap | None:
    """Replace segments by the `.swap` files that are for them; return None without any.

    *entries* is the content of *directory*, and is kept up to date.  A crash at any point leaves
    what the next start finishes as well: what is replaced is durably gone before a `.swap` loses
    its suffix.

    Raises:
        CorruptFileError: a new segment is damaged; nothing was changed.
    """
    swaps = bases_of(entries, SWAP_SUFFIX)
    unfinished = min(bases_of(entries, CLEANED_SUFFIX).values(), default=None)
    if unfinished is not None:
        # Part of a split of which not all was durable: what it would replace is there.
        useless = [name for name, base in swaps.items() if base >= unfinished]
        remove(files, directory, entries, useless)
        swaps = {name: base for name, base in swaps.items() if base < unfinished}
    if not swaps:
        return None
    logs = [name for name in swaps if name.endswith(LOG_SUFFIX + SWAP_SUFFIX)]
    first = min((swaps[name] for name in logs), default=0)
    end = max((end_of(files, directory, entries[name]) for name in logs), default=0)
    own = {swaps[name] for name in logs}
    replaced = [
        name for name, base in bases_of(entries).items() if base in own or first <= base < end
    ]
    remove(files, directory, entries, replaced)
    files.sync_directory(directory)
    for name in swaps:
        new = name.removesuffix(SWAP_SUFFIX)
        files.rename(f"{directory}/{name}", f"{directory}/{new}")
        entries[new] = entries.pop(name)._replace(name=new)
    files.sync_directory(directory)
    return FinishedSwap(first, end, tuple(replaced)) if logs else None


def bases_of(names: Iterable[str], suffix: str = "") -> dict[str, int]:
    """Return the files of segments among *names* that have *suffix* as well, with their base
    offsets.
    """
    return {
        name: base_offset
        for name in names
        for kind in (LOG_SUFFIX, *INDEX_SUFFIXES)
        if (base_offset := base_offset_of(name, kind + suffix)) is not None
    }


def end_of(files: Files, directory: str, log: FileEntry) -> int:
    """Return where a new segment ends, which is read as a whole: what it replaces is removed for
    it.

    One without a batch is right where nothing remains of a segment.

    Raises:
        CorruptFileError: it is not whole.
    """
    path = f"{directory}/{log.name}"
    file = files.open(path)
    try:
        flaw, end_offset = flaw_and_end(file, log)
    finally:
        file.close()
    if flaw is not None:
        raise CorruptFileError(path, f"a compaction was interrupted, and this is not whole: {flaw}")
    return end_offset


def flaw_and_end(file: File, log: FileEntry) -> tuple[str | None, int]:
    """Return what is wrong with a new segment, None for nothing, and where it ends."""
    expected = base_offset_of(log.name, LOG_SUFFIX + SWAP_SUFFIX)
    assert expected is not None
    end = 0
    for position, header in valid_batches(file, log.size):
        if header.base_offset < expected:
            return f"byte {position}: offset {header.base_offset} follows {expected - 1}", expected
        expected = header.next_offset
        end = position + header.size
    if end < log.size:
        return f"byte {end}: {flaw_at(file, end, log.size).reason}", expected
    return None, expected


def remove(
    files: Files, directory: str, entries: dict[str, FileEntry], names: Iterable[str]
) -> None:
    for name in names:
        # A snapshot may have gone already, with those that lie beyond what is certain.
        remove_if_there(files, f"{directory}/{name}")
        del entries[name]
