"""The live side of `kadmin verify-replicas`: are the replicas equal that brokers serve?"""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kadmin.cli.session import Session
from kadmin.errors import UsageError

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.verify.partition import VerifiedPartition
    from kadmin.jobs.verify_live import Report
    from kadmin.segments.live import Mismatch


NAMED_MAX: Final = 10
"""How many replicas that have not caught up are named."""


class ProgressReport:
    """Reports progress on standard error; with *is_plain* on standard output, as Kafka's tool."""

    def __init__(self, session: Session, *, is_plain: bool) -> None:
        self._session = session
        self._is_plain = is_plain

    def begin(self, partition_count: int) -> None:
        from kadmin.render.verify_replicas.live import started_line, started_note

        if self._is_plain:
            self._session.output.preface([started_line(now_ms())])
        else:
            self._session.output.note(started_note(partition_count))

    def report(self, report: "Report") -> None:
        from kadmin.render.verify_replicas.live import progress_note, report_line

        if self._is_plain:
            if report.worst is not None:
                self._session.output.preface([report_line(now_ms(), report)])
        else:
            self._session.output.note(progress_note(report))

    def differs(
        self, partition: "TopicPartition", offset: int, mismatch: "Mismatch | None"
    ) -> None:
        from kadmin.render.verify_replicas.live import mismatch_line

        if not self._is_plain:
            self._session.output.warn(f"{partition}: replicas differ from offset {offset} on")
        elif mismatch is not None:
            self._session.output.preface([mismatch_line(now_ms(), partition, mismatch)])

    def tell(self, text: str) -> None:
        self._session.output.warn(text)


class LiveOutcome(NamedTuple):
    """What came of it; and whether it ended before all had caught up that were to, or with none."""

    results: "Sequence[VerifiedPartition]"
    is_unfinished: bool


def verify_live(
    session: Session, selection: "TopicSelection", options: Mapping[str, Any]
) -> LiveOutcome:
    """Read and compare the replicas that brokers serve, and show what came of it."""
    from kadmin.app.verify_live import live_verification
    from kadmin.arguments.moments import parse_moment
    from kadmin.jobs.verify_live import LiveRequest

    check(session, options)
    default = "earliest" if options["until_caught_up"] else "latest"
    request = LiveRequest(
        fetch_size=options["fetch_size"],
        max_wait_ms=options["max_wait_ms"],
        report_interval_s=options["report_interval_ms"] / 1000,
        rounds_max=options["rounds"],
        until_caught_up=options["until_caught_up"],
        time_max_s=time_limit_s(session),
        rate_max=options["max_rate"],
    )
    progress = ProgressReport(session, is_plain=options["plain"])
    with live_verification(
        session,
        selection,
        request,
        progress,
        moment=parse_moment(options["moment"] or default, now_ms()),
        compacted=options["compacted"],
    ) as (verification, partition_count):
        progress.begin(partition_count)
        try:
            verification.run()
        except KeyboardInterrupt:
            show(session, verification.results(), is_plain=options["plain"])
            raise
    results = verification.results()
    show(session, results, is_plain=options["plain"])
    if verification.is_unfinished:
        session.output.warn("it ended before all replicas had caught up")
        stragglers = verification.stragglers()
        for text in stragglers[:NAMED_MAX]:
            session.output.warn(text)
        if len(stragglers) > NAMED_MAX:
            session.output.warn(f"and {len(stragglers) - NAMED_MAX} other replicas")
    if verification.has_nothing_left:
        session.output.warn("all that was to be verified was deleted meanwhile: nothing is proven")
    is_unread = verification.is_unfinished or verification.has_nothing_left
    return LiveOutcome(results, is_unread)


def check(session: Session, options: Mapping[str, Any]) -> None:
    """See that it is clear which brokers are meant, and take those of --broker-list.

    Raises:
        UsageError: no cluster is named, nor a log directory, or brokers are named twice.
    """
    named = options["broker_list"]
    if named is not None:
        if "bootstrap_server" in session.flags:
            raise UsageError(
                "--broker-list and --bootstrap-server are the same: give one of them",
                hint="leave out --broker-list, which is the older name",
            )
        session.flags["bootstrap_server"] = named
    settings = session.settings
    settings.check_cluster()
    if settings.text("bootstrap_server") is None and settings.text("zookeeper") is None:
        raise UsageError(
            "neither log directories nor brokers are named",
            hint="kadmin verify-replicas --log-dir 1=PATH --log-dir 2=PATH, or --bootstrap-server"
            " HOST:PORT",
        )


def time_limit_s(session: Session) -> float | None:
    """Return the end that --timeout sets, where it is given; else it has none of this kind."""
    return session.settings.timeout_s if "timeout" in session.flags else None


def show(session: Session, results: "Sequence[VerifiedPartition]", *, is_plain: bool) -> None:
    from kadmin.render.verify_replicas.files import summary_line, verified_document
    from kadmin.segments.compare import Verdict
    from kadmin.wording import counted

    if not is_plain:
        session.output.show(verified_document(results, ()))
    session.output.note(summary_line(results))
    count = sum(each.verdict is Verdict.UNCOMPARED for each in results)
    if count:
        session.output.warn(
            f"nothing was compared of {counted(count, 'partition')}, as no record came:"
            " --until-caught-up compares what is there"
        )


def now_ms() -> int:
    return time.time_ns() // 1_000_000
