"""Clusters that are watched: one poll for each question, however many readers there are."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from kadmin.app.evidence import now_ms, read_evidence
from kadmin.app.groups import GroupLooks
from kadmin.app.hint_target import with_cluster
from kadmin.app.polling import SPACING, Poll, Poller, Reading
from kadmin.app.reading import read_acls, read_configs, read_ends
from kadmin.app.session import Session
from kadmin.errors import KadminError, UnreachableError
from kadmin.plan.check.judge import judge
from kadmin.reports.views.brokers import BrokerRow, broker_rows
from kadmin.reports.views.observed import Observed, rates_between
from kadmin.reports.views.overview import Overview, overview_of
from kadmin.reports.views.topics import TopicTable
from kadmin.web.measured import Endpoints, Measured, MetricsReader
from kadmin.web.runs import RunReader, Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cluster.model.config_entity import ConfigEntity, ConfigOverrides
    from cluster.model.fault import Fault
    from cluster.model.ids import TopicPartition
    from kadmin.admin.answers import AclSnapshot
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.check.findings import CheckReport
    from kadmin.plan.groups.verdict import GroupVerdict
    from kadmin.settings.keys import Value

Configs: TypeAlias = "tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]"

T = TypeVar("T")

STALE_AFTER_INTERVALS: Final = 3
STALE_AFTER_S_MIN: Final = 10.0
WARNING_COUNT_MAX: Final = 20
GROUPS_INTERVAL_S_MIN: Final = 15.0
RARE_INTERVAL_S_MIN: Final = 30.0
FOLLOW_INTERVAL_S: Final = 2.0
"""A run of moves that is under way is read so often."""
BEHIND_MS: Final = 60_000
"""A group is behind whose oldest unread record is older, as for `check --groups`."""
RATE_COUNT: Final = 60
"""So many of the last rates are kept for a chart."""


class PollingSession(Session):
    """A session of a poll or of an action; *warnings* are the latest."""

    def __init__(self, flags: "dict[str, Value]") -> None:
        super().__init__(flags)
        self.warnings: list[str] = []

    def note(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        self.warnings = [*self.warnings, with_cluster(text, self.flags)][-WARNING_COUNT_MAX:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Where logs end, at *at_ms*; *rates* are records a second since the time before, and *history*
    the last rates of the whole cluster, the newest last."""

    at_ms: int
    read_s: float
    ends: "Mapping[TopicPartition, int]"
    rates: "Mapping[TopicPartition, float]" = field(default_factory=dict)
    history: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The verdicts on all groups at *at_ms*; *unanswered* are those of which there is none, with
    the reasons."""

    at_ms: int
    verdicts: "tuple[GroupVerdict, ...]"
    unanswered: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was read of a cluster at once, from *at_ms* since 1970 on."""

    at_ms: int
    evidence: "Evidence"
    report: "CheckReport"
    observed: Observed
    topics: TopicTable
    overview: Overview
    brokers: list[BrokerRow]
    warnings: tuple[str, ...] = ()


class WatchedCluster:
    """A cluster by the *name* that addresses of pages have; *flags* name its servers, *endpoints*
    where its brokers serve their metrics.

    Its polls ask every *interval_s*, groups less often; *listeners* are called after each look, in
    the thread of the poll.
    """

    def __init__(
        self,
        name: str,
        flags: "dict[str, Value]",
        *,
        interval_s: float,
        default_min_isr: int = 1,
        endpoints: Endpoints | None = None,
    ) -> None:
        self.name = name
        self.flags = flags
        self.interval_s = interval_s
        self.default_min_isr = default_min_isr
        self.listeners: list[Callable[[], None]] = []
        slower_s = max(interval_s, GROUPS_INTERVAL_S_MIN)
        self._session, self._ends_session = self.new_session(), self.new_session()
        self.looks: Poll[Look] = Poll("cluster", self.see, interval_s, self.announce)
        self.ends: Poll[Ends] = Poll("ends of logs", self.see_ends, interval_s)
        self.groups = self.groups_poll("groups", slower_s, in_zookeeper=False)
        rarely_s = max(interval_s, RARE_INTERVAL_S_MIN)
        self.acls: Poll[AclSnapshot] = Poll("acls", self.asking(read_acls), rarely_s)
        self.configs: Poll[Configs] = Poll("configs", self.asking(read_configs), rarely_s)
        self.runs: Poll[Runs] = Poll(
            "runs of moves", RunReader(self.new_session()).read, slower_s, self.follow
        )
        self.old_groups: Poll[Groups] | None = None
        """Of old consumers, in the ZooKeeper that is named, if one is."""
        if self.new_session().settings.text("zookeeper") is not None:
            self.old_groups = self.groups_poll("groups in ZooKeeper", rarely_s, in_zookeeper=True)
        self.measured: Poll[Measured] | None = None
        """The metrics of its brokers, where *endpoints* are known."""
        if endpoints is not None:
            reader = MetricsReader(self.new_session(), endpoints)
            self.measured = Poll("metrics of brokers", reader.read, interval_s)
        polls = (
            self.looks,
            self.ends,
            self.groups,
            self.acls,
            self.configs,
            self.runs,
            self.old_groups,
            self.measured,
        )
        self.poller = Poller([poll for poll in polls if poll is not None])

    def new_session(self) -> PollingSession:
        """Return a session to the cluster, for one poll or one action."""
        return PollingSession(self.flags)

    def groups_poll(self, name: str, interval_s: float, *, in_zookeeper: bool) -> Poll[Groups]:
        from kadmin.arguments.groups import GroupSelection, PartitionFilter

        looks = GroupLooks(
            self.new_session(),
            GroupSelection(()),
            PartitionFilter(),
            interval_s,
            in_zookeeper=in_zookeeper,
        )
        return Poll(name, partial(see_groups, looks), interval_s, self.announce)

    def asking(self, read: Callable[[Session], T]) -> Callable[[], T]:
        """Return a question for a poll, with a session of its own."""
        session = self.new_session()

        def ask() -> T:
            session.look_again()
            return read(session)

        return ask

    @property
    def look(self) -> Look | None:
        """The latest look; None before the first."""
        return self.looks.reading.answer

    @property
    def failure(self) -> KadminError | None:
        """Why the attempt after the latest look failed, None if it did not."""
        return self.looks.reading.error

    def stale_ms(self, poll: Poll[Any]) -> int:
        """Return from which age on what *poll* has is stale: after a few of its intervals."""
        interval_s = max(poll.interval_s, SPACING * poll.reading.took_s)
        return round(1000 * max(STALE_AFTER_INTERVALS * interval_s, STALE_AFTER_S_MIN))

    def answered_ms(self, poll: Poll[Any]) -> int | None:
        """Return when what *poll* has was asked for, since 1970; None where it has nothing."""
        age_s = poll.reading.age_s
        return None if age_s is None else now_ms() - round(1000 * age_s)

    @property
    def is_stale(self) -> bool:
        look = self.look
        return look is not None and now_ms() - look.at_ms > self.stale_ms(self.looks)

    def look_soon(self) -> None:
        """Ask everything at once, after a change."""
        for poll in self.poller.polls.values():
            poll.hurry()

    def announce(self, _reading: Reading[Look] | Reading[Groups] | Reading[Runs]) -> None:
        for listener in tuple(self.listeners):
            listener()

    def follow(self, reading: Reading[Runs]) -> None:
        """Read runs more often while one is under way."""
        is_under_way = reading.answer is not None and reading.answer.is_under_way
        often_s = min(self.interval_s, FOLLOW_INTERVAL_S)
        was_under_way = self.runs.interval_s == often_s
        self.runs.interval_s = often_s if is_under_way else self.groups.interval_s
        if is_under_way or was_under_way:
            self.announce(reading)

    def see(self) -> Look:
        """Look at the cluster.

        Raises:
            KadminError: it cannot be read.
        """
        session = self._session
        session.look_again()
        session.warnings = []
        at_ms = now_ms()
        evidence = read_evidence(session, default_min_isr=self.default_min_isr, asks_brokers=True)
        groups, ends = self.groups.reading.answer, self.ends.reading.answer
        if groups is not None:
            evidence = replace(evidence, groups=groups.verdicts)
        report = judge(evidence)
        findings = tuple(
            each
            if each.command is None
            else replace(each, command=with_cluster(each.command, self.flags))
            for each in report.findings
        )
        observed = Observed(
            snapshot=evidence.snapshot,
            log_dirs=evidence.log_dirs,
            ends={} if ends is None else ends.ends,
            rates={} if ends is None else ends.rates,
            default_min_isr=self.default_min_isr,
        )
        topics = TopicTable(observed)
        topics.make_all()
        return Look(
            at_ms=at_ms,
            evidence=evidence,
            report=replace(report, findings=findings),
            observed=observed,
            topics=topics,
            overview=overview_of(observed),
            brokers=broker_rows(observed),
            warnings=tuple(session.warnings),
        )

    def see_ends(self) -> Ends:
        """Read where the logs end of the partitions that the latest look shows.

        Raises:
            KadminError: no broker answers.
        """
        look, before = self.looks.reading.answer, self.ends.reading.answer
        if look is None:
            # The first look is under way, and none waits for these.
            look = self.looks.wait_beyond(0, self.interval_s).answer
        if look is None:
            raise NotReadYet(self)
        self._ends_session.look_again()
        at_ms, read_s = now_ms(), time.monotonic()
        ends = read_ends(self._ends_session, partitions_in(look))
        if before is None:
            return Ends(at_ms=at_ms, read_s=read_s, ends=ends)
        rates = rates_between(before.ends, ends, read_s - before.read_s)
        history = (*before.history, sum(rates.values()))[-RATE_COUNT:]
        return Ends(at_ms=at_ms, read_s=read_s, ends=ends, rates=rates, history=history)


def see_groups(looks: GroupLooks) -> Groups:
    """Read how far all groups are.

    Raises:
        KadminError: no broker answers, or no ZooKeeper for the groups in it.
    """
    at_ms = now_ms()
    looks.session.look_again()
    unanswered = looks.look()
    return Groups(
        at_ms=at_ms,
        verdicts=tuple(looks.history.verdicts(BEHIND_MS)),
        unanswered=dict(unanswered),
    )


def partitions_in(look: Look) -> "list[TopicPartition]":
    from cluster.model.ids import TopicPartition

    return [
        TopicPartition(name, number)
        for name, topic in look.observed.snapshot.topics.items()
        for number in topic.assignment.partitions
    ]


class NotReadYet(UnreachableError):
    """Nothing of *cluster* has been read so far, because of the latest failure."""

    def __init__(self, cluster: WatchedCluster) -> None:
        failure, waiting_s = cluster.failure, cluster.looks.waiting_s
        hint = "it is shown as soon as it is read"
        if waiting_s is not None:
            hint = f"servers have been waited for {waiting_s:.0f} s so far; {hint}"
        super().__init__(
            f"{cluster.name} has not been read yet"
            + ("" if failure is None else f": {failure.message}"),
            hint=hint if failure is None else failure.hint,
        )
