"""Moves and their throttles: what has to be copied, what may not be tried, and who is slowed."""

import re
from dataclasses import replace

import pytest

from cluster.model.admin import Reassignment
from cluster.model.ids import BrokerId
from kadmin.arguments.reassignment_files import parse_targets, targets_text
from kadmin.errors import ExitCode
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.reassignment.dir_moves import dir_moves
from kadmin.plan.reassignment.moves import AlreadyMoving, MovePlan, plan_moves
from kadmin.plan.reassignment.targets import Target, UnfitTargets
from kadmin.plan.reassignment.throttles import (
    broker_throttles,
    log_dir_throttles,
    topic_throttles,
)
from tests.kadmin.builders import brokers, cluster, ids, state, topic
from tests.kadmin.plan.reassignment.builders import kafka_cluster, part, targets
from tests.kadmin.plan.reassignment.transcripts import transcript


def plan(*texts: str, snapshot=None, is_additional: bool = False) -> MovePlan:
    found = kafka_cluster() if snapshot is None else snapshot
    return plan_moves(found, targets(*texts), is_additional=is_additional)


@pytest.mark.parametrize(
    ("name", "file"), [("56-execute-ok", "ra.json"), ("59-execute-throttle", "big.json")]
)
def test_what_takes_it_back_is_what_kafka_s_tool_prints(name: str, file: str) -> None:
    found = transcript(name)
    wanted = parse_targets(found.files[file], file)

    made = plan_moves(kafka_cluster(), wanted, is_additional=False)

    assert targets_text(made.current) == found.said(0)[2]
    assert made.targets == wanted


def test_what_comes_and_goes_is_counted_by_broker() -> None:
    made = plan("t3-0:2,1", "t1-1:0,2", "t1-0:2,0", "t2-0:2,0,1")

    assert [str(move.partition) for move in made.moves] == ["t1-0", "t1-1", "t2-0", "t3-0"]
    assert made.asked == made.moves[1:]
    assert [move.is_asked for move in made.moves] == [False, True, True, True]
    assert made.added == {2: 2}
    assert made.removed == {0: 1, 1: 1}
    assert sorted(made.before) == ["t1", "t2", "t3"]
    assert made.before["t1"] == kafka_cluster().topics["t1"].assignment


def test_a_new_order_of_the_same_replicas_moves_nothing_and_is_asked_for() -> None:
    (move,) = plan("t1-0:0,2").moves

    assert (move.adding, move.removing, move.is_asked) == ((), (), True)


def test_leaders_that_have_to_go_are_known() -> None:
    led = cluster(
        brokers("0 1 2"),
        topic("t", "0,1 0,1 0,1 0,1", {0: state(0, "0,1"), 1: state(1, "1"), 2: state(-1, "1")}),
    )

    made = plan("t-0:1,2", "t-1:1,2", "t-2:1,2", "t-3:1,2", snapshot=led)

    assert [move.leader for move in made.moves] == [0, 1, None, None]
    assert [move.moves_leader for move in made.moves] == [True, False, False, False]


@pytest.mark.parametrize("file", ["x-unknown.json", "x-partition.json", "x-broker.json"])
def test_a_plan_is_refused_in_kafka_s_words(file: str) -> None:
    found = transcript("55-execute-errors")
    (said,) = (lines[0] for words, lines in found.runs if words.endswith(f" {file}"))
    kafka = re.sub(r"List\((.*?)\)", r"\1", said.removeprefix("Error: "))

    wanted = parse_targets(found.files[file], file)
    with pytest.raises(UnfitTargets) as raised:
        plan_moves(kafka_cluster(), wanted, is_additional=False)

    (problem,) = raised.value.problems
    assert problem.startswith(kafka[0].lower() + kafka[1:])


def test_every_partition_that_is_wrong_is_named() -> None:
    snapshot = cluster(brokers("0 1"), topic("t", "0,1 0,1"), topic("going", "0", marked=True))

    with pytest.raises(UnfitTargets) as raised:
        plan("u-0:0", "t-2:0", "t-0:0,7", "t-1:8,7", "going-0:1", "v-0:8", snapshot=snapshot)

    assert raised.value.problems == (
        "the proposed assignment contains non-existent partitions: u-0, t-2, v-0",
        "the topics of these partitions are marked for deletion: going-0",
        "the proposed assignment contains non-existent brokerIDs: 7 (of t-0, t-1), 8 (of t-1, v-0)",
    )
    assert str(raised.value).startswith("nothing is moved: the proposed assignment contains")


def test_none_is_begun_beside_another_unless_that_is_wanted() -> None:
    moving = cluster(
        brokers("0 1 2"),
        topic("big", "2,1,0 0,1", adding="2", removing="0"),
        moving=Reassignment(targets={part(f"big-{number}"): ids("1") for number in range(1, 7)}),
    )

    with pytest.raises(AlreadyMoving) as raised:
        plan("big-1:1,2", snapshot=moving)
    with pytest.raises(AlreadyMoving) as by_brokers:
        plan("big-1:1,2", snapshot=replace(moving, moving={}))
    made = plan("big-1:1,2", snapshot=moving, is_additional=True)

    assert "--bootstrap-server" in str(raised.value.hint)
    assert "or add --additional to begin another one" in str(by_brokers.value.hint)
    assert "7 partitions are being reassigned: big-0, big-1, big-2, big-3, big-4, …" in str(
        raised.value
    )
    assert raised.value.exit_code == ExitCode.REFUSED
    assert [str(move.partition) for move in made.moves] == ["big-1"]


def test_a_move_under_way_goes_on_from_where_it_began() -> None:
    moving = cluster(brokers("0 1 2 3"), topic("big", "2,1,0", adding="2", removing="0"))

    (move,) = plan("big-0:3,1", snapshot=moving, is_additional=True).moves
    back = plan("big-0:2,1", snapshot=moving, is_additional=True)

    assert (move.sources, move.destinations) == (ids("1,0"), ids("3"))
    assert (move.adding, move.removing) == (ids("3"), ids("2,0"))
    assert back.current == targets("big-0:1,0")
    assert back.moves[0].destinations == ids("2")
    assert move.is_asked
    assert not back.moves[0].is_asked


def test_what_has_been_asked_for_is_not_asked_again_though_nobody_has_begun_it() -> None:
    waiting = cluster(
        brokers("0 1 2"),
        topic("t", "0,1 0,1"),
        moving=Reassignment(targets={part("t-0"): ids("1,2"), part("t-1"): ids("0,1")}),
    )

    same = plan("t-0:1,2", snapshot=waiting, is_additional=True)
    another = plan("t-0:0,2", "t-1:0,1", snapshot=waiting, is_additional=True)

    assert not same.asked
    assert [str(move.partition) for move in another.asked] == ["t-0"]


def test_throttles_name_the_replicas_and_brokers_as_kafka_s_tool_does() -> None:
    moves = plan("big-0:2,1").moves

    assert topic_throttles(moves) == {
        "big": {
            "leader.replication.throttled.replicas": "0:0,0:1",
            "follower.replication.throttled.replicas": "0:2",
        }
    }
    rates = {
        "leader.replication.throttled.rate": "1000",
        "follower.replication.throttled.rate": "1000",
    }
    assert broker_throttles(moves, 1000) == {0: rates, 1: rates, 2: rates}


def test_throttled_replicas_are_sorted_as_texts_and_none_is_no_config() -> None:
    snapshot = cluster(brokers("0 1 2"), topic("t", " ".join(["1"] * 11)), topic("s", "0,1"))

    moves = plan("t-2:1,2", "t-10:1,2", "s-0:1,0", snapshot=snapshot).moves

    assert topic_throttles(moves) == {
        "s": {"leader.replication.throttled.replicas": "0:0,0:1"},
        "t": {
            "leader.replication.throttled.replicas": "10:1,2:1",
            "follower.replication.throttled.replicas": "10:2,2:2",
        },
    }


def test_brokers_that_change_a_directory_get_that_throttle() -> None:
    """Also one that is to get the replica; not one that has it there."""
    wanted = {
        part("t1-0"): Target(ids("2,0,1"), ("/d", "any", "/e")),
        part("t1-1"): Target(ids("0,1")),
    }
    there = ReplicaLog(partition=part("t1-0"), size_bytes=7, lag_records=0, is_future=False)
    log_dirs = {BrokerId(1): [LogDir(path="/e", replicas=(there,))]}

    moves = dir_moves(wanted, log_dirs)

    assert log_dir_throttles(moves, 5) == {
        2: {"replica.alter.log.dirs.io.max.bytes.per.second": "5"}
    }
