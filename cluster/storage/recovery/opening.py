"""Recovery: what remains of a log, after a clean shutdown or after a crash.

Opens the log of one partition.  After a clean shutdown only the headers after the last index entry
of each segment are read, and the very last batch.  After a crash the segments beyond the recovery
point are read from their beginning, up to the first byte that is no whole, undamaged batch; the log
is truncated there.  What is cut off, and the segments after it, are set aside, never removed.

Three things look alike, most plainly where a segment ends before the next one begins:

* a *gap*, left by compaction, or by an operator who removed a segment: what follows is kept;
* a *lost tail*: the machine stopped, and what was written and not synced is lost, without a
  trace; what follows would continue a log that does not exist, so the log ends;
* *damage*: bytes that are no batch.

Kafka's LogLoader takes a lost tail for a gap.  Here the boot of the machine decides: writes are
lost only when the machine stops, so in the same boot, and in a directory that a Kafka broker had,
it is a gap.

A recovery may crash itself at any point.  The mark of the clean shutdown is removed before it
begins; the boot and the recovery points are written after it.  So the next start reads the same
segments again, and decides as this one did.
"""

from errno import (
    EACCES,
    EEXIST,
    EISDIR,
    ELOOP,
    ENAMETOOLONG,
    ENOENT,
    ENOTDIR,
    ENOTEMPTY,
    EPERM,
)
from typing import Final

from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.model.ids import TopicPartition
from cluster.storage.files import Files
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.producer_replay import keep_snapshots
from cluster.storage.log.producer_state import PRODUCER_EXPIRATION_MS
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import KnownOffsets, RecoveryReport
from cluster.storage.recovery.loader import Loader

OF_ONE_LOG: Final = frozenset(
    (EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, ENOTEMPTY, EEXIST, ELOOP, ENAMETOOLONG)
)
"""Errors of names and permissions: the disk works, and so do the other logs on it."""


def open_log(
    files: Files,
    directory: str,
    partition: TopicPartition,
    config: LogConfig,
    health: DirectoryHealth,
    known: KnownOffsets,
    now_ms: int,
    producer_expiration_ms: int = PRODUCER_EXPIRATION_MS,
) -> tuple[PartitionLog, RecoveryReport]:
    """Open the log in *directory*, which exists, or create one in it.

    Raises:
        CorruptFileError: a segment that should be whole is damaged, or one that shall replace
            others (`leftovers`), or there is no room to set aside what is damaged;
            nothing was changed that matters.
        KafkaStorageError: the disk failed; the directory is offline.
    """
    health.check()
    try:
        loader = Loader(files, directory, config, known, now_ms)
        loader.load()
        producers = loader.settle()
        if loader.has_new_names and loader.epochs.starts:
            # A process may have ended before the checkpoint that it wrote was durable.
            loader.epochs.is_unsaved = True
        known_snapshots = [one for one in loader.snapshots() if one <= producers.end_offset]
        keep_snapshots(files, directory, known_snapshots, loader.segments)
        # A log that is not in use needs no descriptors: a broker may have more logs than the
        # process may have files.  The first use opens them again.
        loader.segments[-1].close()
    except OSError as error:
        if error.errno in OF_ONE_LOG:
            raise CorruptFileError(str(error.filename or directory), str(error.strerror)) from error
        raise health.fail(error) from error
    except CorruptBatchError as error:
        raise CorruptFileError(directory, str(error)) from error
    log = PartitionLog(
        files,
        directory,
        partition,
        config,
        health,
        loader.segments,
        loader.epochs,
        producers,
        loader.log_start_offset,
        min(known.recovery_point, producers.end_offset),
        producer_expiration_ms,
        now_ms,
        has_new_names=loader.has_new_names,
    )
    log.cleaned_offset = known.cleaned_offset
    return log, loader.report()
