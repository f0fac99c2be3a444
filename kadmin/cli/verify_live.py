"""The live side of `kadmin verify-replicas`: are the replicas equal that brokers serve?"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kadmin.cli.session import Session
from kadmin.errors import KadminError, UsageError

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.jobs.verify.partition import VerifiedPartition
    from kadmin.jobs.verify_live import Report
    from kadmin.plan.select import TopicSelection
    from kadmin.segments.live import Mismatch


NAMED_MAX: Final = 10
"""How many replicas that have not caught up are named."""


class Told:
    """Tells on standard error how it goes; with *is_plain* on standard output, as Kafka's tool."""

    def __init__(self, session: Session, *, is_plain: bool) -> None:
        self._session = session
        self._is_plain = is_plain

    def begin(self, partition_count: int) -> None:
        from kadmin.render.verify_live import started_line, started_note

        if self._is_plain:
            self._session.output.preface([started_line(now_ms())])
        else:
            self._session.output.note(started_note(partition_count))

    def report(self, report: "Report") -> None:
        from kadmin.render.verify_live import progress_note, report_line

        if self._is_plain:
            if report.worst is not None:
                self._session.output.preface([report_line(now_ms(), report)])
        else:
            self._session.output.note(progress_note(report))

    def differs(
        self, partition: "TopicPartition", offset: int, mismatch: "Mismatch | None"
    ) -> None:
        from kadmin.render.verify_live import mismatch_line

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
    from kadmin.admin.wire.opening import connect_brokers
    from kadmin.admin.wire.replica_reader import WireReplicaReader
    from kadmin.admin.wire.snapshot import read_topics
    from kadmin.jobs.read_bounds import ANSWER_S
    from kadmin.jobs.verify_live import LiveRequest, LiveVerification
    from kadmin.plan.offsets import parse_moment

    check(session, options)
    began_s = time.monotonic()
    default = "earliest" if options["until_caught_up"] else "latest"
    moment = parse_moment(options["moment"] or default, now_ms())
    request = LiveRequest(
        fetch_size=options["fetch_size"],
        max_wait_ms=options["max_wait_ms"],
        report_interval_s=options["report_interval_ms"] / 1000,
        rounds_max=options["rounds"],
        until_caught_up=options["until_caught_up"],
        time_max_s=time_limit_s(session),
        rate_max=options["max_rate"],
    )
    told = Told(session, is_plain=options["plain"])
    brokers = session.brokers()
    patience_s = brokers.timeout_s if request.time_max_s is None else request.time_max_s / 2
    answer_s = request.max_wait_ms / 1000 + min(patience_s, ANSWER_S)
    with connect_brokers(replace(brokers, timeout_s=answer_s)) as connection:
        topics = sorted(read_topics(connection, selection).topics)
        compacted = compacted_topics(session, connection, topics, options["compacted"])
        reader = WireReplicaReader(connection, topics)
        placement = reader.placement()
        if not placement.replicas:
            raise KadminError(
                "there is no topic to verify", hint="'kadmin topics --list' lists all topics"
            )
        starts = reader.starts(placement.replicas, moment)
        if request.time_max_s is not None:
            # What it took to begin is a part of it.
            left_s = max(0.0, request.time_max_s - (time.monotonic() - began_s))
            request = replace(request, time_max_s=left_s)
        verification = LiveVerification(
            reader, request, told, placement, starts, compacted=compacted
        )
        told.begin(len(placement.replicas))
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
    """The end that --timeout sets, where it is given; else it has none of this kind."""
    return session.settings.timeout_s if "timeout" in session.flags else None


def compacted_topics(
    session: Session,
    connection: "WireConnection",
    topics: Sequence[str],
    named: tuple[str, ...],
) -> frozenset[str]:
    """Those of *topics* that are compacted: as brokers describe them, and those *named*."""
    from kafka.errors import KafkaError

    from kadmin.admin.wire.describe_configs import read_topic_configs
    from kadmin.plan.select import TopicSelection

    found = set(TopicSelection(wanted=named).require(topics)) if named else set()
    try:
        for name, configs in read_topic_configs(connection, topics).items():
            policy = {**configs.inherited, **configs.overrides}.get("cleanup.policy", "")
            if "compact" in policy.split(","):
                found.add(name)
    except (KadminError, KafkaError) as error:
        session.output.warn(
            f"which topics are compacted is not known: {error}; name them with --compacted"
        )
    return frozenset(found)


def show(session: Session, results: "Sequence[VerifiedPartition]", *, is_plain: bool) -> None:
    from kadmin.plan.wording import counted
    from kadmin.render.verify_replicas import summary_line, verified_document
    from kadmin.segments.compare import Verdict

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
