"""What is found wrong with a partition, and how brokers are loaded."""

from dataclasses import replace
from itertools import product

import pytest

from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import ControllerEpoch
from kadmin.plan.health import (
    BAD_FINDINGS,
    Finding,
    Load,
    is_sound,
    judge,
    judge_loads,
    judge_topic,
    needed_brokers,
)
from kadmin.reports.topics import report_on
from tests.kadmin.builders import assignment, brokers, cluster, ids, state, topic

THREE = brokers("0 1 2")


@pytest.mark.parametrize(
    ("partition_state", "findings"),
    [
        (state(0, "0,1,2"), set()),
        (state(1, "0,1,2"), {Finding.NON_PREFERRED_LEADER}),
        (state(0, "0,1"), {Finding.UNDER_REPLICATED, Finding.AT_MIN_ISR}),
        (state(0, "0"), {Finding.UNDER_REPLICATED, Finding.UNDER_MIN_ISR}),
        (
            state(-1, "2"),
            {Finding.UNAVAILABLE, Finding.UNDER_MIN_ISR, Finding.UNDER_REPLICATED},
        ),
        (state(-1, "0,1,2"), {Finding.UNAVAILABLE, Finding.UNDER_MIN_ISR}),
        (state(0, "0,1,2", leader_recovery_state=1), {Finding.RECOVERING}),
        (
            None,
            {
                Finding.NO_STATE,
                Finding.UNAVAILABLE,
                Finding.UNDER_MIN_ISR,
                Finding.UNDER_REPLICATED,
            },
        ),
    ],
)
def test_a_partition_is_judged_as_kafkas_tools_do(partition_state, findings):
    states = {} if partition_state is None else {0: partition_state}
    made = topic("t", "0,1,2", states, configs={"min.insync.replicas": "2"})

    (view,) = judge_topic(cluster(THREE, made), made, 1)

    assert findings == set(view.findings)


ALIVE = dict.fromkeys(ids("0,1,2"))
ISRS = ("0", "0,1", "0,1,2", "1,0")


@pytest.mark.parametrize("min_isr", [0, 1, 2, 3])
@pytest.mark.parametrize("replicas", ["0,1", "0,1,2", "9,0"])
def test_the_quick_look_finds_sound_what_the_long_one_does(replicas: str, min_isr: int):
    for isr, leader, recovering, epoch, moving in product(
        ISRS, (-1, 0, 1, 9), (0, 1), (6, 7, 8), (("", ""), ("2", ""), ("", "1"))
    ):
        adding, removing = moving
        given = assignment(replicas, adding=adding, removing=removing).partitions[0]
        found = state(leader, isr, leader_recovery_state=recovering)
        found = found._replace(controller_epoch=ControllerEpoch(epoch))
        case = (given, found, ALIVE, min_isr, 7)
        has_findings = bool(list(judge(*case)))

        # An ISR that is larger than the replica set is no finding, but nobody's usual case.
        if len(found.isr) <= len(given.replicas):
            assert is_sound(*case) != has_findings, case
        else:
            assert not is_sound(*case), case


def test_a_dead_leader_is_unavailable():
    made = topic("t", "5,0", {0: state(5, "5,0")})

    (view,) = judge_topic(cluster(THREE, made), made, 1)

    assert (Finding.UNAVAILABLE,) == view.findings
    assert 5 == view.leader


@pytest.mark.parametrize(("epoch", "is_ahead"), [(1, False), (2, True), (999_999, True)])
def test_a_state_of_a_later_controller_than_there_is_is_found(epoch, is_ahead):
    told = state(0, "0,1,2")._replace(controller_epoch=ControllerEpoch(epoch))
    made = topic("t", "0,1,2", {0: told})

    (view,) = judge_topic(cluster(THREE, made), made, 1)

    assert is_ahead == (Finding.CONTROLLER_EPOCH_AHEAD in view.findings)
    assert not is_ahead or BAD_FINDINGS.intersection(view.findings)


def test_no_state_is_ahead_where_the_controller_epoch_is_not_known():
    made = topic("t", "0,1,2", {0: state(0, "0,1,2")})
    snapshot = replace(cluster(THREE, made), controller_epoch=None)

    (view,) = judge_topic(snapshot, made, 1)

    assert () == view.findings


def test_a_move_is_found():
    made = topic("t", "0,1,2", adding="2")

    (view,) = judge_topic(cluster(THREE, made), made, 1)

    assert Finding.REASSIGNING in view.findings


@pytest.mark.parametrize(
    ("configs", "broker_defaults", "default", "expected"),
    [
        ({"min.insync.replicas": "3"}, {"min.insync.replicas": "2"}, 1, 3),
        ({}, {"min.insync.replicas": "2"}, 1, 2),
        ({}, {}, 4, 4),
        ({"min.insync.replicas": "x"}, {}, 1, 1),
    ],
)
def test_min_isr_is_the_topics_else_the_brokers_else_as_told(
    configs, broker_defaults, default, expected
):
    made = topic("t", "0", configs=configs)
    snapshot = cluster(THREE, made, broker_defaults=ConfigOverrides(values=broker_defaults))

    (view,) = judge_topic(snapshot, made, default)

    assert expected == view.min_isr


def test_loads_count_the_dead_and_measure_skew_against_the_live():
    snapshot = cluster(
        brokers("0 1"), topic("t", "0,1 0,7 0,1", {0: state(0, "0"), 1: state(1, "1")})
    )

    assert {
        0: Load(
            replicas=3,
            leaders=1,
            preferred_leaders=3,
            replica_skew_percent=50,
            leader_skew_percent=0,
        ),
        1: Load(
            replicas=2,
            leaders=1,
            preferred_leaders=0,
            replica_skew_percent=0,
            leader_skew_percent=0,
        ),
        7: Load(
            replicas=1,
            leaders=0,
            preferred_leaders=0,
            replica_skew_percent=-50,
            leader_skew_percent=-100,
        ),
    } == judge_loads(snapshot)


def test_an_empty_cluster_has_no_skew():
    assert [0, 0] == [
        load.replica_skew_percent for load in judge_loads(cluster(brokers("0 1"))).values()
    ]


def test_a_report_keeps_what_was_asked_for():
    snapshot = cluster(
        THREE,
        topic("bad", "0,1 1,0", {0: state(0, "0"), 1: state(1, "0,1")}),
        topic("good", "0,1"),
        topic("tuned", "0", configs={"retention.ms": "1"}),
    )
    names = list(snapshot.topics)

    filtered = report_on(snapshot, names, only=Finding.UNDER_REPLICATED)
    overrides = report_on(snapshot, names, with_overrides=True)

    assert [("bad", [0])] == [
        (item.topic.name, [view.partition for view in item.partitions]) for item in filtered.topics
    ]
    assert ["tuned"] == [item.topic.name for item in overrides.topics]


@pytest.mark.parametrize(
    ("leader", "isr", "needed"),
    [
        (-1, "7", "7"),
        (-1, "7,8", "7,8"),
        (7, "7,8", "7,8"),
        (-1, "7,0", ""),
        (0, "0", ""),
        (-1, "", ""),
    ],
)
def test_who_must_come_back_is_known_by_the_isr(leader, isr, needed):
    snapshot = cluster(brokers("0"), topic("t", "0,7,8", {0: state(leader, isr)}))
    [view] = judge_topic(snapshot, snapshot.topics["t"], 1)

    assert ids(needed) == needed_brokers(view, snapshot.brokers)


def test_nobody_is_needed_by_a_partition_that_no_controller_has_taken_up():
    snapshot = cluster(brokers("0"), topic("t", "0,7", {}))
    [view] = judge_topic(snapshot, snapshot.topics["t"], 1)

    assert () == needed_brokers(view, snapshot.brokers)


def test_a_broker_alone_has_nobody_to_be_compared_with():
    (load,) = judge_loads(cluster(brokers("0"), topic("t", "0 0"))).values()

    assert (2, None, None) == (load.replicas, load.replica_skew_percent, load.leader_skew_percent)


@pytest.mark.parametrize(
    ("replicas", "found", "min_isr", "findings", "non_replicas"),
    [
        ("1,2,3", state(1, "1,2,9"), 1, {Finding.UNDER_REPLICATED, Finding.STRANGERS}, "9"),
        (
            "1,2,3",
            state(1, "1,2,9"),
            2,
            {Finding.UNDER_REPLICATED, Finding.STRANGERS, Finding.AT_MIN_ISR},
            "9",
        ),
        ("1,2,3", state(1, "1,2,3,9"), 2, {Finding.STRANGERS}, "9"),
        ("1,2,3", state(9, "1,2,3"), 2, {Finding.STRANGERS, Finding.NON_PREFERRED_LEADER}, "9"),
        (
            "1,2",
            state(9, "8,9"),
            1,
            {
                Finding.STRANGERS,
                Finding.NON_PREFERRED_LEADER,
                Finding.UNDER_REPLICATED,
                Finding.UNDER_MIN_ISR,
            },
            "8,9",
        ),
        # A list that names a member several times has no more members for it.
        ("1,2,3", state(1, "1,1,2"), 1, {Finding.UNDER_REPLICATED}, ""),
        ("1,2,3", state(1, "1,1,1"), 2, {Finding.UNDER_REPLICATED, Finding.UNDER_MIN_ISR}, ""),
        ("1,1,1", state(1, "1,1,1"), 2, {Finding.REPEATED_REPLICAS, Finding.UNDER_MIN_ISR}, ""),
        ("1,1,1", state(1, "1"), 1, {Finding.REPEATED_REPLICAS, Finding.AT_MIN_ISR}, ""),
        ("1,2,2", state(1, "1"), 0, {Finding.REPEATED_REPLICAS, Finding.UNDER_REPLICATED}, ""),
        (
            "-",
            state(1, "1"),
            1,
            {
                Finding.NO_REPLICAS,
                Finding.STRANGERS,
                Finding.UNDER_MIN_ISR,
                Finding.NON_PREFERRED_LEADER,
            },
            "1",
        ),
        (
            "-",
            None,
            1,
            {Finding.NO_REPLICAS, Finding.NO_STATE, Finding.UNAVAILABLE, Finding.UNDER_MIN_ISR},
            "",
        ),
    ],
)
def test_members_of_sets_count_whatever_the_lists_say(
    replicas, found, min_isr, findings, non_replicas
):
    made = topic("t", replicas, {} if found is None else {0: found})

    (view,) = judge_topic(cluster(brokers("1 2 3 8 9"), made), made, min_isr)

    assert findings == set(view.findings)
    assert ids(non_replicas) == view.non_replicas


def test_a_broker_that_is_named_several_times_has_one_replica():
    loads = judge_loads(cluster(brokers("1 2"), topic("t", "1,1,1 2,1 -")))

    assert {1: (2, 1), 2: (1, 1)} == {
        broker: (load.replicas, load.preferred_leaders) for broker, load in loads.items()
    }


@pytest.mark.parametrize(
    ("isr", "is_under_replicated"),
    [("1,2", False), ("1,2,3", False), ("1", True), ("1,3", False)],
)
def test_what_a_reassignment_adds_is_not_missing_yet(isr: str, is_under_replicated: bool) -> None:
    """As `kafka-topics` counts: the ISR, whoever is in it, against the replicas without those."""
    moved = topic("t", "1,2,3", {0: state(1, isr)}, adding="3")
    (view,) = judge_topic(cluster(brokers("1 2 3"), moved), moved, 1)

    assert is_under_replicated == (Finding.UNDER_REPLICATED in view.findings)
