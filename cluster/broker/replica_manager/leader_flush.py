"""Flush of a leader's log, after which what has waited for its disk may count as committed."""

from collections.abc import Callable

from cluster.broker.ports import Ports
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.storage.errors import KafkaStorageError


def ignore_failure(error: KafkaStorageError | None) -> None:
    """Ignore the result of a flush; the health of a disk that fails has the reason."""


def flush(
    ports: Ports,
    hosted: HostedPartition,
    done: Callable[[KafkaStorageError | None], None] = ignore_failure,
) -> None:
    """Make a leader's log durable, count as committed what has waited for that, and call *done*."""

    def flushed(error: KafkaStorageError | None) -> None:
        if error is None:
            hosted.replica.has_flushed(hosted.log.committable_end, ports.clock.now_ms())
        done(error)

    ports.disks.flush(hosted.log, flushed)
