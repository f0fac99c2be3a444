"""The list of topics: one row each, of which a page shows some."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic import LISTS_MAX
from kadmin.plan.health import BAD_FINDINGS, Finding, judge_topic
from kadmin.reports.topic_sizes import TopicSizes
from kadmin.reports.views.observed import Observed
from kadmin.reports.views.paging import Page, PageRequest, page_of
from kadmin.reports.views.spread import percent, percent_of, shares_of

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """One topic of the list.

    *broker_count* is of the brokers that have a replica.  *broker_skew_percent* and
    *leader_skew_percent* are how many of these are skewed; *spread_percent* is how many of the
    cluster's live brokers they are, 100 where none is alive.  *under_replicated_percent* and
    *preferred_percent* are of its partitions: those that lack replicas in the ISR, and those whose
    leader is the preferred one.  *size_bytes* is of all replicas but *unsized_count*, *offsets_sum*
    of the ends of all partitions but *endless_count*, *rate* the records written a second; each
    None where nothing of it is known.
    """

    name: str
    partition_count: int
    replicas_min: int
    replicas_max: int
    broker_count: int
    broker_skew_percent: int
    leader_skew_percent: int
    spread_percent: int
    under_replicated_percent: int
    preferred_percent: int
    size_bytes: int | None
    unsized_count: int | None
    offsets_sum: int | None
    endless_count: int
    rate: float | None
    findings: Mapping[Finding, int]
    is_internal: bool
    is_marked_for_deletion: bool

    @property
    def is_bad(self) -> bool:
        return self.is_marked_for_deletion or not BAD_FINDINGS.isdisjoint(self.findings)

    @property
    def health_rank(self) -> tuple[int, ...]:
        """The counts of its findings, the worst finding first."""
        return tuple(self.findings.get(finding, 0) for finding in Finding)


COLUMNS: Final[Mapping[str, Callable[[TopicRow], Any]]] = {
    "topic": lambda row: row.name,
    "partitions": lambda row: row.partition_count,
    "replicas": lambda row: row.replicas_max,
    "brokers": lambda row: row.broker_count,
    "broker_skew": lambda row: row.broker_skew_percent,
    "leader_skew": lambda row: row.leader_skew_percent,
    "spread": lambda row: row.spread_percent,
    "under_replicated": lambda row: row.under_replicated_percent,
    "preferred": lambda row: row.preferred_percent,
    "size": lambda row: row.size_bytes,
    "offsets": lambda row: row.offsets_sum,
    "rate": lambda row: row.rate,
    "health": lambda row: row.health_rank,
}


class TopicTable:
    """The rows of all topics, made when a page needs them and kept for the next one.

    A page in the order of names makes only the rows that it shows.
    """

    def __init__(self, observed: Observed) -> None:
        self.observed = observed
        self._rows: dict[str, TopicRow] = {}

    def page(self, request: PageRequest) -> Page[TopicRow]:
        """Return the page that *request* asks for.

        Raises:
            UsageError: there is no such column.
        """
        topics = self.observed.snapshot.topics
        if request.order in ("", "topic"):
            by_name = {"topic": str}
            names = page_of(list(topics), request, str, by_name)
            return Page(
                rows=tuple(map(self.row, names.rows)),
                request=names.request,
                match_count=names.match_count,
                total_count=names.total_count,
            )
        rows = [self.row(name) for name in topics]
        return page_of(rows, request, lambda row: row.name, COLUMNS)

    def row(self, name: str) -> TopicRow:
        """Return the row of the topic *name*, which exists."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = row_of(
                self.observed,
                self.observed.snapshot.topics[name],
                sizes=self.sizes,
                offsets_sum=self.offsets.get(name),
                rate=self.rates.get(name),
            )
        return found

    def make_all(self) -> None:
        """Make the rows of all topics: who looks at a cluster does that once, and no page waits."""
        for name in self.observed.snapshot.topics:
            self.row(name)

    @cached_property
    def sizes(self) -> TopicSizes | None:
        """The sizes of topics; None where no broker returned any."""
        log_dirs = self.observed.log_dirs
        return None if log_dirs is None else TopicSizes(log_dirs)

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """The sum of the ends of each topic's logs, as far as they are known."""
        return summed_by_topic(self.observed.ends)

    @cached_property
    def rates(self) -> Mapping[str, float]:
        """The records written to each topic a second, as far as they are known."""
        return summed_by_topic(self.observed.rates)


@lru_cache(LISTS_MAX)
def replica_count(replicas: tuple[BrokerId, ...]) -> int:
    """Count *replicas*, each once; thousands of partitions share the same."""
    return len(set(replicas))


def summed_by_topic(numbers: Mapping[TopicPartition, Number]) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for partition, number in numbers.items():
        topic = partition.topic
        found[topic] = found[topic] + number if topic in found else number
    return found


def row_of(
    observed: Observed,
    topic: TopicSnapshot,
    *,
    sizes: TopicSizes | None,
    offsets_sum: int | None,
    rate: float | None,
) -> TopicRow:
    views = judge_topic(observed.snapshot, topic, observed.default_min_isr)
    shares = shares_of(topic)
    holder_count = sum(bool(share.partitions) for share in shares)
    counts = Counter(finding for view in views for finding in view.findings)
    replicas = {replica_count(view.assignment.origin) for view in views}
    led = (view for view in views if view.leader is not None)
    preferred = sum(view.leader == view.assignment.preferred_leader for view in led)
    live_count = len(observed.snapshot.brokers)
    return TopicRow(
        name=topic.name,
        partition_count=len(views),
        replicas_min=min(replicas, default=0),
        replicas_max=max(replicas, default=0),
        broker_count=holder_count,
        broker_skew_percent=percent_of(share.is_skewed for share in shares),
        leader_skew_percent=percent_of(share.is_leader_skewed for share in shares),
        spread_percent=percent(holder_count, live_count, without=100),
        under_replicated_percent=percent(counts[Finding.UNDER_REPLICATED], len(views)),
        preferred_percent=percent(preferred, len(views)),
        size_bytes=None if sizes is None else sizes.bytes_of(topic.name),
        unsized_count=None if sizes is None else sizes.unsized_count(topic),
        offsets_sum=offsets_sum,
        endless_count=sum(
            TopicPartition(topic.name, view.partition) not in observed.ends for view in views
        ),
        rate=rate,
        findings={each: counts[each] for each in Finding if counts[each]} if counts else {},
        is_internal=topic.is_internal,
        is_marked_for_deletion=topic.is_marked_for_deletion,
    )
