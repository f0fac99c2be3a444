"""Reads of a cluster for commands and pages that show it."""

from typing import TYPE_CHECKING

from kadmin.app.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from cluster.model.config_entity import ConfigEntity, ConfigOverrides
    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId, TopicPartition
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.answers import AclSnapshot
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.log_dirs import LogDirs
    from kadmin.reports.offsets import OffsetReport
    from kadmin.reports.topic_sizes import TopicSizes
    from kadmin.reports.topics import ClusterReport


def read_cluster(session: Session, *, with_topics: bool) -> "ClusterSnapshot":
    """Read the cluster from ZooKeeper, or from its brokers if only they are named."""
    from kadmin.arguments.topics import TopicSelection

    def by_zookeeper(connection: "Connection") -> "ClusterSnapshot":
        from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics

        return ZooKeeperTopics(connection).snapshot(TopicSelection(), with_topics=with_topics)

    def by_brokers(brokers: "WireConnection") -> "ClusterSnapshot":
        from kadmin.admin.wire.snapshot import read_snapshot, with_owner

        snapshot = read_snapshot(brokers, TopicSelection() if with_topics else None)
        return with_owner(brokers, snapshot)

    with session.asked(by_zookeeper, by_brokers) as snapshot:
        return snapshot


def read_sizes(
    session: Session, report: "ClusterReport", *, names_some: bool
) -> "TopicSizes | None":
    """Return the sizes of topics by the log directories of live brokers; None if none answers.

    Brokers are asked for all topics unless the report *names_some*.  A warning names those whose
    replicas are left out: they did not answer, or are dead and were not asked.
    """
    from kadmin.admin.wire import log_dirs
    from kadmin.plan.broker_names import hosts_of
    from kadmin.plan.offsets import partitions_of
    from kadmin.reports.topic_sizes import TopicSizes
    from kadmin.wording import brokers_text

    brokers = list(report.snapshot.brokers)
    names = [item.topic.name for item in report.topics]
    partitions = partitions_of(report.snapshot, names, None) if names_some else None
    try:
        with session.connect_brokers() as connection:
            found = log_dirs.read_log_dirs(connection, brokers, partitions)
    except KadminError as error:
        session.warn(f"sizes are not known: {error.message}")
        return None
    silent = sorted(hosts_of(item.topic for item in report.topics).union(brokers) - found.keys())
    if silent:
        session.warn(f"the sizes are without {brokers_text(silent)}: no answer")
    return TopicSizes(found)


def read_offsets(
    session: Session,
    selection: "TopicSelection",
    numbers: frozenset[int] | None,
    moment: int,
    leave_out: "Callable[[Fault], None]",
    *,
    is_counted: bool,
) -> "OffsetReport":
    from kadmin.admin.wire import offsets
    from kadmin.admin.wire.snapshot import read_topics
    from kadmin.plan.offsets import LATEST, partitions_of
    from kadmin.reports.offsets import report_of

    with session.connect_brokers() as brokers:
        snapshot = read_topics(brokers, selection, leave_out)
        partitions = partitions_of(snapshot, snapshot.topics, numbers, selection.named)
        found = offsets.read_offsets(brokers, partitions, moment)
        # After the others: so no end offset is read before its start offset.
        ends = offsets.read_offsets(brokers, found.found, LATEST) if is_counted else None
    if ends is None:
        return report_of(moment, found.found, found.unanswered, None)
    return report_of(moment, found.found, {**found.unanswered, **ends.unanswered}, ends.found)


def read_ends(
    session: Session, partitions: "Collection[TopicPartition]"
) -> "dict[TopicPartition, int]":
    """Return where the logs of *partitions* end, as far as their leaders answer."""
    from kadmin.admin.wire import offsets
    from kadmin.plan.offsets import LATEST

    with session.connect_brokers() as brokers:
        found = offsets.read_offsets(brokers, partitions, LATEST)
    return {each: end.offset for each, end in found.found.items() if end.offset is not None}


def read_log_dirs(
    session: Session,
    selection: "TopicSelection",
    wanted: "frozenset[BrokerId] | None",
    leave_out: "Callable[[Fault], None]",
) -> "tuple[LogDirs, list[BrokerId], list[BrokerId]]":
    """Return what the brokers of *wanted*, None for all, keep of *selection*; who of them was
    silent, and who has replicas of it and is dead."""
    from kadmin.admin.wire import log_dirs
    from kadmin.admin.wire.snapshot import read_topics
    from kadmin.plan.broker_names import dead_brokers
    from kadmin.plan.offsets import partitions_of

    names_some = bool(selection.wanted) or selection.exclude_internal
    with session.connect_brokers() as brokers:
        snapshot = read_topics(brokers, selection, leave_out)
        asked = chosen_brokers(snapshot, wanted)
        # All logs, also those of partitions that are no longer any, unless topics are named.
        partitions = partitions_of(snapshot, snapshot.topics, None) if names_some else None
        found = log_dirs.read_log_dirs(brokers, asked, partitions)
    silent = [broker for broker in asked if broker not in found]
    return found, silent, dead_brokers(snapshot) if wanted is None else []


def chosen_brokers(
    snapshot: "ClusterSnapshot", wanted: "frozenset[BrokerId] | None"
) -> "list[BrokerId]":
    """Return those of *wanted*, None for all, in order.

    Raises:
        NoSuchBroker: one that is none of the cluster.
        KadminError: one that is not alive.
    """
    from kadmin.plan.broker_names import dead_brokers, refuse_unknown_brokers

    missing = (wanted or frozenset()) - snapshot.brokers.keys()
    dead = sorted(missing.intersection(dead_brokers(snapshot)))
    if dead:
        shown = ",".join(map(str, dead))
        raise KadminError(
            f"broker {shown.replace(',', ', ')} is not alive, so it cannot answer",
            hint=f"kadmin brokers --describe --broker {shown}",
        )
    refuse_unknown_brokers(snapshot, missing)
    return [broker for broker in snapshot.brokers if wanted is None or broker in wanted]


def read_acls(session: Session) -> "AclSnapshot":
    """Read all rules of the authorizer."""
    with session.acls() as admin:
        return admin.snapshot()


def read_configs(
    session: Session,
) -> "tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]":
    """Read what was set for brokers, users, clients and addresses, and what of it cannot be
    understood; the snapshot of a cluster has the configs of topics."""
    from cluster.model.config_entity import EntityKind
    from kadmin.admin.wire.connection import NotServed
    from kadmin.admin.wire.errors import BrokersDenied
    from kadmin.arguments.entities import EntitySelection, Wanted

    found: dict[ConfigEntity, ConfigOverrides] = {}
    faults: list[Fault] = []
    with session.configs() as admin:
        for kind in (EntityKind.BROKERS, EntityKind.USERS, EntityKind.CLIENTS, EntityKind.IPS):
            try:
                entities = admin.find(EntitySelection(Wanted(kind)))
                overrides, damaged = admin.read(entities)
            except (NotServed, BrokersDenied):
                continue  # Older brokers do not describe users, clients and addresses.
            found |= {each: config for each, config in overrides.items() if config.values}
            faults += damaged
    return found, faults
