"""The file of a move plan: is what was written read back, and all that is wrong named?"""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from kadmin.plan.moves.plan_file import (
    BadPlanFile,
    MovePlan,
    PlannedMove,
    from_json,
    to_document,
    to_json,
)


def ids(*brokers: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, brokers))


PLAN = MovePlan(
    tool_version="0.2.0",
    cluster_id="c",
    planned_at_ms=5,
    goal="drain",
    arguments={"brokers": [4]},
    moved_replicas=1,
    lower_bound=1,
    moved_bytes=700,
    lower_bound_bytes=700,
    is_optimal=True,
    brokers={BrokerId(0): "a", BrokerId(1): None, BrokerId(4): "b"},
    moves=(
        PlannedMove(
            partition=TopicPartition("t", 0),
            replicas=ids(4, 1),
            target=ids(1, 0),
            zk_version=ZkVersion(0),
            size_bytes=700,
        ),
        PlannedMove(partition=TopicPartition("t", 3), replicas=ids(0, 1), target=ids(1, 0)),
    ),
)


def test_a_written_plan_is_read_back() -> None:
    assert PLAN == from_json(to_json(PLAN), "p")


def test_each_partition_has_a_line_of_its_own() -> None:
    lines = [line for line in to_json(PLAN).splitlines() if '"topic"' in line]

    assert [0, 3] == [json.loads(line.strip().rstrip(","))["partition"] for line in lines]


def test_moves_know_who_comes_and_who_goes() -> None:
    moved, reordered = PLAN.moves

    assert (ids(0), ids(4), True) == (moved.adding, moved.removing, moved.moves_preferred_leader)
    assert ((), (), True) == (
        reordered.adding,
        reordered.removing,
        reordered.moves_preferred_leader,
    )


@given(
    st.lists(st.permutations(ids(0, 1, 4)), unique_by=tuple, max_size=4),
    st.text(min_size=1),
    st.none() | st.integers(0, 2**40),
)
def test_any_plan_survives_the_file(orders: Any, cluster_id: str, size: int | None) -> None:
    moves = tuple(
        PlannedMove(
            partition=TopicPartition("t", number),
            replicas=(),
            target=tuple(order),
            size_bytes=size,
        )
        for number, order in enumerate(orders)
    )
    plan = replace(
        PLAN,
        cluster_id=cluster_id,
        moves=moves,
        moved_replicas=3 * len(moves),
        lower_bound=len(moves),
        moved_bytes=size,
        lower_bound_bytes=size,
    )

    assert plan == from_json(to_json(plan), "p")


def changed(**values: object) -> dict[str, object]:
    return {**to_document(PLAN), **values}


def entry(**values: object) -> dict[str, object]:
    """A document whose one partition has *values* changed."""
    whole = {"topic": "t", "partition": 0, "replicas": [1], "target": [0]}
    return changed(partitions=[{**whole, "zk_version": None, "size_bytes": None, **values}])


@pytest.mark.parametrize(
    ("document", "problems"),
    [
        ("", ["it is empty"]),
        ("{", ["it is not JSON (line 1, column 2: Expecting property name enclosed in"]),
        ("[" * 100_000, ["it is nested too deeply"]),
        (
            to_json(PLAN).replace('"target"', '"target": [0], "target"', 1),
            ['\'target\' more than once in {"topic":"t","partition":0,'],
        ),
        ([], ["it is no JSON object"]),
        ({}, ["'version' is null, and not 1"]),
        (changed(version=2), ["'version' is 2, and not 1"]),
        (changed(version=True), ["'version' is true, and not 1"]),
        (
            {"version": 1},
            [
                f"'{key}' is missing"
                for key in (
                    "tool_version",
                    "cluster_id",
                    "planned_at_ms",
                    "goal",
                    "arguments",
                    "moved_replicas",
                    "lower_bound",
                    "moved_bytes",
                    "lower_bound_bytes",
                    "optimal",
                    "brokers",
                    "partitions",
                )
            ],
        ),
        (
            changed(goal=None, optimal=1, arguments=[], cluster_id=3, planned_at_ms=-1),
            [
                "'cluster_id' is no text",
                "'planned_at_ms' is no number",
                "'goal' is no text",
                "'arguments' is no object",
                "'optimal' is neither true nor false",
            ],
        ),
        (changed(brokers=[7]), ["brokers[0] is no object"]),
        (
            changed(brokers=[{"broker": 1, "rack": None}, {"broker": 1, "rack": "a"}]),
            ["'brokers' names more than once: 1"],
        ),
        (changed(brokers=[{"broker": True}]), ["brokers[0]: 'broker' is no number", "'rack'"]),
        (entry(topic="a/b"), ["partitions[0]: topic name 'a/b' is illegal"]),
        (
            entry(partition=None, replicas=["1"], target=[]),
            [
                "partitions[0]: 'partition' is no number",
                "partitions[0]: 'replicas' is no list of broker ids",
                "partitions[0]: 'target' is empty",
            ],
        ),
        (entry(target=[0, 0]), ["partitions[0]: 'target' names more than once: 0"]),
        (entry(size_bytes="1 GB"), ["partitions[0]: 'size_bytes' is no number"]),
        (entry(target=[1]), ["'partitions' names what does not change: t-0", "'moved_replicas'"]),
        (entry(target=[9]), ["'target' names brokers that are not in 'brokers': 9"]),
        (
            changed(moved_replicas=7, lower_bound=8),
            [
                "'moved_replicas' is 7, and 'partitions' move 1",
                "'lower_bound' is 8, above 'moved_replicas'",
            ],
        ),
    ],
)
def test_all_that_is_wrong_with_a_file_is_named(document: object, problems: list[str]) -> None:
    text = document if isinstance(document, str) else json.dumps(document)

    with pytest.raises(BadPlanFile) as refused:
        from_json(text, "plan.json")

    assert len(problems) == len(refused.value.problems)
    for expected, actual in zip(problems, refused.value.problems, strict=True):
        assert expected in actual
    assert "plan.json" in refused.value.message


def test_a_partition_that_is_named_twice_is_refused() -> None:
    document: dict[str, Any] = to_document(PLAN)
    document["partitions"] *= 2

    with pytest.raises(BadPlanFile, match="more than once: t-0, t-3"):
        from_json(json.dumps(document), "plan.json")


def test_keys_of_later_releases_are_ignored() -> None:
    assert PLAN == from_json(json.dumps(changed(note="for Friday")), "plan.json")
