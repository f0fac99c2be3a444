"""Does each old consumer compute what Kafka's PartitionAssignor does?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.consumer import ConsumerThread
from cluster.model.ids import TopicPartition
from kadmin.old_consumer.assignors import (
    ASSIGNORS,
    Assignment,
    UnequalSubscriptions,
    assign_in_turn,
    assign_ranges,
    java_hash,
)


def threads(*names: str) -> list[ConsumerThread]:
    """Return the threads of names such as `a-0`."""
    parts = [name.rpartition("-") for name in names]
    return [ConsumerThread(consumer, int(number)) for consumer, _, number in parts]


def shown(assignment: Assignment) -> dict[str, str]:
    """Return the partitions of each thread, as `t0 t1 u0`."""
    found: dict[str, list[str]] = {}
    for partition, thread in sorted(assignment.items(), key=lambda item: item[0]):
        found.setdefault(str(thread), []).append(f"{partition.topic}{partition.partition}")
    return {name: " ".join(some) for name, some in sorted(found.items())}


@pytest.mark.parametrize(
    ("partitions", "names", "expected"),
    [
        ([0, 1, 2, 3, 4], ("a-0", "b-0"), {"a-0": "t0 t1 t2", "b-0": "t3 t4"}),
        ([4, 2, 0], ("b-0", "a-0"), {"a-0": "t0 t2", "b-0": "t4"}),
        ([0, 1], ("a-0", "a-1", "b-0"), {"a-0": "t0", "a-1": "t1"}),
        # As text, thread 10 comes before thread 2.
        ([0, 1, 2], ("c-2", "c-10", "c-1"), {"c-1": "t0", "c-10": "t1", "c-2": "t2"}),
        # Java compares units of UTF-16: what is beyond the first plane comes before U+FF5E.
        ([0], ("～-0", "😀-0"), {"😀-0": "t0"}),
        ([], ("a-0",), {}),
        ([0], (), {}),
    ],
)
def test_ranges(partitions: list[int], names: tuple[str, ...], expected: dict[str, str]) -> None:
    assert expected == shown(assign_ranges({"t": partitions}, {"t": threads(*names)}))


def test_ranges_are_of_each_topic_and_its_own_threads() -> None:
    found = assign_ranges(
        {"t": [0, 1, 2], "u": [0, 1]},
        {"t": threads("a-0", "b-0"), "u": threads("b-0"), "v": threads("c-0")},
    )

    assert {"a-0": "t0 t1", "b-0": "t2 u0 u1"} == shown(found)


def test_round_robin_deals_by_the_hashes_of_the_names() -> None:
    both = threads("a-0", "b-0")
    found = assign_in_turn({"t": [0, 1, 2], "u": [0, 1]}, {"t": both, "u": both})

    in_order = sorted(found, key=lambda one: java_hash(f"[{one.topic},{one.partition}]"))
    assert ["a-0", "b-0", "a-0", "b-0", "a-0"] == [str(found[one]) for one in in_order]


def test_round_robin_wants_equal_subscriptions() -> None:
    with pytest.raises(UnequalSubscriptions):
        assign_in_turn({"t": [0]}, {"t": threads("a-0"), "u": threads("a-0", "b-0")})


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("[t,0]", 87540032), ("polygenelubricants", -(2**31))]
)
def test_hashes_are_those_of_java(text: str, expected: int) -> None:
    assert expected == java_hash(text)


@given(
    strategy=st.sampled_from(sorted(ASSIGNORS)),
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    members=st.lists(st.integers(1, 3), min_size=1, max_size=4),
)
def test_each_partition_has_one_owner_and_the_load_is_even(
    strategy: str, counts: list[int], members: list[int]
) -> None:
    everyone = [
        ConsumerThread(f"m{number}", thread)
        for number, count in enumerate(members)
        for thread in range(count)
    ]
    partitions = {f"t{number}": range(count) for number, count in enumerate(counts)}

    found = ASSIGNORS[strategy](partitions, dict.fromkeys(partitions, everyone))

    every = {TopicPartition(topic, number) for topic in partitions for number in partitions[topic]}
    assert every == set(found)
    topics = [*partitions] if strategy == "range" else [None]
    for topic in topics:
        loads = [
            sum(owner == thread and topic in (None, one.topic) for one, owner in found.items())
            for thread in everyone
        ]
        assert max(loads) - min(loads) <= 1
