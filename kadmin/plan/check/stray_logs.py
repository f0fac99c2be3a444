"""Stray logs: those of topics that are gone, and of partitions that are on other brokers.

They take disk space, and no controller will have them deleted.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from cluster.model.fault import TOPICS, Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.log_dirs import LogDirs, pairs
from kadmin.wording import amount, brokers_text, counted, first_listed, verb_of

METADATA_LOG: Final = "__cluster_metadata"
"""That of the KRaft quorum, which is no topic."""


def stray_logs(
    snapshot: ClusterSnapshot, log_dirs: LogDirs
) -> dict[BrokerId, dict[TopicPartition, int]]:
    """Return the bytes of each log in *log_dirs* whose broker is no replica of it in *snapshot*.

    None of a topic that cannot be read, and none at all where the topics are not known.
    """
    damaged = {fault.subject for fault in snapshot.faults}
    if TOPICS in damaged:
        return {}
    unread = {name for thing, name in damaged if thing is Thing.TOPIC} | {METADATA_LOG}
    found: dict[BrokerId, dict[TopicPartition, int]] = {}
    for broker, directory in pairs(log_dirs):
        for log in directory.replicas:
            name, number = log.partition
            topic = snapshot.topics.get(name)
            assigned = None if topic is None else topic.assignment.partitions.get(number)
            if (assigned is None or broker not in assigned.replicas) and name not in unread:
                logs = found.setdefault(broker, {})
                logs[log.partition] = logs.get(log.partition, 0) + log.size_bytes
    return found


def stray_findings(
    strays: Mapping[BrokerId, Mapping[TopicPartition, int]], existing: Collection[str]
) -> Iterator[Finding]:
    """Name *strays*: those of topics that are not *existing*, and those of other brokers."""
    for is_gone in (True, False):
        sizes = {
            (broker, partition): size
            for broker, logs in strays.items()
            for partition, size in logs.items()
            if is_gone != (partition.topic in existing)
        }
        if not sizes:
            continue
        brokers = tuple(sorted({broker for broker, _ in sizes}))
        partitions = tuple(sorted({partition for _, partition in sizes}))
        is_one = len(sizes) == 1
        if is_gone:
            whose = "a topic that does not exist" if is_one else "topics that do not exist"
        else:
            whose = "a partition" if is_one else "partitions"
            whose += f" of which {'it is' if len(brokers) == 1 else 'they are'} no replica"
        them = "it" if is_one else "them"
        which = "the broker" if len(brokers) == 1 else "each broker"
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.STRAY_LOG,
            text=f"{brokers_text(brokers)} {verb_of(brokers, 'keeps')} {counted(len(sizes), 'log')}"
            f" ({amount(sum(sizes.values()))}) of {whose}: {first_listed(partitions)}; nothing"
            f" deletes {them}: stop {which} and move {them} out of its log directory",
            partitions=partitions,
            brokers=brokers,
            command=f"kadmin log-dirs --broker {','.join(map(str, brokers))} --by replica",
            has_names=True,
        )
