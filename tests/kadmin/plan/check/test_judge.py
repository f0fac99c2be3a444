"""The judgement of a cluster: is the worst told first, and nothing that is ignored?"""

from dataclasses import replace

from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Kind, Severity
from kadmin.plan.check.judge import judge
from kadmin.wording import brokers_text
from tests.kadmin.builders import brokers, cluster, ids, state, topic
from tests.kadmin.plan.migration.evidence import migrating

SICK = Evidence(
    snapshot=cluster(
        brokers("0 1 2"),
        topic("a", "0,7 1,7", {0: state(0, "0"), 1: state(1, "1")}, configs={}),
        topic("b", "7", {0: state(-1, "7")}),
        topic("c", "0,1", {0: state(1, "0,1")}),
        topic("d", "0,1,2", {0: state(0, "0")}, configs={"min.insync.replicas": "2"}),
    ),
    now_ms=0,
    unlooked=("log directories",),
)


def test_the_worst_stands_first() -> None:
    report = judge(SICK)

    assert [
        (Severity.CRITICAL, Kind.OFFLINE),
        (Severity.CRITICAL, Kind.UNDER_MIN_ISR),
        (Severity.WARNING, Kind.DEAD_BROKER),
        (Severity.WARNING, Kind.AT_MIN_ISR),
        (Severity.NOTE, Kind.NOT_PREFERRED),
    ] == [(each.severity, each.kind) for each in report.findings]
    assert (Severity.CRITICAL, False) == (report.worst, report.is_healthy)
    assert (3, 0, 4, 5) == (
        report.broker_count,
        report.controller,
        report.topic_count,
        report.partition_count,
    )
    assert (2, 2, 1) == tuple(map(report.counted, Severity))
    assert (1, 2) == (
        report.partitions_with(Kind.OFFLINE),
        report.partitions_with(Kind.AT_MIN_ISR),
    )
    assert ("log directories",) == report.unlooked


def test_a_cluster_with_nothing_but_notes_is_healthy() -> None:
    bad = (Kind.OFFLINE, Kind.UNDER_MIN_ISR, Kind.DEAD_BROKER, Kind.AT_MIN_ISR)

    report = judge(SICK, bad)

    assert (Severity.NOTE, True) == (report.worst, report.is_healthy)
    nothing = judge(SICK, list(Kind))
    assert (None, True, ()) == (nothing.worst, nothing.is_healthy, nothing.findings)


def test_words() -> None:
    assert ["broker 7", "brokers 1 and 2", "brokers 1, 2 and 3"] == [
        brokers_text(ids(text)) for text in ("7", "1,2", "1,2,3")
    ]


def test_changes_are_made_by_brokers_once_kraft_owns_the_cluster() -> None:
    led_by_another = topic("t", "0,1", {0: state(1, "0,1")})
    owned = migrating(40).snapshot
    moved = replace(owned, topics={"t": led_by_another})

    def command(snapshot: ClusterSnapshot) -> str | None:
        (finding,) = judge(Evidence(snapshot=snapshot, now_ms=0)).findings
        return finding.command

    over_zookeeper = command(cluster(brokers("0 1"), led_by_another))
    assert "kadmin elect --all-topic-partitions --dry-run" == over_zookeeper
    assert f"{over_zookeeper} --bootstrap-server HOST:PORT" == command(moved)
