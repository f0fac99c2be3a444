"""What was begun and not ended: is it told, and why it hangs?"""

from dataclasses import replace

import pytest

from cluster.model import fault as subjects
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.leftovers import leftover_findings
from tests.kadmin.builders import brokers, cluster, topic

THROTTLED = {"leader.replication.throttled.replicas": "0:1"}


def found(snapshot: ClusterSnapshot, **more: object) -> list[Finding]:
    evidence = Evidence(snapshot=snapshot, now_ms=0)
    return list(leftover_findings(replace(evidence, **more)))  # type: ignore[arg-type]


def only(snapshot: ClusterSnapshot, **more: object) -> tuple[Severity, Kind, str]:
    (finding,) = found(snapshot, **more)
    return finding.severity, finding.kind, finding.text


def test_a_sound_cluster_has_no_findings() -> None:
    assert [] == found(cluster(brokers("0 1"), topic("t", "0,1")), broker_configs={})


@pytest.mark.parametrize(
    ("going", "reason"),
    [
        (topic("t", "0,7", marked=True), "broker 7 is dead"),
        (topic("t", "0,7,8", marked=True), "brokers 7 and 8 are dead"),
        (
            topic("t", "0", marked=True),
            "it is under way, or delete.topic.enable=false on the controller",
        ),
    ],
)
def test_a_deletion_that_hangs_says_why(going: TopicSnapshot, reason: str) -> None:
    assert (Severity.WARNING, Kind.DELETION, f"1 topic waits for deletion: {reason}") == only(
        cluster(brokers("0 1"), going)
    )


def test_deletions_wait_for_a_controller_and_for_reassignments() -> None:
    going = cluster(brokers("0 1"), topic("t", "0", marked=True), topic("u", "0", marked=True))
    moving = cluster(brokers("0 1"), topic("t", "0,1", marked=True, adding="1"))

    assert (
        "2 topics wait for deletion: there is no controller"
        == (only(replace(going, controller=None))[2])
    )
    hanging = cluster(brokers("0"), topic("t", "0,1", marked=True, adding="1"))

    for snapshot, reason in (
        (moving, "the topic is being reassigned"),
        (hanging, "broker 1 is dead, and the topic is being reassigned"),
    ):
        finding = found(snapshot)[0]
        assert f"1 topic waits for deletion: {reason}" == finding.text
        assert "kadmin reassign --cancel --topic t" == finding.command


def test_a_mark_without_its_topic_is_told() -> None:
    (finding,) = found(cluster(brokers("0")), orphan_marks=("gone",))

    assert ("1 topic is marked for deletion and not there", ("gone",)) == (
        finding.text,
        finding.topics,
    )


def test_a_reassignment_is_a_note_unless_it_waits_for_the_dead() -> None:
    moving = cluster(brokers("0 1"), topic("t", "0,1", adding="1"))
    hanging = cluster(brokers("0 1"), topic("t", "0,7", adding="7"))
    old = cluster(
        brokers("0 1"),
        topic("t", "0"),
        moving={TopicPartition("t", 0): (BrokerId(1),), TopicPartition("t", 5): (BrokerId(1),)},
    )

    assert (Severity.NOTE, Kind.REASSIGNMENT, "1 partition is being reassigned") == only(moving)
    assert (
        Severity.WARNING,
        Kind.REASSIGNMENT,
        "1 partition is being reassigned to broker 7, which is dead",
    ) == only(hanging)
    assert [
        "a reassignment was asked for of 1 partition that is not there",
        "1 partition is being reassigned",
    ] == [each.text for each in found(old)]


def test_an_election_that_nobody_carries_out_is_a_warning() -> None:
    asked = (TopicPartition("t", 0),)
    sound = cluster(brokers("0"), topic("t", "0"))

    assert (
        Severity.NOTE,
        Kind.ELECTION,
        "an election was asked for of 1 partition, and is not over",
    ) == only(sound, elections=asked)
    assert Severity.WARNING is only(replace(sound, controller=None), elections=asked)[0]


def test_throttles_of_what_is_not_moved_are_left_behind() -> None:
    rates = {BrokerId(1): {"follower.replication.throttled.rate": "1000"}, BrokerId(0): {"a": "b"}}
    still = cluster(brokers("0 1"), topic("t", "0,1", configs=THROTTLED), topic("u", "0"))
    moving = cluster(brokers("0 1"), topic("t", "0,1", adding="1", configs=THROTTLED))

    of_topic, of_broker = found(still, broker_configs=rates)

    assert "1 topic has throttled replicas, and nothing is moved" == of_topic.text
    assert of_topic.command is not None
    assert "--topic t --delete-config leader.replication.throttled.replicas," in of_topic.command
    assert "broker 1 limits the rate of replication, and nothing is moved" == of_broker.text
    assert [Kind.REASSIGNMENT] == [each.kind for each in found(moving, broker_configs=rates)]


def test_what_cannot_be_read_is_told() -> None:
    fault = Fault(
        subject=subjects.topic("t"), where="/t", version=3, reason="no JSON", text="/t is no JSON"
    )

    assert (Severity.WARNING, Kind.UNREADABLE, "this cannot be read: /t is no JSON") == only(
        replace(cluster(brokers("0")), faults=(fault,))
    )
