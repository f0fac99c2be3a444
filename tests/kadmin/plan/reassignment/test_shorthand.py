"""Short forms: one partition, and all that a broker has, with as little moved as can be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import BrokerId
from kadmin.arguments.numbers import BadNumbers, parse_numbers
from kadmin.errors import ExitCode
from kadmin.plan.reassignment.moves import plan_moves
from kadmin.plan.reassignment.shorthand import (
    NothingToMove,
    evacuation,
    partitions_of,
    targets_of_partitions,
)
from kadmin.plan.reassignment.targets import UnfitTargets
from kadmin.plan.topic_refusals import NoSuchTopic
from tests.kadmin.builders import brokers, cluster, ids, topic
from tests.kadmin.plan.reassignment.builders import kafka_cluster, targets

FOUR = BrokerId(4)


def test_partitions_that_are_named_get_what_is_named() -> None:
    assert targets_of_partitions("t", [10, 9, 10], ids("1,2")) == targets("t-9:1,2", "t-10:1,2")


def test_every_replica_goes_in_its_place() -> None:
    snapshot = cluster(brokers("1 2 3 4"), topic("t", "4,3 3,4 1,2"), topic("s", "4"))

    moved = evacuation(snapshot, FOUR, ids("1,2"))

    assert {str(partition): target.replicas for partition, target in moved.items()} == {
        "s-0": (1,),
        "t-0": (2, 3),
        "t-1": (3, 1),
    }


def test_a_dead_broker_is_emptied_too() -> None:
    snapshot = cluster(brokers("1 2"), topic("t", "4,1"))

    assert evacuation(snapshot, FOUR, ids("1,2")) == targets("t-0:2,1")


def test_another_rack_goes_before_a_lesser_load() -> None:
    snapshot = cluster(brokers("1:a 2:a 3:b 4:b"), topic("t", "4,1"), topic("s", "3 3 3"))

    assert evacuation(snapshot, FOUR, ids("2,3")) == targets("t-0:3,1")
    assert evacuation(snapshot, FOUR, ids("2")) == targets("t-0:2,1")


def test_a_broker_without_a_rack_shares_none() -> None:
    snapshot = cluster(brokers("1 2 3 4"), topic("t", "4,1"), topic("s", "2"))

    assert evacuation(snapshot, FOUR, ids("2,3")) == targets("t-0:3,1")


def test_what_is_moved_away_already_goes_on_and_what_comes_is_moved() -> None:
    snapshot = cluster(
        brokers("1 2 3 4"),
        topic("going", "4,1,2", adding="2", removing="4"),
        topic("coming", "4,1,2", adding="4", removing="2"),
    )

    found = evacuation(snapshot, FOUR, ids("3"))

    assert found == targets("going-0:1,2", "coming-0:3,1")
    assert [
        str(move.partition) for move in plan_moves(snapshot, found, is_additional=True).asked
    ] == ["coming-0"]


def test_partitions_without_a_place_are_counted_and_the_first_of_them_named() -> None:
    snapshot = cluster(brokers("1 2 4"), topic("t", "4,1 4,2 4,1"))
    large = cluster(brokers("1 2 4"), topic("t", " ".join(["4,1"] * 300)))

    with pytest.raises(UnfitTargets, match=r"has a replica already of 2 partitions: t-0, t-2$"):
        evacuation(snapshot, FOUR, ids("1"))
    with pytest.raises(UnfitTargets, match=r"of 300 partitions: t-0, t-1, t-2, t-3, t-4, …$"):
        evacuation(large, FOUR, ids("1"))


def test_all_brokers_to_move_to_that_are_dead_are_named() -> None:
    """Also those that would get nothing."""
    snapshot = cluster(brokers("1 2 4"), topic("t", "4,1"))

    with pytest.raises(UnfitTargets, match=r"brokers to move to that are not alive: 7, 9$"):
        evacuation(snapshot, FOUR, ids("2,7,9"))


def test_a_dead_broker_that_has_nothing_is_told() -> None:
    with pytest.raises(NothingToMove, match="broker 4 has no replica") as raised:
        evacuation(cluster(brokers("1 2 3"), topic("t", "1,2")), FOUR, ids("1,2"))

    assert raised.value.exit_code == ExitCode.REFUSED


def test_a_live_broker_that_is_empty_is_left_alone() -> None:
    assert {} == evacuation(cluster(brokers("1 2 4"), topic("t", "1,2")), FOUR, ids("1,2"))


replica_lists = st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True)


@given(st.lists(replica_lists, min_size=1, max_size=20), st.sets(st.integers(1, 6), min_size=3))
def test_only_replicas_of_the_broker_move_and_each_of_them(
    lists: list[list[int]], to: set[int]
) -> None:
    text = " ".join(",".join(map(str, replicas)) for replicas in lists)
    snapshot = cluster(brokers("1:a 2:b 3:a 4:b 5:c 6"), topic("t", text))
    destinations = sorted(BrokerId(number) for number in to - {4})

    if any(4 in each and set(destinations) <= set(each) for each in lists):
        with pytest.raises(UnfitTargets):
            evacuation(snapshot, FOUR, destinations)
        return
    moved = evacuation(snapshot, FOUR, destinations)

    assert len(moved) == sum(4 in each for each in lists)
    plan = plan_moves(snapshot, moved, is_additional=False)
    assert plan.removed == ({4: len(moved)} if moved else {})
    assert set(plan.added) <= set(destinations)
    assert Counter(plan.added).total() == len(moved)
    for move in plan.moves:
        assert len(set(move.target.replicas)) == len(move.before.replicas)


def test_numbers_stay_in_their_order() -> None:
    assert parse_numbers("3, 0,11", "--replicas") == (3, 0, 11)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,x,", "--replicas contains what is no number: 'x', ''"),
        ("1,2,1,2", "--replicas contains duplicate entries: 1, 2"),
    ],
)
def test_all_that_is_wrong_with_numbers_is_told(text: str, words: str) -> None:
    with pytest.raises(BadNumbers) as raised:
        parse_numbers(text, "--replicas")

    assert raised.value.message == words
    assert raised.value.exit_code == ExitCode.USAGE


def test_a_topic_without_numbers_is_all_of_its_partitions() -> None:
    snapshot = kafka_cluster()

    assert partitions_of(snapshot, "t3") == (0, 1)
    with pytest.raises(NoSuchTopic):
        partitions_of(snapshot, "nosuch")


def test_what_is_about_to_go_is_not_moved_before() -> None:
    snapshot = cluster(brokers("1 2 4"), topic("going", "4", marked=True), topic("t", "4"))

    assert [str(partition) for partition in evacuation(snapshot, FOUR, ids("1"))] == ["t-0"]
