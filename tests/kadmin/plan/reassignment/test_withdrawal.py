"""Taking back through ZooKeeper: to which replicas, and who has to hear of it."""

import re
from dataclasses import replace

import pytest

from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.reassignment.moves import Withdrawal
from kadmin.plan.reassignment.shorthand import moving_of
from kadmin.plan.reassignment.targets import UnfitTargets
from kadmin.plan.reassignment.withdrawal import plan_withdrawal
from tests.kadmin.builders import brokers, cluster, ids, topic
from tests.kadmin.plan.reassignment.builders import part, targets


def moving(
    replicas: str, *asked: str, adding: str = "", removing: str = "", live: str = "0 1 2 3"
) -> ClusterSnapshot:
    """Topic t with *replicas*, of which *asked* stands in ZooKeeper."""
    return cluster(
        brokers(live),
        topic("t", replicas, adding=adding, removing=removing),
        moving={name: target.replicas for name, target in targets(*asked).items()},
    )


@pytest.mark.parametrize(
    ("file", "to"), [("t-0:1,0", "1,0"), ("t-0:0,1", "0,1"), ("t-0:2,3", "0,1"), ("t-0:0", "0,1")]
)
def test_what_a_topic_says_counts_and_a_file_gives_the_order(file: str, to: str) -> None:
    snapshot = moving("2,0,1", "t-0:2,0", adding="2", removing="1")

    plan = plan_withdrawal(snapshot, targets(file))

    assert [ids(to)] == [move.target.replicas for move in plan.asked]
    assert Withdrawal(BrokerId(0)) == plan.withdrawal


def test_what_was_asked_of_brokers_is_taken_back_under_the_same_controller() -> None:
    snapshot = moving("2,0,1", adding="2", removing="1")

    plan = plan_withdrawal(snapshot, targets("t-0:0,1"))

    assert Withdrawal(None) == plan.withdrawal
    assert [part("t-0")] == [move.partition for move in plan.asked]


def test_what_has_not_begun_has_its_replicas_still() -> None:
    plan = plan_withdrawal(moving("0,1", "t-0:2,3"), targets("t-0:2,3"))

    assert [ids("0,1")] == [move.target.replicas for move in plan.asked]


def test_before_2_4_the_rollback_file_alone_knows_them() -> None:
    snapshot = moving("1,2,0 0,1,2", "t-0:1,2", "t-1:1,2")

    plan = plan_withdrawal(snapshot, targets("t-0:0,1", "t-1:0"))

    assert [ids("0,1"), ids("0")] == [move.target.replicas for move in plan.asked]
    assert Withdrawal(BrokerId(0)) == plan.withdrawal


def test_what_would_be_wrong_before_2_4_is_refused_with_every_partition() -> None:
    snapshot = moving(" ".join(["0,1,2"] * 5), *(f"t-{n}:1,2" for n in range(5)), live="1 2 3")

    with pytest.raises(UnfitTargets) as refused:
        plan_withdrawal(snapshot, targets("t-0:1,2", "t-1:1,2", "t-2:3,1", "t-3:0,1", "t-4:2,1"))

    onward, foreign, gone = refused.value.problems
    assert onward.endswith("where Kafka keeps them from 2.4 on: t-0, t-1")
    assert foreign.endswith("neither have nor had: t-2")
    assert re.search("not alive.*: t-3$", gone)


def test_what_is_asked_to_go_back_already_needs_no_other_controller() -> None:
    snapshot = moving("2,0,1", "t-0:0,1", adding="2", removing="1")

    plan = plan_withdrawal(snapshot, targets("t-0:0,1"))

    assert 1 == len(plan.moves)
    assert ((), Withdrawal(None)) == (plan.asked, plan.withdrawal)


def test_before_2_4_what_only_grows_looks_as_if_it_had_arrived_and_is_taken_back() -> None:
    plan = plan_withdrawal(moving("2,0", "t-0:2,0"), targets("t-0:0"))

    assert [ids("0")] == [move.target.replicas for move in plan.asked]


def test_nothing_that_stands_still_is_in_the_plan() -> None:
    snapshot = moving("0,1 1,2", "t-1:2,0")

    plan = plan_withdrawal(snapshot, targets("t-0:0,1"))

    assert () == plan.moves
    assert Withdrawal(None) == plan.withdrawal


STALE = targets("gone-0:1,2", "t-7:1")


@pytest.mark.parametrize(
    ("snapshot", "file", "dropped", "asked"),
    [
        (moving("0,1"), "gone-0:1", ["gone-0"], []),
        (moving("0,1"), "t-7:0", ["t-7"], []),
        (moving("0,1"), "t-0:0,1", [], []),
        (moving("0,1", "t-0:2,3"), "t-0:0,1", [], ["t-0"]),
        (replace(moving("0,1", "t-0:2,3"), controller=None), "t-0:2,3", ["t-0"], []),
        # It may have begun: the next controller has to hear of it.
        (replace(moving("0,1", "t-0:1,0"), controller=None), "t-0:0,1", [], ["t-0"]),
        (
            replace(moving("2,0,1", "t-0:2,0", adding="2", removing="1"), controller=None),
            "t-0:0,1",
            [],
            ["t-0"],
        ),
    ],
)
def test_what_no_controller_takes_up_only_leaves_the_request(
    snapshot: ClusterSnapshot, file: str, dropped: list[str], asked: list[str]
) -> None:
    stale = {partition: target.replicas for partition, target in STALE.items()}

    plan = plan_withdrawal(replace(snapshot, stale_moves=stale), targets(file))

    assert dropped == [str(partition) for partition in plan.dropped]
    assert asked == [str(move.partition) for move in plan.asked]
    resigns = snapshot.controller is not None and bool(dropped or asked)
    assert Withdrawal(BrokerId(0) if resigns else None, plan.dropped) == plan.withdrawal


def test_before_2_4_nobody_but_a_file_says_what_a_topic_goes_back_to() -> None:
    snapshot = moving("1,2,0", "t-0:1,2")

    with pytest.raises(UnfitTargets, match=r"previous replicas are not in ZooKeeper.*: t-0"):
        plan_withdrawal(snapshot, moving_of(snapshot, "t", None))
