"""The transactions of a log that were aborted, segment by segment, in `.txnindex` files.

A consumer of committed records receives the aborted transactions among the fetched ones, which it
must leave out.  An entry is in the index of the segment that has the transaction's marker; a
segment without such markers has no file.

Source: Kafka's TransactionIndex and AbortedTxn.
"""

from collections.abc import Sequence

from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import TXN_LAYOUT, TXN_VERSION, AbortedTxn, decode_aborted
from cluster.storage.files import File, Files, replace_whole


class TransactionIndex:
    """The entries of one segment, by their markers' offsets; read when they are first needed."""

    __slots__ = ("_entries", "_file", "_files", "directory", "has_file", "name")

    def __init__(self, files: Files, directory: str, name: str) -> None:
        self._files = files
        self._file: File | None = None
        self._entries: list[AbortedTxn] | None = None
        self.name = name
        self.directory = directory
        self.has_file = False

    @property
    def path(self) -> str:
        return f"{self.directory}/{self.name}"

    @property
    def file(self) -> File:
        """Return the file, made if there is none."""
        if self._file is None:
            self._file = self._files.open(self.path, create=True)
            self.has_file = True
        return self._file

    def load(self, base_offset: int) -> None:
        """Take over the existing file, of the segment that begins at *base_offset*.

        Raises:
            CorruptFileError: it has other content than such entries.
        """
        self.has_file = True
        entries = self._read()
        last_offset = base_offset
        for entry in entries:
            if not (entry.first_offset < entry.last_offset and last_offset <= entry.last_offset):
                raise CorruptFileError(self.path, f"entry {tuple(entry)} after {last_offset}")
            last_offset = entry.last_offset + 1
        self._entries = entries

    def _read(self) -> list[AbortedTxn]:
        return decode_aborted(self.file.read(0, self.file.size()), self.path)

    @property
    def entries(self) -> Sequence[AbortedTxn]:
        if self._entries is None:
            if not self.has_file:
                return ()
            self._entries = self._read()
        return self._entries

    def replace(self, entries: Sequence[AbortedTxn]) -> None:
        """Replace all entries by *entries*, durably; a crash leaves these or the old ones.

        A file that has lost entries looks like one that never had them.
        """
        content = b"".join(TXN_LAYOUT.pack(TXN_VERSION, *entry) for entry in entries)
        if self.has_file and self.file.read(0, self.file.size()) == content:
            self.file.sync()
        elif self.has_file or entries:
            self.close()
            replace_whole(self._files, self.directory, self.name, content)
            self.has_file = True
        self._entries = list(entries)

    def append(self, entry: AbortedTxn) -> None:
        position = len(self.entries) * TXN_LAYOUT.size
        self.file.write(position, TXN_LAYOUT.pack(TXN_VERSION, *entry))
        if self._entries is None:
            self._entries = []
        self._entries.append(entry)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries whose markers are at *offset* or later."""
        kept = [entry for entry in self.entries if entry.last_offset < offset]
        if len(kept) < len(self.entries):
            self.file.truncate(len(kept) * TXN_LAYOUT.size)
            self._entries = kept

    def close(self) -> None:
        """Close the descriptor and drop the entries; the next use opens the file again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._entries = None
