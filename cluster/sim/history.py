"""What clients have read, and what was flushed: none of it may vanish or change.

Brokers do not replicate yet, so this holds of each broker's own log: as long as the machine does
not stop, and of what was flushed also then.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias, cast

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.record_batch import BatchHeader, whole_batches
from cluster.sim.life import Life
from cluster.sim.violation import Kind, Violation
from cluster.storage.files import File
from cluster.storage.log import PartitionLog


class LogKey(NamedTuple):
    """One broker's log of a partition, by the topic's id."""

    broker_id: BrokerId
    topic_id: str
    partition: TopicPartition


Batches: TypeAlias = Mapping[int, tuple[int, int]]
"""Batches by their first offsets: the offset behind each, and its checksum."""


class History:
    def __init__(self) -> None:
        self.read_count = 0
        self._read: dict[LogKey, dict[int, tuple[int, int]]] = {}
        self._flushed: dict[LogKey, int] = {}

    def on_read(self, key: LogKey, found: Iterable[BatchHeader], high_watermark: int) -> None:
        """A client got these batches, which lie side by side."""
        known = self._read.setdefault(key, {})
        batches = as_batches(found)
        if batches:
            compare(key, known, batches, min(batches), max(end for end, _ in batches.values()))
        for base_offset, (end_offset, crc) in batches.items():
            if end_offset <= high_watermark:
                known[base_offset] = (end_offset, crc)
                self.read_count += 1

    def on_deleted(self, key: LogKey) -> None:
        """Forget a log that was to go; the next one of the name is another."""
        self._read.pop(key, None)
        self._flushed.pop(key, None)

    def on_ended(self, process: Life) -> None:
        """A process has ended: note what of its logs was flushed."""
        for partition, log in process.open_logs():
            topic_id = process.known_logs.get(partition)
            if topic_id:
                self._flushed[LogKey(process.broker_id, topic_id, partition)] = log.recovery_point

    def on_machine_stopped(self, broker_id: BrokerId) -> None:
        """Expect no more of the broker's logs than what was flushed."""
        for key in self.keys_of(broker_id):
            flushed = self._flushed.get(key, 0)
            self._read[key] = {
                base_offset: batch
                for base_offset, batch in self._read[key].items()
                if batch[0] <= flushed
            }

    def on_started(self, process: Life) -> None:
        """Compare the logs of a broker that has recovered with what is expected of them."""
        logs = dict(process.open_logs())
        expected = {key for key in self._flushed if key.broker_id == process.broker_id}
        for key in expected:
            flushed, log = self._flushed.pop(key), logs.get(key.partition)
            if log is None or process.known_logs.get(key.partition) != key.topic_id:
                continue
            if log.log_end_offset < flushed:
                text = f"{key}: flushed up to {flushed}, ends at {log.log_end_offset}"
                raise Violation(Kind.LOST_RECORD, text)
        self.check(process)

    def check(self, process: Life) -> None:
        """Compare all open logs of a broker with what clients have read of them."""
        logs = dict(process.open_logs())
        for key in self.keys_of(process.broker_id):
            log = logs.get(key.partition)
            known = self._read[key]
            if log is None or not known or process.known_logs.get(key.partition) != key.topic_id:
                continue
            stored = as_batches(headers_of(log))
            compare(key, known, stored, log.log_start_offset, max(e for e, _ in known.values()))

    def keys_of(self, broker_id: BrokerId) -> list[LogKey]:
        return [key for key in self._read if key.broker_id == broker_id]


def compare(key: LogKey, known: Batches, found: Batches, start: int, end: int) -> None:
    """Raise a Violation where batches that are *known* between two offsets are not *found*."""
    for base_offset, batch in known.items():
        if start <= base_offset and batch[0] <= end and found.get(base_offset) != batch:
            text = f"{key}: {batch} at {base_offset} was read, now it is {found.get(base_offset)}"
            raise Violation(Kind.LOST_RECORD, text)


def as_batches(headers: Iterable[BatchHeader]) -> dict[int, tuple[int, int]]:
    return {one.base_offset: (one.next_offset, one.crc) for one in headers}


def headers_of(log: PartitionLog) -> Iterable[BatchHeader]:
    """All batches of a log."""
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        found = log.read(offset, 1 << 20, log.log_end_offset, whole_first=True)
        content = cast(File, found.file).read(found.position, found.size)
        for _, header in whole_batches(content):
            yield header
            offset = header.next_offset
