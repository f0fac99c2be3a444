"""Leader epochs of a log: the offset at which each began.

Kept in `leader-epoch-checkpoint`; replicas compare them to find where their logs diverge.

All changes are made in memory, and wait there for the log's next flush: an election of thousands of
leaders does not wait for the disk.  After a crash the epochs are right again, because

* the flush that moves the recovery point past a batch replaces the checkpoint as well, so the
  checkpoint has every epoch before the recovery point; after an unclean shutdown that flush
  replaces it again, since what was written may not be durable;
* from the segment with the recovery point on, a start after a crash reads all batches, and `hold`
  relies on them, not on the checkpoint: neither an epoch that is missing there nor one
  that was truncated since does harm;
* an epoch without batches has no meaning: a start drops it, and a leader begins a new one.

Source: Kafka's LeaderEpochFileCache.
"""

from bisect import bisect_right
from itertools import pairwise
from typing import Final, NamedTuple

from cluster.formats.checkpoints import LEADER_EPOCHS, EpochEntry, encode_rows, parse_rows
from cluster.storage.files import File, Files, begin_replacing, read_whole

UNDEFINED: Final = -1


class EpochEnd(NamedTuple):
    """Where *epoch* ended (exclusive); both are UNDEFINED when nothing is known."""

    epoch: int
    end_offset: int


class LeaderEpochs:
    """The epochs of one log, oldest first; epochs and start offsets both rise."""

    __slots__ = ("_directory", "_files", "_starts", "is_unsaved", "latest")

    def __init__(self, files: Files, directory: str) -> None:
        self._files = files
        self._directory = directory
        self._starts: tuple[EpochEntry, ...] = ()
        self.latest = UNDEFINED
        """The newest epoch; UNDEFINED when there is none.  Each append asks for it."""
        self.is_unsaved = False
        """Whether the checkpoint differs: until the next flush takes its content."""

    def load(self) -> None:
        """Read the checkpoint; a log without one has no epochs.

        Raises:
            CorruptFileError: it is damaged.
        """
        path = f"{self._directory}/{LEADER_EPOCHS}"
        rows = parse_rows(read_whole(self._files, path) or b"", path, width=2)
        self._replace_starts(())
        for epoch, start_offset in rows:
            self._enter(EpochEntry(int(epoch), int(start_offset)))

    def move_to(self, directory: str) -> None:
        """Keep the checkpoint in *directory* from now on, which is the old one by another name."""
        self._directory = directory

    @property
    def starts(self) -> tuple[EpochEntry, ...]:
        return self._starts

    def _replace_starts(self, starts: tuple[EpochEntry, ...]) -> None:
        for before, after in pairwise(starts[-2:]):
            assert before.leader_epoch < after.leader_epoch, "epochs rise"
            assert before.start_offset < after.start_offset, "so do their starts"
        self._starts = starts
        self.latest = starts[-1].leader_epoch if starts else UNDEFINED

    def assign(self, epoch: int, start_offset: int) -> None:
        """Let *epoch* begin at *start_offset*; nothing happens when it is not newer.

        Entries that begin there or later were never written to, and make way.
        """
        if epoch > self.latest:
            self._enter(EpochEntry(epoch, start_offset))
            self.is_unsaved = True

    def hold(self, epoch: int, first_offset: int, last_offset: int) -> None:
        """Learn from a batch that its offsets, and no later ones so far, are of *epoch*.

        Entries that contradict it are dropped, and those that begin after it.
        """
        starts = self._starts
        if starts and epoch == self.latest and starts[-1].start_offset <= first_offset:
            return
        if self.epoch_at(first_offset) == epoch == self.epoch_at(last_offset):
            return
        kept = [
            start
            for start in self._starts
            if start.leader_epoch <= epoch and start.start_offset < first_offset
        ]
        if not kept or kept[-1].leader_epoch < epoch:
            kept.append(EpochEntry(epoch, first_offset))
        self._replace_starts(tuple(kept))
        self.is_unsaved = True

    def begin_saving(self) -> File:
        """Write the checkpoint without waiting for the disk, and return it, open.

        Only for a log of which nothing is durable: a crash may leave the content torn, and all
        batches are read then.  The caller syncs the file and its name, and closes it.
        """
        file = self._files.open(f"{self._directory}/{LEADER_EPOCHS}", create=True)
        file.truncate(0)
        file.write(0, self._encoded())
        self.is_unsaved = False
        return file

    def begin_replacing(self) -> File:
        """Write the new content beside the checkpoint, without waiting for the disk.

        The caller has it replace the checkpoint, before anything else does: a crash must leave the
        old content or the new.
        """
        file = begin_replacing(self._files, self._directory, LEADER_EPOCHS, self._encoded())
        self.is_unsaved = False
        return file

    def _enter(self, entry: EpochEntry) -> None:
        kept = [
            start
            for start in self._starts
            if start.leader_epoch < entry.leader_epoch and start.start_offset < entry.start_offset
        ]
        # Both columns rise: everything that would not is gone.
        self._replace_starts((*kept, entry))

    def epoch_at(self, offset: int) -> int:
        """Return the epoch in which *offset* was or will be written; UNDEFINED before the first."""
        number = bisect_right(self._starts, offset, key=lambda start: start.start_offset)
        return UNDEFINED if number == 0 else self._starts[number - 1].leader_epoch

    def end_of(self, epoch: int, log_end_offset: int) -> EpochEnd:
        """Return the largest known epoch up to *epoch*, and the offset at which the next one began.

        An epoch beyond the latest, or any when none is known, is answered UNDEFINED; one before
        the first is answered with itself and the first start.
        """
        if epoch == UNDEFINED or epoch > self.latest or not self._starts:
            return EpochEnd(UNDEFINED, UNDEFINED)
        if epoch == self.latest:
            return EpochEnd(epoch, log_end_offset)
        number = bisect_right(self._starts, epoch, key=lambda start: start.leader_epoch)
        end_offset = self._starts[number].start_offset
        return EpochEnd(epoch if number == 0 else self._starts[number - 1].leader_epoch, end_offset)

    def truncate_from_end(self, offset: int) -> None:
        """Drop the epochs that begin at *offset* or later."""
        kept = tuple(start for start in self._starts if start.start_offset < offset)
        if len(kept) < len(self._starts):
            self._replace_starts(kept)
            self.is_unsaved = True

    def truncate_from_start(self, offset: int) -> None:
        """Let the log begin at *offset*: the epoch that holds it begins there as well."""
        number = bisect_right(self._starts, offset, key=lambda start: start.start_offset)
        if number == 0:
            return
        holder = self._starts[number - 1]
        if number == 1 and holder.start_offset == offset:
            return
        self._replace_starts((EpochEntry(holder.leader_epoch, offset), *self._starts[number:]))
        self.is_unsaved = True

    def clear(self) -> None:
        """Drop all epochs."""
        if self._starts:
            self._replace_starts(())
            self.is_unsaved = True

    def _encoded(self) -> bytes:
        return encode_rows(f"{epoch} {start_offset}" for epoch, start_offset in self._starts)
