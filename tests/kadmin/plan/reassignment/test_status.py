"""How far a reassignment is: as Kafka's tool says it, and where that says too little."""

from dataclasses import replace

import pytest

from cluster.model.admin import Reassignment
from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.arguments.reassignment_files import parse_targets
from kadmin.errors import ExitCode
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.status import (
    active_partitions,
    exit_code,
    judge,
    leftovers,
    why_moving,
)
from tests.kadmin.builders import brokers, cluster, ids, state, topic
from tests.kadmin.plan.reassignment.builders import kafka_cluster, part, targets
from tests.kadmin.plan.reassignment.transcripts import transcript

T1_MOVED = cluster(brokers("0 1 2"), topic("t1", "2,0 0,2 1,2 2,1 0,2"))
BIG_MOVING = cluster(
    brokers("0 1 2"),
    topic("big", "2,1,0", adding="2", removing="0"),
    moving=Reassignment(targets={part("big-0"): ids("2,1")}),
)
BIG_MOVED = cluster(brokers("0 1 2"), topic("big", "2,1"))


@pytest.mark.parametrize(
    ("name", "number", "file", "snapshot", "code"),
    [
        ("53-verify-never-executed", 0, "ra.json", kafka_cluster(), ExitCode.FOUND),
        ("54-verify-strange", 3, "v-reorder.json", kafka_cluster(), ExitCode.FOUND),
        ("56-execute-ok", 1, "ra.json", T1_MOVED, ExitCode.DONE),
        ("59-execute-throttle", 1, "big.json", BIG_MOVING, ExitCode.IN_PROGRESS),
    ],
)
def test_kafka_s_tool_says_the_same(
    name: str, number: int, file: str, snapshot: ClusterSnapshot, code: ExitCode
) -> None:
    found = transcript(name)
    arguments, said = found.runs[number]
    assert arguments == f"--verify --reassignment-json-file {file}"

    judged = judge(snapshot, parse_targets(found.files[file], file))

    lines = ["Status of partition reassignment:", *map(str, judged)]
    # From 3.3 on the tool says "completed".
    expected = [line.replace("is complete.", "is completed.") for line in said]
    assert lines == [line for line in expected if not line.startswith("Clearing ")]
    assert exit_code(judged) == code


def test_a_throttled_move_is_done_in_the_end() -> None:
    file = transcript("59-execute-throttle").files["big.json"]
    said = transcript("65-verify-done-throttle-removal").said(0)

    (judged,) = judge(BIG_MOVED, parse_targets(file, "big.json"))

    assert str(judged) == said[1].replace("complete", "completed")


@pytest.mark.parametrize("name", ["v-unknown.json", "v-count.json", "v-far.json"])
def test_what_is_not_there_is_called_so(name: str) -> None:
    """Kafka's tool calls it a partition without replicas, with an exit code of 0."""
    found = transcript("54-verify-strange")
    wanted = parse_targets(found.files[name], name)
    (partition,) = wanted

    judged = judge(kafka_cluster(), wanted)

    (said,) = (lines[1] for words, lines in found.runs if words.endswith(f" {name}"))
    assert f"{partition}, but replica set is  rather than" in said
    assert [str(item) for item in judged] == [f"There is no partition {partition}."]
    assert exit_code(judged) == ExitCode.FOUND


def test_a_move_to_other_replicas_than_asked_for_is_one_and_says_where_to() -> None:
    (judged,) = judge(BIG_MOVING, targets("big-0:1,2"))

    assert (judged.progress, judged.heading) == (Progress.MOVING, ids("2,1"))


@pytest.mark.parametrize("replicas", ["0,1", "2,1"])
def test_what_no_controller_has_taken_up_yet_is_in_progress(replicas: str) -> None:
    waiting = cluster(
        brokers("0 1 2"),
        topic("big", replicas),
        moving=Reassignment(targets={part("big-0"): ids("2,1")}),
    )

    (judged,) = judge(waiting, targets("big-0:2,1"))

    assert judged.progress is Progress.MOVING
    assert judged.replicas == ids(replicas)


def test_partitions_are_judged_in_order_and_one_that_moves_counts_most() -> None:
    snapshot = cluster(
        brokers("0 1 2"),
        topic("t", "2,1,0 0,1 0,1", adding="2", removing="0"),
    )

    judged = judge(snapshot, targets("u-0:1", "t-2:1,0", "t-1:0,1", "t-0:2,1"))

    assert [(str(item.partition), item.progress) for item in judged] == [
        ("t-0", Progress.MOVING),
        ("t-1", Progress.DONE),
        ("t-2", Progress.MISMATCH),
        ("u-0", Progress.MISSING),
    ]
    assert exit_code(judged) == ExitCode.IN_PROGRESS
    assert exit_code(judged[1:]) == ExitCode.FOUND
    assert exit_code(judged[1:2]) == ExitCode.DONE


def test_everything_that_moves_in_the_cluster_is_known() -> None:
    snapshot = cluster(
        brokers("0 1 2"),
        topic("b", "2,1,0", adding="2"),
        topic("a", "1 2"),
        moving=Reassignment(targets={part("b-0"): ids("2,1"), part("a-1"): ids("1")}),
    )

    assert active_partitions(snapshot) == (part("a-1"), part("b-0"))
    assert active_partitions(kafka_cluster()) == ()


def test_what_a_broker_still_has_is_a_mismatch_unless_it_is_on_its_way() -> None:
    snapshot = cluster(
        brokers("0 1 2"),
        topic("a", "2,1,0 0,1 1,2", adding="2", removing="0"),
        topic("b", "1 0"),
        moving=Reassignment(targets={part("b-1"): ids("2")}),
    )

    wanted = leftovers(snapshot, BrokerId(0))
    judged = judge(snapshot, wanted)

    assert targets("a-0:2,1", "a-1:1") == {
        name: target for name, target in wanted.items() if name.topic == "a"
    }
    assert [("a-0", "moving"), ("a-1", "mismatch"), ("b-1", "moving")] == [
        (str(item.partition), item.progress.value) for item in judged
    ]
    assert leftovers(snapshot, BrokerId(7)) == {}


@pytest.mark.parametrize(
    ("live", "isr", "more", "why"),
    [
        ("0 1 2", "1,0", {}, "not in the ISR yet: 2"),
        ("0 1", "1,0", {}, "not alive: 2"),
        ("0 1 2", "1,0,2", {}, "the controller has yet to end it"),
        ("0 1 2", "1,0", {"controller": None}, "there is no controller"),
    ],
)
def test_what_a_move_waits_for_is_told(live: str, isr: str, more: dict, why: str) -> None:
    moving = topic("big", "2,1,0", {0: state(1, isr)}, adding="2", removing="0")
    snapshot = replace(cluster(brokers(live), moving), **more)

    (item,) = judge(snapshot, targets("big-0:2,1"))

    assert why_moving(snapshot, item) == why


def test_what_has_no_state_yet_waits_for_all_of_them() -> None:
    snapshot = cluster(brokers("1 2"), topic("t", "2,1", {}, adding="2"))

    (item,) = judge(snapshot, targets("t-0:2,1"))

    assert why_moving(snapshot, item) == "not in the ISR yet: 2,1"
