"""Clusters that are watched: one poller for each, however many readers there are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kadmin.app.evidence import now_ms, read_evidence
from kadmin.app.hint_target import with_cluster
from kadmin.app.polling import Poll, Poller, Reading
from kadmin.app.session import Session
from kadmin.errors import KadminError, UnreachableError

if TYPE_CHECKING:
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.check.findings import CheckReport
    from kadmin.settings.keys import Value

STALE_AFTER_INTERVALS: Final = 3
STALE_AFTER_S_MIN: Final = 10.0
WARNING_COUNT_MAX: Final = 20


class PollingSession(Session):
    """A session of a poller or of an action; *warnings* are the latest."""

    def __init__(self, flags: "dict[str, Value]") -> None:
        super().__init__(flags)
        self.warnings: list[str] = []

    def note(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        self.warnings = [*self.warnings, with_cluster(text, self.flags)][-WARNING_COUNT_MAX:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was read of a cluster at once, at *at_ms* since 1970; *number* counts the looks."""

    number: int
    at_ms: int
    evidence: "Evidence"
    report: "CheckReport"
    warnings: tuple[str, ...] = ()


class WatchedCluster:
    """A cluster by the *name* that addresses of pages have; *flags* name its servers.

    Its polls look at it every *interval_s*; *listeners* are called after each look, in the thread
    of the poll.
    """

    def __init__(
        self,
        name: str,
        flags: "dict[str, Value]",
        *,
        interval_s: float,
        default_min_isr: int = 1,
    ) -> None:
        self.name = name
        self.flags = flags
        self.interval_s = interval_s
        self.default_min_isr = default_min_isr
        self.listeners: list[Callable[[], None]] = []
        self.session = self.new_session()
        self.looks: Poll[Look] = Poll("cluster", self.see, interval_s, self.announce)
        self.poller = Poller([self.looks])

    def new_session(self) -> PollingSession:
        """Return a session to the cluster, for one poll or one action."""
        return PollingSession(self.flags)

    @property
    def look(self) -> Look | None:
        """The latest look; None before the first."""
        return self.looks.reading.answer

    @property
    def failure(self) -> KadminError | None:
        """Why the attempt after the latest look failed, None if it did not."""
        return self.looks.reading.error

    @property
    def is_stale(self) -> bool:
        """Whether the latest look is older than a few intervals."""
        age_s = self.looks.reading.age_s
        return age_s is not None and age_s > max(
            STALE_AFTER_INTERVALS * self.interval_s, STALE_AFTER_S_MIN
        )

    def announce(self, _reading: Reading[Look]) -> None:
        for listener in tuple(self.listeners):
            listener()

    def see(self) -> Look:
        """Look at the cluster.

        Raises:
            KadminError: it cannot be read.
        """
        from kadmin.plan.check.judge import judge

        session = self.session
        session.look_again()
        session.warnings = []
        at_ms = now_ms()
        evidence = read_evidence(session, default_min_isr=self.default_min_isr, asks_brokers=True)
        report = judge(evidence)
        findings = tuple(
            each
            if each.command is None
            else replace(each, command=with_cluster(each.command, self.flags))
            for each in report.findings
        )
        before = self.look
        return Look(
            number=1 if before is None else before.number + 1,
            at_ms=at_ms,
            evidence=evidence,
            report=replace(report, findings=findings),
            warnings=tuple(session.warnings),
        )


class NotReadYet(UnreachableError):
    """Nothing of *cluster* has been read so far, because of the latest failure."""

    def __init__(self, cluster: WatchedCluster) -> None:
        failure = cluster.failure
        super().__init__(
            f"{cluster.name} has not been read yet"
            + ("" if failure is None else f": {failure.message}"),
            hint=None if failure is None else failure.hint,
        )
