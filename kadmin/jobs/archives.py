"""Archives that operators packed: the files of log directories in one, unpacked file by file.

Only regular files with names that Kafka uses are written, each into a directory that has a number
of ours: nothing in an archive decides where a file goes.  Links are not followed.  What an archive
takes is bounded in bytes, files and names.  Partitions are not known here.
"""

import io
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, cast

from kadmin.jobs.collection_store import sparse
from kadmin.jobs.places import Failed, ListedTree, read_small
from kadmin.jobs.unpack_bounds import Room, UnpacksToTooMuch

ENTRIES_MAX: Final = 1_000_000
NAME_SIZE_MAX: Final = 1024
LEVELS_MAX: Final = 32
HEADER_SIZE_MAX: Final = 256 * 1024
"""Of all headers of one member: names, attributes, the map of a sparse file."""
BLOCK_SIZE: Final = 1024**2
TOLD_MAX: Final = 20
"""How many members that are left out are named."""


class Unpacked(io.RawIOBase):
    """The bytes of an archive, read forward once, and no more than *bytes_max* of them."""

    def __init__(self, stream: IO[bytes], bytes_max: int) -> None:
        self._stream = stream
        self._bytes_max = bytes_max
        self._position = 0
        self.header_left: int | None = None
        """How many bytes the headers of a member may still take, while they are read."""

    def read(self, size: int = -1) -> bytes:
        assert size >= 0
        if self.header_left is not None:
            self.header_left -= size
            if self.header_left < 0:
                raise OSError(0, f"a member has headers of more than {HEADER_SIZE_MAX:,} bytes")
        if self._position + size > self._bytes_max:
            raise UnpacksToTooMuch(self._bytes_max)
        pieces = []
        while size > 0 and (piece := self._stream.read(min(size, BLOCK_SIZE))):
            pieces.append(piece)
            size -= len(piece)
            self._position += len(piece)
        return b"".join(pieces)

    def tell(self) -> int:
        return self._position

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        assert whence == io.SEEK_SET
        if position < self._position:
            raise OSError(0, "its members overlap")
        while self._position < position:
            if not self.read(min(BLOCK_SIZE, position - self._position)):
                break
        return self._position


class Member(tarfile.TarInfo):
    """A member of an archive that reports damage: tarfile takes a damaged header for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> "Member":
        unpacked = archive.fileobj
        assert isinstance(unpacked, Unpacked)
        is_first = unpacked.header_left is None
        if is_first:
            unpacked.header_left = HEADER_SIZE_MAX
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            if not is_first:
                raise OSError(0, "it ends within a member") from None
            raise
        except (tarfile.HeaderError, ValueError, RecursionError) as error:
            raise OSError(0, str(error) or "its headers cannot be read") from error
        finally:
            if is_first:
                unpacked.header_left = None


class UnpackedTree(ListedTree):
    """What is in an archive: directories by their names in it, on this machine by our numbers."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._directory = directory
        self._numbers = {"": 0}
        self._refused: list[tuple[str, str]] = []
        self._refused_count = 0

    def place(self, inner: str) -> str:
        """Return the directory *inner*, or the file, that was unpacked."""
        if inner in self._numbers:
            return str(self._directory / str(self._numbers[inner]))
        above, _, name = inner.rpartition("/")
        return str(self._directory / str(self._numbers[above]) / name)

    def walk(self, failed: Failed, inner: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
        if not inner:
            for name, reason in self._refused:
                failed(name, OSError(0, reason))
            if self._refused_count > len(self._refused):
                count = self._refused_count - len(self._refused)
                failed("", OSError(0, f"{count:,} more members were left out"))
        yield from super().walk(failed, inner)

    def read(self, inner: str) -> bytes:
        self.entry(inner)
        return read_small(Path(self.place(inner)))

    def refuse(self, name: str, reason: str) -> None:
        self._refused_count += 1
        if self._refused_count <= TOLD_MAX:
            self._refused.append((name, reason))

    def add_member(self, parts: list[str], *, is_directory: bool, size: int) -> None:
        """List a member, and make the directories that it is in.

        Raises:
            OSError: the archive has too many.
        """
        self.add(parts, is_directory=is_directory, size=size)
        if len(self.listed) > ENTRIES_MAX:
            raise OSError(0, f"it has more than {ENTRIES_MAX:,} directories")
        for depth in range(1, len(parts) + is_directory):
            above = "/".join(parts[:depth])
            if above not in self._numbers:
                self._numbers[above] = len(self._numbers)
                Path(self.place(above)).mkdir()

    def misfit(
        self, parts: list[str], *, is_directory: bool, is_of_file: Callable[[str], bool]
    ) -> tuple[str, str] | None:
        """Return what of a member's path is a directory with the name of a file, or a file and a
        directory both, and which of these; None where nothing is."""
        for depth, name in enumerate(parts, start=1):
            is_one = is_directory or depth < len(parts)
            entry = self.listed.get("/".join(parts[: depth - 1]), {}).get(name)
            if entry is not None and entry.is_directory != is_one:
                return "/".join(parts[:depth]), "it is both a file and a directory; left out"
            if is_one and is_of_file(name):
                return "/".join(parts[:depth]), "it is no file but a directory; left out"
        return None


def unpack(
    stream: IO[bytes],
    directory: Path,
    *,
    bytes_max: int,
    is_wanted: Callable[[str], bool],
    is_missed: Callable[[str], bool],
) -> UnpackedTree:
    """Unpack the files with names that are wanted from the tar archive *stream* into *directory*.

    Of what is no regular file, those are named whose last name *is_missed* where it is not there.

    Raises:
        OSError: the archive is damaged, holds more than *bytes_max* bytes, too many files or too
            long names; or the directory does not take them.
    """
    tree = UnpackedTree(directory)
    Path(tree.place("")).mkdir()
    room = Room(directory)
    left = bytes_max
    archive: Any = tarfile.TarFile(
        fileobj=cast(IO[bytes], Unpacked(stream, bytes_max)), tarinfo=Member
    )
    count = 0
    while (member := archive.next()) is not None:
        # The archive object keeps all members, and the headers that apply to all that follow.
        archive.members.clear()
        archive.pax_headers.clear()
        count += 1
        if count > ENTRIES_MAX:
            raise OSError(0, f"it has more than {ENTRIES_MAX:,} files")
        parts = parts_of(member.name)
        if not parts:
            continue
        inner = "/".join(parts)
        if ".." in parts:
            tree.refuse(inner, "its name leads out of the archive; left out")
            continue
        if not (member.isreg() or member.isdir()):
            if is_missed(parts[-1]):
                tree.refuse(inner, f"it is no file but {kind_of(member)}; left out")
            continue
        misfit = tree.misfit(parts, is_directory=member.isdir(), is_of_file=is_wanted)
        if misfit is not None:
            tree.refuse(*misfit)
            continue
        tree.add_member(parts, is_directory=member.isdir(), size=member.size)
        if member.isreg() and is_wanted(parts[-1]):
            left -= member.size
            if left < 0:
                # Holes take none of the archive's bytes.
                raise UnpacksToTooMuch(bytes_max)
            write(archive.extractfile(member), Path(tree.place(inner)), member.size, room)
    return tree


def parts_of(name: str) -> list[str]:
    """Return the names that *name* is made of.

    Raises:
        OSError: it is longer, or deeper, than those of log directories are.
    """
    parts = [each for each in name.split("/") if each not in ("", ".")]
    if len(name) > NAME_SIZE_MAX or len(parts) > LEVELS_MAX:
        raise OSError(0, f"a member's name has {len(name):,} characters in {len(parts):,} parts")
    return parts


def write(content: IO[bytes], path: Path, size: int, room: Room) -> None:
    room.take(0)
    with sparse(path) as write_block:
        while block := content.read(BLOCK_SIZE):
            room.take(len(block))
            write_block(block)
            size -= len(block)
    if size != 0:
        raise OSError(0, "it is cut off")


def kind_of(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a link"
    return "a pipe" if member.isfifo() else "a device"
