"""Simulations on clusters that a test wrote down: what goes offline, moves, or is lost?"""

import json
from dataclasses import replace
from typing import Any

import pytest

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import (
    UNKNOWN_CONTROLLER_EPOCH,
    BrokerId,
    LeaderEpoch,
    TopicPartition,
)
from kadmin.errors import KadminError, UsageError
from kadmin.plan.broker_names import NoSuchBroker
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove, to_json
from kadmin.plan.supervision.drift import PlanDrifted
from kadmin.reports.simulation import SimulationReport, Stages
from kadmin.simulation.scenario import (
    NoSuchRack,
    OtherCluster,
    Scenario,
    killed_brokers,
    planned_targets,
    require_new,
)
from kadmin.simulation.simulate import BrokersUnknown, simulate
from kadmin.simulation.stages import ReassignmentRefused
from kadmin.snapshots.fields import INT32_MAX
from kadmin.snapshots.saved import SavedCluster, Source
from tests.kadmin.builders import brokers, ids, state, topic
from tests.kadmin.snapshots.builders import saved

T0 = TopicPartition("t", 0)


def play(value: SavedCluster, killed: str = "", **happens: Any) -> SimulationReport:
    return simulate(value, Scenario(killed=frozenset(ids(killed)), **happens))


def shown(changes: object) -> list[str]:
    """`t-0: 1 -> 2, ISR 1,2 -> 2` of each change."""
    return [
        f"{each.partition}: {each.leader_before} -> {each.leader_after},"
        f" ISR {','.join(map(str, each.isr_before))} -> {','.join(map(str, each.isr_after))}"
        for each in changes  # type: ignore[attr-defined]
    ]


MIN_2 = {"min.insync.replicas": "2"}
UNCLEAN = {"unclean.leader.election.enable": "true"}


@pytest.mark.parametrize(
    ("made", "killed", "offline", "short", "unclean", "moved"),
    [
        (topic("t", "1,2,3"), "3", [], [], [], []),
        (topic("t", "1,2,3"), "1", [], [], [], ["t-0: 1 -> 2, ISR 1,2,3 -> 2,3"]),
        (
            topic("t", "1,2", configs=MIN_2),
            "1",
            [],
            ["t-0: 1 -> 2, ISR 1,2 -> 2"],
            [],
            ["t-0: 1 -> 2, ISR 1,2 -> 2"],
        ),
        (topic("t", "1,2", configs=MIN_2), "2", [], ["t-0: 1 -> 1, ISR 1,2 -> 1"], [], []),
        (topic("t", "1"), "1", ["t-0: 1 -> None, ISR 1 -> 1"], [], [], []),
        (topic("t", "1,2", {0: state(1, "1")}), "1", ["t-0: 1 -> None, ISR 1 -> 1"], [], [], []),
        (
            topic("t", "1,2", {0: state(1, "1")}, configs=UNCLEAN),
            "1",
            [],
            [],
            ["t-0: 1 -> 2, ISR 1 -> 2"],
            [],
        ),
        (topic("t", "1,2 2,1", marked=True), "1,2", [], [], [], []),
    ],
)
def test_the_controller_decides_as_it_does(made, killed, offline, short, unclean, moved):
    report = play(saved(made), killed=killed)

    assert offline == shown(report.offline)
    assert short == shown(report.under_min_isr)
    assert unclean == shown(report.unclean)
    assert moved == shown(report.moved)


def test_a_default_of_the_brokers_allows_unclean_elections():
    value = saved(topic("t", "1,2", {0: state(1, "1")}))
    cluster = replace(value.cluster, broker_defaults=ConfigOverrides(values=UNCLEAN))

    assert ["t-0: 1 -> 2, ISR 1 -> 2"] == shown(
        play(replace(value, cluster=cluster), killed="1").unclean
    )


def test_an_operator_may_elect_what_loses_records():
    value = saved(topic("t", "1,2 1", {0: state(1, "1"), 1: state(1, "1")}))
    report = play(value, killed="1", elects_unclean=True)

    assert ["t-0: 1 -> 2, ISR 1 -> 2"] == shown(report.unclean)
    assert ["t-1: 1 -> None, ISR 1 -> 1"] == shown(report.offline)


def test_a_dead_broker_that_comes_back_brings_its_partitions_back():
    value = saved(topic("t", "3,1", {0: state(-1, "3")}), live=brokers("1 2"))
    report = play(value, added={BrokerId(3): None})

    assert ["t-0: None -> 3, ISR 3 -> 3"] == shown(report.online)
    assert () == report.offline
    assert (T0,) == play(value, killed="2").still_offline


def test_without_any_broker_left_all_is_offline():
    report = play(saved(topic("t", "1,2 3")), killed="1,2,3")

    assert ["t-0: 1 -> None, ISR 1,2 -> 1,2", "t-1: 3 -> None, ISR 3 -> 3"] == shown(report.offline)
    assert 0 == report.brokers[0].leaders.after
    assert 1 == len(play(saved(topic("t", "1"), live={}), added={}).still_offline)


def sized(value: SavedCluster, **bytes_of: str) -> SavedCluster:
    """Give broker 1 `b1="t-0:5 t-1:7"`."""
    dirs = {}
    for name, text in bytes_of.items():
        logs = []
        for item in text.split():
            partition, _, size = item.partition(":")
            named, _, number = partition.rpartition("-")
            each = TopicPartition(named, int(number))
            logs.append(ReplicaLog(partition=each, size_bytes=int(size), lag_records=0))
        dirs[BrokerId(int(name[1:]))] = (LogDir(path="/d", replicas=tuple(logs)),)
    return replace(value, log_dirs=dirs)


def test_a_plan_is_shown_before_at_its_peak_and_after():
    value = sized(saved(topic("t", "1,2 2,1")), b1="t-0:5 t-1:7", b2="t-0:5 t-1:8")
    report = play(value, targets={T0: ids("3,2")})
    rows = {int(each.broker): each for each in report.brokers}

    assert (1, 5) == (report.moved_replicas, report.moved_bytes)
    assert ["t-0: 1 -> 3, ISR 1,2 -> 2,3"] == shown(report.moved)
    assert (Stages(2, 2, 1), Stages(1, 1, 0)) == (rows[1].replicas, rows[1].leaders)
    assert (Stages(12, 12, 7), Stages(13, 13, 13)) == (rows[1].size_bytes, rows[2].size_bytes)
    assert (Stages(0, 1, 1), Stages(0, 5, 5)) == (rows[3].replicas, rows[3].size_bytes)


def test_a_leader_that_keeps_its_replica_stays():
    """As in Kafka: the preferred leader is elected later."""
    report = play(saved(topic("t", "1,2 2,1")), targets={T0: ids("3,1")})

    assert () == report.moved
    assert None is report.moved_bytes


def test_replicas_of_both_sides_are_there_at_the_peak():
    targets = {TopicPartition("t", 0): ids("3"), TopicPartition("t", 1): ids("1")}
    report = play(saved(topic("t", "1 3")), targets=targets)

    assert [Stages(1, 2, 1), Stages(0, 0, 0), Stages(1, 2, 1)] == [
        each.replicas for each in report.brokers
    ]


def test_a_plan_may_name_brokers_that_are_to_come():
    value = saved(topic("t", "1,2"))
    targets = {T0: ids("9,2")}
    (change,) = play(value, targets=targets, added={BrokerId(9): "b"}).moved

    assert BrokerId(9) == change.leader_after
    with pytest.raises(ReassignmentRefused, match="t-0: "):
        play(value, targets=targets)
    with pytest.raises(ReassignmentRefused, match="u-0: "):
        play(value, targets={TopicPartition("u", 0): ids("1")})


def test_what_brokers_do_not_return_is_no_hindrance():
    """A snapshot by the wire lacks versions and the controller's epoch."""
    unknown = state(1, "1,2")._replace(
        controller_epoch=UNKNOWN_CONTROLLER_EPOCH, leader_epoch=LeaderEpoch(-1)
    )
    value = saved(topic("t", "1,2", {0: unknown}), source=Source.BROKERS)
    value = replace(value, cluster=replace(value.cluster, controller_epoch=None))

    assert ["t-0: 1 -> 2, ISR 1,2 -> 2"] == shown(play(value, killed="1").moved)


def test_a_topic_of_which_too_little_is_known_is_named():
    value = saved(topic("t", "1", {}), topic("u", "1"), faults=(subjects.partition_state(T0),))
    report = play(value, killed="1")

    assert ["u-0: 1 -> None, ISR 1 -> 1"] == shown(report.offline)
    assert ("partition_state t-0 may not be read",) == report.left_out


@pytest.mark.parametrize("name", ["", ".", "..", "/", "a/b", "é", "x\x1b[2J", "\ud800", "t" * 300])
def test_a_topic_whose_name_is_illegal_is_named(name):
    report = play(saved(topic(name, "1"), topic("u", "1")), killed="1")

    assert ["u-0: 1 -> None, ISR 1 -> 1"] == shown(report.offline)
    assert report.left_out[0].startswith("topic name ")


def test_texts_and_epochs_that_no_znode_can_hold_change_nothing():
    odd = state(1, "1,2")._replace(leader_epoch=LeaderEpoch(INT32_MAX))
    configs = {"\ud800": "\ud800", "min.insync.replicas": "9" * 5000}
    made = topic("t", "1,2", {0: odd}, configs=configs)
    report = play(saved(made, live=brokers("1:\ud800 2:b 3:c")), killed="1")

    assert ["t-0: 1 -> 2, ISR 1,2 -> 2"] == shown(report.moved)
    assert () == report.under_min_isr


@pytest.mark.parametrize("killed", ["1", "2", "3", "1,2", "2,3"])
def test_each_leader_is_live_and_in_the_isr_and_no_isr_is_empty(killed):
    """The controller's own rules, on every order of three replicas and every ISR of them."""
    orders = "1,2,3 1,3,2 2,1,3 2,3,1 3,1,2 3,2,1 1,2 2,3 3,1 1 2 3"
    replicas = [each.split(",") for each in orders.split()]
    states = {
        number: state(int(each[-1]), ",".join(each[number % len(each) :]) or each[-1])
        for number, each in enumerate(replicas)
    }
    report = play(saved(topic("t", orders, states)), killed=killed)
    gone = set(ids(killed))

    for change in (*report.moved, *report.under_min_isr, *report.online):
        assert change.leader_after not in gone
        assert change.leader_after in change.isr_after
        assert not gone & set(change.isr_after)
    for change in report.offline:
        assert set(change.isr_before) <= gone
        assert change.isr_after


def test_without_the_list_of_brokers_nothing_is_said_to_be_offline():
    value = saved(topic("t", "1,2"), live={}, faults=(subjects.BROKERS,))

    with pytest.raises(BrokersUnknown):
        play(value, added={BrokerId(9): None})


def test_brokers_and_racks_are_named_as_the_cluster_has_them():
    cluster = saved(topic("t", "1,7")).cluster

    assert frozenset(ids("1,2")) == killed_brokers(cluster, ids("1"), ["b"])
    with pytest.raises(NoSuchBroker, match="there is no broker 9"):
        killed_brokers(cluster, ids("9"), [])
    with pytest.raises(KadminError, match="broker 7 cannot fail: not alive"):
        killed_brokers(cluster, ids("7"), [])
    with pytest.raises(NoSuchRack, match="no live broker is in rack 'x'"):
        killed_brokers(cluster, [], ["x"])
    with pytest.raises(KadminError, match="broker 1 cannot be added: alive already"):
        require_new(cluster, ids("1,7"))


def test_both_kinds_of_plan_files_are_understood():
    value = saved(topic("t", "1,2"))
    kafkas = {"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": [3, 1]}]}
    plan = MovePlan(
        tool_version="0.2.0",
        cluster_id=value.cluster_id,
        planned_at_ms=1,
        goal="drain",
        moved_replicas=1,
        lower_bound=1,
        moved_bytes=None,
        lower_bound_bytes=None,
        is_optimal=True,
        brokers={BrokerId(1): None, BrokerId(2): None, BrokerId(3): None},
        moves=(PlannedMove(partition=T0, replicas=ids("1,2"), target=ids("3,1")),),
    )

    assert {T0: ids("3,1")} == planned_targets(json.dumps(kafkas), "p", value)
    assert {T0: ids("3,1")} == planned_targets(to_json(plan), "p", value)
    with pytest.raises(OtherCluster):
        planned_targets(to_json(replace(plan, cluster_id="x")), "p", value)
    drifted = replace(plan.moves[0], replicas=ids("2,1"))
    with pytest.raises(PlanDrifted, match="t-0 has 1,2, planned from 2,1"):
        planned_targets(to_json(replace(plan, moves=(drifted,))), "p", value)
    for text in ("", "{}", '{"goal": 1}', "[]"):
        with pytest.raises(UsageError, match="cannot use p"):
            planned_targets(text, "p", value)


def test_partitions_that_nothing_touches_are_counted_in():
    value = sized(saved(topic("t", "1,2 2,1"), topic("u", "2 3,2")), b1="t-0:5", b2="u-0:3 u-1:4")
    whole = play(value, killed="1,2,3")
    report = play(value, killed="1")
    rows = {int(each.broker): each for each in report.brokers}

    assert whole.partition_count == report.partition_count == 4
    assert Stages(4, 4, 4) == rows[2].replicas
    assert Stages(2, 3, 3) == rows[2].leaders
    assert Stages(12, 12, 12) == rows[2].size_bytes
    assert (Stages(1, 1, 1), Stages(4, 4, 4)) == (rows[3].leaders, rows[3].size_bytes)
