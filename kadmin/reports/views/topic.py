"""One topic: its partitions, and what each broker has of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.health import PartitionView, judge_topic
from kadmin.reports.views.observed import Observed, bytes_by_replica
from kadmin.reports.views.spread import BrokerShare, shares_of
from kadmin.reports.views.topics import TopicRow, TopicTable


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRow:
    """A partition with what its leader and its brokers returned.

    *size_bytes* is of the largest replica whose size is known, None without one; *end* and *rate*
    are None where its leader returned none.
    """

    view: PartitionView
    end: int | None
    rate: float | None
    size_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """What a broker has of the topic; *size_bytes* is None where it returned no sizes."""

    share: BrokerShare
    is_live: bool
    size_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPage:
    """All that is known of a topic; *configs* are those that it sets itself."""

    row: TopicRow
    topic_id: str | None
    configs: Mapping[str, str]
    partitions: tuple[PartitionRow, ...]
    shares: tuple[ShareRow, ...]

    @property
    def replica_count(self) -> int:
        return sum(len(each.share.partitions) for each in self.shares)


def topic_page(table: TopicTable, name: str) -> TopicPage | None:
    """Return the page of the topic *name*; None where there is no such topic."""
    observed = table.observed
    topic = observed.snapshot.topics.get(name)
    if topic is None:
        return None
    sizes = sizes_in(observed, name)
    views = judge_topic(observed.snapshot, topic, observed.default_min_isr)
    return TopicPage(
        row=table.row(name),
        topic_id=topic.assignment.topic_id,
        configs=dict(topic.config.values),
        partitions=tuple(partition_row(observed, view, sizes) for view in views),
        shares=tuple(share_row(observed, name, share, sizes) for share in shares_of(topic)),
    )


def sizes_in(observed: Observed, name: str) -> dict[TopicPartition, dict[BrokerId, int]] | None:
    sizes = bytes_by_replica(observed.log_dirs)
    if sizes is None:
        return None
    return {each: found for each, found in sizes.items() if each.topic == name}


def partition_row(
    observed: Observed,
    view: PartitionView,
    sizes: Mapping[TopicPartition, Mapping[BrokerId, int]] | None,
) -> PartitionRow:
    partition = TopicPartition(view.topic, view.partition)
    return PartitionRow(
        view=view,
        end=observed.ends.get(partition),
        rate=observed.rates.get(partition),
        size_bytes=max((sizes or {}).get(partition, {}).values(), default=None),
    )


def share_row(
    observed: Observed,
    name: str,
    share: BrokerShare,
    sizes: Mapping[TopicPartition, Mapping[BrokerId, int]] | None,
) -> ShareRow:
    size_bytes = None
    if sizes is not None and share.broker in (observed.log_dirs or {}):
        size_bytes = sum(
            sizes.get(TopicPartition(name, number), {}).get(share.broker, 0)
            for number in share.partitions
        )
    return ShareRow(
        share=share, is_live=share.broker in observed.snapshot.live, size_bytes=size_bytes
    )
