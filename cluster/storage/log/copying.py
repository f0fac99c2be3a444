"""The copying of a log into another log directory: what to truncate in the copy, and what to
append.

The log that is copied is in use meanwhile: it is appended to, truncated, restarted, and drops old
segments.  The copy follows, and replaces it when it has everything
(`LogManager.replace_with_future`).  The caller decides when a log is copied, and how fast.

Source: Kafka's ReplicaAlterLogDirsThread.
"""

import errno
from typing import Final, NamedTuple, cast

from cluster.model.file_slice import FileSlice
from cluster.storage.files import File
from cluster.storage.log.partition_log import PartitionLog

NOTHING_IS_OLD_MS: Final = -(2**62)
"""A time of the clock at which no segment has expired: retention applies to the log, and the copy
follows.
"""


class Cut(NamedTuple):
    """The offset from which on a copy is truncated; with *restarts* it is emptied, and restarts
    there.
    """

    offset: int
    restarts: bool


class SourceChanged(Exception):
    """The log that was to be copied has been given up meanwhile."""


def cut_of(log: PartitionLog, copy: PartitionLog) -> Cut | None:
    """Return what has to go from *copy* before more of *log* is copied; None for nothing.

    Raises:
        CorruptBatchError: *log* is damaged where it starts.
        KafkaStorageError: the directory is or went offline.
    """
    if copy.log_end_offset < log.log_start_offset:
        # Retention was faster, or nothing is copied yet.  The log may start within a batch.
        start = log.end_before(log.log_start_offset)
        if copy.log_end_offset < start:
            return Cut(start, restarts=True)
    common = common_end(log, copy)
    if copy.log_end_offset <= common:
        return None
    if common <= copy.log_start_offset:
        # The log may have been begun anew before where the copy starts.
        return Cut(log.end_before(log.log_start_offset), restarts=True)
    return Cut(common, restarts=False)


def common_end(log: PartitionLog, copy: PartitionLog) -> int:
    """Return up to where both have the same records: those of an offset and a leader epoch are the
    same, and each log has its epochs from a leader.
    """
    start = max(log.log_start_offset, copy.log_start_offset)
    end = min(log.log_end_offset, copy.log_end_offset)
    begun = {one.start_offset for each in (log, copy) for one in each.epochs.starts}
    for offset in (start, *sorted(one for one in begun if start < one < end)):
        if offset < end and log.epochs.epoch_at(offset) != copy.epochs.epoch_at(offset):
            return offset
    return end


def next_slice(log: PartitionLog, copy: PartitionLog, size_max: int) -> FileSlice:
    """Return what of *log* comes next in *copy*: a batch at least, unless the copy has everything.

    Raises:
        DamagedSegment: bytes on the way are no batch.
        KafkaStorageError: the directory is or went offline.
    """
    offset = max(copy.log_end_offset, log.log_start_offset)
    return log.read(offset, size_max, log.log_end_offset, whole_first=True)


def append_slice(log: PartitionLog, found: FileSlice, copy: PartitionLog, now_ms: int) -> None:
    """Append *found*, which `next_slice` returned, to *copy*.

    Any thread may call it while no other one uses the copy.

    Raises:
        SourceChanged: the file is closed.
        CorruptBatchError, UnexpectedAppendOffset: the slice is damaged, or was truncated and
            written again meanwhile; nothing was appended.
        KafkaStorageError: one of the two directories is or went offline.
    """
    try:
        content = cast(File, found.file).read(found.position, found.size)
    except OSError as error:
        if error.errno == errno.EBADF:
            raise SourceChanged from error
        raise log.health.fail(error) from error
    copy.append_as_follower(content, now_ms)


def follow_start(log: PartitionLog, copy: PartitionLog, now_ms: int) -> None:
    """Let *copy* start where *log* does, if it has grown to there, and drop what is before."""
    start = log.log_start_offset
    if copy.log_start_offset < start <= copy.log_end_offset:
        copy.delete_records_before(start, start)
        copy.delete_old_segments(now_ms, NOTHING_IS_OLD_MS, start)


def is_whole(log: PartitionLog, copy: PartitionLog) -> bool:
    """Return whether *copy* has everything, and nothing else."""
    return (
        copy.log_end_offset == log.log_end_offset
        and copy.log_start_offset >= log.log_start_offset
        and cut_of(log, copy) is None
    )
