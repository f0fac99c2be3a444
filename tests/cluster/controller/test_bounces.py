"""Brokers that bounced while there was no controller, and what the next one makes of that."""

from collections.abc import Callable
from itertools import product

import pytest

from cluster.controller.election import without_bounced
from cluster.model.ids import NO_LEADER, ControllerEpoch
from cluster.model.topic import PartitionAssignment
from tests.cluster.controller.asked import CreateStates, WriteStates
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.test_election import BROKERS, ISRS, MINE, SUBSETS, state

T0 = tp("t-0")


def without_a_controller(*replicas: tuple[int, ...]) -> Harness:
    """A cluster with topic t that had a controller in broker 1, and has none now."""
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    harness.lose_controller()
    return harness


def bounce(harness: Harness, *broker_ids: int) -> None:
    for broker_id in broker_ids:
        harness.unregister(broker_id)
        harness.register(broker_id)


def shown(harness: Harness) -> tuple[int, tuple[int, ...], int, int]:
    """Leader, ISR, leader epoch and zkVersion of t-0."""
    found = harness.state(T0)
    assert found is not None
    return found.leader, found.isr, found.leader_epoch, found.zk_version


@pytest.mark.parametrize(
    ("bounced", "expected"),
    [
        ((2,), (1, (1, 3), 1, 1)),
        ((3,), (2, (2, 1), 1, 1)),
        ((2, 1), (3, (3,), 1, 1)),
        ((1, 3), (2, (2,), 1, 1)),
        ((3, 2, 1), (2, (2, 1, 3), 1, 1)),
    ],
)
def test_who_bounced_is_in_the_isr_no_more_but_where_all_did(
    bounced: tuple[int, ...], expected: tuple[int, tuple[int, ...], int, int]
) -> None:
    harness = without_a_controller((2, 1, 3))
    bounce(harness, *bounced)

    harness.register_controller()

    assert shown(harness) == expected
    assert harness.active.context.states[T0] == harness.state(T0)
    brokers = f"controller=1 brokers={sorted(bounced)} bounced while there was no controller"
    assert f"{brokers}: 1 partitions get another leader epoch" in harness.notes


LONG_AGO, SINCE_THE_STATE = 1, 2**40


@pytest.mark.parametrize(
    ("bounced", "expected"),
    [
        # A leader that is intact leads on, in another epoch all the same.
        ({2: LONG_AGO, 1: LONG_AGO, 3: LONG_AGO}, (2, (2, 1, 3), 1, 1)),
        ({2: LONG_AGO}, (2, (2, 1, 3), 1, 1)),
        # Followers that are intact change nothing.
        ({1: LONG_AGO, 3: LONG_AGO}, (2, (2, 1, 3), 0, 0)),
        # Who is not is out of the ISR.
        ({2: -1, 1: LONG_AGO, 3: LONG_AGO}, (1, (1, 3), 1, 1)),
        ({2: -1, 1: -1, 3: LONG_AGO}, (3, (3,), 1, 1)),
        ({2: LONG_AGO, 1: -1, 3: LONG_AGO}, (2, (2, 3), 1, 1)),
        ({2: LONG_AGO, 1: -1}, (2, (2, 3), 1, 1)),
        # What was lost after the state was written counts, whatever the last shutdown was.
        ({2: SINCE_THE_STATE, 1: LONG_AGO, 3: LONG_AGO}, (1, (1, 3), 1, 1)),
        # Where all have lost records, one alone leads.
        ({2: SINCE_THE_STATE, 1: -1, 3: -1}, (2, (2,), 1, 1)),
    ],
)
def test_who_bounced_and_has_lost_nothing_is_not_behind_who_may_have(
    bounced: dict[int, int], expected: tuple[int, tuple[int, ...], int, int]
) -> None:
    harness = without_a_controller((2, 1, 3))
    for broker_id, intact_since in bounced.items():
        harness.unregister(broker_id)
        harness.register(broker_id, intact_since=intact_since)

    harness.register_controller()

    assert shown(harness) == expected


def test_nobody_is_told_to_lead_in_the_epoch_of_before() -> None:
    harness = without_a_controller((2, 1))
    bounce(harness, 2)

    harness.register_controller()

    roles = [told for told in harness.told() if "LeaderAndIsr" in told]
    assert roles == ["1 LeaderAndIsr t-0:1/1[1]", "2 LeaderAndIsr t-0:1/1[1]"]


def test_it_stands_in_the_log_who_leads_now_and_who_is_in_the_isr_no_more() -> None:
    harness = without_a_controller((2, 1, 3), (1, 2, 3))
    bounce(harness, 2)

    harness.register_controller()

    elected = "from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1,"
    changed = [line for line in harness.lines if f"Changed partition t-0 {elected}" in line]
    removed = [line for line in harness.lines if "after removing replica 2 from the ISR" in line]
    assert len(changed) == 1
    assert len(removed) == 2


def test_what_was_written_after_the_registration_is_left_as_it_is() -> None:
    harness = Harness(1, 2, 3)
    harness.register_controller()
    bounce(harness, 2)
    harness.settle()
    harness.create_topic("t", (2, 1))
    harness.settle()
    harness.lose_controller()

    harness.register_controller()

    assert harness.count(WriteStates) == harness.count(CreateStates) == 0


@pytest.mark.parametrize(
    ("is_settled", "expected"), [(False, (1, (1, 3), 1, 2)), (True, (2, (2, 1, 3), 0, 1))]
)
def test_a_state_of_a_controller_that_did_not_know_of_it_hides_no_loss(
    is_settled: bool, expected: tuple[int, tuple[int, ...], int, int]
) -> None:
    """Until an order has shown the broker that a controller knows its registration."""
    harness = without_a_controller((2, 1, 3))
    harness.unregister(2)
    harness.register(2, intact_since=-1)
    if is_settled:
        since = harness.broker_epoch(2)
        harness.unregister(2)
        harness.register(2, intact_since=since)
    harness.write_isr(T0, (2, 1, 3))

    harness.register_controller()

    assert shown(harness) == expected


@pytest.mark.parametrize("bounced", [(2,), (2, 3)])
def test_who_is_dead_besides_is_dealt_with_as_ever(bounced: tuple[int, ...]) -> None:
    """A bounced follower of a dead leader is all there is: it is elected, in another epoch."""
    harness = without_a_controller((1, 2, 3))
    bounce(harness, *bounced)
    harness.unregister(1)
    if 3 not in bounced:
        harness.unregister(3)

    harness.register_controller()

    leader, isr, leader_epoch, _ = shown(harness)
    assert leader == 2
    assert set(isr) == set(bounced)
    assert leader_epoch > 0


def test_the_only_replica_leads_on_since_nobody_follows() -> None:
    harness = without_a_controller((2,))
    bounce(harness, 2)

    harness.register_controller()

    assert shown(harness) == (2, (2,), 0, 0)


def test_an_isr_that_its_leader_changes_meanwhile_is_read_again() -> None:
    harness = without_a_controller((2, 1, 3))
    bounce(harness, 3)
    harness.interfere(WriteStates, lambda: harness.write_isr(T0, (2, 3)))

    harness.register_controller()

    # It is the leader's word that 3 has everything in the life that it has now.
    assert shown(harness) == (2, (2, 3), 0, 1)
    assert harness.active.context.states[T0] == harness.state(T0)


@pytest.mark.parametrize("has_landed", [False, True])
def test_a_lost_answer_costs_no_second_epoch(has_landed: bool) -> None:
    harness = without_a_controller((2, 1, 3))
    bounce(harness, 2)
    harness.lose_answers_to(WriteStates, has_landed=has_landed)

    harness.register_controller()

    assert shown(harness) == (1, (1, 3), 1, 1)
    assert len([line for line in harness.lines if "removing replica 2" in line]) == 1


def gone(harness: Harness) -> None:
    harness.lose_answers_to(WriteStates, has_landed=False)
    harness.interfere(WriteStates, lambda: harness.remove_state(T0))


@pytest.mark.parametrize(
    ("goes_wrong", "told"),
    [
        (lambda harness: harness.refuse(WriteStates), "ZooKeeper refused to write its state"),
        (gone, "its state is gone"),
    ],
)
def test_what_cannot_be_written_is_logged_and_holds_up_nothing(
    goes_wrong: Callable[[Harness], None], told: str
) -> None:
    harness = without_a_controller((2, 1, 3))
    bounce(harness, 2)
    goes_wrong(harness)

    harness.register_controller()

    assert [line for line in harness.lines if told in line]
    assert harness.active is not None


def test_a_state_that_is_ahead_is_not_decided_on() -> None:
    harness = without_a_controller((2, 1, 3))
    ahead = harness.write_state_ahead(T0)
    bounce(harness, 2)

    harness.register_controller()

    assert harness.state(T0) == ahead


@pytest.mark.slow
def test_in_all_small_cases_somebody_leads_who_has_everything_if_there_is_one() -> None:
    for isr, live, bounced, intact in product(ISRS, SUBSETS, SUBSETS, SUBSETS):
        for leader in (*isr, NO_LEADER):
            before = state(isr, leader)
            away = [member for member in bounced if member in isr and member in live]
            assignment = PartitionAssignment(BROKERS)
            after = without_bounced(assignment, before, live, away, MINE, intact)
            doubtful = [member for member in away if member not in intact]
            kept = [member for member in isr if member in live and member not in doubtful]

            if not (doubtful or leader in away) or (not kept and leader not in away):
                assert after is None
                continue
            assert after is not None
            assert (after.leader_epoch, after.controller_epoch) == (5, ControllerEpoch(9))
            assert (after.zk_version, after.extra) == (before.zk_version, before.extra)
            if kept:
                assert after.isr == tuple(member for member in isr if member not in doubtful)
                expected = leader if leader not in doubtful else min(kept)
                assert after.leader == expected
            else:
                assert (after.leader, after.isr) == (leader, isr)


@pytest.mark.slow
def test_in_all_small_cases_who_says_that_it_has_lost_records_leads_only_where_all_have() -> None:
    for isr, live, lost in product(ISRS, SUBSETS, SUBSETS):
        for leader in (*isr, NO_LEADER):
            before = state(isr, leader)
            away = [member for member in lost if member in isr and member in live]
            assignment = PartitionAssignment(BROKERS)
            after = without_bounced(assignment, before, live, away, MINE, lost=away)
            rest = tuple(member for member in isr if member not in away)

            if not away or (not rest and leader == NO_LEADER):
                assert after is None
            elif not rest:
                assert after is not None
                assert (after.leader, after.isr, after.leader_epoch) == (leader, (leader,), 5)
            else:
                assert after is not None
                heirs = [member for member in rest if member in live]
                # One without a leader gets it by the election that follows.
                stays = leader in (*rest, NO_LEADER)
                expected = leader if stays else min(heirs, default=NO_LEADER)
                assert (after.leader, after.isr, after.leader_epoch) == (expected, rest, 5)
