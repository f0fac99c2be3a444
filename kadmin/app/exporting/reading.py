"""One look at a cluster for an exporter: brokers, topics, offsets, groups with their lag."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kadmin.app.groups import History, now_ms, read_commits, report_of, with_unread_times
from kadmin.errors import KadminError
from kadmin.reports.exported import Exported

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.arguments.name_filter import NameFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The topics and groups that are exported; a record may be unread for *behind_ms*."""

    topics: "NameFilter"
    groups: "NameFilter"
    behind_ms: int


def read_exported(session: "Session", wanted: Wanted, history: History) -> Exported:
    """Read the cluster from its brokers, and judge its groups by the looks of *history*, to which
    this one is added.

    Each coordinator is asked about all of its groups at once, each leader about its partitions.
    What is committed is read before the ends of the logs, so that none seems to be beyond.

    Raises:
        KadminError: no broker answers, or they refuse.
    """
    from cluster.model.ids import TopicPartition
    from kadmin.admin.wire.snapshot import read_snapshot
    from kadmin.admin.wire.wire_groups import WireGroups
    from kadmin.arguments.topics import TopicSelection, hint_for
    from kadmin.plan.groups.group import NoSuchGroup
    from kadmin.plan.topic_refusals import NoSuchTopic

    with session.connect_brokers() as connection:
        admin = WireGroups(connection)
        listing = admin.listing()
        all_names = [each.name for each in listing.groups]
        names = [name for name in all_names if wanted.groups.takes(name)]
        commits = read_commits(admin, names)
        metadata = connection.metadata(None)
        snapshot = read_snapshot(connection, TopicSelection(), metadata=metadata)
        takes = cache(wanted.topics.takes)
        topics = {name: topic for name, topic in snapshot.topics.items() if takes(name)}
        partitions = {
            TopicPartition(topic.name, number)
            for topic in topics.values()
            for number in topic.assignment.partitions
        }
        partitions.update(each for each in commits.partitions() if takes(each.topic))
        logs = admin.logs_in(metadata["topics"], partitions, with_starts=True)
        report = report_of(commits, logs, now_ms(), lambda each: takes(each.topic))
        report = with_unread_times(admin, report)
    history.add(report)
    missing: list[KadminError] = []
    known = list({*snapshot.topics, *(each.topic for each in commits.partitions())})
    topics_missing = wanted.topics.missing(known)
    if topics_missing:
        missing.append(NoSuchTopic(topics_missing, hint=hint_for(topics_missing, known, False)))
    # A coordinator that does not answer may have the group.
    groups_missing = [] if listing.silent else wanted.groups.missing(all_names)
    if groups_missing:
        missing.append(NoSuchGroup(groups_missing, all_names))
    return Exported(
        brokers=snapshot.brokers,
        topics=topics,
        logs=logs,
        groups=report,
        verdicts=tuple(history.verdicts(wanted.behind_ms)),
        silent=listing.silent,
        missing=tuple(missing),
    )
