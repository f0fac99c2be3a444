"""The replicas of a partition in collected log directories, read and compared.

Memory is that of the rows of one partition's replicas: some 80 bytes a batch.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from cluster.model.ids import TopicPartition
from kadmin.jobs.verify.collected import FoundReplica, Unreadable
from kadmin.jobs.verify.replica_files import ReplicaFiles, replica_files
from kadmin.segments.compare import Comparison, Verdict, compare
from kadmin.segments.replica_log import (
    ReadSegment,
    ReplicaLog,
    cleaned_end,
    deepened,
    read_segment,
    replica_of,
)
from kadmin.segments.values import ALL_CLEANED, ROW, Damage, Rows, SegmentFiles


class Read(Protocol):
    """Reads a segment of a replica; may raise OSError."""

    def __call__(
        self, replica: FoundReplica, segment: SegmentFiles, /, *, is_last: bool, is_deep: bool
    ) -> ReadSegment: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToVerify:
    """What is asked of partitions.

    With *is_deep* all records are read, those of batches that are the same once, but all where
    cleaners have left different batches, whose keys are compared.  In topics that
    are *compacted* records may be missing anywhere, in others where the cleaner of any of the
    brokers was.
    Where the directories of all brokers are there (*has_all_brokers*) no replica is missing, but
    of partitions that are *claimed*: brokers without their directory say that they had one.
    """

    is_deep: bool = False
    compacted: frozenset[str] = frozenset()
    has_all_brokers: bool = False
    claimed: Mapping[TopicPartition, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedReplica:
    """One replica of a partition, and what is wrong with it by itself."""

    broker: str
    label: str
    log_start_offset: int
    log_end_offset: int
    high_watermark: int | None
    batch_count: int
    size_bytes: int
    damage: tuple[Damage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPartition:
    """What came of the replicas of a partition."""

    partition: TopicPartition
    comparison: Comparison | None
    """None where no replica could be read."""
    replicas: tuple[VerifiedReplica, ...]
    unreadable: tuple[Unreadable, ...]

    @property
    def verdict(self) -> Verdict:
        return Verdict.UNREADABLE if self.comparison is None else self.comparison.verdict


def read_here(
    _: FoundReplica, segment: SegmentFiles, *, is_last: bool, is_deep: bool
) -> ReadSegment:
    return read_segment(segment, is_last=is_last, is_deep=is_deep)


def verify_partition(
    partition: TopicPartition,
    found: Sequence[FoundReplica],
    how: HowToVerify,
    read: Read = read_here,
) -> VerifiedPartition:
    """Read and compare the replicas of a partition, each of another broker.

    Without *read* the segments are read here.  Deep is only what is read of the first replica, and
    of others what that one does not have.
    """
    unreadable = [
        Unreadable(
            f"broker {broker}", "its checkpoint names the partition, whose directory is not there"
        )
        for broker in how.claimed.get(partition, ())
    ]
    files_of, unlisted, beside = listed_files(found)
    unreadable += unlisted
    # A replica that was made later has only what the cleaner of its leader had left.
    cleaned_offset = max(
        (
            cleaned_end(files_of[each.broker].segments, each.cleaned_offset)
            for each in found
            if each.broker in files_of
        ),
        default=0,
    )
    if partition.topic in how.compacted:
        cleaned_offset = ALL_CLEANED
    logs, failed = read_logs(found, files_of, cleaned_offset, read, is_deep=how.is_deep)
    unreadable += failed
    places = {replica.broker: replica for replica in found}
    topic_ids = {
        broker: topic_id for broker in logs if (topic_id := files_of[broker].topic_id) is not None
    }
    for broker, reason in namesakes(topic_ids):
        unreadable.append(Unreadable(places[broker].label, reason))
        del logs[broker]
    comparison = None
    if logs:
        comparison = compare(
            logs,
            has_unreadable=bool(unreadable),
            has_all_replicas=how.has_all_brokers and partition not in how.claimed,
            cleaned_offset=cleaned_offset,
            is_deep=how.is_deep,
        )
    return VerifiedPartition(
        partition=partition,
        comparison=comparison,
        replicas=tuple(verified(places[broker], log) for broker, log in logs.items()),
        unreadable=(*unreadable, *beside),
    )


def listed_files(
    found: Sequence[FoundReplica],
) -> tuple[dict[str, ReplicaFiles], list[Unreadable], list[Unreadable]]:
    """Return the files of each broker's replica that has segments; what keeps a replica from being
    compared; and what is damaged beside, without which it can be.
    """
    files_of: dict[str, ReplicaFiles] = {}
    unreadable: list[Unreadable] = []
    beside: list[Unreadable] = []
    for replica in found:
        try:
            files = replica_files(replica.directory)
        except OSError as error:
            unreadable.append(unreadable_file(replica, error))
            continue
        beside += [Unreadable(f"{replica.label}/{each}", why) for each, why in files.damaged]
        if files.segments:
            files_of[replica.broker] = files
        else:
            unreadable.append(Unreadable(replica.label, "there is no segment in it"))
    return files_of, unreadable, beside


def read_logs(
    found: Sequence[FoundReplica],
    files_of: Mapping[str, ReplicaFiles],
    cleaned_offset: int,
    read: Read,
    *,
    is_deep: bool,
) -> tuple[dict[str, ReplicaLog], list[Unreadable]]:
    """Return the logs of the replicas *found* that have *files_of* them, by broker; and the files
    for which others cannot be compared."""
    sound = np.empty(0, ROW)
    logs: dict[str, ReplicaLog] = {}
    unreadable: list[Unreadable] = []
    for replica in found:
        files = files_of.get(replica.broker)
        if files is None:
            continue
        try:
            reference = None if replica is found[0] else sound
            parts = read_parts(replica, files.segments, reference, read, is_deep=is_deep)
            log = logs[replica.broker] = replica_of(
                files.segments,
                parts,
                high_watermark=replica.high_watermark,
                log_start_offset=replica.log_start_offset,
                cleaned_offset=cleaned_offset,
                first_offset=files.first_offset,
                epochs=files.epochs,
                being_deleted=files.being_deleted,
            )
        except OSError as error:
            unreadable.append(unreadable_file(replica, error))
            continue
        sound = max(sound, log.rows, key=len)
    return logs, unreadable


def read_parts(
    replica: FoundReplica,
    segments: Sequence[SegmentFiles],
    reference: Rows | None,
    read: Read,
    *,
    is_deep: bool,
) -> list[ReadSegment]:
    """Read the *segments* of a replica; of another one than the first, which has the *reference*,
    only what differs from that is read deep."""
    last = segments[-1]
    parts = [
        read(replica, segment, is_last=segment is last, is_deep=is_deep and reference is None)
        for segment in segments
    ]
    if not is_deep or reference is None:
        return parts
    return [
        deepened(segment, part, reference, is_last=segment is last)
        for segment, part in zip(segments, parts, strict=True)
    ]


def unreadable_file(replica: FoundReplica, error: OSError) -> Unreadable:
    """Return which file of *replica* the *error* is about, by the replica's label.

    The directory of an archive is kadmin's own, whose path would not help an operator.
    """
    path = str(error.filename or replica.directory)
    if path.startswith(replica.directory):
        path = replica.label + path.removeprefix(replica.directory)
    return Unreadable(path, error.strerror or str(error))


def namesakes(topic_ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return the brokers whose replicas are of another topic that had the name, given the
    *topic_ids*, and why; those that most have are compared, or the first."""
    if not topic_ids:
        return
    wanted, _ = Counter(topic_ids.values()).most_common(1)[0]
    for broker, topic_id in topic_ids.items():
        if topic_id != wanted:
            having = ", ".join(each for each, its in topic_ids.items() if its == wanted)
            yield broker, f"it is of topic id {topic_id}, that of broker {having} is of {wanted}"


def verified(place: FoundReplica, log: ReplicaLog) -> VerifiedReplica:
    return VerifiedReplica(
        broker=place.broker,
        label=place.label,
        log_start_offset=log.log_start_offset,
        log_end_offset=log.log_end_offset,
        high_watermark=log.high_watermark,
        batch_count=log.batch_count,
        size_bytes=log.size,
        damage=tuple(log.damage),
    )
