"""Plans of topic changes, and everything that they refuse."""

from dataclasses import replace

import pytest

from cluster.model.controller import Controller
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.model.placement import Placement
from cluster.model.topic import PartitionAssignment, TopicAssignment
from kadmin.arguments.replica_assignment import parse_assignment
from kadmin.errors import ExitCode, RefusedError, UsageError
from kadmin.plan.config_plan import InvalidConfigs
from kadmin.plan.place import NotEnoughBrokers
from kadmin.plan.topic_refusals import (
    DeletionPending,
    InternalTopic,
    MarkedForDeletion,
    NoSuchTopic,
    NotMorePartitions,
    ReassignmentRunning,
    TopicCollision,
    TopicExists,
    UnfitAssignment,
    UnknownBrokers,
    check_topic_name,
)
from kadmin.plan.topics import CreateRequest, plan_add_partitions, plan_create, plan_delete
from tests.kadmin.builders import assignment, brokers, cluster, ids, topic

THREE = brokers("0 1 2")


def request(name="orders", count=3, factor=2, **more):
    more.setdefault("placement", Placement(start_index=0, shift=0))
    return CreateRequest(name=name, partition_count=count, replication_factor=factor, **more)


def add(snapshot, name="t", count=None, given=None, **more):
    return plan_add_partitions(
        snapshot, name, count, given, placement=None, is_rack_aware=True, **more
    )


@pytest.mark.parametrize("name", ["a", "a.b_c-D9", "__consumer_offsets", "x" * 249, "..."])
def test_legal_names_pass(name):
    check_topic_name(name)  # It would raise.


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "cannot be empty"),
        (".", "cannot be"),
        ("..", "cannot be"),
        ("x" * 250, "longer than 249"),
        ("a b", "ASCII alphanumerics"),
        ("bad/name", "ASCII alphanumerics"),
        ("ünicode", "ASCII alphanumerics"),
        ("a\n", "ASCII alphanumerics"),
    ],
)
def test_illegal_names_are_wrong_usage(name, reason):
    with pytest.raises(UsageError, match=reason):
        check_topic_name(name)


def test_an_assignment_is_read_with_blanks():
    assert {0: (0, 1), 1: (1, 2)} == parse_assignment(" 0 : 1 , 1:2 ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no broker ids"),
        ("0:x", "'x'"),
        ("0:-1", "'-1'"),
        ("0:1,", "partition 1"),
        ("0:٣", "no broker ids"),
        ("0:4294967296", "4294967296"),
        ("0:0", "duplicate"),
        ("0:1,1", "partition 1 has 1 replicas, partition 0 has 2"),
    ],
)
def test_a_bad_assignment_names_what_is_wrong(text, reason):
    with pytest.raises(UnfitAssignment, match=reason):
        parse_assignment(text)


def test_a_new_topic_is_laid_out_and_carries_its_configs():
    plan = plan_create(cluster(THREE), request(configs={"retention.ms": "1"}))

    assert {0: (0, 1), 1: (1, 2), 2: (2, 0)} == plan.layout
    assert {"retention.ms": "1"} == plan.configs
    assert 3 == plan.assignment.version


def test_the_random_start_is_below_the_number_of_brokers():
    plan = plan_create(cluster(THREE), request(placement=None, draw=(10**9, 10**9 + 1)))

    assert Placement(start_index=1, shift=2) == plan.placement


def test_a_cluster_with_an_old_broker_gets_the_oldest_format():
    plan = plan_create(cluster(brokers("0", version=5) | brokers("1 2", version=4)), request())

    assert 1 == plan.assignment.version


def test_a_cluster_whose_brokers_are_yet_to_come_gets_the_oldest_format():
    asked = request(assignment=parse_assignment("0:1"), allow_unknown_brokers=True)

    assert 1 == plan_create(cluster({}), asked).assignment.version


@pytest.mark.parametrize(("marked", "words"), [(False, "already exists"), (True, "marked for del")])
def test_an_existing_topic_is_not_created_again(marked, words):
    snapshot = cluster(THREE, topic("orders", "0,1", marked=marked))

    with pytest.raises(TopicExists, match=words) as caught:
        plan_create(snapshot, request())
    assert ExitCode.FAILED == caught.value.exit_code


def test_a_mark_of_a_deletion_that_is_over_would_delete_the_next_topic_without_a_controller():
    marked = replace(cluster(THREE), stale_deletions=frozenset({"orders"}))

    with pytest.raises(DeletionPending, match="not there, and is marked for deletion"):
        plan_create(replace(marked, controller=None), request())
    assert (
        "orders"
        == plan_create(
            replace(marked, controller=Controller(broker_id=BrokerId(1))), request()
        ).name
    )
    assert "pays" == plan_create(replace(marked, controller=None), request("pays")).name


def test_names_that_share_their_metrics_collide():
    with pytest.raises(TopicCollision, match=r"a_b.*collides.*a\.b"):
        plan_create(cluster(THREE, topic("a.b", "0")), request("a_b"))


def test_an_assignment_may_not_name_unknown_brokers_unless_told_so():
    wanted = parse_assignment("0:9,9:1")

    with pytest.raises(UnknownBrokers, match=r"not alive: 9 \(alive: 0, 1, 2\)") as caught:
        plan_create(cluster(THREE), request(assignment=wanted))
    assert ExitCode.REFUSED == caught.value.exit_code
    plan = plan_create(cluster(THREE), request(assignment=wanted, allow_unknown_brokers=True))
    assert wanted == plan.layout
    assert plan.placement is None


def test_too_many_replicas_find_no_place():
    with pytest.raises(NotEnoughBrokers):
        plan_create(cluster(THREE), request(factor=4))
    with pytest.raises(NotEnoughBrokers, match="brokers: 0"):
        plan_create(cluster({}), request(placement=None))


def test_added_partitions_keep_the_others_the_id_and_unknown_fields():
    snapshot = cluster(THREE, topic("t", "2,0 0,1"))
    before = snapshot.topics["t"].assignment

    plan = add(snapshot, count=4)

    assert [2, 3] == list(plan.added)
    assert before.partitions.items() <= plan.after.partitions.items()
    assert before.topic_id == plan.after.topic_id
    assert ZkVersion(0) == plan.before.zk_version
    assert all(2 == len(replicas) for replicas in plan.added.values())


def test_a_fitting_assignment_places_the_new_partitions():
    snapshot = cluster(THREE, topic("t", "0,1 1,2"))

    plan = add(snapshot, given=parse_assignment("0:1,1:2,2:0,0:2"))

    assert {2: (2, 0), 3: (0, 2)} == plan.added


@pytest.mark.parametrize(
    ("count", "given", "error", "reason"),
    [
        (2, None, NotMorePartitions, "has 2, 2 would not"),
        (1, None, NotMorePartitions, "has 2, 1 would not"),
        (4, "0:1,1:2,2:0", UnfitAssignment, "names 3 partitions, 4"),
        (None, "0:1,2:1,2:0", UnfitAssignment, "partition 1 of 't' the replicas 2:1, it has 1:2"),
        (None, "0:1,1:2,2:7", UnknownBrokers, "not alive: 7"),
    ],
)
def test_an_alter_that_does_not_fit_is_refused(count, given, error, reason):
    snapshot = cluster(THREE, topic("t", "0,1 1,2"))

    with pytest.raises(error, match=reason):
        add(snapshot, count=count, given=None if given is None else parse_assignment(given))


def test_topics_in_no_state_for_it_get_no_partitions():
    moving = {TopicPartition("legacy", 0): (BrokerId(1),)}
    snapshot = cluster(
        THREE,
        topic("__consumer_offsets", "0"),
        topic("gone", "0", marked=True),
        topic("moved", "0,1,2", adding="2"),
        topic("legacy", "0"),
        moving=moving,
    )

    with pytest.raises(InternalTopic, match="__consumer_offsets"):
        add(snapshot, "__consumer_offsets", 5)
    with pytest.raises(MarkedForDeletion):
        add(snapshot, "gone", 5)
    with pytest.raises(ReassignmentRunning, match="moved-0"):
        add(snapshot, "moved", 5)
    with pytest.raises(ReassignmentRunning, match="legacy-0"):
        add(snapshot, "legacy", 5)
    with pytest.raises(NoSuchTopic, match="nosuch"):
        add(snapshot, "nosuch", 5)


@pytest.mark.parametrize(
    ("replicas", "reason"),
    [
        ({0: "0", 2: "1"}, r"not numbered .* \[0, 2\]"),
        ({}, "'t' is damaged: it has no partition 0"),
        ({0: "", 1: "1"}, "'t' is damaged: it has no partition 0 with replicas"),
    ],
)
def test_topics_that_no_kafka_would_make_are_left_alone(replicas, reason):
    partitions = {number: PartitionAssignment(ids(text)) for number, text in replicas.items()}
    odd = replace(topic("t", "0"), assignment=TopicAssignment(partitions=partitions))

    with pytest.raises(RefusedError, match=reason):
        add(cluster(THREE, odd), count=5)


def test_racks_are_left_aside_when_asked():
    racked = cluster(brokers("0:a 1:a 2:b 3:b"), topic("t", "0,2"))

    aware = plan_add_partitions(racked, "t", 2, None, placement=None, is_rack_aware=True)
    unaware = plan_add_partitions(racked, "t", 2, None, placement=None, is_rack_aware=False)

    assert {1: (2, 1)} == aware.added
    assert {1: (1, 2)} == unaware.added


def test_a_deletion_counts_what_it_deletes_and_is_bound_to_the_version():
    plan = plan_delete(cluster(THREE, topic("t", "0,1 1,2")), "t")

    assert (2, 4, ZkVersion(0), False) == (
        plan.partition_count,
        plan.replica_count,
        plan.before.zk_version,
        plan.is_already_marked,
    )


def test_internal_and_unknown_topics_are_not_deleted():
    snapshot = cluster(THREE, topic("__transaction_state", "0"))

    with pytest.raises(InternalTopic):
        plan_delete(snapshot, "__transaction_state")
    with pytest.raises(NoSuchTopic):
        plan_delete(snapshot, "t")


def test_builders_write_what_they_say():
    made = assignment("0,1,2 1", adding="2", removing="0")

    assert (0, 1) == made.partitions[0].origin
    assert (1, 2) == made.partitions[0].target
    assert not made.partitions[1].is_reassigning


def test_configs_of_a_new_topic_are_judged_together():
    with pytest.raises(InvalidConfigs, match="compaction"):
        plan_create(
            cluster(THREE),
            request(configs={"max.compaction.lag.ms": "1", "min.compaction.lag.ms": "2"}),
        )
    (risk,) = plan_create(cluster(THREE), request(configs={"min.insync.replicas": "3"})).risks
    assert "min.insync.replicas=3 is more than the 2 replicas" in str(risk)


@pytest.mark.parametrize(
    ("replicas", "given", "warnings"),
    [
        ("0,1 1,2", None, []),
        (
            "0 0,1,2",
            None,
            [
                "the partitions do not have the same number of replicas (1 have 1, 1 have 3): the"
                " new one gets 1"
            ],
        ),
        (
            "0,1 -",
            None,
            [
                "partition 1 has no replicas, or the same broker several times",
                "the partitions do not have the same number of replicas (1 have 0, 1 have 2): the"
                " new one gets 2",
            ],
        ),
        (
            "0,0,0 1,1,1",
            None,
            ["partitions 0, 1 have no replicas, or the same broker several times"],
        ),
        (
            "0 1",
            {0: ids("0"), 1: ids("1"), 2: ids("1,2")},
            ["the partitions have 1 replica each: the new one gets 2"],
        ),
    ],
)
def test_new_partitions_with_other_numbers_of_replicas_are_warned_of(replicas, given, warnings):
    snapshot = cluster(brokers("0 1 2"), topic("t", replicas))

    plan = plan_add_partitions(snapshot, "t", 3, given, placement=None, is_rack_aware=True)

    assert warnings == list(plan.warnings)
