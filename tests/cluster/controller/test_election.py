"""The rules of elections, over all small cases."""

from itertools import chain, combinations, permutations, product

import pytest

from cluster.controller.election import (
    RECOVERED,
    RECOVERING,
    elect_for_shutdown,
    elect_offline,
    first_state,
    is_same_decision,
    needs_unclean,
    without_replica,
)
from cluster.model.ids import NO_LEADER, BrokerId, ControllerEpoch, LeaderEpoch, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState

BROKERS = tuple(map(BrokerId, (0, 1, 2)))
MINE = ControllerEpoch(9)
SUBSETS = tuple(chain.from_iterable(combinations(BROKERS, n) for n in range(4)))
ISRS = [isr for subset in SUBSETS if subset for isr in permutations(subset)]


def state(isr: tuple[BrokerId, ...], leader: BrokerId = NO_LEADER) -> PartitionState:
    return PartitionState(
        leader,
        isr,
        LeaderEpoch(4),
        ControllerEpoch(3),
        leader_recovery_state=RECOVERED,
        zk_version=ZkVersion(6),
        extra={"unknown": "kept"},
    )


@pytest.mark.parametrize("replicas", list(permutations(BROKERS)))
def test_an_offline_partition_is_led_by_the_first_live_member_of_its_isr(
    replicas: tuple[BrokerId, ...],
) -> None:
    for isr, live, allows in product(ISRS, SUBSETS, (False, True)):
        election = elect_offline(
            PartitionAssignment(replicas), state(isr), live, MINE, allows_unclean=allows
        )
        clean = [r for r in replicas if r in live and r in isr]
        unclean = [r for r in replicas if r in live]

        if clean:
            assert election is not None
            assert election.state.leader == clean[0]
            assert election.state.isr == tuple(r for r in isr if r in live)
            assert election.state.leader_recovery_state == RECOVERED
        elif unclean and allows:
            assert election is not None
            assert (election.state.leader, election.state.isr) == (unclean[0], (unclean[0],))
            assert election.state.leader_recovery_state == RECOVERING
        else:
            assert election is None
            continue
        assert election.recipients == tuple(unclean)
        assert (election.state.leader_epoch, election.state.controller_epoch) == (5, MINE)
        assert (election.state.zk_version, election.state.extra) == (6, {"unknown": "kept"})
        assert needs_unclean(state(isr), live) is not bool(clean)


def test_a_broker_that_shuts_down_hands_over_to_the_first_that_stays() -> None:
    for isr, leaving in product(ISRS, SUBSETS):
        election = elect_for_shutdown(
            PartitionAssignment(BROKERS), state(isr), BROKERS, leaving, MINE
        )
        staying = [r for r in BROKERS if r in isr and r not in leaving]

        if not staying:
            assert election is None
            continue
        assert election is not None
        assert election.state.leader == staying[0]
        assert set(election.state.isr) == set(staying)
        assert election.recipients == BROKERS
        assert election.state.leader_epoch == 5


def test_a_dead_broker_is_not_told_of_a_handover() -> None:
    alive = BROKERS[1:]

    election = elect_for_shutdown(
        PartitionAssignment(BROKERS), state(BROKERS), alive, BROKERS[:1], MINE
    )

    assert election is not None
    assert election.recipients == alive


def test_a_replica_leaves_an_isr_unless_it_is_the_last() -> None:
    for isr, replica in product(ISRS, BROKERS):
        for leader in (*isr, NO_LEADER):
            smaller = without_replica(state(isr, leader), replica, MINE)

            if replica not in isr:
                assert smaller is None
                continue
            assert smaller is not None
            assert smaller.isr == (tuple(r for r in isr if r != replica) or isr)
            assert smaller.leader == (NO_LEADER if leader == replica else leader)
            assert (smaller.leader_epoch, smaller.controller_epoch) == (5, MINE)


def test_a_new_partition_is_led_by_its_first_live_replica_with_all_live_ones() -> None:
    for live in SUBSETS:
        first = first_state(BROKERS, live, MINE)

        if not live:
            assert first is None
            continue
        assert first is not None
        assert (first.leader, first.isr, first.leader_epoch) == (live[0], live, 0)


def test_a_decision_is_known_again_whatever_its_version() -> None:
    decided = state(BROKERS, BROKERS[0])

    assert is_same_decision(decided._replace(zk_version=ZkVersion(77)), decided)
    assert not is_same_decision(decided._replace(leader_epoch=LeaderEpoch(5)), decided)
    assert not is_same_decision(decided._replace(isr=BROKERS[:2]), decided)
