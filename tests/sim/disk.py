"""A simulated disk: what does a disk do that crashes, tears writes, fills up or fails?

Files and directories in memory behind the port `cluster.storage.files`.  What was not synced is in
a page cache: `crash` keeps of each file any of the writes since, whole or in part, and of each
directory the first few changes of names, all by one seed.
"""

import errno
import io
import random
from collections.abc import Callable
from typing import Final

from cluster.formats.record_batch import Buffer
from cluster.storage.files import FileEntry

SECTOR_SIZE: Final = 512
"""Within a sector a write is whole or not at all."""


class Crashed(BaseException):
    """The machine stopped in the middle of an operation.

    No `Exception`: nothing that runs on a machine can handle its end.
    """


class Content:
    """The bytes of a file: those behind what was written are zeros, and take no memory.

    Brokers give each index 10 MB before its first entry.
    """

    __slots__ = ("_written", "size")

    def __init__(self, written: Buffer = b"", size: int = 0) -> None:
        self._written = bytearray(written)
        self.size = size

    def copy(self) -> "Content":
        return Content(self._written, self.size)

    def read(self, position: int, size: int) -> bytes:
        end = min(position + size, self.size)
        return bytes(self._written[position:end]).ljust(end - position, b"\0")

    def write(self, position: int, data: bytes) -> None:
        if position > len(self._written):
            self._written.extend(bytes(position - len(self._written)))
        self._written[position : position + len(data)] = data
        self.size = max(self.size, position + len(data))

    def resize(self, size: int) -> None:
        del self._written[size:]
        self.size = size


class Node:
    """A file's content: as programs see it, and what of it is durable."""

    __slots__ = ("content", "durable", "modified_ms", "pending")

    def __init__(self) -> None:
        self.content = Content()
        self.durable = Content()
        self.modified_ms = 0
        self.pending: list[tuple[int, bytes | None]] = []
        """Since the last sync, in order: position and bytes of a write, or a size and None."""

    def write(self, position: int, data: bytes) -> None:
        self.content.write(position, data)
        self.pending.append((position, data))

    def truncate(self, size: int) -> None:
        self.content.resize(size)
        self.pending.append((size, None))

    def sync(self) -> None:
        self.durable = self.content.copy()
        self.pending.clear()

    def crash(self, chance: random.Random) -> None:
        """Keep what was durable, and of the rest what *chance* kept."""
        content = self.durable.copy()
        keeps_all = chance.random() < 0.3
        for position, data in self.pending:
            if keeps_all:
                kept = data
            elif chance.random() < 0.4:
                continue
            elif data is not None and chance.random() < 0.5:
                sectors = chance.randrange(len(data) // SECTOR_SIZE + 1)
                kept = data[: min(len(data), sectors * SECTOR_SIZE)]
            elif data is not None and chance.random() < 0.3:
                # The file's size reached the disk, its content did not.
                kept = bytes(len(data))
            else:
                kept = data
            if kept is None:
                content.resize(position)
            else:
                content.write(position, kept)
        self.content = content
        self.sync()


class Directory:
    """Names: as programs see them, and those that are durable."""

    __slots__ = ("durable", "entries", "pending")

    def __init__(self) -> None:
        self.entries: dict[str, Node | Directory] = {}
        self.durable: dict[str, Node | Directory] = {}
        self.pending: list[dict[str, Node | Directory]] = []
        """The names after each change since the last sync."""

    def change(self) -> None:
        self.pending.append(dict(self.entries))

    def sync(self) -> None:
        self.durable = dict(self.entries)
        self.pending.clear()

    def crash(self, chance: random.Random) -> None:
        states = [self.durable, *self.pending]
        self.entries = dict(chance.choice(states))
        self.sync()
        for entry in self.entries.values():
            entry.crash(chance)


class SimFile:
    """An open file of a SimDisk."""

    __slots__ = ("_disk", "_node", "is_closed", "path")

    def __init__(self, disk: "SimDisk", path: str, node: Node) -> None:
        self._disk = disk
        self._node = node
        self.path = path
        self.is_closed = False

    def size(self) -> int:
        return self._node.content.size

    def read(self, position: int, size: int) -> bytes:
        assert not self.is_closed, f"{self.path} is read after it was closed"
        self._disk.before("read", self.path)
        self._disk.read_size += size
        return self._node.content.read(position, size)

    def write(self, position: int, data: Buffer) -> None:
        assert not self.is_closed, f"{self.path} is written after it was closed"
        content = bytes(data)
        room = self._disk.room
        if room is not None and self._disk.used() + len(content) > room:
            self._node.write(position, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "no space left on device", self.path)
        self._disk.before("write", self.path, lambda: self._node.write(position, content))
        self._node.write(position, content)
        self._node.modified_ms = self._disk.now_ms

    def truncate(self, size: int) -> None:
        self._disk.before("truncate", self.path, lambda: self._node.truncate(size))
        self._node.truncate(size)

    def sync(self) -> None:
        self._disk.before("sync", self.path)
        self._node.sync()

    def close(self) -> None:
        self.is_closed = True
        self._disk.unlock(self)

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")


class SimDisk:
    """A disk whose every changing operation is counted, and can be its last."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._root = Directory()
        self._locks: dict[str, SimFile] = {}
        self._boots = 1
        self.now_ms = 0
        self.operations: list[str] = []
        """What was done that changes something, syncs included: kind and path."""
        self.read_size = 0
        """Bytes that were asked for."""
        self.crash_at: int | None = None
        """The number of the operation in which the machine stops."""
        self.room: int | None = None
        """How many bytes all files may hold together."""
        self.fault: Callable[[str, str], OSError | None] = lambda kind, path: None
        """Says of an operation's kind and path whether, and how, it fails."""

    def before(self, kind: str, path: str, act: Callable[[], None] | None = None) -> None:
        """Let the operation fail, or the machine stop; then *act* may have been done or not."""
        error = self.fault(kind, path)
        if error is not None:
            raise error
        if kind == "read":
            return
        self.operations.append(f"{kind} {path}")
        if self.crash_at is not None and len(self.operations) > self.crash_at:
            if act is not None and self._chance.random() < 0.5:
                act()
            raise Crashed(f"in operation {self.crash_at}: {kind} {path}")

    def crash(self) -> None:
        """Lose what the seed loses of everything not synced; then the machine runs again."""
        self._root.crash(self._chance)
        self._locks.clear()
        self._boots += 1
        self.crash_at = None

    def release_locks(self) -> None:
        """Let go of what a process had locked that has ended."""
        self._locks.clear()

    def used(self) -> int:
        def size(directory: Directory) -> int:
            return sum(
                size(entry) if isinstance(entry, Directory) else entry.content.size
                for entry in directory.entries.values()
            )

        return size(self._root)

    def _directory(self, path: str) -> Directory:
        found = self._root
        for name in path.strip("/").split("/"):
            entry = found.entries.get(name)
            if not isinstance(entry, Directory):
                raise FileNotFoundError(errno.ENOENT, "no such directory", path)
            found = entry
        return found

    def _parent(self, path: str) -> tuple[Directory, str]:
        above, _, name = path.rpartition("/")
        return (self._directory(above) if above.strip("/") else self._root), name

    def open(self, path: str, *, create: bool = False) -> SimFile:
        parent, name = self._parent(path)
        entry = parent.entries.get(name)
        if isinstance(entry, Directory):
            raise IsADirectoryError(errno.EISDIR, "is a directory", path)
        if entry is None:
            if not create:
                raise FileNotFoundError(errno.ENOENT, "no such file", path)
            self.before("create", path)
            entry = Node()
            entry.modified_ms = self.now_ms
            parent.entries[name] = entry
            parent.change()
        return SimFile(self, path, entry)

    def list(self, directory: str) -> tuple[FileEntry, ...]:
        self.before("read", directory)
        entries = self._directory(directory).entries
        return tuple(
            FileEntry(name, 0, 0, True)
            if isinstance(entry, Directory)
            else FileEntry(name, entry.content.size, max(0, self.now_ms - entry.modified_ms), False)
            for name, entry in sorted(entries.items())
        )

    def make_directory(self, path: str) -> None:
        parent, name = self._parent(path)
        if name in parent.entries:
            raise FileExistsError(errno.EEXIST, "exists", path)
        self.before("mkdir", path)
        parent.entries[name] = Directory()
        parent.change()

    def rename(self, source: str, target: str) -> None:
        parent, name = self._parent(source)
        target_parent, target_name = self._parent(target)
        assert parent is target_parent, "names change within one directory"
        if name not in parent.entries:
            raise FileNotFoundError(errno.ENOENT, "no such file", source)
        self.before("rename", source)
        parent.entries[target_name] = parent.entries.pop(name)
        parent.change()

    def remove(self, path: str) -> None:
        parent, name = self._parent(path)
        entry = parent.entries.get(name)
        if entry is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        if isinstance(entry, Directory) and entry.entries:
            raise OSError(errno.ENOTEMPTY, "directory not empty", path)
        self.before("remove", path)
        del parent.entries[name]
        parent.change()

    def sync_directory(self, path: str) -> None:
        directory = self._directory(path) if path.strip("/") else self._root
        self.before("sync", path)
        directory.sync()

    def boot_id(self) -> str:
        return f"boot {self._boots}"

    def lock(self, path: str) -> SimFile:
        if path in self._locks:
            raise BlockingIOError(errno.EAGAIN, "another process has the lock", path)
        file = self.open(path, create=True)
        self._locks[path] = file
        return file

    def unlock(self, file: SimFile) -> None:
        """Let the lock go that *file* stands for, if it does."""
        if self._locks.get(file.path) is file:
            del self._locks[file.path]
