"""What was begun and not ended: is it told, and why it hangs?"""

import subprocess
from dataclasses import replace
from enum import StrEnum

import pytest

from cluster.model import fault as subjects
from cluster.model.config_entity import broker_entity, topic_entity
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.leftovers import leftover_findings
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal
from kadmin.plan.reassignment.moves import stale_command
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.waiting import OUTER_LIMIT_S

THROTTLED = {"leader.replication.throttled.replicas": "0:1"}


def found(snapshot: ClusterSnapshot, **more: object) -> list[Finding]:
    evidence = Evidence(snapshot=snapshot, now_ms=0)
    return list(leftover_findings(replace(evidence, **more)))  # type: ignore[arg-type]


def only(snapshot: ClusterSnapshot, **more: object) -> tuple[Severity, StrEnum, str]:
    (finding,) = found(snapshot, **more)
    return finding.severity, finding.kind, finding.text


def test_a_sound_cluster_has_no_findings() -> None:
    assert [] == found(cluster(brokers("0 1"), topic("t", "0,1")), broker_configs={})


def with_id(name: str, topic_id: str) -> TopicSnapshot:
    made = topic(name, "0")
    return replace(made, assignment=replace(made.assignment, topic_id=topic_id))


ID = "VcrVJPOVR7SVkgM35bYjEg"
STOPS = (
    "the next controller of Kafka fails on this, and the cluster has none until it is written anew"
    " or removed with zookeeper-shell: "
)


@pytest.mark.parametrize(
    ("first", "second", "reason", "named"),
    [
        (ID, ID, f"topics t, u have one topic id: {ID}", ("t", "u")),
        (ID, f"{ID}==", f"topics t, u have one topic id: {ID}", ("t", "u")),
        # The last character has six bits, of which the id has two.
        (ID, f"{ID[:-1]}h", f"topics t, u have one topic id: {ID}", ("t", "u")),
        (ID[:-2], ID, f"the id of topic 't' is no UUID: {ID[:-2]}", ("t",)),
        (f"{ID[:-2]}+/", ID, f"the id of topic 't' is no UUID: {ID[:-2]}+/", ("t",)),
        (f"{ID}=", ID, f"the id of topic 't' is no UUID: {ID}=", ("t",)),
    ],
    ids=["of two topics", "padded", "other bits", "short", "of another alphabet", "half padded"],
)
def test_topic_ids_that_stop_controllers_are_damage(
    first: str, second: str, reason: str, named: tuple[str, ...]
) -> None:
    (finding,) = found(cluster(brokers("0"), with_id("t", first), with_id("u", second)))

    assert (Severity.CRITICAL, Kind.DAMAGED, STOPS + reason) == (
        finding.severity,
        finding.kind,
        finding.text,
    )
    assert named == finding.topics


def test_topic_ids_that_differ_in_case_are_two() -> None:
    assert [] == found(cluster(brokers("0"), with_id("t", ID), with_id("u", ID.lower())))


@pytest.mark.parametrize(
    ("subject", "partitions", "topics", "about_brokers", "groups"),
    [
        (subjects.topic("t-1"), [], ["t-1"], [], []),
        (subjects.partition_state(TopicPartition("t-1", 0)), ["t-1-0"], [], [], []),
        (subjects.broker(0), [], [], [0], []),
        (Subject(Thing.BROKER, "x"), [], [], [], []),
        (subjects.log_dirs(0), [], [], [0], []),
        (subjects.LOG_DIRS, [], [], [], []),
        (subjects.group("g"), [], [], [], ["g"]),
        (subjects.config(topic_entity("t-1")), [], ["t-1"], [], []),
        (subjects.config(broker_entity(BrokerId(0))), [], [], [0], []),
        (subjects.CONFIGS, [], [], [], []),
    ],
    ids=str,
)
def test_what_a_fault_names_stands_in_its_document(
    subject: Subject,
    partitions: list[str],
    topics: list[str],
    about_brokers: list[int],
    groups: list[str],
) -> None:
    fault = Fault(subject=subject, where="/x", version=3, reason="no JSON", text="/x is no JSON")
    snapshot = cluster(brokers("0"), topic("t-1", "0"))

    (finding,) = found(replace(snapshot, faults=(fault,)))

    assert (partitions, topics, about_brokers, groups) == (
        list(map(str, finding.partitions)),
        list(finding.topics),
        list(finding.brokers),
        list(finding.groups),
    )


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

    assert ("1 topic is marked for deletion and does not exist", ("gone",)) == (
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
    assert found(old)[0].command == (
        "kadmin reassign --cancel --reassignment-json-file FILE-WITH-THESE-ALONE"
    )


def test_a_request_for_what_is_gone_is_cancelled_by_a_topic_of_which_nothing_moves() -> None:
    gone, moved = TopicPartition("a", 0), TopicPartition("a", 1)

    assert "kadmin reassign --cancel --topic a" == stale_command([gone])
    assert "kadmin reassign --cancel --topic b" == stale_command(
        [gone, TopicPartition("b", 0)], [moved]
    )


def test_an_election_that_nobody_carries_out_is_a_warning() -> None:
    asked = (TopicPartition("t", 0),)
    sound = cluster(brokers("0"), topic("t", "0"))

    assert (
        Severity.NOTE,
        Kind.ELECTION,
        "an election was asked for of 1 partition, and is not over",
    ) == only(sound, elections=asked)
    assert Severity.WARNING is only(replace(sound, controller=None), elections=asked)[0]


def test_foreign_throttles_of_what_is_not_moved_are_shown() -> None:
    rates = {BrokerId(1): {"follower.replication.throttled.rate": "1000"}, BrokerId(0): {"a": "b"}}
    still = cluster(brokers("0 1"), topic("t", "0,1", configs=THROTTLED), topic("u", "0"))
    moving = cluster(brokers("0 1"), topic("t", "0,1", adding="1", configs=THROTTLED))

    of_topic, of_broker = found(still, broker_configs=rates)

    assert "1 topic has throttled replicas, and nothing of it is moved" == of_topic.text
    assert "kadmin throttle doctor" == of_topic.command
    assert "broker 1 limits the rate of replication, and nothing is moved" == of_broker.text
    assert "kadmin throttle doctor" == of_broker.command
    assert [Kind.REASSIGNMENT] == [each.kind for each in found(moving, broker_configs=rates)]


JOURNAL = ThrottleJournal(
    entries={
        topic_entity("t"): {
            "leader.replication.throttled.replicas": Recorded(before="*", afters=("0:1",))
        },
        broker_entity(BrokerId(1)): {
            "leader.replication.throttled.rate": Recorded(before="5", afters=("1000", "2000"))
        },
    }
)
RATE = {BrokerId(1): {"leader.replication.throttled.rate": "2000"}}


def test_throttles_of_a_reassignment_are_put_back_by_its_journal() -> None:
    still = cluster(brokers("0 1"), topic("u", "0"), topic("t", "0,1 1,0", configs=THROTTLED))

    (both,) = found(still, broker_configs=RATE, journal=JOURNAL)

    assert "1 topic and broker 1 have throttles of a reassignment that is over" == both.text
    assert (
        "kadmin throttle doctor",
        ("t",),
        (BrokerId(1),),
    ) == (both.command, both.topics, both.brokers)


def test_throttles_of_a_supervised_run_are_needed_between_its_moves() -> None:
    still = cluster(brokers("0 1"), topic("u", "0"), topic("t", "0,1 1,0", configs=THROTTLED))

    assert [] == found(still, broker_configs=RATE, journal=JOURNAL, has_supervisor=True)


def test_what_somebody_set_over_a_throttle_of_a_reassignment_is_his() -> None:
    still = cluster(brokers("0 1"), topic("u", "0 1"))
    rates = {BrokerId(1): {"leader.replication.throttled.rate": "3000"}}

    (finding,) = found(still, broker_configs=rates, journal=JOURNAL)

    assert "broker 1 limits the rate of replication, and nothing is moved" == finding.text


@pytest.mark.parametrize(
    "more",
    [
        {"sees_moves": False},
        {"snapshot": cluster(brokers("0 1"), topic("t", "0,1", adding="1", configs=THROTTLED))},
        {
            "snapshot": replace(
                cluster(brokers("0 1"), topic("u", "0")),
                moving={TopicPartition("u", 0): (BrokerId(1),)},
            )
        },
        {
            "snapshot": replace(
                cluster(brokers("0 1"), topic("t", "0,1", configs=THROTTLED)),
                faults=(subjects.hidden(subjects.REASSIGNMENT, "what is moving"),),
            )
        },
    ],
)
@pytest.mark.parametrize("journal", [JOURNAL, None])
def test_while_something_may_move_nothing_is_left(
    more: dict[str, object], journal: ThrottleJournal | None
) -> None:
    still = cluster(brokers("0 1"), topic("t", "0,1", configs=THROTTLED))

    told = found(**{"snapshot": still, "broker_configs": RATE, "journal": journal, **more})  # type: ignore[arg-type]

    assert Kind.THROTTLE not in [each.kind for each in told]


@pytest.mark.parametrize(
    ("is_future", "broker", "is_told"), [(False, 1, True), (True, 1, False), (False, 0, False)]
)
def test_a_limit_for_copies_between_directories_is_told_where_the_broker_says_there_are_none(
    is_future: bool, broker: int, is_told: bool
) -> None:
    log = ReplicaLog(
        partition=TopicPartition("t", 0), size_bytes=1, lag_records=0, is_future=is_future
    )
    directory = LogDir(path="/d", error_code=0, replicas=(log,))
    rates = {BrokerId(1): {"replica.alter.log.dirs.io.max.bytes.per.second": "1000"}}

    told = found(
        cluster(brokers("0 1"), topic("t", "0,1")),
        broker_configs=rates,
        log_dirs={BrokerId(broker): (directory,)},
    )

    assert is_told == (Kind.THROTTLE in [each.kind for each in told])


@pytest.mark.parametrize("name", ["a b", "t;reboot", "$(reboot)", "-x", "a'b", "a\nb"])
def test_names_in_commands_are_words_of_a_shell(name: str) -> None:
    (waits,) = found(cluster(brokers("0 1"), topic(name, "0", marked=True)))
    held_up, _ = found(cluster(brokers("0 1"), topic(name, "0,1", marked=True, adding="1")))

    for finding in (waits, held_up):
        assert finding.command is not None
        words = subprocess.run(
            ["bash", "-c", f"kadmin() {{ printf '%s\\0' \"$@\"; }}; {finding.command}"],
            capture_output=True,
            text=True,
            check=True,
            timeout=OUTER_LIMIT_S,
        ).stdout.split("\0")
        assert name == words[words.index("--topic") + 1]


@pytest.mark.parametrize("below", ["", "/partitions/0/state"])
@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("is empty, JSON was expected", Kind.DAMAGED),
        ("is not a JSON object", Kind.DAMAGED),
        ("has no 'topic_id'", Kind.DAMAGED),
        ("'leader_recovery_state' is out of bounds: 2", Kind.DAMAGED),
        ("'partitions' holds 4294967297 where a broker id was expected", Kind.DAMAGED),
        ("'partitions' holds -1 where a broker id was expected", Kind.UNREADABLE),
        ("'leader_epoch' is not an epoch: -3", Kind.UNREADABLE),
        ("a partition in 'partitions' is out of bounds: -1", Kind.UNREADABLE),
        ("'partitions' names a partition twice", Kind.UNREADABLE),
        ("'version' is not an integer: 'x'", Kind.UNREADABLE),
        ("partition 5 is in 'adding_replicas' but has no replicas", Kind.UNREADABLE),
        ("'adding_replicas' of partition 0 is no part of its replicas", Kind.UNREADABLE),
        ("is not JSON: x", Kind.UNREADABLE),
    ],
)
def test_what_stops_the_next_controller_is_critical(below: str, reason: str, kind: Kind) -> None:
    where = f"/brokers/topics/t{below}"
    fault = Fault(
        subject=subjects.topic("t"), where=where, version=3, reason=reason, text=f"{where} {reason}"
    )

    found_kind, severity = only(replace(cluster(brokers("0")), faults=(fault,)))[1::-1]

    assert kind is found_kind
    assert (Severity.CRITICAL if kind is Kind.DAMAGED else Severity.WARNING) is severity


def test_what_cannot_be_read_is_told() -> None:
    fault = Fault(
        subject=subjects.topic("t"), where="/t", version=3, reason="no JSON", text="/t is no JSON"
    )

    assert (Severity.WARNING, Kind.UNREADABLE, "this cannot be read: /t is no JSON") == only(
        replace(cluster(brokers("0")), faults=(fault,))
    )
