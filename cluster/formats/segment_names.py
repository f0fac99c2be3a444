"""Names of a segment's files: the base offset in 20 digits, and what each file is."""

from functools import lru_cache
from typing import Final

from cluster.formats.indexes import INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX
from cluster.formats.producer_snapshot import SUFFIX as SNAPSHOT_SUFFIX
from cluster.formats.record_batch import OFFSET_MAX

LOG_SUFFIX: Final = ".log"
INDEX_SUFFIXES: Final = (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
SUFFIXES: Final = (*INDEX_SUFFIXES, SNAPSHOT_SUFFIX)
"""The suffixes of the files beside the file of batches."""
DELETED_SUFFIX: Final = ".deleted"
"""Appended to the name of a file that waits for its removal."""
CLEANED_SUFFIX: Final = ".cleaned"
"""Appended to the name of a file that is not whole yet: a start removes it, Kafka's as well."""
SWAP_SUFFIX: Final = ".swap"
"""Appended to the name of a whole file that replaces others, as soon as these are gone."""
NAME_DIGITS: Final = 20


@lru_cache(maxsize=1000)
def file_name(base_offset: int, suffix: str) -> str:
    """Return the name of a segment's file: the offset in 20 digits, and what it is.

    Most logs have only one segment, which begins at 0: their files share the names.
    """
    return f"{base_offset:0{NAME_DIGITS}d}{suffix}"


def base_offset_of(name: str, suffix: str) -> int | None:
    """Return the base offset in a file's name; None when it is no such file."""
    digits = name.removesuffix(suffix)
    if digits == name or len(digits) != NAME_DIGITS or not digits.isdecimal():
        return None
    base_offset = int(digits)
    # Twenty digits are more than an offset has: no client could fetch from such a segment.
    return base_offset if base_offset <= OFFSET_MAX else None
