"""The .gz that hold what a file beside them holds unpacked, as `gzip -k` leaves them.

Compares their starts and sizes, not all they hold.  Knows no times and no sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.jobs.merge.files.gzip_stream import first_bytes
from kadmin.jobs.merge.files.log_file import FileProblem, LogFile
from kadmin.jobs.merge.files.reader import read_bytes

LOOK_BYTES: Final = 1 << 17

SIZE_BYTES: Final = 4
"""A .gz ends in the size of its content (RFC 1952, ISIZE), modulo 2 to the 32nd."""


@dataclass(frozen=True, slots=True)
class GzipDuplicate:
    """A *plain* file and a *packed* one of its name whose content begins alike.

    They are *equal* where the sizes are, too.
    """

    plain: LogFile
    packed: LogFile
    is_equal: bool


def without_gzip_duplicates(
    files: Sequence[LogFile],
) -> tuple[tuple[LogFile, ...], list[FileProblem]]:
    """Return *files* without the .gz that hold what a file beside them holds, and what to say of
    them.

    Where the contents only begin alike, both stay: lines of one may be missing from the other.
    """
    problems: list[FileProblem] = []
    dropped: set[str] = set()
    for duplicate in find_gzip_duplicates(files):
        if duplicate.is_equal:
            dropped.add(duplicate.packed.path)
            reason = f"holds what {duplicate.plain.label} holds; merged once"
        else:
            reason = f"begins like {duplicate.plain.label}, but has another size; both are merged"
        problems.append(FileProblem(duplicate.packed.label, reason))
    return tuple(file for file in files if file.path not in dropped), problems


def find_gzip_duplicates(files: Sequence[LogFile]) -> Iterator[GzipDuplicate]:
    """Return the duplicates among *files*, in their order.

    Raises:
        CannotRead: a file of the name of another may not be read.
    """
    plain_files = {file.path: file for file in files if not file.is_gzip}
    for packed in files:
        plain = plain_files.get(packed.path.removesuffix(".gz"))
        if not packed.is_gzip or plain is None:
            continue
        one, other = first_bytes(plain, LOOK_BYTES), first_bytes(packed, LOOK_BYTES)
        # One of them may have been cut, or still be written.
        shared = min(len(one), len(other))
        if shared > 0 and one[:shared] == other[:shared]:
            yield GzipDuplicate(
                plain, packed, len(one) == len(other) and has_size_of(packed, plain)
            )


def has_size_of(packed: LogFile, plain: LogFile) -> bool:
    size = read_bytes(packed.path, max(packed.size - SIZE_BYTES, 0), SIZE_BYTES)
    return int.from_bytes(size, "little") == plain.size % (1 << 32)
