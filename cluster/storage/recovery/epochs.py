"""The leader epochs of a log that is opened: is their checkpoint right, or is it rebuilt?

The batches are right, whatever the checkpoint has.  A checkpoint that is damaged or missing, or
that contradicts the last batch of a segment which was made durable, is rebuilt from all headers;
segments that a crash may have damaged are read anyway, batch by batch.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from cluster.formats.batch_walk import headers
from cluster.formats.checkpoints import LEADER_EPOCHS as FILE_NAME
from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CURRENT_MAGIC, BatchHeader, CorruptBatchError
from cluster.storage.files import FileEntry, Files
from cluster.storage.log.leader_epochs import UNDEFINED, LeaderEpochs
from cluster.storage.segments.segment import Segment


class EpochRecovery:
    """The epochs of the log in one directory, while its segments are read."""

    __slots__ = ("_directory", "_files", "_is_rebuilt", "_last_headers", "_rebuilt", "epochs")

    def __init__(self, files: Files, directory: str, rebuilt: Callable[[str], None]) -> None:
        """Begin; *rebuilt* is called with the reason when the checkpoint is rebuilt."""
        self._files = files
        self._directory = directory
        self._rebuilt = rebuilt
        self._is_rebuilt = False
        self._last_headers: list[BatchHeader] = []
        """The header of the last batch of each trusted segment, as far as there is one."""
        self.epochs = LeaderEpochs(files, directory)

    def load(self, trusted: Sequence[FileEntry], *, is_trusted: bool) -> None:
        """Read the checkpoint; a damaged one is rebuilt from all batches.

        *trusted* are the segments that were made durable, oldest first.  Where even the first is
        not trusted (*is_trusted*), a crash can have left the checkpoint torn before anything of the
        log was durable.
        """
        if not is_trusted:
            with suppress(CorruptFileError):
                self.epochs.load()
            return
        try:
            self.epochs.load()
        except CorruptFileError as error:
            self._rebuild(str(error))
        else:
            if not self.epochs.starts and self._have_epochs(trusted):
                self._rebuild(f"{FILE_NAME}: it is missing or empty")

    def _rebuild(self, reason: str) -> None:
        self._is_rebuilt = True
        self._rebuilt(reason)

    def _have_epochs(self, trusted: Sequence[FileEntry]) -> bool:
        """Return whether the newest of the segments with batches begins with one that has an
        epoch.
        """
        newest = next((log for log in reversed(trusted) if log.size > 0), None)
        if newest is None:
            return False
        file = self._files.open(f"{self._directory}/{newest.name}")
        try:
            first = next(headers(file, 0, newest.size), None)
        except CorruptBatchError:
            return False
        finally:
            file.close()
        return first is not None and has_epoch(first.header)

    def note(self, header: BatchHeader) -> None:
        """Let the epochs agree with a batch."""
        if header.magic != CURRENT_MAGIC:
            self.epochs.clear()
        elif header.leader_epoch != UNDEFINED:
            self.epochs.hold(header.leader_epoch, header.base_offset, header.last_offset)

    def note_last(self, header: BatchHeader) -> None:
        """Remember the last batch of a trusted segment, for `check`."""
        self._last_headers.append(header)

    def take(self, segment: Segment) -> None:
        """Take the epochs of a trusted segment, where they are rebuilt."""
        if self._is_rebuilt:
            self._note_all(segment)

    def _note_all(self, segment: Segment) -> None:
        """Note the epochs of *segment*, as far as its headers can be read."""
        with suppress(CorruptBatchError):
            for _, header in headers(segment.file, 0, segment.size):
                self.note(header)

    def check(self, segments: Sequence[Segment]) -> None:
        """Rebuild the epochs from all *segments* where they contradict the last batch of a trusted
        one.

        Epochs that begin after a batch do not contradict it: a message of an older format, which
        has none, ends the epochs before it.
        """
        starts = self.epochs.starts
        if any(
            has_epoch(header) and self.epochs.epoch_at(header.last_offset) != header.leader_epoch
            for header in self._last_headers
            if starts and header.last_offset >= starts[0].start_offset
        ):
            self._rebuild(f"{FILE_NAME}: it does not agree with the batches")
            self.epochs.clear()
            for segment in segments:
                self._note_all(segment)
                if segment is not segments[-1]:
                    segment.close()


def has_epoch(header: BatchHeader) -> bool:
    return header.magic == CURRENT_MAGIC and header.leader_epoch != UNDEFINED
