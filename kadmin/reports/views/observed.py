"""What was observed of a cluster, from which its views follow."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.log_dirs import LogDirs, pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A cluster and what its brokers returned beside it.

    *log_dirs* is None where no broker returned sizes.  *ends* are the ends of logs, as far as
    leaders returned them; *rates* are the records written to partitions a second, known from the
    second look on.  *releases* are the releases of brokers, in words, where these are known.
    """

    snapshot: ClusterSnapshot
    log_dirs: LogDirs | None = None
    ends: Mapping[TopicPartition, int] = field(default_factory=dict)
    rates: Mapping[TopicPartition, float] = field(default_factory=dict)
    releases: Mapping[BrokerId, str] = field(default_factory=dict)
    default_min_isr: int = 1


def rates_between(
    before: Mapping[TopicPartition, int], after: Mapping[TopicPartition, int], seconds: float
) -> dict[TopicPartition, float]:
    """Return how many records a second were written between two looks at the ends of logs.

    A log that became shorter was made anew: its rate is not known.
    """
    if seconds <= 0:
        return {}
    return {
        partition: (end - before[partition]) / seconds
        for partition, end in after.items()
        if partition in before and end >= before[partition]
    }


def bytes_by_replica(log_dirs: LogDirs | None) -> dict[TopicPartition, dict[BrokerId, int]] | None:
    """Return the size of each replica; None where no broker returned sizes.

    The copy of a replica that is being made in another directory counts, too: it takes space.
    """
    if log_dirs is None:
        return None
    found: dict[TopicPartition, dict[BrokerId, int]] = {}
    for broker, directory in pairs(log_dirs):
        for log in directory.replicas:
            sizes = found.setdefault(log.partition, {})
            sizes[broker] = sizes.get(broker, 0) + log.size_bytes
    return found
