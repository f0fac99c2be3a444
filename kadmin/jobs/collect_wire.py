"""The replicas that brokers serve, written into a collection as the segments that they are made of.

For where only the brokers can be reached.  Each replica is read where it is, up to the high
watermark that it has when it is first asked.  What is there already is gone on with, unless its
broker has deleted what would come next.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cluster.formats.checkpoints import HIGH_WATERMARKS, LOG_STARTS, encode_rows
from cluster.formats.directory_names import directory_name, partition_of
from cluster.formats.record_batch import CorruptBatchError, parse_header
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.jobs.collect import Listener, Progress
from kadmin.jobs.collection import LOG_DIR, CollectedFile
from kadmin.jobs.collection_store import CollectionStore
from kadmin.jobs.read_bounds import GRACE_S, GROUP_SIZE_MAX, ahead_s, fetch_size
from kadmin.jobs.replica_segments import ReplicaSegments, SegmentRoom, Written
from kadmin.jobs.verify.collected import Unreadable
from kadmin.segments.fetched import Fetched, Placement, ReplicaReader, Span

FETCH_SIZE: Final = 1024**2
PAUSE_S: Final = 0.2


@dataclass(slots=True)
class Replica:
    """A replica, and how far it is copied into *segments*."""

    partition: TopicPartition
    broker: BrokerId
    segments: ReplicaSegments
    start: int
    """Where its log begins."""
    end: int
    """The offset behind the last batch that was written."""
    position: int
    """From which on it is asked next; beyond the end where compaction has left nothing."""
    target: int | None = None
    """Its high watermark, when it was first asked."""
    failing_s: float | None = None
    """Since when it cannot be read."""
    is_alone: bool = False
    """Whether it has to be asked for alone, to give a batch of any size."""

    @property
    def is_done(self) -> bool:
        return self.target is not None and self.position >= self.target

    def write(self, records: bytes) -> None:
        """Add the whole batches of *records*, behind those that are there."""
        size = 0
        first = None
        while size < len(records):
            try:
                header = parse_header(records, size)
            except CorruptBatchError:
                break
            if size + header.size > len(records):
                break
            first = header.base_offset if first is None else first
            size += header.size
            self.end = self.position = header.next_offset
        if first is None:
            return
        self.segments.append(first, records[:size])


class WireCopying:
    """Copies what the brokers of *placement* serve into the collection *store*."""

    def __init__(
        self,
        reader: ReplicaReader,
        placement: Placement,
        store: CollectionStore,
        listener: Listener,
        *,
        rate_max: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._reader = reader
        self._placement = placement
        self._store = store
        self._listener = listener
        self._rate_max = rate_max
        self._now_s = clock
        self._sleep = sleep
        self._begun_s = clock()
        self._size = 0
        self._replicas: list[Replica] = []

    def run(self, brokers: Sequence[BrokerId]) -> Iterator[CollectedFile]:
        """Copy the replicas of *brokers*, and yield the files when all is there."""
        with TemporaryDirectory(prefix="kadmin-") as staging:
            room = SegmentRoom(self._store, Path(staging))
            self._replicas = list(self._begun(brokers, room))
            while pending := [each for each in self._replicas if not each.is_done]:
                has_moved = False
                for group in self._groups(pending):
                    has_moved |= self._read(group)
                    self._go_on()
                if not has_moved:
                    self._sleep(PAUSE_S)
            for broker in brokers:
                yield from self._finished(broker)

    def _begun(self, brokers: Sequence[BrokerId], room: SegmentRoom) -> Iterator[Replica]:
        """Return the replicas of *brokers* that can be read, with what is there of them already."""
        asked: dict[BrokerId, list[TopicPartition]] = {broker: [] for broker in brokers}
        for partition, replicas in sorted(self._placement.replicas.items()):
            for broker in replicas:
                if broker in asked:
                    asked[broker].append(partition)
        alive = {each: asked[each] for each in brokers if each in self._placement.addresses}
        for broker in asked.keys() - alive.keys():
            self._listener.tell(Unreadable(f"broker {broker}", "the broker is not alive"))
        spans = self._reader.spans(alive)
        for broker, partitions in alive.items():
            for partition in partitions:
                if partition_of(directory_name(partition)) != partition:
                    # It would be the name of a directory here.
                    self._leave_out(partition, broker, "no topic may have this name")
                    continue
                span = spans.get(broker, {}).get(partition)
                if span is None:
                    self._leave_out(partition, broker, "it does not return its first offset")
                else:
                    segments = room.segments(f"{root_of(broker)}/{partition}")
                    yield begun_replica(partition, broker, segments, span)

    def _groups(self, pending: Sequence[Replica]) -> Iterator[list[Replica]]:
        alone = [each for each in pending if each.is_alone]
        yield from ([each] for each in alone)
        together = [each for each in pending if not each.is_alone]
        count = max(1, GROUP_SIZE_MAX // self._fetch_size())
        for at in range(0, len(together), count):
            yield together[at : at + count]

    def _fetch_size(self) -> int:
        return fetch_size(FETCH_SIZE, self._rate_max)

    def _read(self, group: Sequence[Replica]) -> bool:
        """Read and write the next of *group*; whether something moved."""
        asked: dict[BrokerId, dict[TopicPartition, int]] = {}
        for each in group:
            asked.setdefault(each.broker, {})[each.partition] = each.position
        given, silent = self._reader.fetch(asked, size_max=self._fetch_size(), wait_ms=0)
        has_moved = False
        for each in group:
            fetched = given.get(each.broker, {}).get(each.partition)
            if each.broker in silent:
                self._note_failure(each, silent[each.broker])
            elif isinstance(fetched, Fetched):
                has_moved |= self._take(each, fetched)
            elif fetched is not None and fetched.is_out_of_range:
                self._find_range(each)
            elif fetched is not None:
                self._note_failure(each, fetched.reason)
        return has_moved

    def _take(self, replica: Replica, fetched: Fetched) -> bool:
        before = replica.position
        replica.failing_s = None
        if replica.target is None:
            replica.target = fetched.high_watermark
        self._size += len(fetched.records)
        replica.write(fetched.records)
        if replica.is_done:
            replica.segments.close()
        if replica.position == before and before < replica.target:
            if replica.is_alone:
                # It has nothing more: compaction has taken the rest away.
                replica.position = replica.target
                replica.segments.close()
            replica.is_alone = not replica.is_alone
        return replica.position > before or replica.is_alone

    def _find_range(self, replica: Replica) -> None:
        """Begin anew where the replica begins now, if it has deleted what would come next."""
        spans = self._reader.spans({replica.broker: [replica.partition]})
        span = spans.get(replica.broker, {}).get(replica.partition)
        if span is None or span.start <= replica.position <= span.end:
            self._note_failure(replica, "it has no such offset, and reports no other")
            return
        replica.start = span.start
        replica.target = None
        start_over(replica)

    def _note_failure(self, replica: Replica, reason: str) -> None:
        now_s = self._now_s()
        if replica.failing_s is None:
            replica.failing_s = now_s
        if now_s - replica.failing_s >= GRACE_S:
            self._leave_out(replica.partition, replica.broker, reason)
            self._replicas.remove(replica)

    def _leave_out(self, partition: TopicPartition, broker: BrokerId, reason: str) -> None:
        label = f"{partition} on broker {broker} ({self._placement.addresses[broker]})"
        self._listener.tell(Unreadable(label, reason))

    def _go_on(self) -> None:
        total = sum(max(0, (each.target or each.end) - each.start) for each in self._replicas)
        done = sum(each.end - each.start for each in self._replicas)
        # As if all offsets had the same size: the size of the rest is unknown.
        size_total = self._size if not done else round(self._size * max(1.0, total / done))
        elapsed_s = self._now_s() - self._begun_s
        self._listener.report(Progress(self._size, size_total, self._size, elapsed_s))
        if (wait_s := ahead_s(self._size, self._rate_max, elapsed_s)) > 0:
            self._sleep(wait_s)

    def _finished(self, broker: BrokerId) -> Iterator[CollectedFile]:
        """Yield the files of *broker*, with the checkpoints of their end."""
        replicas = [each for each in self._replicas if each.broker == broker]
        if not replicas:
            return
        for each in replicas:
            if not each.segments.are_there():
                each.segments.append(each.start, b"")
            each.segments.close()
            yield from (self._collected(broker, one) for one in each.segments.written())
        for name, offsets in (
            (HIGH_WATERMARKS, {each.partition: each.end for each in replicas}),
            (LOG_STARTS, {each.partition: each.start for each in replicas}),
        ):
            path, content = f"{root_of(broker)}/{name}", encode_rows(rows_of(offsets))
            self._store.write(path, content)
            digest = hashlib.sha256(content).hexdigest()
            yield self._collected(broker, Written(path, len(content), digest))

    def _collected(self, broker: BrokerId, written: Written) -> CollectedFile:
        return CollectedFile(
            path=written.path,
            broker=str(broker),
            kind=LOG_DIR,
            root=root_of(broker),
            source=f"broker {broker} ({self._placement.addresses[broker]})",
            size_bytes=written.size_bytes,
            sha256=written.sha256,
            source_size_bytes=written.size_bytes,
            source_mtime_ns=0,
            cut_bytes=0,
        )


def begun_replica(
    partition: TopicPartition, broker: BrokerId, segments: ReplicaSegments, span: Span
) -> Replica:
    """Return what there is of a replica already, if its broker has what comes next."""
    replica = Replica(partition, broker, segments, span.start, span.start, span.start)
    end = segments.end()
    if end is not None and span.start <= end <= span.end:
        replica.end = replica.position = end
    elif end is not None:
        start_over(replica)
    return replica


def root_of(broker: BrokerId) -> str:
    return f"broker-{broker}/wire"


def start_over(replica: Replica) -> None:
    """Forget what was copied, behind which there would be a gap."""
    replica.segments.clear()
    replica.end = replica.position = replica.start


def rows_of(offsets: Mapping[TopicPartition, int]) -> Iterator[str]:
    for partition, offset in offsets.items():
        yield f"{partition.topic} {partition.partition} {offset}"
