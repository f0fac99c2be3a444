"""What clients have read, what producers were told is with all in sync, and what was flushed: none
of it may vanish or change.

The first two hold of a partition, whoever leads it.  A machine that stops may lose what it had not
flushed: then nothing more is expected of that, since its broker may be elected before others are
back (Kafka of these ages knows no better).  The same holds once a topic allowed unclean elections.
"""

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple, TypeAlias, cast

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.record_batch import BatchHeader, whole_batches
from cluster.sim.life import Life
from cluster.sim.violation import Kind, Violation
from cluster.storage.files import File
from cluster.storage.log import PartitionLog


class Incarnation(NamedTuple):
    """A partition of a topic with that id."""

    topic_id: str
    partition: TopicPartition


class LogKey(NamedTuple):
    """One broker's log of a partition."""

    broker_id: BrokerId
    of: Incarnation


Batches: TypeAlias = Mapping[int, tuple[int, int]]
"""Batches by their first offsets: the offset behind each, and its checksum."""


class History:
    def __init__(self, unclean_topics: Container[str]) -> None:
        """Of *unclean_topics* nothing is expected: those that are, or ever were."""
        self.read_count = 0
        self.acknowledged_count = 0
        self.machine_stops = 0
        """How often a machine has stopped: what was known before may have been lost with it."""
        self._unclean_topics = unclean_topics
        self._kept: dict[Incarnation, dict[int, tuple[int, int]]] = {}
        """What may not vanish."""
        self._flushed: dict[LogKey, int] = {}

    def on_read(self, of: Incarnation, found: Iterable[BatchHeader], high_watermark: int) -> None:
        """A client got these batches, which lie side by side."""
        known = self._expected(of)
        batches = as_batches(found)
        if batches:
            compare(of, known, batches, min(batches), max(end for end, _ in batches.values()))
        for base_offset, (end_offset, crc) in batches.items():
            if end_offset <= high_watermark:
                known[base_offset] = (end_offset, crc)
                self.read_count += 1

    def on_acknowledged(self, of: Incarnation, base_offset: int, header: BatchHeader) -> None:
        """A producer was told that all in sync have a batch, which begins there now."""
        end_offset = base_offset + header.next_offset
        self._expected(of)[base_offset] = (end_offset, header.crc)
        self.acknowledged_count += 1

    def _expected(self, of: Incarnation) -> dict[int, tuple[int, int]]:
        if of.partition.topic in self._unclean_topics:
            self._kept[of] = {}
        return self._kept.setdefault(of, {})

    def on_deleted(self, key: LogKey) -> None:
        """Forget a log that was to go; the next one of the name is another."""
        self._flushed.pop(key, None)

    def on_ended(self, process: Life) -> None:
        """A process has ended: note what of its logs was flushed."""
        logs = dict(process.open_logs())
        for partition, topic_id in process.known_logs.items():
            log = logs.get(partition)
            key = LogKey(process.broker_id, Incarnation(topic_id, partition))
            self._flushed[key] = 0 if log is None else log.recovery_point

    def on_machine_stopped(self, broker_id: BrokerId) -> None:
        """Expect no more of the partitions of a broker that has ended than what it had flushed."""
        self.machine_stops += 1
        for key, flushed in self._flushed.items():
            if key.broker_id == broker_id:
                self._kept[key.of] = {
                    base_offset: batch
                    for base_offset, batch in self._kept.get(key.of, {}).items()
                    if batch[0] <= flushed
                }

    def on_started(self, process: Life) -> None:
        """Compare the logs of a broker that has recovered with what was flushed."""
        logs = dict(process.open_logs())
        expected = {key for key in self._flushed if key.broker_id == process.broker_id}
        for key in expected:
            flushed, log = self._flushed.pop(key), logs.get(key.of.partition)
            if log is None or process.known_logs.get(key.of.partition) != key.of.topic_id:
                continue
            if log.log_end_offset < flushed:
                text = f"{key}: flushed up to {flushed}, ends at {log.log_end_offset}"
                raise Violation(Kind.LOST_RECORD, text)

    def check(self, topic_id: str, partition: TopicPartition, log: PartitionLog) -> None:
        """Compare a leader's log with what may not have vanished."""
        of = Incarnation(topic_id, partition)
        known = self._expected(of)
        stored = as_batches(headers_of(log))
        end = max((e for e, _ in known.values()), default=0)
        compare(of, known, stored, log.log_start_offset, end)


def compare(of: Incarnation, known: Batches, found: Batches, start: int, end: int) -> None:
    """Raise a Violation where batches that are *known* between two offsets are not *found*."""
    for base_offset, batch in known.items():
        if start <= base_offset and batch[0] <= end and found.get(base_offset) != batch:
            text = f"{of}: {batch} at {base_offset} was known, now it is {found.get(base_offset)}"
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
