"""The replicas of a partition in collected log directories, read and compared.

Memory is that of the rows of one partition's replicas: some 80 bytes a batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cluster.model.ids import TopicPartition
from kadmin.jobs.collected_replicas import FoundReplica, Unreadable, segments_of
from kadmin.segments.compare import Comparison, Verdict, compare
from kadmin.segments.replica_log import ALL_CLEANED, Damage, ReplicaLog, read_replica


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


def verify_partition(
    partition: TopicPartition,
    found: Sequence[FoundReplica],
    *,
    is_deep: bool = False,
    is_compacted: bool = False,
) -> VerifiedPartition:
    """Read and compare the replicas of a partition, each of another broker.

    With *is_compacted* records may be missing anywhere, else where the broker's cleaner was.
    """
    logs: dict[str, ReplicaLog] = {}
    places: dict[str, FoundReplica] = {}
    unreadable: list[Unreadable] = []
    for replica in found:
        try:
            segments = segments_of(replica.directory)
            if not segments:
                unreadable.append(Unreadable(replica.label, "there is no segment in it"))
                continue
            logs[replica.broker] = read_replica(
                segments,
                high_watermark=replica.high_watermark,
                log_start_offset=replica.log_start_offset,
                cleaned_offset=ALL_CLEANED if is_compacted else replica.cleaned_offset,
                is_deep=is_deep,
            )
        except OSError as error:
            path = replica.label if error.filename is None else error.filename
            unreadable.append(Unreadable(str(path), error.strerror or str(error)))
            continue
        places[replica.broker] = replica
    comparison = compare(logs, has_unreadable=bool(unreadable)) if logs else None
    return VerifiedPartition(
        partition=partition,
        comparison=comparison,
        replicas=tuple(verified(places[broker], log) for broker, log in logs.items()),
        unreadable=tuple(unreadable),
    )


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
