"""The whole cluster in a few numbers, and what is being moved in it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.health import BAD_FINDINGS, Finding, PartitionView, judge_topic
from kadmin.reports.views.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A cluster in numbers.

    *findings* counts the partitions with each finding; *bad_count* are those with a bad one.
    *dead* brokers have replicas and are not registered.  *size_bytes* is of all replicas but those
    of *unsized* brokers, which returned no sizes, *rate* of records written a second; None where
    none is known.  Of *endless_count* partitions no leader returned the end of the log.
    """

    live: tuple[BrokerId, ...]
    dead: tuple[BrokerId, ...]
    controller: BrokerId | None
    lacks_controller: bool
    topic_count: int
    internal_count: int
    partition_count: int
    replica_count: int
    bad_count: int
    findings: Mapping[Finding, int]
    size_bytes: int | None
    unsized: tuple[BrokerId, ...]
    endless_count: int
    rate: float | None
    fault_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingRow:
    """A partition whose replicas are being moved; those *caught_up* are added and in the ISR."""

    partition: TopicPartition
    replicas: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...]
    removing: tuple[BrokerId, ...]
    caught_up: tuple[BrokerId, ...]


def overview_of(observed: Observed) -> Overview:
    snapshot = observed.snapshot
    findings: Counter[Finding] = Counter()
    holders: set[BrokerId] = set()
    partition_count = replica_count = bad_count = endless_count = 0
    for view in views_of(observed):
        partition_count += 1
        replica_count += len(set(view.assignment.replicas))
        holders.update(view.assignment.replicas)
        endless_count += TopicPartition(view.topic, view.partition) not in observed.ends
        if view.findings:
            findings.update(view.findings)
            bad_count += not BAD_FINDINGS.isdisjoint(view.findings)
    controller = snapshot.controller
    sizes = observed.log_dirs
    return Overview(
        live=tuple(snapshot.brokers),
        dead=tuple(sorted(each for each in holders if each not in snapshot.live)),
        controller=None if controller is None else controller.broker_id,
        lacks_controller=snapshot.lacks_controller,
        topic_count=len(snapshot.topics),
        internal_count=sum(topic.is_internal for topic in snapshot.topics.values()),
        partition_count=partition_count,
        replica_count=replica_count,
        bad_count=bad_count,
        findings={finding: findings[finding] for finding in Finding if findings[finding]},
        size_bytes=None
        if sizes is None
        else sum(
            log.size_bytes for dirs in sizes.values() for each in dirs for log in each.replicas
        ),
        unsized=tuple(sorted(holders - (sizes or {}).keys())),
        endless_count=endless_count,
        rate=sum(observed.rates.values()) if observed.rates else None,
        fault_count=len(snapshot.faults),
    )


def views_of(observed: Observed) -> Iterable[PartitionView]:
    for topic in observed.snapshot.topics.values():
        yield from judge_topic(observed.snapshot, topic, observed.default_min_isr)


def moving_rows(observed: Observed) -> list[MovingRow]:
    """Return the partitions whose replicas are being moved, in order.

    Where a reassignment was requested through ZooKeeper, as before Kafka 2.4, its targets say what
    is added and removed.
    """
    snapshot = observed.snapshot
    found = []
    for name, topic in snapshot.topics.items():
        for number, assignment in topic.assignment.partitions.items():
            partition = TopicPartition(name, number)
            target = snapshot.moving.get(partition)
            if target is not None and not assignment.is_reassigning:
                assignment = assignment.reassigned(target)
            elif not assignment.is_reassigning:
                continue
            state = topic.states.get(number)
            isr = () if state is None else state.isr
            found.append(
                MovingRow(
                    partition=partition,
                    replicas=assignment.replicas,
                    adding=assignment.adding,
                    removing=assignment.removing,
                    caught_up=tuple(each for each in assignment.adding if each in isr),
                )
            )
    return found
