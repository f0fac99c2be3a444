"""The exporter of a cluster: polls, and what a scrape gets of their last answers.

Each poll is written as text once; a scrape only joins these texts, and never asks a server.
"""

import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from cluster.metrics.exposition import Exposition, Format
from cluster.runtime.reporters.process_series import add_process
from kadmin.app.exporting.reading import Wanted, read_exported
from kadmin.app.groups import History
from kadmin.app.polling import Poll, Poller, Reading
from kadmin.app.preloading import import_clients
from kadmin.errors import KadminError
from kadmin.render.exposition.cluster import cluster_families
from kadmin.render.exposition.findings import finding_families
from kadmin.render.exposition.groups import group_families
from kadmin.render.exposition.polls import PollHealth, poll_families
from kadmin.render.exposition.text import Family, exposition
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.reports.exported import Exported

CLUSTER: Final = "cluster"
CHECK: Final = "check"
FAST: Final = 1
"""The level of compression: higher ones save little more, and take several times as long."""


@dataclass(frozen=True, slots=True)
class Page:
    """The metrics of one poll, and the same compressed.

    *unanswered* is how much it lacks; *missing* are names that were asked for and do not exist.
    """

    text: bytes
    zipped: bytes
    unanswered: Mapping[str, int] = field(default_factory=dict)
    missing: Sequence[KadminError] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is exported, how often it is read, and how old it may be.

    Verdicts on groups are from looks of the last *window_s*.  The cluster is checked every
    *check_interval_s*, never where that is None.
    """

    wanted: Wanted
    interval_s: float
    age_max_s: float
    window_s: float
    check_interval_s: float | None


class Exporter:
    """The polls of a cluster, each by its own session of *new_session*, and their last pages."""

    def __init__(self, new_session: "Callable[[], Session]", settings: Settings) -> None:
        import_clients()
        self.settings = settings
        self._history = History(round(1000 * settings.window_s))
        polls = [self._poll(CLUSTER, new_session(), self._read_cluster, settings.interval_s)]
        if settings.check_interval_s is not None:
            check = self._poll(CHECK, new_session(), read_check, settings.check_interval_s)
            polls.append(check)
        self.poller = Poller(polls)

    def _poll(
        self,
        name: str,
        session: "Session",
        read: "Callable[[Session], Page]",
        interval_s: float,
    ) -> Poll[Page]:
        def ask() -> Page:
            session.look_again()
            try:
                return read(session)
            finally:
                session.leave_out_down_servers()

        news = News(name, session, interval_s)
        return Poll(name, ask, interval_s, after=news.note)

    def _read_cluster(self, session: "Session") -> Page:
        exported = read_exported(session, self.settings.wanted, self._history)
        return replace(
            page(chain(cluster_families(exported), group_families(exported))),
            unanswered=unanswered_in(exported),
            missing=exported.missing,
        )

    def read_once(self) -> KadminError | None:
        """Ask each poll once, on this thread and without news; return the first error, also of a
        name that does not exist."""
        readings = []
        for poll in self.poller.polls.values():
            poll.after = None
            readings.append(poll.attempt())
        failures = [each.error for each in readings if each.error is not None]
        missing = [error for each in readings if each.answer for error in each.answer.missing]
        return next(iter([*failures, *missing]), None)

    def scrape(self, is_zipped: bool) -> bytes:
        """Return the last numbers of all polls, without those that are too old, and how old they
        are; *is_zipped* in the form of gzip."""
        readings = {name: poll.reading for name, poll in self.poller.polls.items()}
        age_max_s = self.settings.age_max_s
        pages = [each.answer_within(age_max_s) for each in readings.values()]
        health = page(poll_families({name: health_of(each) for name, each in readings.items()}))
        kept = [*(each for each in pages if each is not None), health]
        return b"".join(each.zipped if is_zipped else each.text for each in kept)

    def answer(self, is_zipped: bool) -> bytes:
        """Return a scrape, and behind it the CPU time, memory and open files of this process.

        These are not in a file for node_exporter, which has series of the same names itself.
        """
        process = Exposition()
        add_process(process)
        text = b"".join(process.pieces(Format.TEXT))
        return self.scrape(is_zipped) + (gzip.compress(text, FAST) if is_zipped else text)


def page(families: Iterable[Family]) -> Page:
    text = exposition(families)
    # Streams of gzip may stand one behind the other, as texts may.
    return Page(text, gzip.compress(text, FAST))


def read_check(session: "Session") -> Page:
    from kadmin.app.evidence import read_evidence
    from kadmin.plan.check.judge import judge

    evidence = read_evidence(session, default_min_isr=1, asks_brokers=True)
    return page(finding_families(judge(evidence)))


def unanswered_in(exported: "Exported") -> dict[str, int]:
    return {
        "brokers": len(exported.silent),
        "groups": len(exported.groups.unanswered),
        "partitions": len(exported.logs.unknown),
    }


def health_of(reading: Reading[Page]) -> PollHealth:
    answer = reading.answer
    return PollHealth(
        is_up=reading.number > 0 and reading.error is None,
        age_s=reading.age_s,
        took_s=None if answer is None else reading.took_s,
        number=reading.number,
        failure_count=reading.failure_count,
        late_count=reading.late_count,
        unanswered={} if answer is None else answer.unanswered,
    )


class News:
    """What of a poll is worth a line: that it fails, why, and that it does no more."""

    def __init__(self, name: str, session: "Session", interval_s: float) -> None:
        self.name = name
        self.session = session
        self.interval_s = interval_s
        self._last = ""

    def note(self, reading: Reading[Page]) -> None:
        """Warn of what *reading* has, unless the one before had the same."""
        now = self._text(reading)
        if now and now != self._last:
            self.session.warn(now)
        elif self._last and not now:
            self.session.note(f"poll {self.name}: all is read again")
        self._last = now

    def _text(self, reading: Reading[Page]) -> str:
        if reading.error is not None:
            return f"poll {self.name}: {reading.error.message}; trying again"
        unanswered = {} if reading.answer is None else reading.answer.unanswered
        lacking = [counted(n, what.removesuffix("s")) for what, n in unanswered.items() if n]
        if lacking:
            return f"poll {self.name}: no answer about {', '.join(lacking)}"
        missing = () if reading.answer is None else reading.answer.missing
        if missing:
            return f"poll {self.name}: {'; '.join(each.message for each in missing)}, for now"
        if reading.took_s > self.interval_s:
            return (
                f"poll {self.name} takes longer than its interval of {self.interval_s:g} s:"
                " numbers are older than that"
            )
        return ""
