"""Which .gz hold what a file beside them holds unpacked, as `gzip -k` leaves them?

Compares their starts and sizes, not all they hold.  Knows no times and no sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.jobs.merge.files import LogFile, read_bytes
from kadmin.jobs.merge.writers import start_of

SIZE_BYTES: Final = 4
"""A .gz ends in the size of its content (RFC 1952, ISIZE), modulo 2 to the 32nd."""


@dataclass(frozen=True, slots=True)
class Twins:
    """A *plain* file and a *packed* one of its name whose content begins alike.

    They are *equal* where the sizes are, too.
    """

    plain: LogFile
    packed: LogFile
    equal: bool


def find_twins(files: Sequence[LogFile]) -> Iterator[Twins]:
    """The twins among *files*, in their order.

    Raises:
        CannotRead: a file of the name of another may not be read.
    """
    plain_files = {file.path: file for file in files if not file.is_gzip}
    for packed in files:
        plain = plain_files.get(packed.path.removesuffix(".gz"))
        if not packed.is_gzip or plain is None:
            continue
        one, other = start_of(plain), start_of(packed)
        # One of them may have been cut, or still be written.
        shared = min(len(one), len(other))
        if shared > 0 and one[:shared] == other[:shared]:
            yield Twins(plain, packed, len(one) == len(other) and has_size_of(packed, plain))


def has_size_of(packed: LogFile, plain: LogFile) -> bool:
    told = read_bytes(packed.path, max(packed.size - SIZE_BYTES, 0), SIZE_BYTES)
    return int.from_bytes(told, "little") == plain.size % (1 << 32)
