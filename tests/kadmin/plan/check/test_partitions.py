"""Ill partitions: does each have one cause, and all of one cause one finding?"""

from dataclasses import replace
from enum import StrEnum

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, EligibleLeaders
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.partitions import partition_findings
from tests.kadmin.builders import brokers, cluster, state, topic

TWO_OF_THREE = {"min.insync.replicas": "2"}


def found(snapshot: ClusterSnapshot, default_min_isr: int = 1) -> list[Finding]:
    return list(partition_findings(snapshot, default_min_isr))


def texts(snapshot: ClusterSnapshot) -> list[tuple[StrEnum, str, list[str]]]:
    return [(each.kind, each.text, list(map(str, each.partitions))) for each in found(snapshot)]


def test_a_sound_cluster_has_no_findings() -> None:
    assert [] == found(cluster(brokers("0 1 2"), topic("t", "0,1,2 1,2,0"), topic("u", "2")))


def test_all_partitions_that_lack_the_same_broker_are_one_finding() -> None:
    snapshot = cluster(
        brokers("0 1"),
        topic("t", "0,1,7 1,0,7", {0: state(0, "0,1"), 1: state(1, "1,0")}),
        topic("u", "0,7", {0: state(0, "0")}),
        topic("v", "0,1", {0: state(0, "0")}),
        topic("w", "0,1,7", {0: state(0, "0,1")}, configs=TWO_OF_THREE),
    )

    assert [
        (Kind.UNDER_REPLICATED, "2 partitions lack broker 7, which is dead", ["t-0", "t-1"]),
        (
            Kind.AT_MIN_ISR,
            "1 partition lacks broker 7, which is dead; when the last one is lost, too, it has no"
            " leader",
            ["u-0"],
        ),
        (
            Kind.AT_MIN_ISR,
            "1 partition lacks broker 1, which is alive and out of the ISR; when the last one is"
            " lost, too, it has no leader",
            ["v-0"],
        ),
        (
            Kind.AT_MIN_ISR,
            "1 partition lacks broker 7, which is dead; when one more is lost, writes with acks=all"
            " are refused",
            ["w-0"],
        ),
    ] == texts(snapshot)
    assert {Severity.WARNING} == {each.severity for each in found(snapshot)}


def test_partitions_under_min_isr_are_critical_and_say_whom_they_lack() -> None:
    snapshot = cluster(
        brokers("0 1"),
        topic("t", "0,7,8", {0: state(0, "0")}, configs=TWO_OF_THREE),
        topic("u", "0,1,8", {0: state(0, "0")}, configs=TWO_OF_THREE),
        topic("v", "0", {0: state(0, "0")}, configs=TWO_OF_THREE),
    )

    assert [
        "1 partition is under min ISR, lacking brokers 7 and 8, which are dead: writes with"
        " acks=all are refused",
        "1 partition is under min ISR, lacking brokers 1 and 8, of which broker 8 is dead: writes"
        " with acks=all are refused",
        "1 partition has fewer replicas than min.insync.replicas: writes with acks=all are refused",
    ] == [each.text for each in found(snapshot)]
    assert {(Severity.CRITICAL, Kind.UNDER_MIN_ISR)} == {
        (each.severity, each.kind) for each in found(snapshot)
    }


@pytest.mark.parametrize(
    ("isr", "text"),
    [
        ("7", "2 partitions are offline until broker 7 is back, the only ISR member"),
        ("8,7", "2 partitions are offline until one of brokers 7 and 8 is back, the whole ISR"),
        ("0,7", "2 partitions have no leader, though a member of their ISR is alive"),
        ("", "2 partitions are offline, and their ISR is empty"),
    ],
)
def test_offline_partitions_say_who_must_come_back(isr: str, text: str) -> None:
    gone = {0: state(-1, isr), 1: state(-1, isr)}
    snapshot = cluster(brokers("0"), topic("t", "7,8,0 7,8,0", gone))

    (finding,) = found(snapshot)

    assert (Severity.CRITICAL, Kind.OFFLINE, text) == (
        finding.severity,
        finding.kind,
        finding.text,
    )
    assert "kadmin topics --describe --unavailable-partitions" == finding.command


@pytest.mark.parametrize(
    ("eligible", "text"),
    [
        ((7,), "1 partition is offline until broker 7 is back, its only eligible leader"),
        (
            (8, 7),
            "1 partition is offline until one of brokers 7 and 8 is back, its eligible leaders",
        ),
    ],
)
def test_eligible_leaders_come_back_where_there_is_no_isr(
    eligible: tuple[int, ...], text: str
) -> None:
    snapshot = replace(
        cluster(brokers("0"), topic("t", "7,8", {0: state(-1, "")})),
        eligible={TopicPartition("t", 0): EligibleLeaders(tuple(map(BrokerId, eligible)))},
    )

    assert [text] == [each.text for each in found(snapshot)]


def test_a_partition_that_nobody_has_taken_up_is_offline() -> None:
    (finding,) = found(cluster(brokers("0"), topic("t", "0 0", {0: state(0, "0")})))

    assert "1 partition never had a leader: no controller has taken it up" == finding.text


def test_leaders_that_could_go_home_are_a_note() -> None:
    snapshot = cluster(
        brokers("0 1"),
        topic("t", "0,1 0,1", {0: state(1, "0,1"), 1: state(1, "1")}),
    )

    notes = [each for each in found(snapshot) if each.kind is Kind.NOT_PREFERRED]

    assert [(Severity.NOTE, "1 partition is not led by broker 0, its preferred leader")] == [
        (each.severity, each.text) for each in notes
    ]


def test_what_a_reassignment_adds_is_not_lacking_yet() -> None:
    moving = topic("t", "0,1,2", {0: state(0, "0,1")}, adding="2")
    stuck = topic("t", "0,1,2", {0: state(0, "0")}, adding="2")

    assert [] == found(cluster(brokers("0 1 2"), moving))
    assert [Kind.AT_MIN_ISR] == [each.kind for each in found(cluster(brokers("0 1 2"), stuck))]


def test_a_topic_that_is_being_deleted_is_not_ill() -> None:
    assert [] == found(cluster(brokers("0"), topic("t", "7", {0: state(-1, "7")}, marked=True)))


def test_a_leader_of_an_unclean_election_recovers() -> None:
    recovering = {0: state(0, "0,1", leader_recovery_state=1)}

    (finding,) = found(cluster(brokers("0 1"), topic("t", "0,1", recovering)))

    assert (Kind.RECOVERING, Severity.WARNING) == (finding.kind, finding.severity)


def test_offline_partitions_tell_when_the_first_lost_its_leader():
    made = topic("t", "7 7 0", {0: state(-1, "7"), 1: state(-1, "7"), 2: state(0, "0")})
    since = {0: 1_700_000_060_000, 1: 1_700_000_000_000}
    dated = replace(made, leaderless_since_ms=since)

    (several,) = found(cluster(brokers("0"), dated))
    one_led = replace(dated, states={**made.states, 0: state(0, "0")}, leaderless_since_ms={1: 0})
    led = found(cluster(brokers("0"), one_led))
    (one,) = [each for each in led if each.kind is Kind.OFFLINE]

    start = "are offline until broker 7 is back, the only ISR member"
    assert (
        f"2 partitions {start}; the first without a leader since at least 2023-11-14 22:13:20 UTC"
    ) == several.text
    assert one.text.endswith("; without a leader since at least 1970-01-01 00:00:00 UTC")


def test_replicas_that_only_a_hand_can_have_written_are_named() -> None:
    snapshot = cluster(
        brokers("1 2 3 9"),
        topic("empty", "- -", {1: state(1, "1")}),
        topic("gaps", "1 1 1"),
        topic("none", ""),
        topic("outside", "1,2", {0: state(1, "2")}),
        topic("strange", "1,2,3", {0: state(1, "1,2,9")}),
        topic("twice", "1,1,1", {0: state(1, "1")}, configs=TWO_OF_THREE),
    )
    gaps = snapshot.topics["gaps"].assignment
    holed = replace(gaps, partitions={n: part for n, part in gaps.partitions.items() if n != 1})
    topics = {**snapshot.topics, "gaps": replace(snapshot.topics["gaps"], assignment=holed)}

    told = found(replace(snapshot, topics=topics))

    assert [
        ("2 partitions have no replicas: no broker can lead them", ["empty-0", "empty-1"]),
        ("1 partition has broker 1 as its leader, which is not in its ISR", ["outside-0"]),
        (
            "1 partition lacks broker 1, which is alive and out of the ISR; when the last one is"
            " lost, too, it has no leader",
            ["outside-0"],
        ),
        ("1 partition has broker 9 in its ISR or as leader, which holds no replica", ["strange-0"]),
        ("1 partition lacks broker 3, which is alive and out of the ISR", ["strange-0"]),
        (
            "1 partition names a broker several times among its replicas, where it counts once",
            ["twice-0"],
        ),
        (
            "1 partition has fewer replicas than min.insync.replicas: writes with acks=all are"
            " refused",
            ["twice-0"],
        ),
        ("1 topic has no partitions", ["none"]),
        ("1 topic has gaps in the numbers of partitions", ["gaps"]),
    ] == [(each.text, [*map(str, each.partitions), *each.topics]) for each in told]


def test_what_a_broker_says_that_it_does_not_serve_is_told_with_its_reason() -> None:
    reason = "cleanup.policy=compact is not supported"
    refused = {TopicPartition("t", number): reason for number in (0, 1)}
    gone = {TopicPartition("gone", 0): "no room"}
    live = brokers("0 1 2")
    live |= {BrokerId(0): replace(live[BrokerId(0)], refused=refused | gone)}
    states = {0: state(0, "0,1"), 1: state(1, "1,0")}
    snapshot = cluster(live, topic("t", "0,1 1,0", states), topic("u", "2"))

    findings = found(snapshot)

    assert [
        (
            Severity.CRITICAL,
            f"broker 0 does not serve 1 partition, which it should lead: {reason}",
            ["t-0"],
        ),
        (Severity.WARNING, f"broker 0 does not serve 1 partition: {reason}", ["t-1"]),
    ] == [(each.severity, each.text, list(map(str, each.partitions))) for each in findings]
    assert {Kind.REFUSED} == {each.kind for each in findings}
