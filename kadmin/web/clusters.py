"""Clusters that are watched: one poller for each, however many readers there are."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kadmin.app.hint_target import with_cluster
from kadmin.app.session import Session
from kadmin.errors import KadminError, UnreachableError

if TYPE_CHECKING:
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.check.findings import CheckReport
    from kadmin.settings.keys import Value

STALE_AFTER_INTERVALS: Final = 3
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


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The latest look, None before the first, and why the one after it failed, if it did."""

    look: Look | None = None
    failure: KadminError | None = None
    failed_at_ms: int | None = None


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(slots=True, kw_only=True)
class WatchedCluster:
    """A cluster by the *name* that addresses of pages have; *flags* name its servers.

    A thread looks at it every *interval_s*; *listeners* are called after each look, in that thread.
    """

    name: str
    flags: "dict[str, Value]"
    interval_s: float
    default_min_isr: int = 1
    state: State = field(default_factory=State)
    listeners: list[Callable[[], None]] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _asked: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def new_session(self) -> PollingSession:
        """Return a session to the cluster, for one action."""
        return PollingSession(self.flags)

    def is_stale(self, at_ms: int) -> bool:
        """Return whether what is known at *at_ms* is older than a few intervals."""
        look = self.state.look
        return look is not None and at_ms - look.at_ms > 1000 * max(
            STALE_AFTER_INTERVALS * self.interval_s, 10.0
        )

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=f"poll {self.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more; a look that has begun is not waited for."""
        self._stopping.set()
        self._asked.set()

    def look_soon(self) -> None:
        """Look at once, after a change."""
        self._asked.set()

    def _run(self) -> None:
        session = self.new_session()
        while not self._stopping.is_set():
            self._asked.clear()
            self.look(session)
            for listener in tuple(self.listeners):
                listener()
            self._asked.wait(self.interval_s)

    def look(self, session: PollingSession) -> None:
        """Look at the cluster once; a failure leaves the look before it."""
        from kadmin.app.evidence import read_evidence
        from kadmin.plan.check.judge import judge

        session.look_again()
        session.warnings = []
        try:
            evidence = read_evidence(
                session, default_min_isr=self.default_min_isr, asks_brokers=True
            )
        except KadminError as error:
            self.state = replace(self.state, failure=error, failed_at_ms=now_ms())
            return
        report = judge(evidence)
        findings = tuple(
            each
            if each.command is None
            else replace(each, command=with_cluster(each.command, self.flags))
            for each in report.findings
        )
        before = self.state.look
        self.state = State(
            look=Look(
                number=1 if before is None else before.number + 1,
                at_ms=now_ms(),
                evidence=evidence,
                report=replace(report, findings=findings),
                warnings=tuple(session.warnings),
            )
        )


class NotReadYet(UnreachableError):
    """Nothing of *cluster* has been read so far; the failure, if it is known, says why."""

    def __init__(self, cluster: WatchedCluster) -> None:
        failure = cluster.state.failure
        super().__init__(
            f"{cluster.name} has not been read yet"
            + ("" if failure is None else f": {failure.message}"),
            hint=None if failure is None else failure.hint,
        )
